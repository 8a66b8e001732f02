"""Geocoding services: how to ask each of them for the point of an address."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.resources.directories import Bounds, Center
from outings.remote.fetcher import Fetcher, PermanentRemoteError
from outings.retry_policy import RetryPolicy

Parameters = dict[str, str]

MOST = 5


class GeocodingService(Struct, frozen=True, kw_only=True):
    """`path`: behind the operator's URL. `list_places`: of the JSON of a 200, the best first; `locate_place`: its
    latitude and longitude. Both raise LookupError, TypeError or ValueError where it is another's JSON."""

    name: str
    path: str
    make_parameters: Callable[[str, Bounds], Parameters]
    list_places: Callable[[Any], Any]
    locate_place: Callable[[Any], Iterable[Any]]

    def find_point(self, address: str, *, bounds: Bounds, fetcher: Fetcher) -> Center | None:
        """Ask for an address. Return its point, rounded to 0.1 m, or None if none is within the bounds. Blocks.

        Raises:
            RemoteError: the service failed, or its answer is none of it.
        """
        body = fetcher.fetch(self.path, self.make_parameters(address, bounds))
        try:
            points = [] if body is None else list(self.read_points(body))
        except (ValueError, RecursionError):
            raise PermanentRemoteError(f"its answer is none of {self.name}'s") from None
        inside = (point for point in points if bounds.contains(point))
        return next((Center(lat=round(point.lat, 6), lng=round(point.lng, 6)) for point in inside), None)

    def read_points(self, body: bytes) -> Iterator[Center]:
        """Yield the points in the body of a 200. Raises ValueError or RecursionError if it is no answer of this
        service."""
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
    """Open a connection to a geocoding service, to which a 400 says that the address is none."""
    return Fetcher(url, headers=_HEADERS, policy=policy, refusing=frozenset({400}))
