"""Density: a tally of where on the map the items of a list are."""

from collections import Counter
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given

from tests.answers import documents
from tests.answers.asking import fetch, read_all
from tests.answers.documents import make_uuid
from tests.answers.generated import make_request, make_world, seeds
from tests.answers.worlds import COLLECTIONS, TYPES, World, open_release

EVERYTHING = {"audience": "all", "min_confidence": "0"}
DEGREES = Decimal("0.005")

Document = dict[str, Any]


def tally(items: list[Document]) -> list[Document]:
    corners = Counter(
        (find_corner(item["location"]["lat"]), find_corner(item["location"]["lng"]))
        for item in items
        if item["location"]["lat"] is not None
    )
    return [{"south": south, "west": west, "count": count} for (south, west), count in sorted(corners.items())]


def find_corner(degrees: float) -> float:
    cells = (Decimal(str(round(degrees, 7))) / DEGREES).to_integral_value(ROUND_FLOOR)
    return float(cells * DEGREES)


@given(seed=seeds)
def test_a_density_is_the_list_by_cells(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    random = Random(seed)
    release = open_release([world := make_world(random, size=80)], tmp_path_factory.mktemp("world"))
    for kind in TYPES:
        params = {**random.choice([{}, EVERYTHING]), **make_request(world, kind, random)}
        if random.random() < 0.3:
            params["q"] = random.choice(["story", "swim"])
        path = f"/v1/harbor/{COLLECTIONS[kind]}"
        items, body = read_all(release, path, {**params, "limit": "200"}), fetch(release, f"{path}/density", params)
        assert body["data"] == tally(items), (kind, params)
        meta = body["meta"]
        assert meta["total"] == len(items)
        assert meta["without_coordinates"] == len(items) - sum(item["count"] for item in body["data"])
        assert meta["applied_filters"] == fetch(release, path, params)["meta"]["applied_filters"]


@pytest.mark.parametrize(
    ("lat", "lng", "south", "west"),
    [
        (47.605, -122.335, 47.605, -122.335), (47.6049999, -122.3350001, 47.6, -122.34), (0.0, 0.0, 0.0, 0.0),
        (-0.0001, -0.0001, -0.005, -0.005), (-36.8485, 174.7633, -36.85, 174.76), (89.9999, 180.0, 89.995, 180.0),
    ],
)  # fmt: skip
def test_a_cell_has_its_southern_and_western_edge(
    tmp_path: Path, lat: float, lng: float, south: float, west: float
) -> None:
    place = documents.make_place(make_uuid(1), location=documents.make_location(lat=lat, lng=lng))
    body = fetch(open_release([World(listings=[place])], tmp_path), "/v1/harbor/places/density")
    assert body["data"] == [{"south": south, "west": west, "count": 1}]
    assert body["meta"]["degrees"] == 0.005


def test_of_nothing_there_is_no_cell(tmp_path: Path) -> None:
    body = fetch(open_release([World()], tmp_path), "/v1/harbor/camps/density")
    assert (body["data"], body["meta"]["total"], body["meta"]["without_coordinates"]) == ([], 0, 0)
