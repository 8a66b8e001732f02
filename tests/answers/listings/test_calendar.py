"""The events calendar: a tally of days, and the expanded list counted by date."""

from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch, read_all
from tests.answers.documents import make_uuid
from tests.answers.generated import TODAY, make_request, make_world, seeds
from tests.answers.tally import list_days
from tests.answers.worlds import World, open_release

CALENDAR = "/v1/harbor/events/calendar"
MONTH = {"from": "2026-08-01", "to": "2026-08-31"}
# The expanded list takes so many dates at once.
PIECE = 31


def make_query(world: World, random: Random, *, days: int) -> dict[str, str]:
    start = TODAY + timedelta(days=random.randint(-30, 20))
    window = {"from": start.isoformat(), "to": (start + timedelta(days=days - 1)).isoformat()}
    return {**make_request(world, "event", random), **window}


@given(seed=seeds, size=st.integers(min_value=0, max_value=150), days=st.integers(min_value=1, max_value=62))
def test_a_day_counts_the_occurrences_that_start_on_it(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int, days: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=size)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    for _ in range(6):
        params = make_query(world, random, days=days)
        body = fetch(release, CALENDAR, params)
        assert body["data"] == list_days(world, params, today=TODAY), params
        assert body["meta"]["total"] == sum(item["count"] for item in body["data"])


@given(seed=seeds, days=st.integers(min_value=1, max_value=20))
def test_a_day_counts_the_classes_and_camps_that_meet_on_it(
    tmp_path_factory: pytest.TempPathFactory, seed: int, days: int
) -> None:
    random = Random(seed)
    release = open_release([world := make_world(random, size=80)], tmp_path_factory.mktemp("world"))
    start = TODAY + timedelta(days=random.randint(-30, 20))
    for kind, collection in (("class", "classes"), ("camp", "camps")):
        params = make_request(world, kind, random)
        window = {"from": start.isoformat(), "to": (start + timedelta(days=days - 1)).isoformat()}
        calendar = fetch(release, f"/v1/harbor/{collection}/calendar", {**params, **window})
        assert len(calendar["data"]) == days
        assert calendar["meta"]["total"] == sum(day["count"] for day in calendar["data"])
        for day in calendar["data"]:
            one = {"from": day["date"], "to": day["date"], "meets": "true", "limit": "0"}
            own = {"facets": "category,price_band"}
            facets = fetch(release, f"/v1/harbor/{collection}", {**params, **one, **own})["facets"]
            assert day["count"] == facets["total"], (params, day)
            categories = {item["value"]: item["count"] for item in facets["category"] if item["count"]}
            assert day["categories"] == {word: count for word, count in categories.items() if word != "unspecified"}
            assert day["free_count"] == facets["price_band"][0]["count"]


@given(seed=seeds, days=st.integers(min_value=1, max_value=62))
def test_the_calendar_is_the_expanded_list_by_date(
    tmp_path_factory: pytest.TempPathFactory, seed: int, days: int
) -> None:
    """Windows longer than the list allows are compared piece by piece."""
    random = Random(seed)
    world = make_world(random, size=80)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    params = make_query(world, random, days=days)
    calendar = fetch(release, CALENDAR, params)
    start, end = date.fromisoformat(params["from"]), date.fromisoformat(params["to"])
    items = []
    while start <= end:
        piece = {"from": start.isoformat(), "to": min(start + timedelta(days=PIECE - 1), end).isoformat()}
        items += read_all(release, "/v1/harbor/events", {**params, **piece, "occurrences": "expand", "limit": "9"})
        start += timedelta(days=PIECE)
    by_day = Counter(item["occurrence"]["date_on"] for item in items)
    free = Counter(item["occurrence"]["date_on"] for item in items if item["price"]["is_free"])
    words = Counter((item["occurrence"]["date_on"], word) for item in items for word in item["categories"])
    assert {item["date"]: item["count"] for item in calendar["data"] if item["count"]} == by_day
    assert {item["date"]: item["free_count"] for item in calendar["data"] if item["free_count"]} == free
    assert {
        (item["date"], word): count for item in calendar["data"] for word, count in item["categories"].items()
    } == words
    assert calendar["meta"]["total"] == len(items)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release([World()], tmp_path_factory.mktemp("empty"))


def test_every_date_is_there_with_zeros_and_meta_says_what_holds(empty: Release) -> None:
    body = fetch(empty, CALENDAR, {**MONTH, "weekday": "saturday"})
    assert [item["date"] for item in body["data"]] == [f"2026-08-{day:02}" for day in range(1, 32)]
    assert all(item == {"date": item["date"], "count": 0, "free_count": 0, "categories": {}} for item in body["data"])
    assert list(body["meta"].items()) == [
        ("metro", "harbor"),
        ("window", {"from": "2026-08-01", "to": "2026-08-31", "timezone": "America/New_York"}),
        ("min_confidence", 0.7),
        ("total", 0),
        (
            "applied_filters",
            {**MONTH, "min_confidence": 0.7, "audience": ["not_adults"], "weekday": ["saturday"]},
        ),
        ("defaults_applied", ["min_confidence", "audience"]),
        ("generated_at", "2026-08-01T12:00:00Z"),
    ]


def test_the_local_date_changes_nothing(tmp_path: Path) -> None:
    release = open_release([make_world(Random(5), size=60)], tmp_path)
    assert fetch(release, CALENDAR, MONTH) == fetch(release, CALENDAR, MONTH, today=TODAY + timedelta(days=9))


def test_what_goes_past_midnight_is_on_the_date_that_it_starts(tmp_path: Path) -> None:
    event = documents.make_event(
        make_uuid(1), has_date=True, has_time=True, start_time="22:00:00", starts_local="2026-08-10T22:00:00",
        starts_at="2026-08-11T02:00:00Z", ends_local="2026-08-12T02:00:00", ends_at="2026-08-12T06:00:00Z",
    )  # fmt: skip
    world = World(listings=[event], dates={event["id"]: documents.read_dates("2026-08-10T22:00:00")})
    world.lasts = {event["id"]: timedelta(hours=28)}
    data = fetch(open_release([world], tmp_path), CALENDAR, MONTH)["data"]
    assert [item["date"] for item in data if item["count"]] == ["2026-08-10"]


def test_sixty_two_dates_are_taken_and_one_more_is_not(empty: Release) -> None:
    assert len(fetch(empty, CALENDAR, {"from": "2026-08-01", "to": "2026-10-01"})["data"]) == 62
    assert refuse(empty, {"from": "2026-08-01", "to": "2026-10-02"}) == (400, "to", "window_too_long")


@pytest.mark.parametrize(
    ("params", "param", "reason"),
    [
        ({}, "from", "missing_parameter"),
        ({"from": "2026-08-01"}, "to", "missing_parameter"),
        ({"to": "2026-08-01"}, "from", "missing_parameter"),
        ({"from": "2026-08-02", "to": "2026-08-01"}, "to", "contradictory"),
        ({**MONTH, "include": "source"}, "include", "include_not_supported"),
        *(
            ({**MONTH, name: "1"}, name, "parameter_not_supported")
            for name in (
                "cursor", "page", "fields", "expand", "changed_since", "q", "facets", "ids", "occurrences", "limit",
            )
        ),
    ],
)  # fmt: skip
def test_what_it_needs_and_what_it_does_not_take(
    empty: Release, params: dict[str, str], param: str, reason: str
) -> None:
    assert refuse(empty, params) == (400, param, reason)


def refuse(release: Release, params: dict[str, str]) -> tuple[object, ...]:
    with pytest.raises(ApiError) as raised:
        fetch(release, CALENDAR, params)
    return raised.value.status, raised.value.details["param"], raised.value.details["reason"]
