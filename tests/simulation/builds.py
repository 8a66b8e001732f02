"""Drawn lives of a deployment: its rows, feeds, metros and settings change, its feeds fail and come back, its operator
takes listings down, goes back to an earlier release and moves the folder.

Slugs are stated, because a published one stays; and while a feed fails, only rows of others change.
"""

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from click.testing import Result

from outings.release.manifest import read_manifest
from outings.release.pointer import list_releases
from outings.release.store import object_name
from tests.pipeline.city import Record, make_event
from tests.simulation.deployment import Deployment

FIRST = date(2026, 8, 10)
ZONES = {"seattle": "America/Los_Angeles", "boston": "America/New_York", "tucson": "America/Phoenix"}
HALLS, CLUBS = ("Town Hall", "Barn", "TOWN HALL"), ("Wardens", "Parks", "PARKS")
RULES = (None, "FREQ=WEEKLY;COUNT=5", "FREQ=DAILY;UNTIL=20271001", "FREQ=WEEKLY;BYDAY=TU", "often")
STATUSES = ("published", "published", "published", "draft", "archived")
# The id that a record of each feed of a metro states. Of several metros, the one that has it first keeps it.
ID = "0d5c0000-0000-4000-8000-00000000000{}"
CATEGORIES = ["arts_creative", "swim_water", "stem_discovery"]
# The members of a table's records, each from a column of another name.
MAP = {
    name: f"{name}_" for name in
    ("type", "source_id", "id", "slug", "name", "description", "starts_local", "status", "organization.name",
     "place.name")
}  # fmt: skip


@dataclass
class Feed:
    """A feed of one metro, which is named by its first slug.

    `pool`: its records by source id. `changes`: what a feed of changes says next. `good`: the file with which a build
    from nothing gives what its last good version gives; None if it has none. `is_unread`: it has to be read before it
    may fail, because its last good version is of other settings or of an older release.
    """

    name: str
    metro: str
    mode: str = "full"
    is_table: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    pool: dict[str, Record] = field(default_factory=dict)
    changes: dict[str, Record] = field(default_factory=dict)
    is_failing: bool = False
    is_unread: bool = False
    good: bytes | None = None

    @property
    def path(self) -> str:
        return f"{self.name}.ndjson"

    def make_table(self, metro: str) -> dict[str, Any]:
        kind = {"format": "table", "map": MAP} if self.is_table else {"format": "ndjson"}
        return {"name": self.name, "metro": metro, "url": self.path, "mode": self.mode, **kind, **self.settings}

    def put(self, record: Record) -> None:
        self.pool[record["source_id"]] = self.changes[record["source_id"]] = record

    def remove(self, source_id: str) -> None:
        record = self.pool.pop(source_id)
        self.changes[source_id] = {"type": record["type"], "source_id": source_id, "deleted": True}

    def repeat_all(self) -> None:
        self.is_failing, self.is_unread = False, True
        self.changes |= self.pool

    def write(self, records: Iterable[Record]) -> bytes:
        rows = [{column: find_member(record, name) for name, column in MAP.items()} for record in records]
        return "".join(f"{json.dumps(row)}\n" for row in (rows if self.is_table else records)).encode()


def find_member(record: Any, path: str) -> Any:
    for name in path.split("."):
        record = (record or {}).get(name)
    return record


class Life:
    """A deployment that lives, and what a build from nothing needs to give the same. `log`: what happened."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.random, self.log, self.day, self.numbers = random, list[str](), FIRST, 0
        self.deployment = Deployment(folder / "life")
        # Each metro's first slug, and those that it had later, the last one in force.
        self.metros = {name: [name] for name in random.sample([*ZONES], 2)}
        self.vocabulary = list(CATEGORIES)
        self.map_name = "Old Town"
        self.has_pages = random.random() < 0.3
        self.feeds: list[Feed] = []
        self.taken: list[str] = []
        for _ in range(3):
            self.add_feed()

    def act(self) -> None:
        acts = {
            self.change_rows: 6, self.remove_rows: 3, self.add_feed: 1, self.drop_feed: 1, self.swap_feeds: 2,
            self.change_format: 1, self.change_settings: 2, self.fail: 2, self.come_back: 2, self.wait: 2,
            self.take_down: 1, self.give_back: 1, self.roll_back: 1, self.add_metro: 1, self.drop_metro: 1,
            self.rename_metro: 1, self.move_folder: 1, self.lose_index: 1,
        }  # fmt: skip
        act = self.random.choices([*acts], [*acts.values()])[0]
        self.log.append(f"{act.__name__} {act() or ''}")

    @property
    def well(self) -> list[Feed]:
        return [feed for feed in self.feeds if not feed.is_failing]

    def draw_record(self, feed: Feed, source_id: str) -> Record:
        draw = self.random
        kind = draw.choice(("event", "event", "event", "class", "place", "organization"))
        name = {"place": draw.choice(HALLS), "organization": draw.choice(CLUBS)}.get(kind, f"Walk {draw.randrange(99)}")
        record = make_event(source_id, slug=f"{feed.name}-{kind}-{source_id}", name=name, type=kind)
        record |= {"source_id": f"{kind}-{source_id}", "description": f"For children {draw.randrange(99)}."}
        record |= {"status": draw.choice(STATUSES), "categories": draw.sample(CATEGORIES, draw.randrange(3))}
        if kind != "event":
            del record["starts_local"]
        elif (rule := draw.choice(RULES)) is not None:
            record["rrule"] = rule
        if kind == "event" and draw.random() < 0.2:
            record |= {"ends_local": "2026-08-15T18:00:00", "confidence": None}
        if kind == "event" and source_id == "0":
            record["id"] = ID.format([*ZONES].index(feed.metro))
        if kind in ("place", "event") and draw.random() < 0.5:
            at = {"lat": 47.6 + draw.randrange(3) / 100, "lng": -122.3, "neighborhood": draw.choice((None, "Old Town"))}
            record["location"] = {"address": f"{draw.randrange(3)} Pine St", **at}
        if kind == "organization":
            return {**record, "website_url": draw.choice((None, f"https://{feed.name}.example/"))}
        other = draw.choice(self.feeds or [feed])
        ways = [{"name": draw.choice(CLUBS)}, {"feed": other.name, "source_id": f"organization-{draw.randrange(6)}"}]
        record["organization"] = draw.choice([None, *ways])
        record["ticket_url" if kind == "event" else "registration_url"] = f"https://{draw.choice('abc')}.example/1"
        if kind != "place":
            ways = [{"name": draw.choice(HALLS)}, {"feed": other.name, "source_id": f"place-{draw.randrange(6)}"}]
            record["place"] = draw.choice([None, *ways])
        return record

    def change_rows(self) -> str:
        for feed in self.random.sample(self.well, min(2, len(self.well))):
            for _ in range(self.random.randrange(1, 4)):
                feed.put(self.draw_record(feed, str(self.random.randrange(6))))
        return ""

    def remove_rows(self) -> None:
        for feed in self.well:
            for source_id in self.random.sample(sorted(feed.pool), min(2, len(feed.pool))):
                feed.remove(source_id)

    def add_feed(self) -> str:
        self.numbers += 1
        mode = self.random.choice(("full", "full", "delta"))
        feed = Feed(f"{self.random.choice('abc')}{self.numbers}", self.random.choice([*self.metros]), mode)
        self.feeds.insert(self.random.randrange(len(self.feeds) + 1), feed)
        for number in range(6):
            feed.put(self.draw_record(feed, str(number)))
        return f"{feed.name} of {feed.metro}, {mode}"

    def drop_feed(self) -> str:
        if len(self.feeds) == 1:
            return ""
        return self.feeds.pop(self.random.randrange(len(self.feeds))).name

    def add_metro(self) -> str:
        name = self.random.choice([*ZONES])
        self.metros.setdefault(name, [name])
        return name

    def drop_metro(self) -> str:
        if len(self.metros) == 1:
            return ""
        name = self.random.choice([*self.metros])
        del self.metros[name]
        self.feeds = [feed for feed in self.feeds if feed.metro != name]
        if not self.feeds:
            self.add_feed()
        return name

    def rename_metro(self) -> str:
        name = self.random.choice([*self.metros])
        self.metros[name].append(f"{name}-{len(self.metros[name])}")
        for feed in self.feeds:
            feed.repeat_all()
        return self.metros[name][-1]

    def swap_feeds(self) -> None:
        self.random.shuffle(self.feeds)

    def change_format(self) -> str:
        feeds = [feed for feed in self.well if feed.mode == "full"]
        if not feeds:
            return ""
        feed = self.random.choice(feeds)
        feed.is_table, feed.is_unread = not feed.is_table, True
        return feed.name

    def change_settings(self) -> str:
        """Change a setting. All feeds come back, and feeds of changes say everything again: what they said before was
        read with the old settings."""
        what = self.random.choice(("vocabulary", "map", "spans", "confidence", "metro"))
        feed = self.random.choice(self.feeds)
        if what == "vocabulary":
            self.vocabulary = self.random.sample(CATEGORIES, self.random.randrange(1, 4))
        elif what == "map":
            self.map_name = self.random.choice(("Old Town", "Harbor"))
        elif what == "spans":
            feed.settings["spans"] = self.random.choice(("first", "daily"))
        elif what == "confidence":
            feed.settings["confidence"] = self.random.choice(("stated", "computed"))
        else:
            feed.metro = self.random.choice([*self.metros])
            feed.pool = {source_id: record for source_id, record in feed.pool.items() if "id" not in record}
        for feed in self.feeds:
            feed.repeat_all()
        return what

    def fail(self) -> str:
        feed = self.random.choice(self.feeds)
        feed.is_failing = not feed.is_unread
        return feed.name

    def come_back(self) -> None:
        for feed in self.feeds:
            feed.is_failing = False

    def wait(self) -> None:
        self.day += timedelta(days=self.random.choice((1, 1, 7, 90)))

    def move_folder(self) -> None:
        folder = self.deployment.folder
        self.deployment.folder = folder.rename(folder.with_name(f"moved-{len(self.log)}"))

    def lose_index(self) -> None:
        """Delete what a tree of static files is known by. The files are there still."""
        (self.deployment.folder / "var/public/v1/index.json").unlink(missing_ok=True)

    def take_down(self) -> str:
        # No record refers to them: what refers to a place or an organization would lose it for good.
        ids = self.deployment.list_ids("event", "class")
        if not ids:
            return ""
        self.taken.append(self.random.choice(ids))
        self.expect(self.deployment.run("takedown", self.taken[-1]), 0)
        return self.taken[-1]

    def give_back(self) -> str:
        """Undo a takedown. What a feed of changes said of it is gone for good, so it says everything again."""
        if not self.taken:
            return ""
        taken = self.taken.pop()
        self.expect(self.deployment.run("takedown", "--undo", taken), 0)
        for feed in self.feeds:
            feed.repeat_all()
        return taken

    def roll_back(self) -> str:
        releases = [*list_releases(self.deployment.store)]
        if len(releases) < 2:
            return ""
        target = self.random.choice(releases[1:]).id
        self.expect(self.deployment.run("releases", "rollback", target), 0)
        for feed in self.feeds:
            feed.repeat_all()
        return target

    def build(self) -> None:
        """Build, and note what a build from nothing would read."""
        self.configure(self.deployment)
        for feed in self.feeds:
            said = feed.pool if feed.mode == "full" else feed.changes
            self.deployment.files[feed.path] = None if feed.is_failing else feed.write(said.values())
            if not feed.is_failing:
                feed.good, feed.changes, feed.is_unread = feed.write(feed.pool.values()), {}, False
        result = self.deployment.build(self.day, "--allow-shrink")
        self.log.append(f"build of {self.day}: {result.exit_code}")
        self.expect(result, *((0, 4, 5) if any(feed.good is not None for feed in self.feeds) else (1,)))

    def forget(self, folder: Path) -> Deployment:
        """Copy the deployment without what its listings and records were made of, so that the next build of the copy
        makes everything again."""
        copy = Deployment(Path(shutil.copytree(self.deployment.folder, folder / "forgetful")))
        root = next(list_releases(copy.store)).root
        manifests = [read_manifest(copy.store, part.manifest) for part in root.parts.values()]
        origins = [manifest.origins.object for manifest in manifests if manifest.origins is not None]
        for sha in {*origins, *filter(None, (memory.records for memory in root.feeds.values()))}:
            (copy.folder / "var/store" / object_name(sha)).unlink(missing_ok=True)
        return copy

    def build_from_nothing(self, folder: Path) -> Deployment:
        twin = Deployment(folder / "twin")
        if any(len(slugs) > 1 for slugs in self.metros.values()):
            # An organization that is only named has an id of the first slug that its metro was published with.
            self.configure(twin, slugs=1)
            twin.files |= {feed.path: b"\n" for feed in self.feeds}
            self.expect(twin.build(self.day), 0, 5)
        self.configure(twin)
        twin.files |= {feed.path: feed.good for feed in self.feeds}
        self.expect(twin.build(self.day, "--allow-shrink"), 0, 4, 5, 1)
        if self.taken:
            ids = {*self.taken} & {*twin.list_ids("event", "class")}
            self.expect(twin.run("takedown", *sorted(ids)), 0) if ids else None
            self.expect(twin.build(self.day, "--allow-shrink"), 0, 4, 5)
        return twin

    def configure(self, deployment: Deployment, *, slugs: int | None = None) -> None:
        """Write the configuration. `slugs`: how many of each metro's are known by then; None for all."""
        metros = {name: own[:slugs] for name, own in self.metros.items()}
        ring = [[-123, 47], [-122, 47], [-122, 47.615], [-123, 47.615], [-123, 47]]
        geometry = {"type": "Polygon", "coordinates": [ring]}
        area = {"type": "Feature", "properties": {"name": self.map_name}, "geometry": geometry}
        deployment.files["map.geojson"] = json.dumps({"type": "FeatureCollection", "features": [area]}).encode()
        bounds = {"south": 47.0, "west": -123.0, "north": 48.0, "east": -122.0}
        deployment.tables = {
            "metros": [
                {"slug": own[-1], "aliases": own[:-1], "name": name, "timezone": ZONES[name], "bounds": bounds,
                 "center": {"lat": 47.6, "lng": -122.3}, "neighborhoods": "map.geojson"}
                for name, own in metros.items()
            ],
            "feeds": [feed.make_table(metros[feed.metro][-1]) for feed in self.feeds],
            "vocabulary": {"categories": self.vocabulary},
            "site": {"enabled": self.has_pages},
            "static": {"days": 1},
        }  # fmt: skip

    def expect(self, result: Result, *codes: int) -> None:
        assert result.exit_code in codes, (self.log, result.output, result.exception)
