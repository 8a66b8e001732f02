"""A mirror made of answers alone equals what its key may read, whatever is built, shrunk, restored or rolled back."""

import json
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from outings.answers.routes import answer
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.release.pointer import list_releases
from outings.release.snapshot import Release, open_release
from pipeline.publish.rollback import roll_back
from tests.pipeline.city import City, Record, make_event, make_place

KEYS = {
    "all": Entitlement(),
    "seattle": Entitlement(metros=frozenset({"seattle"})),
    "boston": Entitlement(metros=frozenset({"boston"})),
    "events": Entitlement(types=frozenset({"event"})),
    "places of boston": Entitlement(metros=frozenset({"boston"}), types=frozenset({"place"})),
}
METROS = {"seattle": "America/Los_Angeles", "boston": "America/New_York"}
TYPES = ["event", "class", "camp", "place"]
COLLECTIONS = {"event": "events", "class": "classes", "camp": "camps", "place": "places"}
# What is told of an organization beside its record moves with listings and keys, and is no change of it; nor is when a
# metro's copy was written, where the copies say the same.
DERIVED = {"counts", "categories", "metros", "created_at", "updated_at"}
SAME_ID = "0d5c0000-0000-4000-8000-{:012}"
OWN = {"seattle": SAME_ID.format(10), "boston": SAME_ID.format(11)}
OTHER = {"seattle": "boston", "boston": "seattle"}
DAY = date(2026, 8, 10)


class Shop:
    """One open release, asked as a client asks."""

    def __init__(self, city: City) -> None:
        self.release: Release = open_release(city.store, city.current, cache=city.cache)

    def ask(self, target: str, key: Entitlement) -> Any:
        path, _, query_string = target.partition("?")
        match = match_route(path)
        assert match is not None
        vocabulary = self.release.metros["seattle"].vocabulary
        query = parse_query(match, query_string.encode(), vocabulary=vocabulary)
        dates = dict.fromkeys(self.release.metros, DAY)
        return json.loads(b"".join(answer(query, release=self.release, dates=dates, entitlement=key).parts))

    def read(self, target: str, key: Entitlement) -> Any:
        """Return an answer, or None if there is nothing for this key."""
        try:
            body = self.ask(target, key)["data"]
        except ApiError as error:
            if error.status not in (403, 404):
                raise
            return None
        return {name: value for name, value in body.items() if body["type"] != "organization" or name not in DERIVED}

    def list_rows(self) -> list[dict[str, Any]]:
        """List id, type, metro and status of all metros and types, from the tables."""
        rows = []
        for metro, snapshot in self.release.metros.items():
            for table, columns in (("listings", ["id", "type", "status"]), ("organizations", ["id", "status"])):
                for row in pl.read_parquet(snapshot.tables[table].path, columns=columns).iter_rows(named=True):
                    kind = TYPES[row["type"]] if "type" in row else "organization"
                    rows.append({**row, "type": kind, "metro": metro})
        return rows

    def list_readable(self, key: Entitlement) -> dict[str, Any]:
        """Every published record of the key's scope, by id."""
        ids = {
            row["id"]: row["type"]
            for row in self.list_rows()
            if row["status"] == 0
            and (key.metros is None or row["metro"] in key.metros)
            and (row["type"] == "organization" or key.types is None or row["type"] in key.types)
        }
        return {
            row_id: self.read(f"/v1/{COLLECTIONS.get(kind, 'organizations')}/{row_id}", key)
            for row_id, kind in ids.items()
        }


class Mirror:
    """Follows the feed, and fetches what it is told of. It knows nothing but the answers."""

    def __init__(self, key: Entitlement, random: Random) -> None:
        self.documents: dict[str, Any] = {}
        self._metros: dict[str, str | None] = {}
        self._key = key
        self._random = random
        self._cursor = 0

    def read_page(self, shop: Shop) -> bool:
        """Read a page, and return True if there are more."""
        body = shop.ask(f"/v1/changes?cursor={self._cursor}&limit={self._random.choice([1, 3, 7, 50])}", self._key)
        for item in body["data"]:
            assert item["version_id"] > self._cursor
            row_id = item["listing_id"]
            if item["kind"] != "removed":
                page = shop.read(item["links"]["self"], self._key)
                self.documents[row_id], self._metros[row_id] = page, item["metro"]
            elif item["type"] == "organization" or self._metros.get(row_id) == item["metro"]:
                self.documents.pop(row_id, None)
        self._cursor = body["meta"]["next_cursor"]
        return bool(body["meta"]["has_more"])

    def catch_up(self, shop: Shop) -> None:
        while self.read_page(shop):
            pass


def make_records(random: Random, metro: str) -> list[Record]:
    """Some of a fixed stock, each as it is today: other names, sections, places, states."""
    records: list[Record] = []
    for number in range(12):
        state: Mapping[str, Any] = random.choice(
            [{}, {}, {}, {"name": f"Event {number} again"}, {"status": "archived", "reason": "cancelled"},
             {"status": "draft"}, {"price": {"type": "free"}}]
        )  # fmt: skip
        if random.random() < 0.75:
            records.append(make_event(f"event {number}", **state))
    if random.random() < 0.8:
        records.append(make_place("hall", name=random.choice(["Old Hall", "New Hall"])))
        records.append(make_event("at the hall", place={"source_id": "hall"}))
    sections = [{"id": name, "name": name, "registration": {"spots_remaining": random.randrange(3)}} for name in "ab"]
    records.append({"type": "class", "source_id": "c", "name": "Pottery", "confidence": 0.9, "sections": sections})
    sessions = [{"id": "one", "name": "One", "starts_on": "2026-08-17", "ends_on": f"2026-08-2{random.randrange(3)}"}]
    records.append({"type": "camp", "source_id": "w", "name": "Woods", "confidence": 0.9, "sessions": sessions})
    for number in range(3):  # the same in both metros
        if random.random() < 0.6:
            name = f"Chain {number} of {random.choice(['old', metro])}"
            records.append(
                {"type": "organization", "source_id": f"chain {number}", "id": SAME_ID.format(number), "name": name}
            )
    if random.random() < 0.7:  # one that has a record in both metros, in either, or in none
        chain = random.choice([{"id": SAME_ID.format(random.randrange(4))}, {"id": OWN[OTHER[metro]]}])
        records.append(make_event("of a chain", organization=chain))
    if random.random() < 0.7:  # one of this metro alone, to which others refer
        own = {"type": "organization", "source_id": "own", "id": OWN[metro]}
        link = random.choice([None, f"https://{metro}.example/tickets"])
        records.append({**own, "name": random.choice(["Own", f"Own of {metro}"])})
        records.append(make_event("of its own", organization={"source_id": "own"}, ticket_url=link))
    return records


def make_shared_records(random: Random) -> list[Record]:
    """Make records of a feed whose records name their metro: an organization of one metro to which events of both
    refer."""
    home = random.choice(["seattle", "boston", None])
    shared = {"type": "organization", "source_id": "shared", "name": random.choice(["Shared", "Shared again"])}
    reference = {"organization": {"source_id": "shared"}}
    events = [make_event(f"shared {metro}", metro=metro, **reference) for metro in METROS if random.random() < 0.7]
    return [*([{**shared, "metro": home}] if home else []), *events, make_event("of no one", metro="seattle")]


def publish_round(city: City, random: Random, number: int) -> None:
    """New feeds for some metros and a build of some; now and then a rollback to any release before."""
    if number > 2 and random.random() < 0.25:
        current, *older = list_releases(city.store)
        last = max(part.stamp for part in current.root.parts.values())
        roll_back(
            city.store, current=current, target=random.choice(older), stamp=last + timedelta(seconds=1),
            today=dict.fromkeys(METROS, DAY), cache=city.cache,
        )  # fmt: skip
        return
    for metro in METROS:
        city.write(make_records(random, metro), feed=metro, metro=metro)
    if random.random() < 0.8 or not number:
        city.write(make_shared_records(random), feed="shared", metro=None)
    some = random.choice([None, None, frozenset({"seattle"}), frozenset({"boston"})]) if number else None
    city.build(**({} if some is None else {"metros": some}), allow_shrink=True)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_mirrors_of_any_key_equal_what_it_may_read_after_every_build(seed: int, tmp_path: Path) -> None:
    random, city = Random(seed), City(tmp_path)
    city.add_metro("boston", METROS["boston"])
    prompt = {name: Mirror(key, random) for name, key in KEYS.items()}
    slow = {name: Mirror(key, random) for name, key in KEYS.items()}
    for number in range(7):
        publish_round(city, random, number)
        shop = Shop(city)
        for name, key in KEYS.items():
            prompt[name].catch_up(shop)
            assert prompt[name].documents == shop.list_readable(key), (number, name)
            for _ in range(random.randrange(4)):  # in the middle of a walk when the next release comes
                slow[name].read_page(shop)
    for name, key in KEYS.items():
        slow[name].catch_up(shop)
        assert slow[name].documents == shop.list_readable(key), name
    check_histories(shop)


def check_histories(shop: Shop) -> None:
    """Each listing's versions replay to what it is: published or not. What was first seen archived begins by coming
    back."""
    following = {
        None: {"created", "restored"}, "created": {"updated", "removed"}, "updated": {"updated", "removed"},
        "removed": {"restored"}, "restored": {"updated", "removed"},
    }  # fmt: skip
    rows = [row for row in shop.list_rows() if row["status"] != 2 and row["type"] != "organization"]
    assert {row["status"] for row in rows} == {0, 1}
    for row in rows:
        versions = shop.ask(f"/v1/listings/{row['id']}/versions?order=asc&limit=200", KEYS["all"])["data"]
        last = None
        for version in versions:
            assert version["kind"] in following[last], versions
            assert bool(version["fields"]) == (version["kind"] == "updated")
            assert (version["reason"] is not None) == (version["kind"] == "removed")
            last = version["kind"]
        assert (last in ("created", "updated", "restored")) == (row["status"] == 0), (row, versions)


@pytest.mark.long
def test_a_mirror_follows_listings_that_go_from_metro_to_metro(tmp_path: Path) -> None:
    random, city = Random(4), City(tmp_path)
    city.add_metro("boston", METROS["boston"])
    goers = [SAME_ID.format(100 + number) for number in range(4)]
    mirrors = {name: Mirror(key, random) for name, key in KEYS.items()}
    for number in range(4):
        homes = {name: random.choice([*METROS, None]) for name in goers}
        for metro in METROS:
            here = [make_event(name, id=name) for name, home in homes.items() if home == metro]
            city.write([make_event(f"{metro} {n}") for n in range(3)] + here, feed=metro, metro=metro)
        city.build(allow_shrink=True)
        shop = Shop(city)
        for name, key in KEYS.items():
            mirrors[name].catch_up(shop)
            assert mirrors[name].documents == shop.list_readable(key), (number, name)
