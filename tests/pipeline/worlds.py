"""Made-up feeds of two metros: organizations that span them in every way, sections without terms, places that no map
has, series whose first date does not take place. And what should come of them, worked out with dicts alone."""

from datetime import date, datetime, timedelta
from random import Random
from typing import Any

from tests.pipeline.city import City, Record, make_event, make_place

TODAY = date(2026, 8, 10)
METROS = ("seattle", "boston")
ID = "0d5c0000-0000-4000-8000-{:012}"
PARTS = [None, "Old Town", "São João", "sao joao", "St. Mark's"]
# Each of their feeds speaks of one metro; `shared` says it of each record.
FEEDS = {"seattle": "seattle", "boston": "boston", "shared": None}


class FeedWorld:
    """`records` by feed; `homes`: the metros that have a record of an organization, by its name."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.records: dict[str, list[Record]] = {feed: [] for feed in FEEDS}
        self.homes: dict[str, set[str]] = {}
        self.owners: dict[str, str | None] = {}
        for name, feed, metros in (
            ("Lent", "seattle", ["seattle"]), ("Back", "boston", ["boston"]), ("Both", "seattle", ["seattle"]),
            ("Both", "boston", ["boston"]), ("Shared", "shared", [random.choice(METROS)]), ("Twice", "shared", METROS),
        ):  # fmt: skip
            for metro in metros:
                record = {"type": "organization", "source_id": name, "id": name_id(name), "name": name}
                self.records[feed].append(record if FEEDS[feed] else {**record, "metro": metro})
                self.homes.setdefault(name, set()).add(metro)
        for number in range(60):
            feed, metro = random.choice(list(FEEDS)), random.choice(METROS)
            metro = FEEDS[feed] or metro
            record = self.make_listing(f"{metro} {number}", feed)
            self.records[feed].append(record if FEEDS[feed] else {**record, "metro": metro})

    def make_listing(self, name: str, feed: str) -> Record:
        make = self.random.choice([make_series, make_series, make_class, make_class, make_hall])
        record = make(name, self.random)
        owner, reference = self.choose_owner(feed)
        self.owners[name] = owner
        part = self.random.choice(PARTS)
        location = {"neighborhood": part, **self.random.choice([{}, {"lat": 47.6, "lng": -122.3}])}
        return {**record, "location": location, **({"organization": reference} if reference else {})}

    def choose_owner(self, feed: str) -> tuple[str | None, Record | None]:
        """The name of whom it shows, and how it refers to it."""
        name = self.random.choice(list(self.homes))
        ways: list[tuple[str | None, Record | None]] = [
            (None, None), (None, {"id": ID.format(999)}), ("Only named", {"name": "Only named"}),
            (name, {"id": name_id(name).upper()}), (name, {"id": name_id(name)}), (name, {"id": name_id(name)}),
        ]  # fmt: skip
        own = [record["name"] for record in self.records[feed] if record["type"] == "organization"]
        source = self.random.choice(own)
        return self.random.choice([*ways, (source, {"source_id": source}), (source, {"source_id": source})])

    def build(self, city: City) -> None:
        city.add_metro("boston", "America/New_York")
        for feed, metro in FEEDS.items():
            city.write(self.records[feed], feed=feed, metro=metro)
        city.build(TODAY.isoformat())

    def list_metros(self, name: str) -> set[str]:
        """List the metros of an organization: where it has a record, and where listings refer to it."""
        return self.homes[name] | {value.partition(" ")[0] for value, owner in self.owners.items() if owner == name}


def name_id(name: str) -> str:
    return ID.format(sum(name.encode()))


def make_series(name: str, random: Random) -> Record:
    """Make a series. The first date of some series does not take place."""
    first = datetime(2026, 8, 1, 10) + timedelta(days=random.randrange(40))
    rule = random.choice([None, "FREQ=DAILY;COUNT=9", "FREQ=WEEKLY", "FREQ=YEARLY;INTERVAL=2"])
    gone = {"exdates": [first.isoformat()]} if rule and random.random() < 0.5 else {}
    return make_event(name, name=name, starts_local=first.isoformat(), **({"rrule": rule} if rule else {}), **gone)


def make_class(name: str, random: Random) -> Record:
    def make_term() -> Any:
        first = TODAY + timedelta(days=random.randrange(-60, 60))
        last = first + timedelta(days=random.randrange(60))
        stated = {"starts_on": first.isoformat(), "ends_on": last.isoformat()}
        return random.choice([{}, {"name": "Fall"}, stated, stated])

    sections = [{"id": str(number), "term": make_term()} for number in range(random.randrange(3))]
    return {
        "type": "class", "source_id": name, "name": name, "confidence": 0.9, "term": make_term(), "sections": sections,
    }  # fmt: skip


def make_hall(name: str, random: Random) -> Record:
    return make_place(name, name=name)


def is_open(record: Record, *, start: str, end: str) -> bool:
    """A class of which a section, by its own dates or else the class's, is held in the window."""
    terms = [section["term"] if "starts_on" in section["term"] else record["term"] for section in record["sections"]]
    return any(
        term.get("ends_on", "9999") >= start and term.get("starts_on", "0000") <= end
        for term in terms or [record["term"]]
    )


def list_dates(record: Record, *, start: date, end: date) -> list[str]:
    """The local dates of an event that take place in the window."""
    first = date.fromisoformat(record["starts_local"][:10])
    step, most = {"FREQ=DAILY;COUNT=9": (1, 9), "FREQ=WEEKLY": (7, 99)}.get(record.get("rrule", ""), (9_999, 1))
    dates = [first + timedelta(days=step * number) for number in range(most)]
    taken = dates[1:] if "exdates" in record else dates
    return [entry.isoformat() for entry in taken if start <= entry <= end]
