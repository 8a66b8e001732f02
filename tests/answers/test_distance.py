"""Great circles: known distances, and the edge of a circle."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.answers.distance import EARTH_RADIUS_M, find_near, measure_distances

lats = st.floats(min_value=-90, max_value=90)
lngs = st.floats(min_value=-180, max_value=180)


def measure(lat: float, lng: float, *, to: tuple[float, float]) -> float:
    [metres] = measure_distances(np.array([to[0]]), np.array([to[1]]), lat=lat, lng=lng)
    return float(metres)


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


@pytest.mark.parametrize(("here", "there", "metres"), CASES)
def test_known_distances(here: tuple[float, float], there: tuple[float, float], metres: float) -> None:
    assert measure(*here, to=there) == pytest.approx(metres, rel=0.001, abs=0.001)


@given(lat=lats, lng=lngs, other_lat=lats, other_lng=lngs)
def test_a_row_at_exactly_the_radius_is_inside_and_one_beyond_is_not(
    lat: float, lng: float, other_lat: float, other_lng: float
) -> None:
    metres = measure(lat, lng, to=(other_lat, other_lng))
    at = (np.array([other_lat]), np.array([other_lng]))
    assert find_near(*at, lat=lat, lng=lng, radius_m=max(metres, LEAST_RADIUS_M)).tolist() == [0]
    if metres > LEAST_RADIUS_M:
        assert find_near(*at, lat=lat, lng=lng, radius_m=metres * 0.999).tolist() == []


def test_rows_are_given_by_number_and_those_without_coordinates_never() -> None:
    nowhere = float("nan")
    rows = find_near(
        np.array([10.0, nowhere, 10.001, 12.0]), np.array([20.0, 20.0, nowhere, 20.0]), lat=10, lng=20, radius_m=50_000
    )
    assert rows.tolist() == [0]
    assert rows.dtype == np.uint32
