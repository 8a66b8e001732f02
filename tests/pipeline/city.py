"""A small city of a test's own: feeds written as lines, built into a folder, read back by the public doors."""

import json
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from command.sample_cities import write_world
from outings.answers.routes import answer
from outings.configuration import Configuration, read_configuration
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.release.log import Version
from outings.release.pointer import list_releases
from outings.release.root import ListedRelease
from outings.release.snapshot import Release, open_release
from outings.release.store import Store, object_name, open_store, read_object
from pipeline.building import BuildResult, build_release
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.plan import Build
from pipeline.tasks import try_feed_task
from tests.contract.conformance import check_success
from tests.release.log_pages import read_page

Record = dict[str, Any]
T = TypeVar("T")
FIRST = date(2026, 8, 10)

METRO = """
[[metros]]
slug = "{slug}"
name = "{slug}"
timezone = "{timezone}"
aliases = {aliases}
center = {{ lat = 47.6, lng = -122.3 }}
bounds = {{ south = 47.0, west = -123.0, north = 48.0, east = -122.0 }}
"""
FEED = """
[[feeds]]
name = "{name}"
{metro}
format = "{format}"
url = "{url}"
mode = "{mode}"
{settings}
"""


class CityExecutor(InlineExecutor):
    """Runs tasks in the test's process, and reads feeds there too: a fork of such a process takes a fifth of a small
    build. The limits of a child process are tested where formats are read (`tests/pipeline/fetch`)."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        here = {"run": lambda read, _: read()} if fn is try_feed_task else {}
        return super().submit(fn, *args, **kwargs, **here)


class City:
    """Feeds are given by name; `build` takes the day and publishes. `urls`: of feeds
    that are others than `<name>.ndjson`; `related_words` and `categories`:
    the operator's file, words and folder, if any; `map`: the neighborhoods of each metro; `site`: the table of that
    name, as it is written; `settings`: more lines of a feed, by its name; `formats`: of
    feeds that are no NDJSON."""

    def __init__(self, folder: Path, *, timezone: str = "America/Los_Angeles", has_pages: bool = False) -> None:
        self.folder = folder
        self._metros = {"seattle": timezone}
        self.aliases: dict[str, list[str]] = {}
        self._feeds: dict[str, tuple[str | None, str]] = {}
        self.urls: dict[str, str] = {}
        self.related_words = ""
        self.categories: tuple[str, ...] = ()
        self.map: Record | None = None
        self.site = "" if has_pages else "[site]\nenabled = false\n"  # pages take a seventh of a small build
        self.settings: dict[str, str] = {}
        self.formats: dict[str, str] = {}

    def add_metro(self, slug: str, timezone: str) -> None:
        self._metros[slug] = timezone

    def forget_metro(self, slug: str) -> None:
        """Remove the metro and its feeds from the configuration."""
        del self._metros[slug]
        self._feeds = {name: feed for name, feed in self._feeds.items() if feed[0] != slug}

    def rename_metro(self, slug: str, name: str, *, aliases: Iterable[str] = ()) -> None:
        """Give the metro, and the feeds of it, another slug."""
        self._metros = {name if own == slug else own: zone for own, zone in self._metros.items()}
        self._feeds = {feed: (name if metro == slug else metro, mode) for feed, (metro, mode) in self._feeds.items()}
        self.aliases[name] = [*aliases]

    def write(
        self,
        records: Iterable[Record | str],
        *,
        feed: str = "samples",
        metro: str | None = "seattle",
        mode: str = "full",
    ) -> None:
        """A record that is a text is written as it is."""
        self._feeds[feed] = (metro, mode)
        lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
        (self.folder / f"{feed}.ndjson").write_text("\n".join(lines) + "\n")

    def forget(self, feed: str) -> None:
        """Remove the feed from the configuration."""
        del self._feeds[feed]

    @property
    def configuration(self) -> Configuration:
        text = f'[store]\nurl = "file:var/store"\n{self.site}'
        for slug, zone in self._metros.items():
            text += METRO.format(slug=slug, timezone=zone, aliases=json.dumps(self.aliases.get(slug, [])))
            if self.map is not None:
                (self.folder / "map.geojson").write_text(json.dumps(self.map))
                text += 'neighborhoods = "map.geojson"\n'
        for name, (metro, mode) in self._feeds.items():
            url = self.urls.get(name, f"{name}.ndjson")
            text += FEED.format(
                name=name,
                metro=f'metro = "{metro}"' if metro else "",
                mode=mode,
                url=url,
                settings=self.settings.get(name, ""),
                format=self.formats.get(name, "ndjson"),
            )
        if self.categories:
            text += f"[vocabulary]\ncategories = {json.dumps(self.categories)}\n"
        text += "[search]\n"
        if self.related_words:
            (self.folder / "related.csv").write_text(self.related_words)
            text += 'related_words = "related.csv"\n'
        path = self.folder / "outings.toml"
        path.write_text(text)
        return read_configuration(path, {})

    def build(
        self, day: str = "2026-08-10", *, progress: Callable[[str], None] = lambda _: None, **options: Any
    ) -> BuildResult:
        build = Build(configuration=self.configuration, as_of=AsOf(day=date.fromisoformat(day)), **options)
        return build_release(build, store=self.store, executor=CityExecutor(), progress=progress)

    @property
    def store(self) -> Store:
        return open_store(f"file:{self.folder / 'var/store'}")

    @property
    def cache(self) -> Path:
        return self.folder / "var/cache"

    @property
    def current(self) -> ListedRelease:
        return next(list_releases(self.store))

    def open(self) -> Release:
        return open_release(self.store, self.current, cache=self.cache)

    def ask(self, request: str, *, day: str = "2026-08-10", entitlement: Entitlement = Entitlement()) -> Any:
        """The body that the current release answers on that local date, parsed; checked against the contract."""
        return json.loads(self.ask_bytes(request, day=day, entitlement=entitlement))

    def ask_bytes(self, request: str, *, day: str = "2026-08-10", entitlement: Entitlement = Entitlement()) -> bytes:
        release = self.open()
        path, _, query_string = request.partition("?")
        match = match_route(path)
        assert match is not None, request
        vocabulary = next(iter(release.metros.values())).vocabulary
        query = parse_query(match, query_string.encode(), vocabulary=vocabulary)
        dates = dict.fromkeys(release.metros, date.fromisoformat(day))
        body = b"".join(answer(query, release=release, dates=dates, entitlement=entitlement).parts)
        check_success(request, body, vocabulary=vocabulary)
        return body

    def read_versions(self) -> list[Version]:
        """Read all versions in order."""
        log = self.current.root.log
        return list(read_page(log, after=0, limit=100_000, read=lambda sha: read_object(self.store, sha)))

    def list_objects(self) -> dict[str, bytes]:
        return {entry.name: self.store.get(entry.name) for entry in self.store.list("objects/")}

    def has_object(self, sha: str) -> bool:
        return self.store.exists(object_name(sha))


def make_event(source_id: str, **members: Any) -> Record:
    """An event that the default list shows from 2026-08-10 on."""
    return {
        "type": "event",
        "source_id": source_id,
        "name": f"Event {source_id}",
        "description": "A walk in the park with a guide.",
        "starts_local": "2026-08-12T10:00:00",
        "confidence": 0.9,
        **members,
    }


def make_place(source_id: str, **members: Any) -> Record:
    return {
        "type": "place",
        "source_id": source_id,
        "name": f"Place {source_id}",
        "confidence": 0.9,
        "location": {"lat": 47.61, "lng": -122.33, "address": "1 Pine St"},
        **members,
    }


def read_sample(folder: Path) -> list[Record]:
    folder.mkdir()
    config = write_world(folder / "outings.toml", today=FIRST, size=60)
    return [json.loads(line) for line in (config.parent / "data/seattle.ndjson").read_text().splitlines()]
