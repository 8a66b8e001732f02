"""The end of the middleware: makes a plan for the request and sends `304` or a body."""

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.types import Receive, Scope, Send

from edge.calendar_addresses import CalendarAddresses
from edge.front_protocol import ANY
from edge.principal import Principal
from edge.replies.bodies import Bodies
from edge.replies.body_pointers import BodyPointer, find_pointer, measure_file, replace_cache_control
from edge.replies.content_coding import IDENTITY, choose_coding, cut_pieces, unpack_pieces
from edge.replies.etag_matching import matches_etag
from edge.replies.planner import Planner, RequestPlan
from edge.replies.responses import list_content_headers, send_file, send_mismatch, send_not_modified, send_success
from edge.replies.signed_address import answer_address
from edge.request_context import RequestContext
from edge.usage.counts import Counter, Counts, FrontAnswer
from outings.answers.plan import PlannedFile
from outings.contract.route import Match

Sender = Callable[[Send], Awaitable[None]]


class AnswerEndpoint:
    """Answers a request with a key. If the ETag matches, no body is made and no query runs."""

    def __init__(self, *, planner: Planner, bodies: Bodies, counts: Counts, addresses: CalendarAddresses) -> None:
        self._addresses = addresses
        self._planner = planner
        self._bodies = bodies
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 a GET's body is ignored
        context: RequestContext = scope["context"]
        match, principal = context.match, context.principal
        assert match is not None
        assert principal is not None
        try:
            await self._answer(send, context, match=match, principal=principal)
        finally:
            self._counts.follow_queries()

    async def _answer(self, send: Send, context: RequestContext, *, match: Match, principal: Principal) -> None:
        prepare = self._prepare_address if match.route.name == "events.ics.address" else self._prepare
        reply = await prepare(context, match=match, principal=principal)
        if context.fill is not None:
            self._counts.add_front(match.route, FrontAnswer.FILL)
        await reply(send)

    async def _prepare_address(self, context: RequestContext, *, match: Match, principal: Principal) -> Sender:
        """A calendar's address belongs to one key. So the answer is not put into the caches of plans and bodies, which
        keys share."""
        resolved = await self._planner.resolve_request(match, context, entitlement=principal.entitlement)
        answer = answer_address(resolved, addresses=self._addresses, principal=principal)
        if matches_etag(context.if_none_match, answer.etag):
            self._counts.add(Counter.NOT_MODIFIED)
            return partial(send_not_modified, context=context, head=answer.head)
        return partial(send_success, context=context, head=answer.head, body=answer.body)

    async def _prepare(self, context: RequestContext, *, match: Match, principal: Principal) -> Sender:
        """A function that sends the answer. It does not refer to the plan, so a slow client keeps no release open."""
        planned = await self._planner.read_plan(match, context, entitlement=principal.entitlement)
        context.release = planned.served.header
        wanted = None if context.fill == ANY else context.fill
        if wanted is not None and wanted != planned.etag:
            return send_mismatch
        if wanted is None and matches_etag(context.if_none_match, planned.etag):
            self._counts.add(Counter.NOT_MODIFIED)
            return partial(send_not_modified, context=context, head=planned.head)
        coding = choose_coding(context.accept_encoding)
        pointer = self._find_pointer(context, planned, coding)
        if pointer is None and planned.plan.file is not None:
            return await self._prepare_file(context, planned, planned.plan.file, coding)
        if pointer is None:
            body = await self._bodies.read_body(planned, coding)
            pointer = self._find_pointer(context, planned, coding)  # now its size is known
        if pointer is not None:
            return self._prepare_pointer(context, planned, pointer)
        self._count_inline(context, planned)
        return partial(send_success, context=context, head=planned.head, body=body)

    def _find_pointer(self, context: RequestContext, planned: RequestPlan, coding: bytes) -> BodyPointer | None:
        if context.front is None:
            return None
        return find_pointer(context.front, planned, coding, made=self._bodies.recall_body(planned, coding))

    def _prepare_pointer(self, context: RequestContext, planned: RequestPlan, pointer: BodyPointer) -> Sender:
        context.pointed_bytes = pointer.size
        self._counts.add_front(planned.query.match.route, FrontAnswer.POINTER)
        return partial(send_success, context=context, head=replace_cache_control(planned.head), body=pointer.body)

    def _count_inline(self, context: RequestContext, planned: RequestPlan) -> None:
        if context.front is not None:
            self._counts.add_front(planned.query.match.route, FrontAnswer.INLINE)

    async def _prepare_file(
        self, context: RequestContext, planned: RequestPlan, file: PlannedFile, coding: bytes
    ) -> Sender:
        """The stored bytes if the client accepts their coding, otherwise unpacked while they are sent."""
        data = await self._bodies.open_file(file)
        self._counts.add(Counter.OBJECT)
        self._count_inline(context, planned)
        export, stored = file.export, file.export.coding.encode()
        is_unpacked = stored not in (coding, IDENTITY)
        entity = list_content_headers(
            measure_file(export, coding), IDENTITY if is_unpacked else stored, media=planned.plan.media
        )
        pieces = unpack_pieces(data) if is_unpacked else cut_pieces(data)
        return partial(send_file, context=context, head=planned.head, entity=entity, pieces=pieces)
