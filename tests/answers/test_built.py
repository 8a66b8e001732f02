"""Lists on a real build of the sample metros: what the documents say is what the tables find."""

import json
from datetime import date, datetime, timedelta
from random import Random

import polars as pl
import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from outings.answers.snapshot.reader import open_snapshot
from outings.configuration import read_configuration
from outings.release.pointer import list_releases
from outings.release.snapshot import Release, Snapshot, open_release
from outings.release.store import open_store
from tests.answers.asking import fetch
from tests.answers.generated import TODAY, make_request, seeds
from tests.answers.reference import list_items
from tests.answers.tally import count_facets, list_days, list_event_dates
from tests.answers.worlds import COLLECTIONS, World
from tests.built_once import build_once
from tests.edge.sample_edge import build_sample

pytestmark = pytest.mark.xdist_group("built")  # one worker builds the release

HORIZON = timedelta(days=400)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    configuration = read_configuration(build_once("sample", build_sample) / "outings.toml", {})
    store = open_store(configuration.store.url)
    return open_release(store, next(list_releases(store)), cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def worlds(release: Release) -> dict[str, World]:
    return {slug: read_world(snapshot) for slug, snapshot in release.metros.items()}


def read_world(snapshot: Snapshot) -> World:
    """The documents, and what they don't tell: programs, and the dates that python-dateutil makes of their rules."""
    opened = open_snapshot(snapshot)
    rows = pl.read_parquet(snapshot.tables["listings"].path, columns=["row", "id", "program_key"]).rows()
    organizations = pl.read_parquet(snapshot.tables["organizations"].path, columns=["row"]).rows()
    world = World(
        slug=snapshot.metro.slug,
        timezone=snapshot.metro.timezone,
        listings=[json.loads(opened.read_document(row)) for row, _, _ in rows],
        organizations=[json.loads(opened.read_organization(row)) for (row,) in organizations],
        programs={row_id: program for _, row_id, program in rows if program is not None},
    )
    for event in world.listings:
        if event["type"] == "event" and event["has_date"]:
            world.dates[event["id"]] = list_dates(event)
            if event["ends_local"] is not None:
                first, last = map(datetime.fromisoformat, (event["starts_local"], event["ends_local"]))
                world.lasts[event["id"]] = last - first
            if event["rrule"] and not {"COUNT", "UNTIL"} & {part.split("=")[0] for part in event["rrule"].split(";")}:
                world.unending.add(event["id"])
    return world


def list_dates(event: dict[str, str]) -> list[datetime]:
    first = datetime.fromisoformat(event["starts_local"])
    if event["rrule"] is None:
        return [first]
    rule = rrulestr(event["rrule"], dtstart=first)
    last = datetime.combine(TODAY, first.time()) + HORIZON
    return sorted({first, *rule.between(min(first, last), last, inc=True)})


def test_the_samples_hold_every_type_and_series_and_programs(worlds: dict[str, World]) -> None:
    for world in worlds.values():
        assert {listing["type"] for listing in world.listings} == set(COLLECTIONS)
        assert any(listing.get("is_recurring") for listing in world.listings)
        assert len(set(world.programs.values())) < len(world.programs)


@given(seed=seeds, days=st.integers(min_value=-30, max_value=30))
def test_lists_of_a_build_are_what_its_documents_say(
    release: Release, worlds: dict[str, World], seed: int, days: int
) -> None:
    random, today = Random(seed), TODAY + timedelta(days=days)
    for world in worlds.values():
        for kind, collection in COLLECTIONS.items():
            params = make_request(world, kind, random)
            if params.get("to", "9999") < str(today):
                continue
            expected = list_items(world, kind, params, today=today)[:200]
            items = fetch(release, f"/v1/{world.slug}/{collection}", {**params, "limit": "200"}, today=today)["data"]
            assert [item["id"] for item in items] == [item["id"] for item in expected], (kind, params, today)
            assert items == expected


@given(seed=seeds, days=st.integers(min_value=-30, max_value=30))
def test_facets_days_and_dates_of_a_build_are_a_tally_of_its_documents(
    release: Release, worlds: dict[str, World], seed: int, days: int
) -> None:
    random, today = Random(seed), TODAY + timedelta(days=days)
    window = {"from": today.isoformat(), "to": (today + timedelta(days=30)).isoformat()}
    for world in worlds.values():
        for kind, collection in COLLECTIONS.items():
            params = {**make_request(world, kind, random), **(window if kind != "place" else {})}
            names = [name for name in ("age_band", "category", "organization", "price_band", "time_block", "weekday")
                     if kind != "place" or name in ("age_band", "category", "organization")]  # fmt: skip
            requested = {**params, "facets": ",".join(names), "limit": "0"}
            facets = fetch(release, f"/v1/{world.slug}/{collection}", requested, today=today)["facets"]
            assert facets == count_facets(world, kind, params, names, today=today), (kind, params, today)
        params = {**make_request(world, "event", random), **window}
        calendar = fetch(release, f"/v1/{world.slug}/events/calendar", params, today=today)
        assert calendar["data"] == list_days(world, params, today=today)
        expanded = {**params, "occurrences": "expand"}
        items = fetch(release, f"/v1/{world.slug}/events", {**expanded, "limit": "200"}, today=today)["data"]
        assert items == list_event_dates(world, expanded, today=today)[:200]


def test_details_are_the_items_of_lists(release: Release, worlds: dict[str, World]) -> None:
    everything = {"audience": "all", "min_confidence": "0", "limit": "200"}
    today = date(2026, 8, 11)
    for slug in worlds:
        for item in fetch(release, f"/v1/{slug}/events", everything, today=today)["data"]:
            by_id = fetch(release, f"/v1/events/{item['id']}", today=today)
            by_slug = fetch(release, f"/v1/events/slug/{item['slug']}", {"metro": slug}, today=today)
            assert by_id == by_slug == {"data": item}
