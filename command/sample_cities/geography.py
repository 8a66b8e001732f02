"""The sample cities: their places on the map, and their neighborhoods."""

from typing import Any

from msgspec import Struct

# Half a neighborhood's side in degrees: about 900 m. The points lie further apart than that.
_HALF_LAT = 0.0081
_HALF_LNG = 0.0108


class DemoNeighborhood(Struct, frozen=True):
    name: str
    lat: float
    lng: float


class DemoMetro(Struct, frozen=True, kw_only=True):
    slug: str
    name: str
    alias: str
    state: str
    timezone: str
    center: tuple[float, float]
    bounds: tuple[float, float, float, float]  # south, west, north, east
    neighborhoods: tuple[DemoNeighborhood, ...]


SEATTLE = DemoMetro(
    slug="seattle",
    name="Seattle",
    alias="sea",
    state="WA",
    timezone="America/Los_Angeles",
    center=(47.6062, -122.3321),
    bounds=(47.3, -122.6, 47.9, -121.9),
    neighborhoods=(
        DemoNeighborhood("Ballard", 47.6687, -122.3847),
        DemoNeighborhood("Fremont", 47.6510, -122.3505),
        DemoNeighborhood("Wallingford", 47.6590, -122.3290),
        DemoNeighborhood("Green Lake", 47.6805, -122.3280),
        DemoNeighborhood("Capitol Hill", 47.6230, -122.3200),
        DemoNeighborhood("Columbia City", 47.5595, -122.2870),
        DemoNeighborhood("West Seattle Junction", 47.5610, -122.3870),
        DemoNeighborhood("Queen Anne", 47.6370, -122.3570),
        DemoNeighborhood("Beacon Hill", 47.5680, -122.3120),
        DemoNeighborhood("Lake City", 47.7190, -122.2960),
    ),
)

NEW_YORK = DemoMetro(
    slug="new-york",
    name="New York",
    alias="nyc",
    state="NY",
    timezone="America/New_York",
    center=(40.7128, -74.0060),
    bounds=(40.4, -74.3, 41.0, -73.6),
    neighborhoods=(
        DemoNeighborhood("Park Slope", 40.6710, -73.9814),
        DemoNeighborhood("Williamsburg", 40.7081, -73.9571),
        DemoNeighborhood("Astoria", 40.7644, -73.9235),
        DemoNeighborhood("Upper West Side", 40.7870, -73.9754),
        DemoNeighborhood("Harlem", 40.8116, -73.9465),
        DemoNeighborhood("Chinatown", 40.7158, -73.9970),
        DemoNeighborhood("Jackson Heights", 40.7557, -73.8831),
        DemoNeighborhood("Bay Ridge", 40.6264, -74.0299),
        DemoNeighborhood("Riverdale", 40.8900, -73.9122),
        DemoNeighborhood("St. George", 40.6437, -74.0737),
    ),
)

METROS = (SEATTLE, NEW_YORK)


def make_feature_collection(metro: DemoMetro) -> dict[str, Any]:
    """Make GeoJSON of the metro's neighborhoods: polygons with a name."""
    return {
        "type": "FeatureCollection",
        "features": [_make_feature(neighborhood) for neighborhood in metro.neighborhoods],
    }


def _make_feature(neighborhood: DemoNeighborhood) -> dict[str, Any]:
    south, north = neighborhood.lat - _HALF_LAT, neighborhood.lat + _HALF_LAT
    west, east = neighborhood.lng - _HALF_LNG, neighborhood.lng + _HALF_LNG
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {
        "type": "Feature",
        "properties": {"name": neighborhood.name},
        "geometry": {"type": "Polygon", "coordinates": [[[round(x, 6), round(y, 6)] for x, y in ring]]},
    }
