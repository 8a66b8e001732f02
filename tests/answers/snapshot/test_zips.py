"""Postal codes: which listings state one, circles round the middle of one, and what only its zip places."""

import math
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers.asking import fetch
from tests.answers.generated import CENTER, make_world
from tests.answers.near.oracle import measure
from tests.answers.reference import list_items
from tests.answers.worlds import COLLECTIONS, TODAY, World, open_release

CODES = ["10001", "10002", "10003", "10004"]
WIDE = {"audience": "all", "min_confidence": "0", "limit": "200"}


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Release]:
    random = Random(12)
    world = make_world(random, size=300)
    world.programs.clear()
    for listing in world.listings:
        listing["location"]["zip"] = random.choice([None, "99999", *CODES])
    world.zips = {
        code: (CENTER[0] + random.uniform(-0.08, 0.08), CENTER[1] + random.uniform(-0.08, 0.08)) for code in CODES
    }
    return world, open_release([world], tmp_path_factory.mktemp("zips"))


def read_ids(body: dict[str, Any]) -> set[str]:
    return {item["id"] for item in body["data"]}


def list_wide(world: World, kind: str) -> list[dict[str, Any]]:
    return [*list_items(world, kind, WIDE, today=TODAY)]


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_a_list_keeps_what_states_any_of_the_zips(harbor: tuple[World, Release], kind: str) -> None:
    world, release = harbor
    body = fetch(release, f"/v1/harbor/{COLLECTIONS[kind]}", {**WIDE, "zip": "10002,10001,60601"})
    expected = {listing["id"] for listing in list_wide(world, kind) if listing["location"]["zip"] in ("10001", "10002")}
    assert read_ids(body) == expected
    assert expected
    assert body["meta"]["applied_filters"]["zip"] == ["10001", "10002", "60601"]


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_near_a_zip_is_near_its_middle(harbor: tuple[World, Release], kind: str) -> None:
    world, release = harbor
    lat, lng = (str(value) for value in world.zips["10003"])
    for more in ({}, {"radius_m": "9000"}):
        near = fetch(release, f"/v1/harbor/{COLLECTIONS[kind]}", {**WIDE, "near_zip": "10003", **more})
        plain = fetch(release, f"/v1/harbor/{COLLECTIONS[kind]}", {**WIDE, "lat": lat, "lng": lng, **more})
        assert near["data"] == plain["data"]
        filters = near["meta"]["applied_filters"]
        assert (filters["near_zip"], filters["radius_m"]) == ("10003", int(more.get("radius_m", 5000)))
        assert ("radius_m" in near["meta"]["defaults_applied"]) == (not more)


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_what_only_its_zip_places_is_added_and_named(harbor: tuple[World, Release], kind: str) -> None:
    world, release = harbor
    path = f"/v1/harbor/{COLLECTIONS[kind]}"
    circle = {"lat": str(CENTER[0]), "lng": str(CENTER[1]), "radius_m": "8000"}
    plain, whole = (fetch(release, path, {**WIDE, **circle, "include_approximate": flag}) for flag in ("false", "true"))
    near = {code for code, point in world.zips.items() if measure(circle, *point) <= 8000}
    unplaced = [listing for listing in list_wide(world, kind) if listing["location"]["lat"] is None]
    added = {listing["id"] for listing in unplaced if listing["location"]["zip"] in near}
    assert read_ids(whole) == read_ids(plain) | added
    assert "notices" not in plain
    if added:
        [notice] = whole["notices"]
        assert (notice["code"], {*notice["details"]["ids"]}) == ("rows_without_coordinates", added)


def test_search_knows_zips(harbor: tuple[World, Release]) -> None:
    world, release = harbor
    lat, lng = (str(value) for value in world.zips["10001"])
    params = {"q": "swim", "audience": "all", "min_confidence": "0"}
    for more in ({"radius_m": "9000"}, {"sort": "nearest"}):
        near = fetch(release, "/v1/harbor/search", {**params, "near_zip": "10001", **more})
        plain = fetch(release, "/v1/harbor/search", {**params, "lat": lat, "lng": lng, **more})
        assert near["data"] == plain["data"]
        assert near["data"]
    for item in fetch(release, "/v1/harbor/search", {**params, "zip": "10004", "limit": "50"})["data"]:
        assert world.get(item["id"])["location"]["zip"] == "10004"


def test_nearby_begins_at_a_zip(harbor: tuple[World, Release]) -> None:
    world, release = harbor
    lat, lng = world.zips["10002"]
    near = fetch(release, "/v1/harbor/nearby", {"near_zip": "10002"})
    plain = fetch(release, "/v1/harbor/nearby", {"lat": str(lat), "lng": str(lng)})
    assert near["data"] == plain["data"]
    assert near["meta"]["origin"] == {"lat": lat, "lng": lng, "source": "zip"}
    assert near["meta"]["coverage"] == plain["meta"]["coverage"]


def test_hidden_is_also_what_its_zip_places(harbor: tuple[World, Release]) -> None:
    world, release = harbor
    circle = {"lat": str(CENTER[0]), "lng": str(CENTER[1]), "radius_m": "8000"}
    params = {**circle, "types": "places", "min_confidence": "0"}
    meta = fetch(release, "/v1/harbor/nearby", params)["meta"]
    near = {code for code, point in world.zips.items() if measure(circle, *point) <= 8000}
    places = [*list_items(world, "place", {"min_confidence": "0"}, today=TODAY)]
    unplaced = [place["location"]["zip"] for place in places if place["location"]["lat"] is None]
    assert meta["coverage"]["hidden_nearby"] == sum(code in near for code in unplaced)
    coverage = fetch(release, "/v1/harbor/around", params)["data"]["coverage"]
    assert coverage["unplaceable_in_metro"] == sum(code not in world.zips for code in unplaced)
    assert math.isfinite(world.zips["10001"][0])


@pytest.mark.parametrize("path", ["/v1/harbor/events", "/v1/harbor/nearby", "/v1/harbor/search"])
def test_a_zip_that_is_not_known_has_no_middle(harbor: tuple[World, Release], path: str) -> None:
    more = {"q": "swim"} if path.endswith("search") else {}
    with pytest.raises(ApiError) as refused:
        fetch(harbor[1], path, {"near_zip": "99999", **more})
    assert (refused.value.details["param"], refused.value.details["reason"]) == ("near_zip", "invalid_value")


@pytest.mark.parametrize(
    "params", [{"zip": "10001"}, {"near_zip": "10001"}, {"lat": "40", "lng": "-74", "include_approximate": "true"}]
)
def test_without_centroids_nothing_of_it_is_answered(tmp_path: Path, params: dict[str, str]) -> None:
    release = open_release([World()], tmp_path)
    with pytest.raises(ApiError) as refused:
        fetch(release, "/v1/harbor/events", params)
    assert (refused.value.code, refused.value.details["param"]) == ("not_implemented", [*params][-1])
