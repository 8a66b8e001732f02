"""A geocoder over HTTP, and how to ask each geocoding service."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import msgspec
import structlog
from cachetools import TTLCache
from msgspec import Struct

from edge.services.fetcher import CircuitBreaker, Fetcher, PermanentRemoteError, RemoteError
from edge.services.geocoder import lies_within, refuse_address
from edge.thread_pool import ThreadPool
from outings.contract.errors import ApiError, unavailable
from outings.contract.resources.directories import Bounds, Center
from outings.release.manifest import MetroSettings
from outings.release.snapshot import Snapshot
from outings.retry_policy import RetryPolicy

log = structlog.get_logger()

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


# A reader waits for it.
RETRY_POLICY = RetryPolicy(connect=2.0, silence=2.0, whole=3.0, attempts=2, pause=0.1, rest=300.0)
MOST_REMEMBERED = 10_000
# An address that was found or not found yesterday is asked for anew.
REMEMBERED_SECONDS = 86_400
# Nominatim's terms want one that says who asks.
_HEADERS = {"User-Agent": "outings/1"}


class RemoteGeocoder:
    """Caches the answers to recent addresses, including those that were not found."""

    def __init__(
        self,
        service: GeocodingService,
        *,
        url: str,
        clock: Callable[[], float] = time.monotonic,
        policy: RetryPolicy = RETRY_POLICY,
    ) -> None:
        self._service = service
        self._policy = policy
        self._breaker = CircuitBreaker(clock=clock)
        self._known: TTLCache[tuple[str, str], tuple[Center | None], float] = TTLCache(
            MOST_REMEMBERED, REMEMBERED_SECONDS, timer=clock
        )
        # They only wait.
        self._computing = ThreadPool(threads=4, queue=64)
        self._fetcher = Fetcher(url, headers=_HEADERS, policy=policy, refusing=frozenset({400}))

    async def find_address(self, address: str, *, snapshot: Snapshot, types: frozenset[str], key_id: str) -> Center:  # noqa: ARG002 - it knows no listings
        metro = snapshot.metro
        text = " ".join(address.split())
        name = (metro.slug, text.casefold())
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = (await self._ask(text, metro, key_id),)
        if known[0] is None:
            raise refuse_address(metro.name)
        return known[0]

    def close(self) -> None:
        self._computing.close()
        self._fetcher.close()

    async def _ask(self, text: str, metro: MetroSettings, key_id: str) -> Center | None:
        wait = self._breaker.enter()
        if wait is not None:
            raise unavailable(wait)
        await asyncio.sleep(0)  # time-outs need a task, which an answer begins without
        try:
            # Each try ends by itself, but where headers come byte by byte.
            async with asyncio.timeout((self._policy.whole + self._policy.connect) * self._policy.attempts):
                points = await self._computing.run(partial(self._find, text, metro), key_id=key_id)
        except RemoteError as failure:
            raise self._give_up(str(failure), rest=failure.rest) from None
        except TimeoutError:
            raise self._give_up("it takes too long") from None
        self._breaker.note_success()
        return points

    def _give_up(self, reason: str, *, rest: float | None = None) -> ApiError:
        wait = self._breaker.note_failure(rest=rest)
        log.warning("geocoder_failed", provider=self._service.name, reason=reason, retry_after=wait)
        return unavailable(wait)

    def _find(self, text: str, metro: MetroSettings) -> Center | None:
        """Blocks. Raises `RemoteError`."""
        body = self._fetcher.fetch(self._service.path, self._service.make_parameters(text, metro.bounds))
        try:
            points = [] if body is None else list(self._service.read_points(body))
        except (ValueError, RecursionError):
            raise PermanentRemoteError(f"its answer is none of {self._service.name}'s") from None
        return next((_round(point) for point in points if lies_within(point, metro.bounds)), None)


def _round(point: Center) -> Center:
    """Round a point to 0.1 m."""
    return Center(lat=round(point.lat, 6), lng=round(point.lng, 6))
