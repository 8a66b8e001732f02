"""The body of a plan: from memory, from an object that the build wrote, or computed."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import TypeVar

import structlog
from cachetools import LRUCache

from edge.bodies.content_coding import GZIP, IDENTITY, LEAST_CODED_BYTES, decode_gzip, encode_body
from edge.queries.planner import RequestPlan
from edge.response import Body, make_body
from edge.thread_pool import ThreadPool
from edge.usage.counts import Counter, Counts
from outings.answers.plan import AnswerPlan, PlannedFile
from outings.contract.errors import unavailable
from outings.contract.routes import ROUTES
from outings.release.manifest import PrecomputedPage
from outings.release.objects import Bytes, Corrupt, read_object
from outings.release.store import Store, StoreError

log = structlog.get_logger()

# What a held body takes beside its bytes: its name, its headers, its place in the mapping.
_OVERHEAD_BYTES = 1_000

_DETAILS = frozenset(route.name for route in ROUTES if route.type and route.is_one)

Read = TypeVar("Read")
BodyName = tuple[str, bytes, bytes]


class Bodies:
    """Makes bodies, and caches up to `memory` bytes of them in their content coding: compressing a page costs as much
    as making it. An ETag identifies everything that a body depends on, so a cached body is never out of date.

    `computing` does work that would block the event loop, `fetching` waits for the store.
    """

    def __init__(
        self, *, store: Store, computing: ThreadPool, fetching: ThreadPool, counts: Counts, memory: int
    ) -> None:
        self._store = store
        self._computing = computing
        self._fetching = fetching
        self._counts = counts
        # Those that are requested most stay, also while a key requests one large body after the other.
        self._cache: LRUCache[BodyName, Body] = LRUCache(memory, weigh_body)

    def recall(self, name: BodyName) -> Body | None:
        """Return the body from memory, or None. The caller counts it when it is sent."""
        try:
            return self._cache[name]
        except KeyError:
            return None

    async def make(self, planned: RequestPlan, coding: bytes, *, key_id: str) -> Body:
        """Make a body that is not in memory: once, however many requests wait for it. Raises ApiError if the queue is
        full."""
        name, plan, source = name_body(planned, coding), planned.plan, count_made(planned)
        if is_quick(planned):
            body = render_body(plan, coding)
        else:
            stored = None if planned.page is None else await self._fetch_page(planned.page, coding, key_id=key_id)
            source = source if stored is None else Counter.OBJECT
            body = stored or await self._render(plan, name, key_id=key_id)
        # Another request that waited for the same body was the first to get it.
        self._counts.add(Counter.CACHED if self.recall(name) is body else source)
        self.keep(name, body)
        return body

    def keep(self, name: BodyName, body: Body) -> None:
        """Cache the body, unless it would take more than a tenth of the cache, and the place of many others."""
        if weigh_body(body) * 10 <= self._cache.maxsize:
            self._cache[name] = body

    async def open_file(self, file: PlannedFile, *, key_id: str) -> Bytes:
        """Return the object of a file. Raises ApiError if the store does not return it."""
        return await self._wait(file.open, key_id=key_id)

    async def _render(self, plan: AnswerPlan, name: BodyName, *, key_id: str) -> Body:
        work = partial(render_body, plan, name[2])
        if not plan.reads_store:
            return await self._computing.run(work, key_id=key_id, name=name)
        return await self._wait(work, key_id=key_id, name=name)

    async def _wait(self, work: Callable[[], Read], *, key_id: str, name: Hashable = None) -> Read:
        """Run work that may read the store or need room in the cache, in a thread."""
        try:
            return await self._fetching.run(work, key_id=key_id, name=name)
        except (StoreError, Corrupt, OSError) as error:
            log.warning("answer_not_read", reason=str(error))
            raise unavailable() from None

    async def _fetch_page(self, page: PrecomputedPage, coding: bytes, *, key_id: str) -> Body | None:
        """Return None if the store does not give it whole: then it is computed, to the same bytes."""
        try:
            work = partial(fetch_page, self._store, page.object, coding)
            return await self._fetching.run(work, key_id=key_id, name=(page.object, coding))
        except (StoreError, Corrupt) as error:
            log.warning("page_not_read", object=page.object, reason=str(error))
            return None


def is_quick(planned: RequestPlan) -> bool:
    """Return True if making the body takes less time than handing it to a thread, and it is not written already.

    A hop to a thread and back costs half a millisecond, mostly spent waiting (`python -m bench.paths`:
    a page of 50 takes 0.7 ms here and 1.3 there).
    """
    return planned.page is None and planned.plan.file is None and planned.plan.is_quick


def count_made(planned: RequestPlan) -> Counter:
    """Return what a body that is made now counts as. A listing's detail is its document from the pack, unless more was
    requested."""
    query = planned.query
    if query.match.route.name not in _DETAILS:
        return Counter.COMPUTED
    has_more = query.values and (query.get_words("expand") or "related" in query.get_words("include"))
    return Counter.COMPUTED if has_more else Counter.OBJECT


def weigh_body(body: Body) -> int:
    return len(body.data) + _OVERHEAD_BYTES


def name_body(planned: RequestPlan, coding: bytes) -> BodyName:
    """Return the name in the cache: who requests the same with the same rights gets the same."""
    if planned.page is not None:
        return (planned.page.object, b"", coding)
    return (planned.query.text, planned.etag, coding)


def render_body(plan: AnswerPlan, coding: bytes) -> Body:
    data = b"".join(plan.render())
    if len(data) < LEAST_CODED_BYTES:
        coding = IDENTITY
    return make_body(encode_body(data, coding), coding, media=plan.media)


def fetch_page(store: Store, sha: str, coding: bytes) -> Body:
    """Return a page that the build wrote, as gzip; it is coded again for clients that do not accept gzip. Raises
    NotFound, StoreError and Corrupt."""
    packed = read_object(store, sha)
    return make_body(packed if coding == GZIP else encode_body(decode_gzip(packed), coding), coding)
