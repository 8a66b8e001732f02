"""`photon`: Komoot's, over OpenStreetMap's data (https://github.com/komoot/photon, API)."""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from edge.geocoding.service import GeocodingService, Parameters
from outings.contract.resources.metro import Bounds, Center

MOST = 5


class _Point(Struct, frozen=True):
    coordinates: tuple[float, float]


class _Feature(Struct, frozen=True):
    geometry: _Point


class _Features(Struct, frozen=True):
    features: list[_Feature]


_decoder = msgspec.json.Decoder(_Features)


def _make_parameters(address: str, bounds: Bounds) -> Parameters:
    corners = (bounds.west, bounds.south, bounds.east, bounds.north)
    return {"q": address, "limit": str(MOST), "bbox": ",".join(map(str, corners))}


def _read_points(body: bytes) -> Iterator[Center]:
    """GeoJSON has longitudes first."""
    places = (feature.geometry.coordinates for feature in _decoder.decode(body).features)
    return (Center(lat=lat, lng=lng) for lng, lat in places)


PHOTON = GeocodingService(name="photon", path="/api", make_parameters=_make_parameters, read_points=_read_points)
