"""The application: answers requests, and runs the tasks that poll beside it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path

import structlog
from cachetools import LRUCache
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.authentication import Authenticator, KeyRing
from edge.bodies import Bodies, weigh_body
from edge.calendar_addresses import CalendarAddresses
from edge.client_addresses import TrustedProxies, VisitorKey, VisitorLimiter
from edge.limits.connections import ConnectionLimiter
from edge.limits.limiter import LimitStore, MappedLimitStore, RateLimiter, count_microseconds
from edge.metrics import Counts, Metrics
from edge.planner import LocalDates, Planner
from edge.public import Pages, PublicEndpoints, prepare_document
from edge.releases import Releases, RollbackGuard
from edge.request_headers import read_scope
from edge.respond import LocateFile, Responder
from edge.response_headers import send_response
from edge.services.forecasts import Forecasts
from edge.services.geocoder import Geocoder
from edge.thread_pool import ThreadPool, Turns
from edge.usage import UsageRecorder
from outings.contract.pricing_plans import Offer
from outings.release.store import Store
from outings.release.trust import ANYBODY, Trust

log = structlog.get_logger()

# A release, a key and a revocation are taken up within 10 s.
POLL_SECONDS = 2.0
# The bytes of bodies and plans that a worker caches.
MEMORY_BYTES = 64 * 2**20


read_clock = partial(datetime.now, UTC)


class Edge:
    """The ASGI application: everything that one process needs to answer requests.

    Under a server, its background tasks poll for keys, releases and forecasts. Without one, call `begin` once and then
    `poll` regularly.

    Args:
        memory: the most bytes of cached bodies and plans.
        limits: the store of counters; by default this process counts alone.
        locate_file: see `Responder`.
        metros, metro_memory: see `Releases`.
        is_ahead: open metros before they are requested. A process that answers one request at a time need not.
    """

    def __init__(
        self,
        store: Store,
        *,
        cache: Path,
        clock: Callable[[], datetime] = read_clock,
        poll_seconds: float = POLL_SECONDS,
        memory: int = MEMORY_BYTES,
        offer: Offer = Offer(),
        usage: UsageRecorder | None = None,
        limits: LimitStore | None = None,
        proxies: TrustedProxies | None = None,
        geocoder: Geocoder | None = None,
        forecasts: Forecasts | None = None,
        trust: Trust = ANYBODY,
        rollback_guard: RollbackGuard | None = None,
        calendar_secrets: Sequence[str] = (),
        visitors: VisitorKey | None = None,
        locate_file: LocateFile = lambda *_: None,
        metros: Sequence[str] = (),
        metro_memory: int | None = None,
        is_ahead: bool = True,
    ) -> None:
        self.counts = Counts()
        self._is_ahead = is_ahead
        self._usage = usage or UsageRecorder()
        self._geocoder = geocoder
        self._forecasts = forecasts
        self._releases = Releases(
            store=store,
            cache=cache,
            clock=clock,
            counts=self.counts,
            trust=trust,
            rollback_guard=rollback_guard,
            metros=metros,
            memory=metro_memory,
        )
        self._ring = KeyRing(store, clock=clock, plans=offer.plans)
        ticks = count_microseconds(clock)
        self._limits = limits or MappedLimitStore(clock=ticks)
        # One thread: what it computes holds the interpreter, and two would only take it from each other and the loop.
        self._compute_threads = ThreadPool(threads=1, queue=64)
        self._fetch_threads = ThreadPool(threads=2, queue=64)
        # Expressions of `where=` wait for each other, and nothing else waits for them.
        self._condition_threads = ThreadPool(threads=1, queue=16)
        self._poll_seconds = poll_seconds
        self.connections = ConnectionLimiter()
        proxies, addresses = proxies or TrustedProxies(()), CalendarAddresses(calendar_secrets)
        turns = Turns()
        plans = memory // 4
        bodies = Bodies(
            store=store,
            computing=self._compute_threads,
            fetching=self._fetch_threads,
            turns=turns,
            counts=self.counts,
            cache=LRUCache(memory - plans, weigh_body),
        )
        self.respond = Responder(
            authenticator=Authenticator(ring=self._ring, addresses=addresses),
            visitors=None if visitors is None else VisitorLimiter(visitors, proxies=proxies, clock=ticks),
            limiter=RateLimiter(self._limits, counts=self.counts),
            planner=Planner(
                releases=self._releases,
                dates=LocalDates(clock),
                addresses=addresses,
                conditions=self._condition_threads,
                fetching=self._fetch_threads,
                turns=turns,
                memory=plans,
                offer=offer,
                geocoder=self._geocoder,
                forecasts=self._forecasts,
                is_ahead=is_ahead,
            ),
            bodies=bodies,
            public=PublicEndpoints(releases=self._releases, ring=self._ring, metrics=Metrics(self.counts, self._usage)),
            pages=Pages(self._releases, bodies=bodies, counts=self.counts),
            counts=self.counts,
            usage=self._usage,
            clock=clock,
            locate_file=locate_file,
        ).respond

    @cached_property
    def _asgi(self) -> ASGIApp:
        from starlette.routing import Router  # a function answers without it

        return Router(default=self._answer, lifespan=self._run_beside)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._asgi(scope, receive, send)

    async def _answer(self, scope: Scope, _: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await send_response(send, await self.respond(read_scope(scope)))
        else:
            await send({"type": "websocket.close"})

    def poll(self) -> None:
        """Read new keys and open a new release, if there are any. Blocks, so do not call it on the event loop."""
        self._ring.poll()
        self._poll_release()

    def poll_weather(self) -> None:
        """Fetch new forecasts for the served metros. Blocks for as long as the provider takes."""
        served = self._releases.current
        if served is not None and self._forecasts is not None:
            self._forecasts.poll({slug: snapshot.metro for slug, snapshot in served.release.metros.items()})

    def _poll_release(self, *, is_first: bool = False) -> None:
        """Open a new release, if there is one, and make its OpenAPI document."""
        self._releases.poll(is_ahead=self._is_ahead and not is_first)
        if self._is_ahead and self._releases.current is not None:  # a function makes it when it is requested
            prepare_document(self._releases.current.vocabulary, self._releases.current.refused)

    def begin(self) -> None:
        """Read the keys and the first release. Its metros are opened while the first requests are answered. Blocks."""
        self._ring.poll()
        self._poll_release(is_first=True)

    def write_usage(self) -> None:
        """Write the recorded requests, for a caller that runs no background tasks. Blocks."""
        self._usage.write()

    def close(self) -> None:
        """Stop the threads, and close geocoder and forecasts. Under a server, its background tasks do this at their
        end."""
        self._compute_threads.close()
        self._fetch_threads.close()
        self._condition_threads.close()
        self._usage.close()
        for provider in (self._geocoder, self._forecasts):
            if provider is not None:
                provider.close()

    @asynccontextmanager
    async def _run_beside(self, _: object) -> AsyncIterator[None]:
        """Run the polling tasks while requests are served. Serving begins with the release in the store, or with none
        if there is no release, or the store is down."""
        await asyncio.to_thread(self.begin)
        self._usage.start()
        # Each by itself: a revocation does not wait until a large release is fetched.
        looks = [self._ring.poll, self._poll_release, self.counts.follow_queries]
        looks += [self.poll_weather] if self._forecasts is not None else []
        watching = [asyncio.create_task(self._watch(look)) for look in looks]
        watching.append(asyncio.create_task(self._watch(self._releases.open_ahead, is_first_now=True)))
        try:
            yield
        finally:
            self._releases.close()
            for task in watching:
                task.cancel()
            self.close()
            await self._limits.close()

    async def _watch(self, look: Callable[[], None], *, is_first_now: bool = False) -> None:
        await asyncio.sleep(0 if is_first_now else self._poll_seconds)
        while True:
            try:
                await asyncio.to_thread(look)
            except Exception:
                log.exception("poll_crashed")  # what was served goes on being served, and the next poll may do better
            await asyncio.sleep(self._poll_seconds)
