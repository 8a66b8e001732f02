"""Great circles on a sphere (decisions, Lists). Both evaluators take row numbers from here, so that no two
trigonometries meet at the circle's edge."""

import numpy as np
from numpy.typing import NDArray

EARTH_RADIUS_M = 6_371_008.8

Floats = NDArray[np.float64]


def measure_distances(lats: Floats, lngs: Floats, *, lat: float, lng: float) -> Floats:
    """Metres from the point; NaN where there are no coordinates."""
    there, here = np.radians(lats), np.radians(lat)
    half_lat = np.sin((there - here) / 2)
    half_lng = np.sin(np.radians(lngs - lng) / 2)
    chord = half_lat**2 + np.cos(here) * np.cos(there) * half_lng**2
    metres: Floats = 2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(np.minimum(chord, 1.0)))
    return metres


def find_near(lats: Floats, lngs: Floats, *, lat: float, lng: float, radius_m: float) -> NDArray[np.uint32]:
    """The row numbers within the circle, its edge included, rising. Without coordinates (NaN): never."""
    # A band of latitudes first: trigonometry for the few rows that can be near. A degree is 111,195 m; 111,000 is safe.
    candidates = np.flatnonzero(np.abs(lats - lat) <= radius_m / 111_000)
    metres = measure_distances(lats[candidates], lngs[candidates], lat=lat, lng=lng)
    return candidates[metres <= radius_m].astype(np.uint32)
