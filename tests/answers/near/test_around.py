"""`around` by an oracle: five groups, their order and pages, facets, what is hidden."""

import math
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch, make_noon
from tests.answers.generated import CENTER, make_world
from tests.answers.near.nearing import make_around_request, make_minute, place_neighborhoods, set_registrations
from tests.answers.near.oracle import (
    BANDS,
    COLLECTIONS,
    GROUPS,
    RINGS,
    count_hidden,
    find_start,
    list_around,
    list_bands,
    measure,
    name_groups,
    score,
)
from tests.answers.worlds import TODAY, World, open_release

PATH = "/v1/harbor/around"
HERE = {"lat": str(CENTER[0]), "lng": str(CENTER[1])}
WIDE = {**HERE, "radius_m": "50000", "min_confidence": "0"}
MEMBERS = [
    "listing_id", "type", "name", "distance_m", "walk_minutes", "score", "also_in", "slug", "starts_at", "starts_local",
    "ends_local", "timezone", "place", "neighborhood", "lat", "lng", "price", "ages", "image_url", "is_indoor", "links",
]  # fmt: skip


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Release]:
    random = Random(9)
    world = make_world(random, size=400)
    set_registrations(world, random)
    place_neighborhoods(world, random)
    return world, open_release([world], tmp_path_factory.mktemp("around"))


def read_group(release: Release, request: dict[str, str], name: str, minute: datetime) -> list[dict[str, Any]]:
    """All items of a group, page by page."""
    first = fetch(release, PATH, {**request, "limit": "50"}, minute=minute)["data"]
    return read_from(release, request, name, minute, first)


def read_from(
    release: Release, request: dict[str, str], name: str, minute: datetime, data: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the items of a group, page by page, beginning with a first answer of 50 items."""
    items: list[dict[str, Any]] = []
    while True:
        group = data["results"][name]
        assert group["returned"] == len(group["items"])
        items += group["items"]
        if group["next_cursor"] is None:
            assert group["total"] == len(items)
            return items
        assert group["next_cursor"] == f"{name}:{len(items)}"
        data = fetch(release, PATH, {**request, "limit": "50", "cursor": group["next_cursor"]}, minute=minute)["data"]


def test_groups_facets_and_coverage_are_what_the_oracle_says(harbor: tuple[World, Release], cases: int) -> None:
    world, release = harbor
    for seed in range(cases):
        random = Random(seed)
        request, minute = make_around_request(random), make_minute(random)
        expected = list_around(world, request, minute)
        data = fetch(release, PATH, {**request, "limit": "50"}, minute=minute)["data"]
        groups: dict[str, dict[str, Any]] = {}
        for name in GROUPS:
            items = read_from(release, request, name, minute, data)
            ids = {row_id for row_id, value in expected.items() if name in name_groups(value)}
            assert {item["listing_id"] for item in items} == ids, (seed, name, request, minute)
            judge_items(world, items, name, request, minute)
            groups |= {item["listing_id"]: item for item in items}
        assert len(groups) == len(expected)
        judge_facets(list(expected.values()), data["facets"], request)
        hidden = World(timezone=world.timezone, dates=world.dates, programs=world.programs)
        hidden.neighborhoods, hidden.listings = world.neighborhoods, [*filter(is_open, world.listings)]
        assert data["coverage"]["hidden_nearby"] == count_hidden(hidden, request, minute)
        assert (data["coverage"]["reason"] is None) == (data["coverage"]["hidden_nearby"] == 0)


def is_open(listing: dict[str, Any]) -> bool:
    return listing["type"] != "class" or listing["registration"]["status"] not in ("full", "closed")


def judge_items(
    world: World, items: list[dict[str, Any]], name: str, request: dict[str, str], minute: datetime
) -> None:
    keys = []
    for item in items:
        assert list(item) == MEMBERS
        listing = world.get(item["listing_id"])
        metres = measure(request, item["lat"], item["lng"])
        start = find_start(world, listing, request, minute)
        walk = None if item["distance_m"] > 5000 else math.ceil(round(item["distance_m"] * 1.3 / 80, 9))
        assert item["distance_m"] == math.floor(metres + 0.5)
        assert item["walk_minutes"] == walk
        assert item["starts_local"] == (None if start is None else start.isoformat())
        assert item["also_in"] == [group for group in name_groups(listing) if group != name]
        assert item["score"] == pytest.approx(score(world, listing, request, minute, list_bands(listing)), abs=0.000501)
        assert item["neighborhood"] == listing["location"]["neighborhood"]
        assert item["is_indoor"] == listing.get("is_indoor")
        keys.append((-item["score"], metres, item["listing_id"]))
    assert keys == sorted(keys)


def judge_facets(listings: list[dict[str, Any]], facets: dict[str, Any], request: dict[str, str]) -> None:
    counts = {name: sum(listing["type"] == kind for listing in listings) for kind, name in COLLECTIONS.items()}
    assert facets["by_type"] == counts
    bands = [list_bands(listing) for listing in listings]
    stated = [listing["ages"]["min"] is not None or listing["ages"]["max"] is not None for listing in listings]
    assert facets["by_age_band"] == {
        **{name: sum(name in own for own in bands) for name in BANDS},
        "unspecified": stated.count(False),
    }
    prices = [listing["price"]["is_free"] for listing in listings if "price" in listing]
    free, paid = prices.count(True), prices.count(False)
    assert facets["by_price"] == {"free": free, "paid": paid}
    assert facets["free_share"] == (round(free / (free + paid), 3) if free + paid else None)
    rings, low = facets["by_distance_ring"], -1.0
    for ring, (label, most) in zip(rings, RINGS.items(), strict=True):
        most = min(most, int(request.get("radius_m", 5000)))
        metres = [measure(request, listing["location"]["lat"], listing["location"]["lng"]) for listing in listings]
        assert ring == {"label": label, "max_m": most, "count": sum(low < metre <= most for metre in metres)}
        low = most
    assert sum(ring["count"] for ring in rings) == len(listings) == sum(counts.values())


def test_from_tomorrow_on_totals_are_those_of_the_lists(harbor: tuple[World, Release], cases: int) -> None:
    world, release = harbor
    tomorrow = {"from": (TODAY + timedelta(days=1)).isoformat(), "to": (TODAY + timedelta(days=20)).isoformat()}
    for seed in range(max(2, cases // 4)):
        request = {**make_around_request(Random(seed)), **tomorrow}
        results = fetch(release, PATH, request)["data"]["results"]
        own = {key: value for key, value in request.items() if key not in ("ages", "types")}
        timeless = {key: value for key, value in own.items() if key not in ("from", "to", "free")}
        for group, name, params in (
            ("happening_soon", "events", own), ("recurring_programs", "events", {**own, "recurring": "true"}),
            ("camps", "camps", own), ("places", "places", timeless),
        ):  # fmt: skip
            listed = fetch(release, f"/v1/harbor/{name}", {**params, "facets": "category", "limit": "0"})
            is_requested = name in request.get("types", name).split(",")
            assert results[group]["total"] == (listed["facets"]["total"] if is_requested else 0), (seed, group)
        classes = fetch(release, "/v1/harbor/classes", {**own, "expand": "sessions", "limit": "200"})["data"]
        programs = {world.programs.get(entry["id"], entry["id"]) for entry in classes if is_open(entry)}
        is_requested = "classes" in request.get("types", "classes").split(",")
        assert results["classes_enrolling"]["total"] == (len(programs) if is_requested else 0)


def test_its_places_are_those_of_nearby(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    items = read_group(release, WIDE, "places", make_noon(TODAY))
    nearby = fetch(release, "/v1/harbor/nearby", {**WIDE, "types": "places", "limit": "200"})["data"]
    ordered = sorted(items, key=lambda item: item["distance_m"])
    assert [item["distance_m"] for item in ordered] == [item["distance_m"] for item in nearby]
    assert {item["listing_id"] for item in items} == {item["id"] for item in nearby}


def test_ages_favour_and_do_not_filter(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    plain, favoured = (fetch(release, PATH, {**WIDE, **more})["data"] for more in ({}, {"ages": "baby,toddler"}))
    assert plain["facets"] == favoured["facets"]
    totals = [{name: group["total"] for name, group in data["results"].items()} for data in (plain, favoured)]
    assert totals[0] == totals[1]
    assert plain["results"] != favoured["results"]


def test_a_cursor_gives_its_groups_page_and_the_others_first(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    first = fetch(release, PATH, {**WIDE, "limit": "3"})["data"]["results"]
    then = fetch(release, PATH, {**WIDE, "limit": "3", "cursor": first["camps"]["next_cursor"]})["data"]["results"]
    assert {**then, "camps": None} == {**first, "camps": None}
    ids = [item["listing_id"] for page in (first, then) for item in page["camps"]["items"]]
    assert len({*ids}) == 6
    past = fetch(release, PATH, {**WIDE, "cursor": "places:100000"})["data"]["results"]["places"]
    assert (past["returned"], past["next_cursor"]) == (0, None)


def test_a_body_has_its_members(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    body = fetch(release, PATH, HERE)
    assert [*body["data"]] == ["location", "activity", "results", "facets", "coverage"]
    assert body["data"]["location"] == {"lat": 40.0, "lng": -74.0, "source": "coordinates"}
    assert [*body["data"]["results"]] == GROUPS
    assert body["meta"]["metro"] == "harbor"
    assert body["meta"]["radius_m"] == 5000
    assert body["meta"]["window"] == {"from": "2026-08-10", "to": "2026-09-09", "timezone": "America/New_York"}
    assert body["meta"]["limit"] == 10
    assert body["meta"]["generated_at"] == "2026-08-10T16:00:00Z"


def test_the_header_is_that_of_activity(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    around = fetch(release, PATH, WIDE)["data"]
    activity = fetch(release, "/v1/harbor/activity", WIDE)["data"]
    assert around["activity"] == {name: activity[name] for name in around["activity"]}


def test_a_key_for_events_sees_no_other_type(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    body = fetch(release, PATH, WIDE, entitlement=Entitlement(types=frozenset({"event"})))
    named = fetch(release, PATH, {**WIDE, "types": "events"})
    assert body["data"] == named["data"]
    results = body["data"]["results"]
    assert [results[name]["total"] for name in ("classes_enrolling", "camps", "places")] == [0, 0, 0]
    names = [component["name"] for component in body["data"]["activity"]["components"]]
    assert names == ["events", "variety", "free_share"]
    assert {name for name, count in body["data"]["facets"]["by_type"].items() if count} == {"events"}


def test_a_point_in_the_sea_is_answered(harbor: tuple[World, Release]) -> None:
    _, release = harbor
    body = fetch(release, PATH, {"lat": "0", "lng": "0"})
    assert [notice["code"] for notice in body["notices"]] == ["point_outside_metro"]
    assert body["data"]["coverage"] | {"unplaceable_in_metro": 0} == {
        "hidden_nearby": 0, "unplaceable_in_metro": 0, "reason": "point_outside_metro"
    }  # fmt: skip
    assert body["data"]["activity"]["score"] == 0
    assert body["data"]["activity"]["summary"].startswith("Nothing within 5,000 metres")


def test_what_is_nowhere_is_counted(tmp_path: Path) -> None:
    places = [
        documents.make_place(f"0a000000-0000-4000-8000-00000000000{number}", location=location)
        for number, location in enumerate(
            [
                documents.make_location(),
                documents.make_location(neighborhood="Pier", neighborhood_slug="pier"),
                documents.make_location(neighborhood="Off", neighborhood_slug="off"),
            ]
        )
    ]
    pier = {"slug": "pier", "name": "Pier", "key": "pier", "lat": 40.0, "lng": -74.0, "south": 39.9, "north": 40.1,
            "west": -74.1, "east": -73.9}  # fmt: skip
    release = open_release([World(listings=places, neighborhoods=[pier])], tmp_path)
    coverage = fetch(release, PATH, HERE)["data"]["coverage"]
    assert coverage == {"hidden_nearby": 1, "unplaceable_in_metro": 2, "reason": "rows_without_coordinates"}
    far = fetch(release, PATH, {**HERE, "lat": "40.5"})["data"]["coverage"]
    assert far == {"hidden_nearby": 0, "unplaceable_in_metro": 2, "reason": None}


WRONG = [
    ({**HERE, "cursor": "museums:10"}, "cursor", "cursor_malformed"),
    ({**HERE, "cursor": "places"}, "cursor", "invalid_value"),
    ({**HERE, "ages": "grandparents"}, "ages", "invalid_value"),
    ({**HERE, "limit": "51"}, "limit", "out_of_range"),
    ({**HERE, "category": "swim_water"}, "category", "parameter_not_supported"),
    ({}, "lat", "missing_parameter"),
    ({**HERE, "address": "1 Main St"}, "address", "contradictory"),
]


@pytest.mark.parametrize(("params", "param", "reason"), WRONG)
def test_a_wrong_parameter_is_named_with_its_reason(
    harbor: tuple[World, Release], params: dict[str, str], param: str, reason: str
) -> None:
    with pytest.raises(ApiError) as refused:
        fetch(harbor[1], PATH, params)
    assert (refused.value.details["param"], refused.value.details["reason"]) == (param, reason)
