"""Sample cities read from `words.toml`: their locations, neighborhoods and words for listings."""

import tomllib
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

# Half a neighborhood's side in degrees: about 900 m. Points are further apart than that.
_HALF_LAT = 0.0081
_HALF_LNG = 0.0108


class Subject(Struct, frozen=True):
    """A subject of sample listings. `ages`: the usual least and greatest age, in whole years. `begins`: the first and
    the last hour at which an event begins. `weekdays`: when a place is open from Tuesday to Friday."""

    name: str
    categories: tuple[str, ...]
    ages: tuple[int, int]
    sentence: str
    begins: tuple[int, int] = (0, 23)
    is_indoor: bool | None = None
    weekdays: str | None = None


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


_SAMPLES = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
METROS = msgspec.convert(_SAMPLES["metros"], tuple[DemoMetro, ...])
SEATTLE = METROS[0]
SUBJECTS = msgspec.convert(_SAMPLES["subjects"], dict[str, tuple[Subject, ...]])
WORDS = msgspec.convert(_SAMPLES["words"], dict[str, tuple[str, ...]])


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
