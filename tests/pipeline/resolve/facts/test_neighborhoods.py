"""Neighborhoods that listings state are in the directory beside those of the map."""

from pathlib import Path
from typing import Any

import pytest

from outings.contract.query import Entitlement
from tests.pipeline.city import City, Record, make_event, make_place

SQUARE = [[-122.40, 47.60], [-122.38, 47.60], [-122.38, 47.62], [-122.40, 47.62], [-122.40, 47.60]]
MAP = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature", "properties": {"name": "Old Town"},
            "geometry": {"type": "Polygon", "coordinates": [SQUARE]},
        }
    ],
}  # fmt: skip
COLLECTIONS = ("events", "classes", "camps", "places")
NOTHING = dict.fromkeys((*COLLECTIONS, "total"), 0)


def place_at(name: str | None, lat: float | None = None, lng: float | None = None) -> Record:
    return {"location": {"neighborhood": name, "lat": lat, "lng": lng, "address": "1 Pine St"}}


def make_records() -> list[Record]:
    return [
        make_place("a", **place_at("São João", 47.5, -122.3)), make_place("b", **place_at("sao joao", 47.52, -122.34)),
        make_place("c", **place_at("São João")), make_place("d", **place_at("OLD TOWN", 47.9, -122.9)),
        make_place("e", **place_at("Hidden", 47.5, -122.3), status="archived"),
        make_place("f", **place_at(None, 47.61, -122.39)), make_event("g", **place_at("Beach")),
        make_place("h", **place_at("Far End", 47.1, -122.1), confidence=0.1),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> City:
    """A metro without a map."""
    city = City(tmp_path_factory.mktemp("bare"))
    city.write(make_records())
    city.build()
    return city


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> City:
    city = City(tmp_path_factory.mktemp("mapped"))
    city.map = MAP
    city.write(make_records())
    city.build()
    return city


def read_directory(city: City, params: str = "", **context: Any) -> dict[str, Any]:
    return {item["slug"]: item for item in city.ask(f"/v1/seattle/neighborhoods{params}", **context)["data"]}


def test_without_a_map_the_directory_is_of_those_that_listings_state(bare: City) -> None:
    directory = read_directory(bare)
    assert list(directory) == ["beach", "far-end", "old-town", "sao-joao"]  # by name
    assert directory["sao-joao"] == {
        "slug": "sao-joao", "name": "São João", "metro": "seattle", "center": {"lat": 47.51, "lng": -122.32},
        "bounds": None, "counts": NOTHING | {"places": 3, "total": 3},
        "links": {collection: f"/v1/seattle/{collection}?neighborhood=sao-joao" for collection in COLLECTIONS},
    }  # fmt: skip
    assert directory["beach"]["center"] == {"lat": None, "lng": None}
    assert directory["far-end"]["counts"] == NOTHING
    assert bare.ask("/v1/seattle/coverage")["data"]["neighborhoods"] == {"named": 4, "with_listings": 4}


def test_neighborhoods_of_the_map_keep_their_bounds_and_their_name(mapped: City) -> None:
    directory = read_directory(mapped)
    assert list(directory) == ["beach", "far-end", "old-town", "sao-joao"]
    old_town = directory["old-town"]
    assert (old_town["name"], old_town["counts"]["places"]) == ("Old Town", 2)
    assert old_town["bounds"] == {"south": 47.6, "west": -122.4, "north": 47.62, "east": -122.38}
    assert old_town["center"] == {"lat": 47.61, "lng": -122.39}
    assert {slug: value["bounds"] is None for slug, value in directory.items() if slug != "old-town"} == {
        "beach": True, "far-end": True, "sao-joao": True,
    }  # fmt: skip
    assert mapped.ask("/v1/seattle/coverage")["data"]["neighborhoods"] == {"named": 4, "with_listings": 4}


@pytest.mark.parametrize("name", ["bare", "mapped"])
def test_its_counts_are_those_of_the_lists_that_it_links_to(name: str, request: pytest.FixtureRequest) -> None:
    city = request.getfixturevalue(name)
    for item in read_directory(city).values():
        for collection, link in item["links"].items():
            assert len(city.ask(link)["data"]) == item["counts"][collection]


def test_a_key_of_some_types_is_reported_of_those_that_they_state_and_of_the_map(bare: City, mapped: City) -> None:
    events = Entitlement(types=frozenset({"event"}))
    assert list(read_directory(bare, entitlement=events)) == list(read_directory(bare, "?types=events")) == ["beach"]
    assert list(read_directory(mapped, entitlement=events)) == ["beach", "old-town"]
    neighborhoods = mapped.ask("/v1/seattle/coverage", entitlement=events)["data"]["neighborhoods"]
    assert neighborhoods == {"named": 2, "with_listings": 1}


def test_neighborhoods_come_and_go_with_the_listings_that_state_them(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write(make_records())
    city.build()
    city.write([make_event("g", **place_at("Beach", 47.2, -122.2)), make_event("i")])
    city.build("2026-08-11", allow_shrink=True)
    directory = read_directory(city)
    assert list(directory) == ["beach"]
    assert directory["beach"]["center"] == {"lat": 47.2, "lng": -122.2}
    city.build("2026-08-12")  # the same listings stay as they are
    assert read_directory(city) == directory
