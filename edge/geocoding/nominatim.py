"""`nominatim`: OpenStreetMap's own (https://nominatim.org/release-docs/latest/api/Search/)."""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from edge.geocoding.service import GeocodingService, Parameters
from outings.contract.resources.metro import Bounds, Center

MOST = 5


class _Match(Struct, frozen=True):
    """Of an entry of `jsonv2`, what is read; its numbers are texts."""

    lat: float
    lon: float


_decoder = msgspec.json.Decoder(list[_Match], strict=False)


def _make_parameters(address: str, bounds: Bounds) -> Parameters:
    corners = (bounds.west, bounds.north, bounds.east, bounds.south)
    return {
        "q": address, "format": "jsonv2", "limit": str(MOST), "viewbox": ",".join(map(str, corners)), "bounded": "1",
    }  # fmt: skip


def _read_points(body: bytes) -> Iterator[Center]:
    return (Center(lat=each.lat, lng=each.lon) for each in _decoder.decode(body))


NOMINATIM = GeocodingService(
    name="nominatim", path="/search", make_parameters=_make_parameters, read_points=_read_points,
)  # fmt: skip
