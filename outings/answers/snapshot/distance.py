"""Measure distances and circles on the sphere by points of the unit sphere. All code measures with these functions, so
that rounding at a circle's edge is always the same."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

EARTH_RADIUS_M = 6_371_008.8
# The most by which rounding may lengthen a straight line between two points of the unit sphere (6 nm on Earth).
_ROUNDING = 1e-15

Floats = NDArray[np.float64]
Vectors = tuple[Floats, Floats, Floats]
Point = tuple[float, float, float]


def make_unit_vectors(lats: Floats, lngs: Floats) -> Vectors:
    """Convert degrees to points of the unit sphere; NaN without coordinates."""
    lat, lng = np.radians(lats), np.radians(lngs)
    return np.cos(lat) * np.cos(lng), np.cos(lat) * np.sin(lng), np.sin(lat)


def make_unit_vector(lat: float, lng: float) -> Point:
    """Convert one place, in degrees, to a point of the unit sphere."""
    angles = np.radians((lat, lng))
    (cos_lat, cos_lng), (sin_lat, sin_lng) = np.cos(angles).tolist(), np.sin(angles).tolist()
    return cos_lat * cos_lng, cos_lat * sin_lng, sin_lat


def find_chord(radius_m: float) -> float:
    """Return the length of the straight line through the unit sphere from a circle's center to its edge, slightly
    enlarged so that the edge is inside."""
    return float(2 * np.sin(min(radius_m / EARTH_RADIUS_M, np.pi) / 2) + _ROUNDING)


def square_chords(vectors: Sequence[Floats] | Floats, point: Point) -> Floats:
    """Return the squared chords from a point to others; NaN without coordinates. `vectors`: x, y and z of the others.
    Only sums and products are used, so that no result depends on other elements."""
    (x, y, z), (here_x, here_y, here_z) = vectors, point
    squares: Floats = (x - here_x) ** 2 + (y - here_y) ** 2 + (z - here_z) ** 2
    return squares


def find_metres(squares: Floats) -> Floats:
    """Convert squared chords to metres along the sphere."""
    metres: Floats = 2 * EARTH_RADIUS_M * np.arcsin(np.minimum(np.sqrt(squares) / 2, 1))
    return metres


def lie_near(vectors: Sequence[Floats], *, lat: float, lng: float, radius_m: float) -> NDArray[np.bool_]:
    """Mark the points in a circle, its edge included. Points without coordinates are not in it."""
    near: NDArray[np.bool_] = square_chords(vectors, make_unit_vector(lat, lng)) <= find_chord(radius_m) ** 2
    return near
