"""Last in the chain: request → query → `304`, an object of the release, or an answer made now."""

import asyncio
from functools import partial

import structlog
from msgspec import Struct
from starlette.types import Receive, Scope, Send

from edge.bounded import Bounded
from edge.computing import Computing
from edge.conditions import matches
from edge.counts import Counts
from edge.dates import Dates
from edge.encoding import GZIP, IDENTITY, LEAST_BYTES, choose_coding, decode_gzip, encode_body
from edge.exchange import Exchange
from edge.releases import Releases, Serving
from edge.requests import read_query
from edge.responses import send_not_modified, send_success
from outings.answers.plan import Circumstances, Plan, make_plan
from outings.contract.cursor import Cursor
from outings.contract.errors import unavailable
from outings.contract.query import Query
from outings.contract.routes import ROUTES
from outings.release.objects import Corrupt, read_object
from outings.release.snapshot import Page
from outings.release.store import Store, StoreError

log = structlog.get_logger()

# Until the first release is open, in seconds.
RETRY_AFTER = 5
# Bodies as they were sent, of one worker. An ETag stands for all that a body depends on, so none of them gets old.
MEMORY_BYTES = 64 * 2**20

# A listing's document is a look-up and a slice: a hop to a thread would cost more than the work.
_INLINE = frozenset(route.name for route in ROUTES if route.type and route.name.endswith((".detail", ".slug")))


class Asked(Struct, frozen=True, kw_only=True):
    """A request that gets a body: its plan and ETag, its reader's coding, the page written ahead for it."""

    query: Query
    plan: Plan
    etag: bytes
    coding: bytes
    page: Page | None

    @property
    def name(self) -> tuple[str, bytes, bytes]:
        """What its body is remembered by: who asks for the same with the same rights gets the same."""
        return (self.query.text, self.etag, self.coding) if self.page is None else (self.page.object, b"", self.coding)

    def compute_body(self) -> "Body":
        data = b"".join(self.plan.render())
        coding = self.coding if len(data) >= LEAST_BYTES else IDENTITY
        return Body(data=encode_body(data, coding), coding=coding)


class Body(Struct, frozen=True, kw_only=True):
    """Bytes to be sent, in `coding`."""

    data: bytes
    coding: bytes


class Deliver:
    """Answers a keyed request. `computing` makes bodies, `opening` releases that walks began in: by one thread."""

    def __init__(
        self,
        *,
        store: Store,
        releases: Releases,
        dates: Dates,
        computing: Computing,
        opening: Computing,
        counts: Counts,
    ) -> None:
        self._store = store
        self._releases = releases
        self._dates = dates
        self._computing = computing
        self._opening = opening
        self._counts = counts
        self._bodies: Bounded[tuple[str, bytes, bytes], Body] = Bounded(MEMORY_BYTES, lambda body: len(body.data))
        self._making: dict[tuple[str, bytes, bytes], asyncio.Task[Body]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 a GET's body is ignored
        exchange: Exchange = scope["exchange"]
        match, key = exchange.match, exchange.key
        assert match is not None
        assert key is not None
        serving = self._releases.current
        if serving is None:
            raise unavailable(RETRY_AFTER)
        exchange.release = serving.header
        entitlement = key.entitlement
        query = read_query(match, exchange, serving=serving, entitlement=entitlement)
        dates = self._dates.read_dates(serving.release)
        if query.cursor is not None:
            serving = await self._find_walk(query, query.cursor, current=serving)
            exchange.release = serving.header
            dates = dict.fromkeys(serving.release.metros, query.cursor.date)
        about = Circumstances(release=serving.release, dates=dates, entitlement=entitlement)
        plan = make_plan(query, about)
        etag, max_age = plan.etag.encode(), match.route.max_age
        if matches(exchange.if_none_match, etag):
            self._counts.not_modified += 1
            await send_not_modified(send, exchange, etag=etag, max_age=max_age)
            return
        asked = Asked(
            query=query,
            plan=plan,
            etag=etag,
            coding=choose_coding(exchange.accept_encoding),
            page=find_page(query, about),
        )
        body = await self._read_body(asked)
        await send_success(send, exchange, body=body.data, coding=body.coding, etag=etag, max_age=max_age)

    async def _find_walk(self, query: Query, cursor: Cursor, *, current: Serving) -> Serving:
        """The release that a walk began in, or the current one where it is gone."""
        assert query.metro is not None
        walk = (query.metro, cursor.release)
        found = self._releases.find_walk(*walk)
        if found is None and not self._releases.is_gone(*walk):
            found = await self._opening.run(partial(self._releases.open_walk, *walk))
        return found or current

    async def _read_body(self, asked: Asked) -> Body:
        """From memory, or made: once, however many ask for it meanwhile."""
        name = asked.name
        body = self._bodies.get(name)
        if body is not None:
            self._counts.remembered += 1
            return body
        if asked.query.route in _INLINE:
            body = asked.compute_body()
            self._counts.documents += 1
            self._bodies.put(name, body)
            return body
        making = self._making.get(name)
        if making is None:
            making = self._making[name] = asyncio.create_task(self._make_body(asked))
            making.add_done_callback(lambda _: self._making.pop(name))
        else:
            self._counts.remembered += 1
        return await asyncio.shield(making)

    async def _make_body(self, asked: Asked) -> Body:
        body = None if asked.page is None else await self._fetch_page(asked.page, asked.coding)
        if body is None:
            body = await self._computing.run(asked.compute_body)
            self._counts.computed += 1
        self._bodies.put(asked.name, body)
        return body

    async def _fetch_page(self, page: Page, coding: bytes) -> Body | None:
        """None where the store does not give it whole: then it is computed, to the same bytes."""
        try:
            body = await self._computing.run(partial(fetch_page, self._store, page.object, coding))
        except (StoreError, Corrupt) as error:
            log.warning("page_not_read", object=page.object, reason=str(error))
            return None
        self._counts.objects += 1
        return body


def find_page(query: Query, about: Circumstances) -> Page | None:
    """The object that was written ahead for this: only ever for keys of all types."""
    if query.metro is None or query.cursor is not None or about.entitlement.types is not None:
        return None
    return about.release.metros[query.metro].pages.get(f"{query.text}@{about.dates[query.metro]}")


def fetch_page(store: Store, sha: str, coding: bytes) -> Body:
    """A page's object is gzip; who does not take that gets it coded again. NotFound, StoreError, Corrupt."""
    packed = read_object(store, sha)
    return Body(data=packed if coding == GZIP else encode_body(decode_gzip(packed), coding), coding=coding)
