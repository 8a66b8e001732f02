"""Last in the chain: request → query → `304`, an object of the release, or an answer made now."""

from collections.abc import Mapping
from datetime import date
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
from outings.answers.answer import answer
from outings.answers.etag import compute_etag
from outings.contract.entitlement import Entitlement
from outings.contract.errors import unavailable
from outings.contract.query import Query
from outings.contract.routes import ROUTES
from outings.release.objects import Corrupt, read_object
from outings.release.snapshot import Page
from outings.release.store import Store, StoreError

log = structlog.get_logger()

# Until the first release is open, in seconds.
RETRY_AFTER = 5
# Bodies as they were sent, of one worker: details and pages of the release.
MEMORY_BYTES = 64 * 2**20

# A listing's document is a look-up and a slice: a hop to a thread would cost more than the work.
_INLINE = frozenset(route.name for route in ROUTES if route.type and route.name.endswith((".detail", ".slug")))


class Asked(Struct, frozen=True, kw_only=True):
    """Everything that an answer is a function of, its ETag, and the coding that its reader takes."""

    query: Query
    serving: Serving
    dates: Mapping[str, date]
    entitlement: Entitlement
    etag: bytes
    coding: bytes

    def compute_body(self) -> "Body":
        made = answer(self.query, release=self.serving.release, dates=self.dates, entitlement=self.entitlement)
        body = b"".join(made.parts)
        coding = self.coding if len(body) >= LEAST_BYTES else IDENTITY
        return Body(data=encode_body(body, coding), coding=coding)

    def find_page(self) -> Page | None:
        """The object that was written ahead for this: only ever for keys of all types."""
        query = self.query
        if query.metro is None or query.cursor is not None or self.entitlement.types is not None:
            return None
        pages = self.serving.release.metros[query.metro].pages
        return pages.get(f"{query.text}@{self.dates[query.metro]}")


class Body(Struct, frozen=True, kw_only=True):
    """Bytes to be sent, in `coding`."""

    data: bytes
    coding: bytes


class Deliver:
    """Answers a keyed request, the limits behind it."""

    def __init__(self, *, store: Store, releases: Releases, dates: Dates, computing: Computing, counts: Counts) -> None:
        self._store = store
        self._releases = releases
        self._dates = dates
        self._computing = computing
        self._counts = counts
        self._bodies: Bounded[tuple[str, bytes, bytes], Body] = Bounded(MEMORY_BYTES, lambda body: len(body.data))

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
            serving = await self._find_walk(query.cursor.release, serving)
            exchange.release = serving.header
            dates = dict.fromkeys(serving.release.metros, query.cursor.date)
        etag = compute_etag(query, release=serving.release, dates=dates, entitlement=entitlement).encode()
        if matches(exchange.if_none_match, etag):
            self._counts.not_modified += 1
            await send_not_modified(send, exchange, etag=etag, max_age=match.route.max_age)
            return
        body = await self._read_body(
            Asked(
                query=query,
                serving=serving,
                dates=dates,
                entitlement=entitlement,
                etag=etag,
                coding=choose_coding(exchange.accept_encoding),
            )
        )
        await send_success(send, exchange, body=body.data, coding=body.coding, etag=etag, max_age=match.route.max_age)

    async def _find_walk(self, release_id: str, current: Serving) -> Serving:
        """The release that a walk began in, or the current one where it is gone."""
        found = self._releases.find_release(release_id)
        if found is None and not self._releases.is_gone(release_id):
            found = await self._computing.run(partial(self._releases.open_kept, release_id))
        return found or current

    async def _read_body(self, asked: Asked) -> Body:
        page = asked.find_page()
        if page is not None:
            found = await self._read_page(page, asked.coding)
            if found is not None:
                return found
        if asked.query.route in _INLINE:
            return self._read_document(asked)
        self._counts.computed += 1
        return await self._computing.run(asked.compute_body)

    def _read_document(self, asked: Asked) -> Body:
        """A detail's ETag is its own content's, so what was made for one release serves the next ones too."""
        name = (asked.query.text, asked.etag, asked.coding)
        body = self._bodies.get(name)
        if body is not None:
            self._counts.remembered += 1
            return body
        body = asked.compute_body()
        self._counts.documents += 1
        self._bodies.put(name, body)
        return body

    async def _read_page(self, page: Page, coding: bytes) -> Body | None:
        """None where the store does not give it whole: then it is computed, to the same bytes."""
        name = (page.object, b"", coding)
        body = self._bodies.get(name)
        if body is not None:
            self._counts.remembered += 1
            return body
        try:
            body = await self._computing.run(partial(fetch_page, self._store, page.object, coding))
        except (StoreError, Corrupt) as error:
            log.warning("page_not_read", object=page.object, reason=str(error))
            return None
        self._counts.objects += 1
        self._bodies.put(name, body)
        return body


def fetch_page(store: Store, sha: str, coding: bytes) -> Body:
    """A page's object is gzip; who does not take that gets it coded again. NotFound, StoreError, Corrupt."""
    packed = read_object(store, sha)
    return Body(data=packed if coding == GZIP else encode_body(decode_gzip(packed), coding), coding=coding)
