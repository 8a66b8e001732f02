"""The end of the middleware: makes a plan for the request and sends `304` or a body."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.types import Receive, Scope, Send

from edge.calendar_addresses import CalendarAddresses
from edge.front_protocol import ANY
from edge.principal import Principal
from edge.replies.bodies import Bodies, name_body
from edge.replies.body_pointers import BodyPointer, find_pointer, measure_file, replace_cache_control
from edge.replies.content_coding import IDENTITY, choose_coding, cut_pieces, unpack_pieces
from edge.replies.planner import Planner, RequestPlan, read_key_id
from edge.replies.responses import (
    list_content_headers,
    make_body,
    make_etag,
    make_head,
    matches_etag,
    send_file,
    send_mismatch,
    send_not_modified,
    send_success,
)
from edge.request_context import RequestContext
from edge.usage.counts import Counter, Counts, FrontAnswer
from outings.answers.context import AnswerContext
from outings.answers.plan import PlannedFile
from outings.answers.routes import make_plan
from outings.contract.envelope import encode_detail
from outings.contract.errors import not_enabled
from outings.contract.resources.calendar import CalendarAddress
from outings.contract.route import Match
from outings.contract.routes import ROUTES

Sender = Callable[[Send], Awaitable[None]]
Result = TypeVar("Result")

# In the scope, where the server knows it: a future that is done when the client leaves.
GONE = "outings.gone"

(_CALENDAR,) = (route for route in ROUTES if route.takes_signature)


class AnswerEndpoint(Struct, frozen=True, kw_only=True):
    """Answers a request with a key. If the ETag matches, no body is made and no query runs."""

    planner: Planner
    bodies: Bodies
    counts: Counts
    addresses: CalendarAddresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 a GET's body is ignored
        context: RequestContext = scope["context"]
        match, principal = context.match, context.principal
        assert match is not None
        assert principal is not None
        prepare = self._prepare_address if match.route.name == "events.ics.address" else self._prepare
        try:
            reply = await run_until_gone(prepare(context, match=match, principal=principal), scope.get(GONE))
        finally:
            self.counts.follow_queries()
        if reply is None:
            return
        if context.fill is not None:
            self.counts.add_front(match.route, FrontAnswer.FILL)
        await reply(send)

    async def _prepare_address(self, context: RequestContext, *, match: Match, principal: Principal) -> Sender:
        """Tells the signed address of a calendar. Refused for whatever the calendar itself would be refused for now.
        The address has the metro's slug where an alias was sent, and the filters in their canonical form.

        It belongs to one key. So the answer is not put into the caches of plans and bodies, which keys share."""
        resolved = await self.planner.resolve_request(match, context, entitlement=principal.entitlement)
        query, served = resolved.query, resolved.served
        if not self.addresses.exist:
            raise not_enabled(match.route.path)
        calendar = replace(query, match=Match(route=_CALENDAR, values=query.match.values))
        about = AnswerContext(release=served.release, dates=resolved.dates, entitlement=principal.entitlement)
        make_plan(calendar, about)
        address = CalendarAddress(url=self.addresses.sign(calendar.text, key_id=principal.key.id))
        data = b"".join(encode_detail(msgspec.json.encode(address), notices=query.notices))
        etag = make_etag(data)
        head = make_head(etag=etag, max_age=match.route.max_age, release=served.header)
        if matches_etag(context.if_none_match, etag):
            self.counts.add(Counter.NOT_MODIFIED)
            return partial(send_not_modified, context=context, head=head)
        return partial(send_success, context=context, head=head, body=make_body(data, IDENTITY))

    async def _prepare(self, context: RequestContext, *, match: Match, principal: Principal) -> Sender:
        """A function that sends the answer. It does not refer to the plan, so a slow client keeps no release open."""
        planned = await self.planner.read_plan(match, context, entitlement=principal.entitlement)
        context.release = planned.served.header
        wanted = None if context.fill == ANY else context.fill
        if wanted is not None and wanted != planned.etag:
            return send_mismatch
        if wanted is None and matches_etag(context.if_none_match, planned.etag):
            self.counts.add(Counter.NOT_MODIFIED)
            return partial(send_not_modified, context=context, head=planned.head)
        coding = choose_coding(context.accept_encoding)
        pointer = self._find_pointer(context, planned, coding)
        if pointer is None and planned.plan.file is not None:
            return await self._prepare_file(context, planned, planned.plan.file, coding)
        if pointer is None:
            body = await self.bodies.read_body(planned, coding, key_id=read_key_id(context))
            pointer = self._find_pointer(context, planned, coding)  # now its size is known
        if pointer is not None:
            context.pointed_bytes = pointer.size
            self.counts.add_front(planned.query.match.route, FrontAnswer.POINTER)
            return partial(send_success, context=context, head=replace_cache_control(planned.head), body=pointer.body)
        self._count_inline(context, planned)
        return partial(send_success, context=context, head=planned.head, body=body)

    def _find_pointer(self, context: RequestContext, planned: RequestPlan, coding: bytes) -> BodyPointer | None:
        if context.front is None:
            return None
        return find_pointer(context.front, planned, coding, made=self.bodies.recall_body(name_body(planned, coding)))

    def _count_inline(self, context: RequestContext, planned: RequestPlan) -> None:
        if context.front is not None:
            self.counts.add_front(planned.query.match.route, FrontAnswer.INLINE)

    async def _prepare_file(
        self, context: RequestContext, planned: RequestPlan, file: PlannedFile, coding: bytes
    ) -> Sender:
        """The stored bytes if the client accepts their coding, otherwise unpacked while they are sent."""
        data = await self.bodies.open_file(file, key_id=read_key_id(context))
        self.counts.add(Counter.OBJECT)
        self._count_inline(context, planned)
        export, stored = file.export, file.export.coding.encode()
        is_unpacked = stored not in (coding, IDENTITY)
        entity = list_content_headers(
            measure_file(export, coding), IDENTITY if is_unpacked else stored, media=planned.plan.media
        )
        pieces = unpack_pieces(data) if is_unpacked else cut_pieces(data)
        return partial(send_file, context=context, head=planned.head, entity=entity, pieces=pieces)


async def run_until_gone(work: Coroutine[Any, Any, Result], gone: asyncio.Future[None] | None) -> Result | None:
    """Return what `work` returns, or None if `gone` is done before: then `work` is cancelled."""
    if gone is None:
        return await work
    task = asyncio.current_task()
    assert task is not None

    def cancel(_: asyncio.Future[None]) -> None:
        task.cancel()

    gone.add_done_callback(cancel)
    try:
        return await work
    except asyncio.CancelledError:
        if not gone.done():
            raise
        task.uncancel()
        return None
    finally:
        gone.remove_done_callback(cancel)
