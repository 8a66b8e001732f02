"""Neighborhoods from GeoJSON, and points in them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.resolve.facts.geography import GeographyError, Neighborhoods, read_neighborhoods


def make_square(west: float, south: float, size: float = 1) -> list[list[list[float]]]:
    east, north = west + size, south + size
    return [[[west, south], [east, south], [east, north], [west, north], [west, south]]]


def make_feature(name: Any, coordinates: Any, kind: str = "Polygon", key: str = "name") -> dict[str, Any]:
    return {"type": "Feature", "properties": {key: name}, "geometry": {"type": kind, "coordinates": coordinates}}


def read(*features: Any) -> tuple[Neighborhoods, tuple[str, ...]]:
    return read_neighborhoods(json.dumps({"type": "FeatureCollection", "features": features}).encode())


def name_at(neighborhoods: Neighborhoods, lat: float, lng: float) -> str | None:
    neighborhood = neighborhoods.find(lat, lng)
    return None if neighborhood is None else neighborhood.name


WEST, EAST = make_feature("West Side", make_square(0, 0)), make_feature("East Side", make_square(1, 0))


@pytest.mark.parametrize(
    ("lat", "lng", "name"),
    [
        (0.5, 0.5, "West Side"),
        (0.5, 1.5, "East Side"),
        (0.5, 2.5, None),
        (0.5, 0, "West Side"),
        (0, 0, "West Side"),
        (0.5, 1, "East Side"),
        (1, 1, "East Side"),
        (-0.000001, 0.5, None),
    ],
)
def test_a_point_is_in_its_polygon_boundary_included_and_between_two_in_the_first_by_name(
    lat: float, lng: float, name: str | None
) -> None:
    for features in ((WEST, EAST), (EAST, WEST)):
        neighborhoods, problems = read(*features)
        assert (name_at(neighborhoods, lat, lng), problems) == (name, ())


def test_where_polygons_overlap_the_point_is_in_the_least() -> None:
    inner, outer = make_feature("Zoo", make_square(0.4, 0.4, 0.2)), make_feature("Park", make_square(0, 0))
    neighborhoods, _ = read(outer, inner)
    assert (name_at(neighborhoods, 0.5, 0.5), name_at(neighborhoods, 0.1, 0.1)) == ("Zoo", "Park")


def test_a_hole_is_outside() -> None:
    ring, hole = make_square(0, 0, 3)[0], make_square(1, 1)[0]
    neighborhoods, _ = read(make_feature("Ring", [ring, hole]))
    assert (name_at(neighborhoods, 1.5, 1.5), name_at(neighborhoods, 0.5, 0.5)) == (None, "Ring")


def test_islands_are_one_neighborhood_in_one_feature_or_in_several() -> None:
    apart = [make_square(0, 0), make_square(5, 5)]
    whole, _ = read(make_feature("Isles", apart, "MultiPolygon"))
    split, _ = read(*(make_feature(name, ring) for name, ring in zip(("Isles", "ISLES"), apart, strict=True)))
    for neighborhoods in (whole, split):
        [isles] = neighborhoods
        assert (isles.name, isles.slug, isles.key) == ("Isles", "isles", "isles")
        assert (isles.west, isles.south, isles.east, isles.north) == (0, 0, 6, 6)
        assert [name_at(neighborhoods, lat, lng) for lat, lng in ((0.5, 0.5), (5.5, 5.5), (3, 3))] == [
            "Isles", "Isles", None,
        ]  # fmt: skip
        # The middle lies in the sea: the point that is shown does not.
        assert name_at(neighborhoods, isles.lat, isles.lng) == "Isles"


def test_a_neighborhood_has_its_middle_and_bounds_in_six_decimals() -> None:
    neighborhoods, _ = read(make_feature("Ñuñoa / Café's End", make_square(-122.4, 47.6, 0.1234567)))
    [one] = neighborhoods
    assert (one.slug, one.name, one.key) == ("nunoa-cafes-end", "Ñuñoa / Café's End", "nunoa cafes end")
    assert (one.south, one.west, one.north, one.east) == (47.6, -122.4, 47.723457, -122.276543)
    assert (one.lat, one.lng) == (47.661728, -122.338272)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("west-side", "West Side"),
        ("West Side", "West Side"),
        ("WEST  SIDE!", "West Side"),
        ("Wést side", "West Side"),
        ("West", None),
        ("", None),
    ],
)
def test_a_neighborhood_is_found_by_slug_and_by_folded_name(text: str, name: str | None) -> None:
    neighborhood = read(WEST, EAST)[0].find_named(text)
    assert (None if neighborhood is None else neighborhood.name) == name


def test_names_that_make_one_slug_are_numbered_in_their_order() -> None:
    features = [make_feature(name, make_square(3 * place, 0)) for place, name in enumerate(["East+", "East"])]
    assert {entry.name: entry.slug for entry in read(*features)[0]} == {"East": "east", "East+": "east-2"}


@pytest.mark.parametrize("key", ["name", "Name", "NEIGHBORHOOD", "ntaname", "NTAName", "S_HOOD", "nhood", "label"])
def test_cities_write_the_name_under_several_keys(key: str) -> None:
    neighborhoods, problems = read(make_feature("  West \n Side ", make_square(0, 0), key=key))
    assert ([neighborhood.name for neighborhood in neighborhoods], problems) == (["West Side"], ())


NAMES = "name, neighborhood, neighbourhood, ntaname, nta_name, s_hood, nhood, label"
NAMELESS = f"feature 1 has no name: none of {NAMES} among its properties"
BOW = [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]


@pytest.mark.parametrize(
    ("feature", "problem"),
    [
        (make_feature(None, make_square(0, 0)), NAMELESS),
        (make_feature("!", make_square(0, 0)), NAMELESS),
        (make_feature(7, make_square(0, 0)), NAMELESS),
        (make_feature("W", make_square(0, 0), key="city"), NAMELESS),
        ("no feature", "feature 1 is left out: its geometry is None, not a Polygon or MultiPolygon"),
        (make_feature("W", [0, 0], "Point"),
         "feature 1 (W) is left out: its geometry is 'Point', not a Polygon or MultiPolygon"),
        ({"type": "Feature", "properties": {"name": "W"}, "geometry": None},
         "feature 1 (W) is left out: its geometry is None, not a Polygon or MultiPolygon"),
        (make_feature("W", make_square(1287922, 191041)),
         "feature 1 (W) is left out: its coordinates are not longitudes and latitudes in degrees"),
        (make_feature("W", [[[0, 0], [1, 1], [0, 0]]]), "feature 1 (W) is left out: "),
        (make_feature("W", [[[0, 0], [1, 1], [2, 2], [0, 0]]]), "feature 1 (W) is left out: "),
        (make_feature("W", [[["a", "b"]]]), "feature 1 (W) is left out: "),
        (make_feature("W", []), "feature 1 (W) is left out: "),
        (make_feature("W", BOW), "feature 1 (W) was repaired: Self-intersection"),
    ],
)  # fmt: skip
def test_a_bad_feature_is_reported_and_the_others_are_read(feature: dict[str, Any], problem: str) -> None:
    neighborhoods, problems = read(feature, EAST)
    assert name_at(neighborhoods, 0.5, 1.5) == "East Side"
    assert [message[: len(problem)] for message in problems] == [problem]


def test_a_bow_tie_is_both_its_wings() -> None:
    neighborhoods, _ = read(make_feature("Bow", BOW))
    assert [name_at(neighborhoods, 0.5, lng) for lng in (0.1, 0.9)] == ["Bow", "Bow"]
    assert name_at(neighborhoods, 0.1, 0.5) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "no JSON: "),
        (b"\xff", "no JSON: "),
        (b"[]", "expected a GeoJSON FeatureCollection with features, not 'list'"),
        (b'{"type": "Topology"}', "expected a GeoJSON FeatureCollection with features, not 'Topology'"),
    ],
)
def test_a_file_that_is_no_geojson_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(GeographyError) as refused:
        read_neighborhoods(content)
    assert str(refused.value).startswith(message)


def test_no_features_are_no_neighborhoods() -> None:
    neighborhoods, problems = read()
    assert (list(neighborhoods), problems, neighborhoods.find(0, 0)) == ([], (), None)


SQUARES = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(1, 4)), min_size=1, max_size=6)
POINTS = st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=20)


@given(SQUARES, POINTS)
def test_a_point_is_in_the_least_square_that_holds_it(
    squares: list[tuple[int, int, int]], points: list[tuple[int, int]]
) -> None:
    """Judged by comparing numbers."""
    features = [make_feature(f"N{number}", make_square(*square)) for number, square in enumerate(squares)]
    neighborhoods, problems = read(*features)
    assert problems == ()
    for lng, lat in [(x / 2, y / 2) for x, y in points]:
        holding = [
            (size, f"N{number}") for number, (west, south, size) in enumerate(squares)
            if west <= lng <= west + size and south <= lat <= south + size
        ]  # fmt: skip
        assert name_at(neighborhoods, lat, lng) == (min(holding)[1] if holding else None)
