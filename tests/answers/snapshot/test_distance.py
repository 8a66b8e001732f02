"""Great circles: known distances, and the edge of a circle."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.answers.snapshot.distance import (
    EARTH_RADIUS_M,
    lie_near,
    make_unit_vector,
    make_unit_vectors,
    square_chords,
)

lats = st.floats(min_value=-90, max_value=90)
lngs = st.floats(min_value=-180, max_value=180)

LEAST_RADIUS_M = 100  # the contract's
QUARTER = EARTH_RADIUS_M * math.pi / 2
CASES = [
    ((0, 0), (0, 90), QUARTER),
    ((0, 0), (90, 45), QUARTER),
    ((0, 179.5), (0, -179.5), EARTH_RADIUS_M * math.radians(1)),
    ((0, 0), (0, 180), QUARTER * 2),
    ((47.6062, -122.3321), (40.7128, -74.006), 3_866_000),
    ((40, -74), (40, -74), 0),
]


def measure(here: tuple[float, float], there: tuple[float, float]) -> float:
    """Measure a distance by the haversine formula in plain Python."""
    (lat, lng), (other_lat, other_lng) = here, there
    half_lat = math.sin(math.radians(other_lat - lat) / 2)
    half_lng = math.sin(math.radians(other_lng - lng) / 2)
    chord = half_lat**2 + math.cos(math.radians(lat)) * math.cos(math.radians(other_lat)) * half_lng**2
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(min(chord, 1.0)))


def is_near(here: tuple[float, float], there: tuple[float, float], radius_m: float) -> bool:
    [near] = lie_near(make_unit_vectors(np.array([there[0]]), np.array([there[1]])), lat=here[0], lng=here[1],
                      radius_m=radius_m)  # fmt: skip
    return bool(near)


@pytest.mark.parametrize(("here", "there", "metres"), CASES)
def test_known_distances_are_measured_within_a_thousandth(
    here: tuple[float, float], there: tuple[float, float], metres: float
) -> None:
    assert measure(here, there) == pytest.approx(metres, rel=0.001, abs=0.001)
    assert is_near(here, there, metres * 1.001 + LEAST_RADIUS_M)
    assert metres == 0 or not is_near(here, there, metres * 0.999)


@given(here=st.tuples(lats, lngs), there=st.tuples(lats, lngs))
def test_a_row_at_exactly_the_radius_is_inside_and_one_beyond_is_not(
    here: tuple[float, float], there: tuple[float, float]
) -> None:
    metres = measure(here, there)
    assert is_near(here, there, max(metres, LEAST_RADIUS_M) + 1e-6)
    if metres > LEAST_RADIUS_M:
        assert not is_near(here, there, metres * 0.999)


@pytest.mark.parametrize("radius_m", [100, 5_000, 50_000])
def test_a_listing_on_the_circle_is_inside(radius_m: int) -> None:
    degrees = math.degrees(radius_m / EARTH_RADIUS_M)
    for here in ((0.0, 0.0), (0.0, 179.99), (0.0, -122.3321)):
        assert is_near(here, (degrees, here[1]), radius_m)
        assert not is_near(here, (degrees * (1 + 1e-9), here[1]), radius_m)


def test_rows_without_coordinates_are_never_near() -> None:
    nowhere = float("nan")
    vectors = make_unit_vectors(np.array([10.0, nowhere, 10.001, 12.0]), np.array([20.0, 20.0, nowhere, 20.0]))
    assert lie_near(vectors, lat=10, lng=20, radius_m=50_000).tolist() == [True, False, False, False]


def test_a_row_is_near_whatever_rows_are_asked_about_beside_it() -> None:
    random = np.random.default_rng(5)
    vectors = make_unit_vectors(random.uniform(47.5, 47.7, 999), random.uniform(-122.5, -122.2, 999))
    params = {"lat": 47.6062, "lng": -122.3321, "radius_m": 5_000}
    whole = lie_near(vectors, **params)
    assert 0 < whole.sum() < 999
    for rows in (np.arange(0, 999, 7), np.arange(500, 503), np.array([998])):
        assert (lie_near([vector[rows] for vector in vectors], **params) == whole[rows]).all()


@given(here=st.tuples(lats, lngs), there=st.lists(st.tuples(lats, lngs), min_size=1, max_size=9))
def test_one_pair_of_places_has_one_distance_however_it_is_measured(
    here: tuple[float, float], there: list[tuple[float, float]]
) -> None:
    """Cursors have its bits."""
    vectors = make_unit_vectors(*np.array(there).T)
    point = make_unit_vector(*here)
    assert point == tuple(float(unit_vector[0]) for unit_vector in make_unit_vectors(*np.array([here]).T))
    squares = square_chords(vectors, point).tolist()
    matrix = np.stack(vectors)
    assert square_chords(matrix, point).tolist() == squares
    assert [square_chords(matrix[:, at : at + 1], point).item() for at in range(len(there))] == squares
