"""A geocoder that calls a service over HTTP."""

import asyncio
import time
from collections.abc import Callable
from functools import partial

import structlog
from cachetools import TTLCache

from edge.services.geocoder import refuse_address
from edge.thread_pool import ThreadPool
from outings.contract.errors import ApiError, unavailable
from outings.contract.resources.directories import Center
from outings.release.manifest import MetroSettings
from outings.release.snapshot import Snapshot
from outings.remote.fetcher import CircuitBreaker, RemoteError
from outings.remote.geocoding import GeocodingService, open_fetcher
from outings.retry_policy import RetryPolicy

log = structlog.get_logger()

# Short, because a reader waits for the answer.
RETRY_POLICY = RetryPolicy(connect=2.0, silence=2.0, whole=3.0, attempts=2, pause=0.1, rest=300.0)
MOST_REMEMBERED = 10_000
# How long an answer of the service is cached.
REMEMBERED_SECONDS = 86_400


class RemoteGeocoder:
    """Finds addresses by a geocoding service. Caches recent answers, also for addresses that were not found."""

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
        self._centers: TTLCache[tuple[str, str], tuple[Center | None], float] = TTLCache(
            MOST_REMEMBERED, REMEMBERED_SECONDS, timer=clock
        )
        # Several threads, because they only wait.
        self._computing = ThreadPool(threads=4, queue=64)
        self._fetcher = open_fetcher(url, policy)

    async def find_address(self, address: str, *, snapshot: Snapshot, types: frozenset[str], key_id: str) -> Center:  # noqa: ARG002 - it knows no listings
        metro = snapshot.metro
        text = " ".join(address.split())
        name = (metro.slug, text.casefold())
        entry = self._centers.get(name)
        if entry is None:
            entry = self._centers[name] = (await self._ask(text, metro, key_id),)
        if entry[0] is None:
            raise refuse_address(metro.name)
        return entry[0]

    def close(self) -> None:
        self._computing.close()
        self._fetcher.close()

    async def _ask(self, text: str, metro: MetroSettings, key_id: str) -> Center | None:
        wait = self._breaker.enter()
        if wait is not None:
            raise unavailable(wait)
        try:
            # Needed only if headers come byte by byte: each attempt has limits of its own.
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
        """Call the service. Blocks. Raises `RemoteError`."""
        return self._service.find_point(text, bounds=metro.bounds, fetcher=self._fetcher)
