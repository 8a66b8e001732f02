"""Make the bodies of responses: from the cache, from a page that the build wrote, or by computing them."""

import re
import zlib
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import lru_cache, partial
from typing import TypeVar

import brotli
import structlog
import zstandard
from cachetools import LRUCache
from isal import isal_zlib
from msgspec import Struct
from prometheus_client import Counter

from edge.metrics import Counts
from edge.planner import RequestPlan
from edge.response_headers import Body, make_body, write_links
from edge.thread_pool import ThreadPool, Turns
from outings.answers.list_files import write_list_file
from outings.answers.plan import AnswerPlan, PlannedFile
from outings.contract.errors import unavailable
from outings.contract.query import Query
from outings.contract.routes import JSON, LIST_FORMATS, ROUTES
from outings.release.manifest import Export
from outings.release.site import StoredFile
from outings.release.store import Bytes, Corrupt, Store, StoreError, read_object

log = structlog.get_logger()

GZIP = b"gzip"
IDENTITY = b""

# Smaller bodies fit into one packet, so compressing them saves nothing.
LEAST_CODED_BYTES = 860

# Microseconds, and the share of the bytes that is left, of 3 kB and 60 kB of listings: isal 0: 5, 48 (0.42, 0.15);
# isal 1: 18, 46 (0.35, 0.12); isal 3: 22, 259 (0.37, 0.14); zlib 6: 37, 589 (0.33, 0.09);
# zstd 1: 23, 71 (0.37, 0.11); zstd 3: 26, 100 (0.36, 0.10); brotli 4: 54, 382 (0.34, 0.10); 5: 68, 550 (0.33, 0.09).
GZIP_LEVEL = 1
ZSTD_LEVEL = 3
BROTLI_QUALITY = 4

# The number by which zlib is told to read or write gzip's header.
_GZIP_WINDOW = 31
# The size of the pieces in which a file is sent.
_PIECE_BYTES = 65_536

# Content codings. Of those that a client weighs the same, the first is chosen: gzip, in which bodies are stored. Equal
# bodies give equal bytes, since gzip's header has no time. A compressor of zstd is not to be shared among threads.
CODINGS: Mapping[bytes, Callable[[bytes], bytes]] = {
    GZIP: lambda body: isal_zlib.compress(body, GZIP_LEVEL, wbits=_GZIP_WINDOW),
    b"zstd": lambda body: zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(body),
    b"br": partial(brotli.compress, mode=brotli.MODE_TEXT, quality=BROTLI_QUALITY),
}


def encode_body(body: bytes, coding: bytes) -> bytes:
    """Compress the body in one of `CODINGS`, or return it unchanged for `IDENTITY`."""
    return CODINGS[coding](body) if coding else body


def decode_gzip(coded: bytes) -> bytes:
    return isal_zlib.decompress(coded, wbits=_GZIP_WINDOW)


def cut_pieces(data: Bytes, part: slice = slice(None)) -> Iterator[bytes]:
    """Cut a body, or a part of it, into chunks so small that the event loop can serve other clients between two."""
    begin, end, _ = part.indices(len(data))
    return (data[at : min(at + _PIECE_BYTES, end)] for at in range(begin, end, _PIECE_BYTES))


def unpack_pieces(packed: Bytes) -> Iterator[bytes]:
    """Unpack gzip, and yield the bytes piece by piece, one in memory at a time."""
    unpacking = zlib.decompressobj(wbits=_GZIP_WINDOW)
    for piece in cut_pieces(packed):
        while piece:
            unpacked = unpacking.decompress(piece, _PIECE_BYTES)
            if unpacked:
                yield unpacked
            piece = unpacking.unconsumed_tail
    rest = unpacking.flush()
    if rest:
        yield rest


# One item of `Accept-Encoding`: a coding and its weight.
_ACCEPTED = re.compile(rb"([^\s;]+)\s*(?:;\s*(?:q\s*=\s*(\d+\.?\d*|\.\d+))?)?")


@lru_cache(maxsize=512)
def choose_coding(accepted: bytes, offered: tuple[bytes, ...] = tuple(CODINGS)) -> bytes:
    """Return the coding that an `Accept-Encoding` weighs highest (RFC 9110, 12.5.3), or IDENTITY. Of equal weights the
    first of `offered` wins.

    A client that refuses every coding gets identity all the same: better than a 406 that nobody expects.
    """
    items = filter(None, (_ACCEPTED.fullmatch(part.strip()) for part in accepted.lower().split(b",")))
    weights = {item[1]: float(item[2] or 1) for item in items if float(item[2] or 1) <= 1}
    rest = weights.get(b"*", 0.0)
    chosen, highest = IDENTITY, weights.get(b"identity", 0.0)
    for coding in offered:
        weight = weights.get(coding, rest)
        if weight > 0 and (weight > highest or (weight == highest and chosen == IDENTITY)):
            chosen, highest = coding, weight
    return chosen


# The bytes that a cached body takes beside its own: for its name and its headers.
_OVERHEAD_BYTES = 1_000

_DETAILS = frozenset(route.name for route in ROUTES if route.type and route.is_one)

Read = TypeVar("Read")
BodyName = tuple[str, bytes, bytes]


class Bodies(Struct, kw_only=True):
    """Makes bodies, and caches them compressed, because compressing a page costs as much as making it. A cached body is
    never out of date, because its ETag identifies everything that it depends on.

    Attributes:
        computing: threads for work that would block the event loop.
        fetching: threads that wait for the store.
        turns: those of bodies that are rendered on the event loop.
        cache: bounded by its bytes, as `weigh_body` counts them.
    """

    store: Store
    computing: ThreadPool
    fetching: ThreadPool
    turns: Turns
    counts: Counts
    cache: LRUCache[BodyName, Body]

    def recall(self, name: BodyName) -> Body | None:
        """Return the cached body, or None. Does not count it in the metrics."""
        return self.cache.get(name)

    async def make(self, planned: RequestPlan, coding: bytes, *, key_id: str) -> Body:
        """Make a body that is not cached, once for all requests that wait for it. Raises ApiError if the queue is
        full."""
        name, plan, source = name_body(planned, coding), planned.plan, self._find_source(planned)
        if is_quick(planned):
            await self.turns.wait(key_id=key_id)
            body = render_body(plan, coding, planned.query)
        else:
            stored = None if planned.page is None else await self._fetch_page(planned, coding, key_id=key_id)
            source = source if stored is None else self.counts.object
            body = stored or await self._render(planned, name, key_id=key_id)
        # If it is cached now, another request waited for the same body and got it first.
        (self.counts.cached if self.recall(name) is body else source).inc()
        self.put(name, body)
        return body

    def put(self, name: BodyName, body: Body) -> None:
        """Cache the body, unless it is larger than a tenth of the cache."""
        if weigh_body(body) * 10 <= self.cache.maxsize:
            self.cache[name] = body

    async def open_file(self, file: PlannedFile | StoredFile, *, key_id: str = "") -> Bytes:
        """Open an export, or the object that contains a file of the site. Raises ApiError if the store fails."""
        return await self._wait(file.open, key_id=key_id)

    def _find_source(self, planned: RequestPlan) -> Counter:
        """Return the metric for a rendered body: `object` for a detail without added members, else `computed`."""
        query = planned.query
        if query.match.route.name not in _DETAILS:
            return self.counts.computed
        has_more = query.values and (query.get_words("expand") or "related" in query.get_words("include"))
        return self.counts.computed if has_more else self.counts.object

    async def _render(self, planned: RequestPlan, name: BodyName, *, key_id: str) -> Body:
        work = partial(render_body, planned.plan, name[2], planned.query)
        if not planned.plan.reads_store:
            return await self.computing.run(work, key_id=key_id, name=name)
        return await self._wait(work, key_id=key_id, name=name)

    async def _wait(self, work: Callable[[], Read], *, key_id: str, name: Hashable = None) -> Read:
        """Run work that may read the store, in a thread. Raises ApiError if the store or the disk fails."""
        try:
            return await self.fetching.run(work, key_id=key_id, name=name)
        except (StoreError, Corrupt, OSError) as error:
            log.warning("answer_not_read", reason=str(error))
            raise unavailable() from None

    async def _fetch_page(self, planned: RequestPlan, coding: bytes, *, key_id: str) -> Body | None:
        """Fetch a page that the build wrote, or return None if the store fails. The caller then computes the page."""
        page = planned.page
        assert page is not None
        try:
            work = partial(fetch_page, self.store, page.object, coding, planned.query.text)
            return await self.fetching.run(work, key_id=key_id, name=(page.object, coding))
        except (StoreError, Corrupt) as error:
            log.warning("page_not_read", object=page.object, reason=str(error))
            return None


def is_quick(planned: RequestPlan) -> bool:
    """Return True if making the body takes less time than handing it to a thread, and nothing is read from the store.

    A hop to a thread and back costs half a millisecond, mostly spent waiting: a page of 50 takes 0.7 ms here
    and 1.3 there.
    """
    is_json = planned.plan.file is None and not planned.query.match.format
    return planned.page is None and is_json and planned.plan.is_quick


def weigh_body(body: Body) -> int:
    return len(body.data) + _OVERHEAD_BYTES


def name_body(planned: RequestPlan, coding: bytes) -> BodyName:
    """Return the key of a body in the cache. Equal requests with equal rights share one."""
    if planned.page is not None:
        return (planned.page.object, b"", coding)
    return (planned.query.text, planned.etag, coding)


def render_body(plan: AnswerPlan, coding: bytes, query: Query) -> Body:
    """Render a body in the format of the query's path, and encode it."""
    data, media = b"".join(plan.render()), plan.media
    links = write_links(query.text, data if media == JSON else b"")
    if query.match.format:
        data, media = write_list_file(data, query), LIST_FORMATS[query.match.format]
    if len(data) < LEAST_CODED_BYTES:
        coding = IDENTITY
    return make_body(encode_body(data, coding), coding, media=media, links=links)


def fetch_page(store: Store, sha: str, coding: bytes, text: str) -> Body:
    """Fetch a page that the build wrote as gzip, and encode it again if `coding` is another. Raises NotFound,
    StoreError and Corrupt."""
    packed = read_object(store, sha)
    data = decode_gzip(packed)
    links = write_links(text, data)
    return make_body(packed if coding == GZIP else encode_body(data, coding), coding, links=links)


def measure_file(export: Export, coding: bytes) -> int:
    """Return the size in bytes of an export when it is sent in this coding."""
    return export.packed if export.coding.encode() in (coding, IDENTITY) else export.size
