"""The edge as one ASGI application: the chain, and what runs beside it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.bodies import Bodies
from edge.computing import Computing
from edge.counts import Counts
from edge.dates import Dates
from edge.delivery import Deliver
from edge.failures import Explain
from edge.identification import Identify
from edge.keys import KeyRing, Recognize
from edge.openapi import ShowContract
from edge.planning import Planning
from edge.probes import make_public
from edge.releases import Releases
from edge.routing import Dispatch
from edge.shortcut import Shortcut
from outings.contract.plans import PLANS, Plan
from outings.release.store import Store

log = structlog.get_logger()

# A release, a key and a revocation are taken up within 10 s (decisions.md §14).
POLL_SECONDS = 2.0
# Of answers that a worker keeps, and of what is known of their requests.
MEMORY_BYTES = 64 * 2**20


def read_clock() -> datetime:
    return datetime.now(UTC)


class Edge:
    """`counts`: by default this process's alone. `poll` looks for a new release and new keys at once."""

    def __init__(
        self,
        store: Store,
        *,
        cache: Path,
        clock: Callable[[], datetime] = read_clock,
        poll_seconds: float = POLL_SECONDS,
        counts: Counts | None = None,
        memory: int = MEMORY_BYTES,
        plans: Mapping[str, Plan] = PLANS,
    ) -> None:
        self.counts = counts or Counts()
        self._releases = Releases(store, cache=cache, clock=clock, counts=self.counts)
        self._ring = KeyRing(store, clock=clock, plans=plans)
        # One thread: what it makes holds the interpreter, and two would only take it from each other and the loop.
        self._computing = Computing(threads=1, queue=64)
        self._fetching = Computing(threads=2, queue=64)
        self._opening = Computing(threads=1, queue=8)
        self._poll_seconds = poll_seconds
        self._contract = ShowContract(self._releases)
        self._public = make_public(
            releases=self._releases,
            ring=self._ring,
            contract=self._contract,
            counts=self.counts,
            lifespan=self._run_beside,
        )
        self._chain = self._link(store, clock, memory)

    def _link(self, store: Store, clock: Callable[[], datetime], memory: int) -> ASGIApp:
        """In the order of the checks (decisions.md §1), the last one first."""
        plans = memory // 4
        planning = Planning(releases=self._releases, dates=Dates(clock), opening=self._opening, memory=plans)
        bodies = Bodies(
            store=store,
            computing=self._computing,
            fetching=self._fetching,
            counts=self.counts,
            memory=memory - plans,
        )
        deliver = Deliver(planning=planning, bodies=bodies, counts=self.counts)
        # Rate and quota stand here, between the key and what it asks for: issue D.
        recognize = Recognize(deliver, ring=self._ring)
        dispatch = Dispatch(public=self._public, keyed=recognize)
        chain = Identify(Explain(dispatch, counts=self.counts))
        return Shortcut(chain, ring=self._ring, planning=planning, bodies=bodies, counts=self.counts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._chain(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._public(scope, receive, send)
        else:
            await send({"type": "websocket.close"})

    def poll(self) -> None:
        """Blocks: not for the event loop."""
        self._ring.poll()
        self._releases.poll()
        self._contract.prepare()

    def close(self) -> None:
        """Lets go of threads and of the cache. What runs beside a server does it by itself."""
        self._computing.close()
        self._fetching.close()
        self._opening.close()
        self._releases.close()

    @asynccontextmanager
    async def _run_beside(self, _: object) -> AsyncIterator[None]:
        """Serving begins with what the store has now; without a release, or without a store, it begins too."""
        await asyncio.to_thread(self.poll)
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            self.close()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._poll_seconds)
            try:
                await asyncio.to_thread(self.poll)
            except Exception:
                log.exception("poll_crashed")  # what was served goes on being served, and the next poll may do better
