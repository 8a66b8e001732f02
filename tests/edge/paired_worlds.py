"""Pairs of worlds that differ only in what a key may not read, each with a server over it.

A world is two builds of two metros. The second of a pair has other listings of the hidden types, drafts and private
calendar entries, and another second metro where that is hidden. Both have what the key reads: its types' listings, the
place that events name, and organizations, which every key reads. These have records of their own, since the name of
one without a record, and its website, follow from listings of all types.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from edge.app import Edge
from edge.services.geocoder import LocalGeocoder
from outings.contract.vocabulary import COLLECTIONS
from tests.edge.asking import Response, ask
from tests.edge.conftest import Clock
from tests.edge.publishing import add_keys
from tests.pipeline.city import City, Record

EVERYTHING = frozenset((*COLLECTIONS, "draft"))
METROS = ("seattle", "boston")


class Scope(NamedTuple):
    """The part that a key may read, and what differs in the second world."""

    types: tuple[str, ...] = ()
    metros: tuple[str, ...] = ("*",)

    @property
    def hidden(self) -> frozenset[str]:
        read = {kind for kind, collection in COLLECTIONS.items() if not self.types or collection in self.types}
        return (EVERYTHING - read) | ({"boston"} if "*" not in self.metros else frozenset())

    @property
    def members(self) -> Mapping[str, object]:
        return {"types": self.types or ("*",), "metros": self.metros}


SCOPES: Mapping[str, Scope] = {
    "events": Scope(("events",)),
    "classes": Scope(("classes",)),
    "camps": Scope(("camps",)),
    "places": Scope(("places",)),
    "events and places": Scope(("events", "places")),
    "classes and camps": Scope(("classes", "camps")),
    "all types": Scope(),
    "one metro": Scope(metros=("seattle",)),
}

# By type: what its listings say in the first world, and what in the second if they are hidden.
WORDS = {
    "event": ("puppetry parade", "falconry flyover"),
    "class": ("watercolor workshop", "blacksmith basics"),
    "camp": ("kayaking camp", "glassblowing camp"),
    "place": ("observatory dome", "velodrome oval"),
}
PARTS = {
    "event": ("Maple Hill", "MAPLE HILL!"), "class": ("Maple Hill", "Osprey Nook"),
    "camp": ("Heron Flats", "Maple-Hill"), "place": ("maple hill", "Quarry End"),
}  # fmt: skip
CATEGORIES = {
    "event": ("music_movement", "food_cooking"), "class": ("arts_creative", "stem_discovery"),
    "camp": ("nature_outdoors", "swim_water"), "place": ("museums_exhibits", "animals_farms"),
}  # fmt: skip
STREETS = {
    "event": ("Alder Street", "Birch Street"), "class": ("Cedar Street", "Dogwood Street"),
    "camp": ("Elm Street", "Fir Street"), "place": ("Ginkgo Street", "Hemlock Street"),
}  # fmt: skip
# Where the listings of a type are: those of the second world are elsewhere, and some of them within the map.
CORNERS = {"event": (47.61, -122.33), "class": (47.64, -122.30), "camp": (47.20, -122.80), "place": (47.60, -122.36)}
MAP = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature", "properties": {"name": "Harbor Point"},
            "geometry": {"type": "Polygon", "coordinates": [
                [[-122.34, 47.60], [-122.32, 47.60], [-122.32, 47.62], [-122.34, 47.62], [-122.34, 47.60]]]},
        },
    ],
}  # fmt: skip


def make_listing(kind: str, number: int, variant: int, stage: int) -> Record:
    """Make a listing of a type. Every other one has coordinates and an address, and its texts change with the stage."""
    word, (lat, lng) = WORDS[kind][variant], CORNERS[kind]
    record: Record = {
        "type": kind,
        "source_id": f"{kind} {number}" if number < 4 or not variant else f"other {kind} {number}",
        "name": f"{word.title()} {'Again' if stage and number == 1 else ''}{number % 3}",
        "description": f"A {word} near the {PARTS[kind][variant]} landing, with songs and number {number}.",
        "categories": [CATEGORIES[kind][variant]] if number % 2 else ["storytime_books"],
        "keywords": [f"{word.split()[0]}key"],
        "confidence": 0.9,
        "ages": {"min": number, "max": number + 3 + variant},
        "source": {"url": f"https://{kind}{variant}.example/{number}", "crawled_at": "2026-08-01T10:00:00Z"},
        "organization": {"source_id": ("parks", "club")[number % 2]},
    }
    location: Record = {"neighborhood": PARTS[kind][variant]} if number % 3 else {}
    if number % 2 == 0:
        location |= {
            "lat": lat + number / 500 + variant / 50, "lng": lng - number / 300 + variant / 100,
            "address": f"{number + 1} {STREETS[kind][variant]}", "zip": f"981{variant}{number}",
        }  # fmt: skip
    record["location"] = location
    day = f"2026-08-{12 + number + variant:02}"
    if kind == "event":
        record |= {"starts_local": f"{day}T1{variant}:00:00", "price": {"is_free": bool(number % 2)}}
        record |= {"rrule": "FREQ=WEEKLY;COUNT=5"} if number == 2 else {}
        record |= {"place": {"source_id": "hall"}, "location": None} if number == 3 else {}
    elif kind == "class":
        record |= {"term": {"starts_on": "2026-08-01", "ends_on": "2026-12-01"}, "program_key": f"{word} {number // 2}"}
        record |= {"sections": [{"id": "a", "schedule": {"days": ["monday"], "start_time": "10:00"}}]}
    elif kind == "camp":
        record |= {"sessions": [{"id": "1", "starts_on": day, "ends_on": "2026-08-28"}]}
    else:
        record |= {"type_hint": "museum" if variant else "park"}
    return {name: value for name, value in record.items() if value is not None}


def list_shared(*, has_velodrome: bool) -> Iterator[Record]:
    """Organizations, and a hall that events name: what they don't show of it may be another."""
    yield {"type": "organization", "source_id": "parks", "name": "City Parks", "website_url": "https://parks.example/"}
    yield {"type": "organization", "source_id": "club", "name": "Rowing Club", "categories": ["dance_gymnastics"]}
    yield {
        "type": "place", "source_id": "hall", "name": "Granary Hall", "confidence": 0.9,
        "description": "A velodrome was here." if has_velodrome else "A barn was here.",
        "location": {"lat": 47.615, "lng": -122.335, "address": "77 Juniper Street", "neighborhood": "Maple Hill"},
    }  # fmt: skip


def list_own(metro: str, hidden: Collection[str], stage: int) -> Iterator[Record]:
    yield from list_shared(has_velodrome="place" in hidden)
    for kind in COLLECTIONS:
        variant = int(kind in hidden or metro in hidden)
        for number in range(6 + 2 * variant - stage):
            yield make_listing(kind, number, variant, stage)
    if "draft" in hidden:
        yield from list_drafts(stage)


def list_drafts(stage: int) -> Iterator[Record]:
    """Named as what is published is, with ids before and behind it, and by organizations that nobody else names."""
    for number in range(4):
        for kind in COLLECTIONS:
            draft = make_listing(kind, number, 0, stage)
            yield draft | {
                "source_id": f"draft {kind} {number}", "status": "draft", "location": {"neighborhood": "Badger Run"},
                "description": "A zeppelin of our own.",
                "organization": [{"name": f"Zeppelin Society {kind}"}, {"name": "CITY PARKS"}, {"source_id": "club"},
                                 {"name": "City-Parks"}][number],
            }  # fmt: skip
    yield {
        "type": "organization",
        "source_id": "hush",
        "name": "City Parks Hush",
        "slug": "rowing-club",
        "status": "draft",
    }


CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//tests//EN
{entries}END:VCALENDAR
"""
OPEN = """BEGIN:VEVENT
UID:open@tests
SUMMARY:Open rehearsal
DTSTART:20260815T170000Z
END:VEVENT
"""
PRIVATE = """BEGIN:VEVENT
UID:private@tests
SUMMARY:Zeppelin party
CLASS:PRIVATE
DTSTART:20260816T170000Z
LOCATION:5 Zeppelin Lane
END:VEVENT
"""
SETTINGS = """
[zip]
centroids = "zips.csv"
[[feeds]]
name = "calendar"
metro = "seattle"
format = "ics"
url = "calendar.ics"
[[feeds]]
name = "family"
metro = "seattle"
format = "ics"
url = "family.ics"
defaults = { organization = { name = "Zeppelin Family" } }
"""


class PairedWorld:
    """A world of a pair, built and served, with a key of each scope."""

    def __init__(
        self, folder: Path, hidden: Collection[str] = (), *, records: Mapping[str, Collection[Record]] | None = None
    ) -> None:
        """`records`: by metro, in place of those that are made by hand."""
        folder.mkdir(parents=True, exist_ok=True)
        self.city = City(folder)
        self.city.add_metro("boston", "America/New_York")
        self.city.map = MAP
        self.city.site = SETTINGS
        (folder / "zips.csv").write_text("zip,lat,lng\n98100,47.61,-122.33\n98112,47.64,-122.30\n")
        for stage, day in enumerate(("2026-08-08", "2026-08-10")) if records is None else [(0, "2026-08-10")]:
            for metro in METROS:
                own = list_own(metro, hidden, stage) if records is None else records[metro]
                self.city.write(own, feed=metro, metro=metro)
            private = PRIVATE if "draft" in hidden else ""
            for name, entries in (("calendar", OPEN + private), ("family", private)):
                (folder / f"{name}.ics").write_text(CALENDAR.format(entries=entries).replace("\n", "\r\n"))
            self.city.build(day)
        self.keys = add_keys(self.city.store, {name: scope.members for name, scope in SCOPES.items()})
        self.edge = Edge(self.city.store, cache=folder / "edge", clock=Clock(), geocoder=LocalGeocoder())
        self.edge.poll()

    def ask(self, target: str, scope: str) -> Response:
        return ask(self.edge, target, key=self.keys[scope])

    def close(self) -> None:
        self.edge.close()
