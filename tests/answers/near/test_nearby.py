"""`nearby` by an oracle: what is in the circle, how far, when, in which order; nothing before now."""

from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outings.contract.cursor import Cursor, encode_cursor
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ALL, fetch, follow_cursor, make_noon, parse
from tests.answers.generated import CENTER, make_world
from tests.answers.near.nearing import is_from_tomorrow, make_minute, make_request, place_neighborhoods
from tests.answers.near.oracle import COLLECTIONS, count_hidden, find_instant, find_start, list_nearby
from tests.answers.worlds import TODAY, World, open_release

PATH = "/v1/harbor/nearby"
MEMBERS = [
    "type", "id", "slug", "name", "distance_m", "starts_at", "starts_local", "timezone", "place", "location", "price",
    "ages", "categories", "image_url", "links",
]  # fmt: skip
HERE = {"lat": str(CENTER[0]), "lng": str(CENTER[1])}
EVERYTHING = {**HERE, "radius_m": "50000", "audience": "all", "min_confidence": "0", "limit": "200"}


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Release]:
    random = Random(8)
    world = make_world(random, size=700)
    place_neighborhoods(world, random)
    return world, open_release([world], tmp_path_factory.mktemp("nearby"))


def show(world: World, request: dict[str, str], minute: datetime) -> list[tuple[Any, ...]]:
    """Return what items show according to the oracle."""
    shown = []
    for metres, item in list_nearby(world, request, minute):
        start = find_start(world, item, request, minute)
        zone = item["schedule"]["timezone"] if item["type"] == "class" else item.get("timezone")
        local = None if start is None else start.isoformat()
        instant = None if start is None or zone is None else find_instant(start, zone)
        shown.append((item["type"], item["id"], metres, local, instant))
    return shown


def read(items: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(item[name] for name in ("type", "id", "distance_m", "starts_local", "starts_at")) for item in items]


def test_nearby_is_what_the_oracle_says(harbor: tuple[World, Release], cases: int) -> None:
    world, release = harbor
    for seed in range(cases * 2):
        random = Random(seed)
        request, minute = make_request(random), make_minute(random)
        body = fetch(release, PATH, {**request, "limit": "200"}, minute=minute)
        assert read(body["data"]) == show(world, request, minute)[:200], (seed, request, minute)
        hidden = body["meta"]["coverage"]["hidden_nearby"]
        assert hidden == count_hidden(world, request, minute), (seed, request, minute)
        codes = [item["code"] for item in body.get("notices", ())]
        assert codes == (["rows_without_coordinates"] if hidden else [])
        # What is asked again is found in another way.
        assert fetch(release, PATH, {**request, "limit": "200"}, minute=minute) == body


def test_from_tomorrow_on_nearby_is_the_lists_with_the_same_circle(harbor: tuple[World, Release], cases: int) -> None:
    _, release = harbor
    for seed in range(max(2, cases // 4)):
        request = make_request(Random(seed))
        if not is_from_tomorrow(request):
            request |= {"from": (TODAY + timedelta(days=1)).isoformat()}
            request.pop("to", None)
        body = fetch(release, PATH, {**request, "limit": "200"})
        window = body["meta"]["window"]
        for kind, name in COLLECTIONS.items():
            own = {key: value for key, value in request.items() if key != "types"}
            own |= {"from": window["from"], "to": window["to"]} if window["from"] else {}
            if kind == "place":
                own = {key: own[key] for key in own if key not in
                       ("from", "to", "free", "max_price", "season")}  # fmt: skip
            if kind == "camp":
                own = {key: own[key] for key in own if key not in ("indoor", "outdoor", "sensory")}
            listed = fetch(release, f"/v1/harbor/{name}", {**own, "limit": "200"})["data"]
            nearby = fetch(release, PATH, {**request, "types": name, "limit": "200"})["data"]
            assert {item["id"] for item in nearby} == {item["id"] for item in listed}, (seed, request, name)


def test_pages_are_the_whole_cut_into_pieces(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    circle = {**EVERYTHING, "radius_m": "4000"}
    whole = fetch(release, PATH, circle)["data"]
    for limit in (2, 7, 64):
        pages = follow_cursor(release, PATH, {**circle, "limit": str(limit)})
        assert all(len(page) == limit for page in pages[:-1])
        assert [value for page in pages for value in page] == whole


def test_a_cursor_stays_in_the_minute_of_its_first_page(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    morning = make_noon(TODAY) - timedelta(hours=6)
    first = fetch(release, PATH, {**EVERYTHING, "limit": "20"}, minute=morning)
    cursor = first["meta"]["next_cursor"]
    then = fetch(release, PATH, {**EVERYTHING, "limit": "20", "cursor": cursor}, minute=morning + timedelta(hours=9))
    assert then["meta"]["generated_at"] == first["meta"]["generated_at"] == "2026-08-10T10:00:00Z"
    whole = fetch(release, PATH, {**EVERYTHING, "limit": "40"}, minute=morning)
    assert [*first["data"], *then["data"]] == whole["data"]


def test_an_answer_is_of_its_minute_alone(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    noon = make_noon(TODAY)
    body = fetch(release, PATH, EVERYTHING, minute=noon + timedelta(seconds=59))
    assert body == fetch(release, PATH, EVERYTHING, minute=noon)
    assert body["meta"]["generated_at"] == "2026-08-10T16:00:00Z"


def test_an_item_has_its_members_in_order(harbor: tuple[World, Release]) -> None:
    world, release = harbor
    for item in fetch(release, PATH, EVERYTHING)["data"]:
        assert list(item) == MEMBERS
        listing = world.get(item["id"])
        for name in ("slug", "name", "location", "ages", "categories", "image_url"):
            assert item[name] == listing[name]
        assert item["place"] == listing.get("place")
        assert item["links"] == {"self": listing["links"]["self"]}


def test_fields_choose_members(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    body = fetch(release, PATH, {**EVERYTHING, "fields": "distance_m,location.lat,links.self"})
    assert all(list(item) == ["type", "id", "distance_m", "location", "links"] for item in body["data"])
    assert all(list(item["location"]) == ["lat"] for item in body["data"])


def test_meta_is_that_of_a_list_with_where_and_what_is_hidden(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    meta = fetch(release, PATH, {**HERE, "age": "4"})["meta"]
    assert list(meta) == [
        "limit", "count", "has_more", "next_cursor", "page", "applied_filters", "defaults_applied", "min_confidence",
        "window", "metro", "types", "origin", "radius_m", "coverage", "generated_at", "missing_ids",
    ]  # fmt: skip
    dated = {"from": "2026-08-10", "to": "2026-09-09", "min_confidence": 0.7}
    assert meta["applied_filters"] == {
        "audience": ["not_adults"], "age": 4, "lat": 40, "lng": -74, "radius_m": 5000,
        "by_type": {
            "events": dated, "classes": dated, "camps": dated,
            "places": {"from": None, "to": None, "min_confidence": 0.5},
        },
    }  # fmt: skip
    assert meta["defaults_applied"] == ["from", "to", "min_confidence", "audience", "radius_m"]
    assert meta["origin"] == {"lat": 40.0, "lng": -74.0, "source": "coordinates"}
    assert (meta["radius_m"], meta["page"], meta["missing_ids"]) == (5000, None, [])


def test_a_key_for_events_sees_no_other_type(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    events = Entitlement(types=frozenset({"event"}))
    body = fetch(release, PATH, EVERYTHING, entitlement=events)
    named = fetch(release, PATH, {**EVERYTHING, "types": "events"}, entitlement=ALL)
    assert (body["data"], body["meta"]["coverage"]) == (named["data"], named["meta"]["coverage"])
    assert body["meta"]["types"] == ["events"]


def test_a_point_outside_the_metro_is_said_and_answered(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    body = fetch(release, PATH, {"lat": "0", "lng": "0"})
    assert body["data"] == []
    assert [notice["code"] for notice in body["notices"]] == ["point_outside_metro"]


WRONG = [
    ({}, "lat", "missing_parameter"),
    ({"lat": "40"}, "lng", "missing_parameter"),
    ({"lat": "-122.3", "lng": "47.6"}, "lat", "out_of_range"),
    ({"lat": "40", "lng": "181"}, "lng", "out_of_range"),
    ({**HERE, "radius_m": "99"}, "radius_m", "out_of_range"),
    ({**HERE, "radius_m": "50001"}, "radius_m", "out_of_range"),
    ({**HERE, "limit": "0"}, "limit", "out_of_range"),
    ({**HERE, "from": "2026-08-10", "to": "2026-08-09"}, "to", "contradictory"),
    ({**HERE, "to": "2026-08-09"}, "to", "contradictory"),
    ({**HERE, "to": "2028-08-09"}, "to", "window_too_long"),
    ({**HERE, "address": "1 Main St"}, "address", "parameter_not_supported"),
    ({**HERE, "page": "2"}, "page", "parameter_not_supported"),
    ({**HERE, "types": "museums"}, "types", "invalid_value"),
    ({**HERE, "fields": "description"}, "fields", "invalid_value"),
]


@pytest.mark.parametrize(("params", "param", "reason"), WRONG)
def test_a_wrong_parameter_is_named_with_its_reason(
    harbor: tuple[World, Release], params: dict[str, str], param: str, reason: str
) -> None:
    with pytest.raises(ApiError) as refused:
        fetch(harbor[1], PATH, params)
    assert (refused.value.details["param"], refused.value.details["reason"]) == (param, reason)


def test_swapped_coordinates_get_their_hint(harbor: tuple[World, Release]) -> None:
    with pytest.raises(ApiError, match="may be swapped"):
        fetch(harbor[1], PATH, {"lat": "-122.3", "lng": "47.6"})


PLACED = [
    # point, listing, radius that just holds it, radius that does not
    ((40.0, -74.0), (40.0, -74.0), 100, None),
    ((40.0, -74.0), (40.0089932, -74.0), 1000, 999),
    ((90.0, 12.0), (89.99, -150.0), 1112, 1111),
    ((-90.0, 0.0), (-90.0, 77.0), 100, None),
    ((0.0, 179.999), (0.0, -179.999), 223, 222),
    ((52.0, -180.0), (52.0, 180.0), 100, None),
]


@pytest.mark.parametrize(("point", "listing", "inside", "outside"), PLACED)
def test_circles_are_right_at_the_poles_and_over_the_date_line(
    tmp_path: Path, point: tuple[float, float], listing: tuple[float, float], inside: int, outside: int | None
) -> None:
    place = documents.make_place(
        "0a000000-0000-4000-8000-000000000001",
        location=documents.make_location(lat=listing[0], lng=listing[1]),
    )
    release = open_release([World(listings=[place])], tmp_path)
    here = {"lat": str(point[0]), "lng": str(point[1])}
    assert len(fetch(release, PATH, {**here, "radius_m": str(inside)})["data"]) == 1
    if outside is not None:
        assert fetch(release, PATH, {**here, "radius_m": str(outside)})["data"] == []


def test_equally_distant_listings_are_ordered_by_type_then_id(tmp_path: Path) -> None:
    world = make_world(Random(3), size=60)
    for listing in world.listings:
        listing["location"] |= {"lat": 40.01, "lng": -74.01}
    release = open_release([world], tmp_path)
    items = fetch(release, PATH, EVERYTHING)["data"]
    keys = [(item["type"], item["id"]) for item in items]
    assert len({kind for kind, _ in keys}) == 4
    assert keys == sorted(keys)
    pages = follow_cursor(release, PATH, {**EVERYTHING, "limit": "3"})
    assert [(item["type"], item["id"]) for page in pages for item in page] == keys


ID = "0a000000-0000-4000-8000-000000000001"
FOREIGN: list[tuple[str | int | None, ...]] = [
    (), (1, 2), ("a", 1, "event", ID), (1, 1 << 62, "event", ID), (1, 2, "museum", ID), (0, 0, "event", "x"),
    (-1, 0, "event", ID), (1 << 40, 0, "event", ID), (1, 0, "event", ID.upper()),
]  # fmt: skip


@pytest.mark.parametrize("position", FOREIGN)
def test_the_position_of_another_list_is_no_cursor_of_nearby(
    harbor: tuple[World, Release], position: tuple[str | int | None, ...]
) -> None:
    cursor = Cursor(route="nearby", release="2026-07-01T12:00:00Z", date=TODAY, position=position)
    text = encode_cursor(cursor, parse(PATH, HERE).unpaged_text, snapshot="0" * 64)
    with pytest.raises(ApiError) as refused:
        fetch(harbor[1], PATH, {**HERE, "cursor": text})
    assert refused.value.details["reason"] == "cursor_malformed"
