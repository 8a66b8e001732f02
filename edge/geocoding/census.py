"""`census`: the United States Census Bureau's (https://geocoding.geo.census.gov/geocoder/Geocoding_Services_API.html).

It knows houses, no names of places, and wants a city with its state, or a zip.
"""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from edge.geocoding.service import GeocodingService, Parameters
from outings.contract.resources.metro import Bounds, Center


class _Coordinates(Struct, frozen=True):
    x: float
    y: float


class _Match(Struct, frozen=True):
    coordinates: _Coordinates


class _Result(Struct, frozen=True):
    addressMatches: list[_Match]  # noqa: N815 - its own word


class _Answer(Struct, frozen=True):
    result: _Result


_decoder = msgspec.json.Decoder(_Answer)


def _make_parameters(address: str, bounds: Bounds) -> Parameters:  # noqa: ARG001 - it takes none
    return {"address": address, "benchmark": "Public_AR_Current", "format": "json"}


def _read_points(body: bytes) -> Iterator[Center]:
    places = (match.coordinates for match in _decoder.decode(body).result.addressMatches)
    return (Center(lat=place.y, lng=place.x) for place in places)


CENSUS = GeocodingService(
    name="census", path="/locations/onelineaddress", make_parameters=_make_parameters, read_points=_read_points,
)  # fmt: skip
