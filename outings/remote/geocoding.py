"""Geocoding services: how to ask each of them for an address's coordinates."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.resources.directories import Bounds, Center
from outings.remote.fetcher import Fetcher, PermanentRemoteError
from outings.retry_policy import RetryPolicy

Parameters = dict[str, str]

# The most places to request for an address.
MOST = 5


class GeocodingService(Struct, frozen=True, kw_only=True):
    """A service's formats. `path` follows the operator's URL. `list_places` takes the JSON of a response and returns
    its places, best first; `locate_place` returns a place's latitude and longitude. Both raise LookupError, TypeError
    or ValueError for JSON of another format."""

    name: str
    path: str
    make_parameters: Callable[[str, Bounds], Parameters]
    list_places: Callable[[Any], Any]
    locate_place: Callable[[Any], Iterable[Any]]

    def find_point(self, address: str, *, bounds: Bounds, fetcher: Fetcher) -> Center | None:
        """Geocode an address. Return the best point within the bounds, rounded to 0.1 m, or None. Blocks.

        Raises:
            RemoteError: the service failed, or its response has another format.
        """
        body = fetcher.fetch(self.path, self.make_parameters(address, bounds))
        try:
            points = [] if body is None else list(self.read_points(body))
        except (ValueError, RecursionError):
            raise PermanentRemoteError(f"its answer is none of {self.name}'s") from None
        inside = (point for point in points if bounds.contains(point))
        return next((Center(lat=round(point.lat, 6), lng=round(point.lng, 6)) for point in inside), None)

    def read_points(self, body: bytes) -> Iterator[Center]:
        """Yield the points in a response's body. Raises ValueError or RecursionError if it has another format."""
        try:
            places = msgspec.convert(self.list_places(msgspec.json.decode(body)), list[Any])
            for lat, lng in map(self.locate_place, places):
                # Nominatim's numbers are texts.
                yield msgspec.convert({"lat": lat, "lng": lng}, Center, strict=False)
        except (LookupError, TypeError) as error:
            raise ValueError(f"it has no points: {error!r}") from None


# OpenStreetMap's own (https://nominatim.org/release-docs/latest/api/Search/).
NOMINATIM = GeocodingService(
    name="nominatim",
    path="/search",
    make_parameters=lambda address, bounds: {
        "q": address, "format": "jsonv2", "limit": str(MOST), "bounded": "1",
        "viewbox": f"{bounds.west},{bounds.north},{bounds.east},{bounds.south}",
    },
    list_places=lambda answer: answer,
    locate_place=lambda place: (place["lat"], place["lon"]),
)  # fmt: skip

# Komoot's, over OpenStreetMap's data (https://github.com/komoot/photon, API). GeoJSON has longitudes first.
PHOTON = GeocodingService(
    name="photon",
    path="/api",
    make_parameters=lambda address, bounds: {
        "q": address, "limit": str(MOST), "bbox": f"{bounds.west},{bounds.south},{bounds.east},{bounds.north}",
    },
    list_places=lambda answer: answer["features"],
    locate_place=lambda place: reversed(place["geometry"]["coordinates"]),
)  # fmt: skip

# The United States Census Bureau's (https://geocoding.geo.census.gov/geocoder/Geocoding_Services_API.html). It knows
# houses, no names of places, wants a city with its state, or a zip, and takes no bounds.
CENSUS = GeocodingService(
    name="census",
    path="/locations/onelineaddress",
    make_parameters=lambda address, _: {"address": address, "benchmark": "Public_AR_Current", "format": "json"},
    list_places=lambda answer: answer["result"]["addressMatches"],
    locate_place=lambda place: (place["coordinates"]["y"], place["coordinates"]["x"]),
)

SERVICES = {service.name: service for service in (NOMINATIM, PHOTON, CENSUS)}

# Nominatim's terms want one that says who asks.
_HEADERS = {"User-Agent": "outings/1"}


def open_fetcher(url: str, policy: RetryPolicy) -> Fetcher:
    """Open a connection to a geocoding service. Its status 400 means that an address is invalid."""
    return Fetcher(url, headers=_HEADERS, policy=policy, refusing=frozenset({400}))
