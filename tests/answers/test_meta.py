"""`meta` of a list: what is in effect, what came from a default, the window."""

from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers.asking import fetch, parse
from tests.answers.generated import TODAY, make_world
from tests.answers.worlds import COLLECTIONS, World, open_release

MEMBERS = [
    "limit", "count", "has_more", "next_cursor", "page", "applied_filters", "defaults_applied", "min_confidence",
    "window", "metro", "generated_at", "missing_ids",
]  # fmt: skip


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release([World()], tmp_path_factory.mktemp("empty"))


def test_a_list_has_data_then_meta_with_its_members_in_order(empty: Release) -> None:
    body = fetch(empty, "/v1/harbor/events")
    assert list(body) == ["data", "meta"]
    assert list(body["meta"]) == MEMBERS
    assert body["meta"] | {"applied_filters": None} == {
        "limit": 50, "count": 0, "has_more": False, "next_cursor": None, "page": 1, "applied_filters": None,
        "defaults_applied": ["from", "to", "min_confidence", "audience"], "min_confidence": 0.7,
        "window": {"from": "2026-08-10", "to": "2026-09-09", "timezone": "America/New_York"},
        "metro": "harbor", "generated_at": "2026-08-01T12:00:00Z", "missing_ids": [],
    }  # fmt: skip


CASES: list[tuple[str, dict[str, str], dict[str, Any], list[str]]] = [
    (
        "events", {},
        {"from": "2026-08-10", "to": "2026-09-09", "min_confidence": 0.7, "audience": ["not_adults"]},
        ["from", "to", "min_confidence", "audience"],
    ),
    (
        "classes", {},
        {"from": "2026-08-10", "min_confidence": 0.7, "audience": ["not_adults"]},
        ["from", "min_confidence", "audience"],
    ),
    (
        "camps", {"to": "2026-09-01"},
        {"from": "2026-08-10", "to": "2026-09-01", "min_confidence": 0.7, "audience": ["not_adults"]},
        ["from", "min_confidence", "audience"],
    ),
    ("places", {}, {"min_confidence": 0.5, "audience": ["not_adults"]}, ["min_confidence", "audience"]),
    (
        "events", {"from": "2026-09-01", "audience": "all", "min_confidence": "0", "limit": "7", "page": "3"},
        {"from": "2026-09-01", "to": "2026-10-01", "min_confidence": 0, "audience": ["all"]},
        ["to"],
    ),
    (
        "places", {"lat": "47.5", "lng": "-122", "place_type": "park,library"},
        {
            "min_confidence": 0.5, "audience": ["not_adults"], "lat": 47.5, "lng": -122, "radius_m": 5000,
            "type_hint": ["library", "park"],
        },
        ["min_confidence", "audience", "radius_m"],
    ),
    (
        "classes", {"start_after": "09:30", "start_before": "12:00", "age": "4", "free": "false", "fields": "name"},
        {
            "from": "2026-08-10", "min_confidence": 0.7, "audience": ["not_adults"], "age": 4, "free": False,
            "start_after": "09:30", "start_before": "12:00",
        },
        ["from", "min_confidence", "audience"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("collection", "params", "applied", "defaults"), CASES)
def test_filters_in_effect_are_named_with_their_values(
    empty: Release, collection: str, params: dict[str, str], applied: dict[str, Any], defaults: list[str]
) -> None:
    meta = fetch(empty, f"/v1/harbor/{collection}", params)["meta"]
    assert meta["applied_filters"] == applied
    assert meta["defaults_applied"] == defaults
    assert meta["min_confidence"] == applied["min_confidence"]
    assert (meta["window"]["from"], meta["window"]["to"]) == (applied.get("from"), applied.get("to"))


def test_a_deprecated_name_and_an_ignored_one_are_noticed_between_data_and_meta(empty: Release) -> None:
    body = fetch(empty, "/v1/harbor/places", {"place_type": "park", "free": "true"})
    assert list(body) == ["data", "notices", "meta"]
    assert {(notice["code"], notice["param"]) for notice in body["notices"]} == {
        ("parameter_deprecated", "place_type"),
        ("parameter_ignored", "free"),
    }
    assert "free" not in body["meta"]["applied_filters"]


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"to": "2026-08-09"}, "contradictory"),
        ({"to": "2027-08-12"}, "window_too_long"),
    ],
)
@pytest.mark.parametrize("collection", ["events", "classes", "camps"])
def test_an_end_is_compared_with_the_local_date_where_no_start_is_given(
    empty: Release, collection: str, params: dict[str, str], reason: str
) -> None:
    with pytest.raises(ApiError) as raised:
        fetch(empty, f"/v1/harbor/{collection}", params)
    assert raised.value.status == 400
    assert (raised.value.details["param"], raised.value.details["reason"]) == ("to", reason)


def test_a_window_of_366_days_after_its_start_is_allowed(empty: Release) -> None:
    assert fetch(empty, "/v1/harbor/events", {"to": "2027-08-11"})["meta"]["window"]["to"] == "2027-08-11"


def test_the_last_dates_of_the_calendar_have_a_window(empty: Release) -> None:
    assert fetch(empty, "/v1/harbor/events", {"from": "2199-12-31"})["meta"]["window"]["to"] == "2200-01-30"


def test_the_release_id_and_the_clock_are_in_no_body(tmp_path: Path) -> None:
    world = make_world(Random(3), size=20)
    release = open_release([world], tmp_path, release_id="77-abcdefab")
    other = Release(id="78-99999999", sequence=78, latest_version_id=9, metros=release.metros)
    for collection in COLLECTIONS.values():
        assert fetch(release, f"/v1/harbor/{collection}") == fetch(other, f"/v1/harbor/{collection}")


def test_an_alias_and_spellings_of_one_request_give_the_same_bytes(empty: Release) -> None:
    spellings = [
        {"category": "swim_water,arts_creative", "limit": "50"},
        {"category": "arts_creative, swim_water", "page": "1"},
        {"category": "arts_creative,swim_water,arts_creative"},
    ]
    texts = {parse("/v1/harbor/events", params).text for params in spellings}
    assert len(texts) == 1
    assert fetch(empty, "/v1/harbor/events", spellings[0]) == fetch(empty, "/v1/harbor/events", spellings[1])


def test_the_window_follows_the_local_date(empty: Release) -> None:
    meta = fetch(empty, "/v1/harbor/classes", today=date(2026, 12, 31))["meta"]
    assert meta["window"] == {"from": "2026-12-31", "to": None, "timezone": "America/New_York"}
    assert date(2026, 12, 31) != TODAY
