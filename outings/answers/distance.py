"""Circles on a sphere (decisions, Lists), by points of the unit sphere: both evaluators ask here, so that no two
trigonometries meet at a circle's edge."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

EARTH_RADIUS_M = 6_371_008.8
# What rounding may do to a straight line between two points of the unit sphere (6 nm on Earth): the edge is inside.
_ROUNDING = 1e-15

Floats = NDArray[np.float64]
Vectors = tuple[Floats, Floats, Floats]


def find_vectors(lats: Floats, lngs: Floats) -> Vectors:
    """Degrees → points of the unit sphere; NaN where there are no coordinates."""
    lat, lng = np.radians(lats), np.radians(lngs)
    return np.cos(lat) * np.cos(lng), np.cos(lat) * np.sin(lng), np.sin(lat)


def lie_near(vectors: Sequence[Floats], *, lat: float, lng: float, radius_m: float) -> NDArray[np.bool_]:
    """Which points lie in the circle, its edge included. Without coordinates: never.

    Compares squares of straight lines: sums and products alone, so that a point's answer depends on no other point.
    """
    x, y, z = vectors
    here_x, here_y, here_z = (float(each[0]) for each in find_vectors(np.array([lat]), np.array([lng])))
    line = 2 * np.sin(min(radius_m / EARTH_RADIUS_M, np.pi) / 2) + _ROUNDING
    near: NDArray[np.bool_] = (x - here_x) ** 2 + (y - here_y) ** 2 + (z - here_z) ** 2 <= line**2
    return near
