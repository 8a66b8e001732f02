"""Sources and stated members of listings, as coverage counts them over a whole build."""

import json
from datetime import date, timedelta
from random import Random
from typing import Any

import polars as pl
import pytest

from command.sample_cities import write_world
from outings.answers.routes import answer
from outings.configuration import read_configuration
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.release.pointer import list_releases
from outings.release.snapshot import Release, Snapshot, open_release
from outings.release.store import open_store
from pipeline.building import build_release
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.plan import Build
from tests.answers.coverage.oracle import cover
from tests.answers.worlds import TYPES, World

pytestmark = pytest.mark.xdist_group("coverage")  # one worker builds the sample

DAY = date(2026, 8, 10)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, list[dict[str, Any]]]:
    """A built release of the sample metros, and Seattle's records as they were read."""
    folder = tmp_path_factory.mktemp("sample")
    path = write_world(folder / "outings.toml", today=DAY, size=240)
    feed, random = folder / "data/seattle.ndjson", Random(1)
    records = [json.loads(line) for line in feed.read_text().splitlines()]
    for record in records:
        add_statements(record, random)
    feed.write_text("".join(json.dumps(record) + "\n" for record in records))
    configuration = read_configuration(path, {})
    store = open_store(configuration.store.url)
    build_release(Build(configuration=configuration, as_of=AsOf(day=DAY)), store=store, executor=InlineExecutor())
    return open_release(store, next(iter(list_releases(store))), cache=folder / "cache"), records


def add_statements(record: dict[str, Any], random: Random) -> None:
    """Add members that the sample always states, each in some records."""
    if record["type"] == "organization":
        return
    source = record.setdefault("source", {})
    if random.random() < 0.3:
        record["verified_at"] = f"{DAY - timedelta(days=random.randrange(60))}T12:00:00Z"
    for name in ("crawled_at", "verification", "url"):
        if random.random() < 0.2:
            source.pop(name, None)
    if "verification" in source:
        source["verification"] |= {"checked_at": "2026-08-01T02:03:04Z", "changed_fields": ["name", "price"]}


def read_world(snapshot: Snapshot, records: list[dict[str, Any]]) -> World:
    """The metro as its documents say, with what its records say of their sources."""
    world = World(slug=snapshot.metro.slug, timezone=snapshot.metro.timezone)
    members = {(record["type"], record["source_id"]): record["source"] for record in records if "source" in record}
    occurrences = pl.read_parquet(snapshot.tables["occurrences"].path)
    dates = dict(occurrences.group_by("row").agg("starts_local").iter_rows())
    for row in pl.read_parquet(snapshot.tables["listings"].path).iter_rows(named=True):
        document = json.loads(snapshot.read_document(row["pack"], row["offset"], row["length"]))
        world.listings.append(document)
        world.dates[row["id"]] = dates.get(row["row"], [])
        _, listing_type, source_id = row["source"].split("/", 2)
        source = members[listing_type, source_id]
        status = source.get("verification", {}).get("status")
        world.sources[row["id"]] = {"crawled_at": source.get("crawled_at"), "status": status}
    world.neighborhoods = list(pl.read_parquet(snapshot.tables["neighborhoods"].path).iter_rows(named=True))
    return world


def fetch(release: Release, target: str, *, today: date) -> Any:
    path, _, query_string = target.partition("?")
    match = match_route(path)
    assert match is not None
    query = parse_query(match, query_string.encode(), vocabulary=release.metros["seattle"].vocabulary)
    made = answer(query, release=release, dates=dict.fromkeys(release.metros, today), entitlement=Entitlement())
    return json.loads(b"".join(made.parts))


@pytest.mark.parametrize("days", [0, 1, 25])
@pytest.mark.parametrize("neighborhood", [None, "Ballard", "nowhere"])
def test_a_build_is_covered_as_its_records_and_documents_say(
    sample: tuple[Release, list[dict[str, Any]]], days: int, neighborhood: str | None
) -> None:
    release, records = sample
    world, today = read_world(release.metros["seattle"], records), DAY + timedelta(days=days)
    where = "" if neighborhood is None else f"?neighborhood={neighborhood}"
    data = fetch(release, f"/v1/seattle/coverage{where}", today=today)["data"]
    assert data.pop("release")["id"] == release.id
    assert data == cover(world, today=today, kinds=TYPES, neighborhood=neighborhood)
    if neighborhood is None:
        assert all(listing["published"] for listing in data["listings"].values())
        assert 0 < data["freshness"]["verified_30d_share"] < 1
        assert data["neighborhoods"]["with_listings"] > 0


def test_what_a_source_says_is_kept_whole(sample: tuple[Release, list[dict[str, Any]]]) -> None:
    release, records = sample
    members = {(record["type"], record["source_id"]): record["source"] for record in records if "source" in record}
    rows = pl.read_parquet(release.metros["seattle"].tables["listings"].path)
    assert rows.height == len(members)
    for row in rows.iter_rows(named=True):
        _, listing_type, source_id = row["source"].split("/", 2)
        source = members[listing_type, source_id]
        assert row["source_url"] == source.get("url")
        checked = "verification" in source
        assert (row["checked_at"], row["changed_fields"]) == ((1785549784, "name\nprice") if checked else (None, None))
