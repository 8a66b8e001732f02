"""`occurrences=expand`: an item an occurrence, each once, at its own time."""

from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch, follow_cursor, read_by_number
from tests.answers.documents import make_uuid
from tests.answers.generated import TODAY, make_request, make_world, seeds
from tests.answers.tally import list_event_dates
from tests.answers.worlds import World, list_dates, open_release

EVENTS = "/v1/harbor/events"
EXPAND = {"occurrences": "expand"}
EVERYTHING = {"audience": "all", "min_confidence": "0", **EXPAND}
ID = make_uuid(1)


def make_query(world: World, random: Random) -> dict[str, str]:
    params = make_request(world, "event", random)
    if "from" in params:
        start = TODAY + timedelta(days=random.randint(-30, 30))
        params |= {"from": start.isoformat(), "to": (start + timedelta(days=random.randint(0, 30))).isoformat()}
    return {**params, **EXPAND}


@given(seed=seeds, size=st.integers(min_value=0, max_value=100))
def test_every_occurrence_that_matches_is_an_item_in_order(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=size)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    for _ in range(6):
        params = make_query(world, random)
        expected = list_event_dates(world, params, today=TODAY)
        body = fetch(release, EVENTS, {**params, "limit": "200"})
        assert body["data"] == expected[:200], params
        assert body["meta"]["has_more"] == (len(expected) > 200)
        assert body["meta"]["applied_filters"]["occurrences"] == "expand"


@given(seed=seeds, limit=st.integers(min_value=1, max_value=9))
def test_paging_gives_every_occurrence_once_in_order(
    tmp_path_factory: pytest.TempPathFactory, seed: int, limit: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=30)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    params = {**make_query(world, random), "audience": "all", "min_confidence": "0"}
    expected = [item["occurrence"]["key"] for item in list_event_dates(world, params, today=TODAY)]
    for read in (follow_cursor, read_by_number):
        pages = read(release, EVENTS, {**params, "limit": str(limit)})
        assert [item["occurrence"]["key"] for page in pages for item in page] == expected
        assert all(len(page) == limit for page in pages[:-1])


def make_series(first: str, *, days: int, count: int, lasts: timedelta | None = None) -> World:
    """One series of New York, by its clock."""
    dates = list_dates(documents.read_dates(first)[0], days=days, count=count)
    event = documents.make_event(
        ID, has_date=True, has_time=True, is_recurring=True, starts_local=first, start_time=first[11:],
        starts_at="2026-01-01T00:00:00Z",
    )  # fmt: skip
    return World(listings=[event], dates={ID: dates}, lasts={} if lasts is None else {ID: lasts})


def list_blocks(folder: Path, world: World, params: dict[str, str]) -> list[dict[str, Any]]:
    body = fetch(open_release([world], folder), EVENTS, {**params, **EXPAND, "limit": "200"})
    assert all(item["starts_at"] == item["occurrence"]["starts_at"] for item in body["data"])
    assert all(item["starts_local"] == item["occurrence"]["starts_local"] for item in body["data"])
    return [item["occurrence"] for item in body["data"]]


def test_the_clock_stands_while_the_instant_moves_where_clocks_change(tmp_path: Path) -> None:
    """New York leaves summer time on 1 November 2026, at two in the morning."""
    world = make_series("2026-10-31T22:30:00", days=1, count=3, lasts=timedelta(hours=5))
    blocks = list_blocks(tmp_path, world, {"from": "2026-10-31", "to": "2026-11-30"})
    assert [(block["starts_local"], block["starts_at"], block["ends_local"], block["ends_at"]) for block in blocks] == [
        ("2026-10-31T22:30:00", "2026-11-01T02:30:00Z", "2026-11-01T03:30:00", "2026-11-01T08:30:00Z"),
        ("2026-11-01T22:30:00", "2026-11-02T03:30:00Z", "2026-11-02T03:30:00", "2026-11-02T08:30:00Z"),
        ("2026-11-02T22:30:00", "2026-11-03T03:30:00Z", "2026-11-03T03:30:00", "2026-11-03T08:30:00Z"),
    ]


def test_a_block_tells_the_place_in_the_series_and_what_is_next_from_today(tmp_path: Path) -> None:
    world = make_series("2026-08-06T09:30:00", days=2, count=4)
    blocks = list_blocks(tmp_path, world, {"from": "2026-08-06", "to": "2026-08-20"})
    assert [(block["key"][37:], block["index"], block["is_first"], block["is_last"]) for block in blocks] == [
        ("20260806T093000", 1, True, False),
        ("20260808T093000", 2, False, False),
        ("20260810T093000", 3, False, False),
        ("20260812T093000", 4, False, True),
    ]
    following = {"next_starts_at": "2026-08-10T13:30:00Z", "next_starts_local": "2026-08-10T09:30:00"}
    assert all(block | following | {"remaining": 2, "total": 4} == block for block in blocks)


def test_a_series_without_an_end_has_no_last(tmp_path: Path) -> None:
    world = make_series("2026-08-06T09:30:00", days=2, count=4)
    world.unending = {ID}
    blocks = list_blocks(tmp_path, world, {"from": "2026-08-06", "to": "2026-08-20"})
    assert [(block["is_last"], block["total"], block["remaining"]) for block in blocks] == [(False, None, None)] * 4


def test_a_single_event_has_a_block_of_its_own(tmp_path: Path) -> None:
    event = documents.make_event(
        ID, has_date=True, starts_local="2026-08-12T00:00:00", starts_at="2026-08-12T04:00:00Z"
    )
    release = open_release([World(listings=[event], dates={ID: documents.read_dates("2026-08-12T00:00:00")})], tmp_path)
    assert fetch(release, EVENTS)["data"][0]["occurrence"].keys() == {
        "next_starts_at", "next_starts_local", "remaining", "total"
    }  # fmt: skip
    (item,) = fetch(release, EVENTS, EXPAND)["data"]
    assert item["start_time"] is None
    assert item["occurrence"] == {
        "next_starts_at": "2026-08-12T04:00:00Z", "next_starts_local": "2026-08-12T00:00:00", "remaining": 1,
        "total": 1, "key": f"{ID}_20260812T000000", "starts_at": "2026-08-12T04:00:00Z",
        "starts_local": "2026-08-12T00:00:00", "ends_at": None, "ends_local": None, "date_on": "2026-08-12",
        "index": 1, "is_first": True, "is_last": True,
    }  # fmt: skip
    past = fetch(release, EVENTS, {**EXPAND, "from": "2026-08-01", "to": "2026-08-31"}, today=TODAY + timedelta(days=9))
    block = past["data"][0]["occurrence"]
    assert (block["next_starts_at"], block["remaining"], block["index"]) == (None, 0, 1)


def test_fields_reach_into_the_block_and_keep_items_apart(tmp_path: Path) -> None:
    release = open_release([make_series("2026-08-10T09:30:00", days=1, count=3)], tmp_path)
    data = fetch(release, EVENTS, {**EXPAND, "fields": "occurrence.key"})["data"]
    assert [item["occurrence"] for item in data] == [{"key": f"{ID}_2026081{day}T093000"} for day in range(3)]
    assert all(set(item) == {"id", "type", "occurrence"} for item in data)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release([World()], tmp_path_factory.mktemp("empty"))


def test_the_window_is_today_and_the_thirty_days_after(empty: Release) -> None:
    meta = fetch(empty, EVENTS, EXPAND)["meta"]
    assert (meta["window"]["from"], meta["window"]["to"]) == ("2026-08-10", "2026-09-09")


@pytest.mark.parametrize(
    ("params", "param", "reason"),
    [
        ({"from": "2026-08-01", "to": "2026-09-01"}, "to", "window_too_long"),
        ({"to": "2026-09-10"}, "to", "window_too_long"),
        ({"to": "2026-08-09"}, "to", "contradictory"),
        ({"changed_since": "2026-08-01T00:00:00Z"}, "occurrences", "contradictory"),
        ({"ids": ID}, "occurrences", "contradictory"),
    ],
)
def test_thirty_one_dates_are_taken_and_one_more_is_not(
    empty: Release, params: dict[str, str], param: str, reason: str
) -> None:
    assert fetch(empty, EVENTS, {**EXPAND, "from": "2026-08-01", "to": "2026-08-31"})["data"] == []
    with pytest.raises(ApiError) as raised:
        fetch(empty, EVENTS, {**EXPAND, **params})
    assert (raised.value.details["param"], raised.value.details["reason"]) == (param, reason)


@pytest.mark.parametrize("collection", ["classes", "camps", "places"])
def test_only_events_take_occurrences(empty: Release, collection: str) -> None:
    with pytest.raises(ApiError) as raised:
        fetch(empty, f"/v1/harbor/{collection}", EXPAND)
    assert raised.value.details["reason"] == "parameter_not_supported"


def test_every_event_with_a_date_says_its_next_one(tmp_path: Path) -> None:
    once, over = datetime(2026, 8, 20, 9), datetime(2026, 7, 1, 9)
    world = World(
        listings=[
            documents.make_event(make_uuid(number), has_date=at is not None, starts_local=at and at.isoformat(),
                                 starts_at=at and f"{at + timedelta(hours=4):%Y-%m-%dT%H:%M:%SZ}")
            for number, at in ((1, once), (2, over), (3, None))
        ],
        dates={make_uuid(1): [once], make_uuid(2): [over]},
    )  # fmt: skip
    release = open_release([world], tmp_path)
    shown = [fetch(release, f"/v1/events/{make_uuid(number)}")["data"] for number in (1, 2, 3)]
    assert shown[0]["occurrence"] == {
        "next_starts_at": "2026-08-20T13:00:00Z", "next_starts_local": "2026-08-20T09:00:00",
        "remaining": 1, "total": 1,
    }  # fmt: skip
    assert shown[1]["occurrence"] == {
        "next_starts_at": None, "next_starts_local": None, "remaining": 0, "total": 1,
    }  # fmt: skip
    assert "occurrence" not in shown[2]
    [listed] = fetch(release, EVENTS)["data"]
    assert listed == shown[0]
