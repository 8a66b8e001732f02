"""The end of the middleware: makes a plan for the request and sends `304` or a body."""

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.types import Receive, Scope, Send

from edge.calendar_addresses import CalendarAddresses
from edge.principal import Principal
from edge.replies.bodies import Bodies
from edge.replies.calendar_address import answer_address
from edge.replies.conditional_requests import matches
from edge.replies.content_coding import IDENTITY, choose_coding, cut_pieces, unpack_pieces
from edge.replies.planner import Planner, RequestPlan
from edge.replies.responses import list_entity, send_file, send_not_modified, send_success
from edge.request_context import RequestContext
from edge.usage.counts import Counter, Counts
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
        await reply(send)

    async def _prepare_address(self, context: RequestContext, *, match: Match, principal: Principal) -> Sender:
        """A calendar's address belongs to one key. So the answer is not put into the caches of plans and bodies, which
        keys share."""
        resolved = await self._planner.resolve_request(match, context, entitlement=principal.entitlement)
        answer = answer_address(resolved, addresses=self._addresses, principal=principal)
        if matches(context.if_none_match, answer.etag):
            self._counts.add(Counter.NOT_MODIFIED)
            return partial(send_not_modified, context=context, head=answer.head)
        return partial(send_success, context=context, head=answer.head, body=answer.body)

    async def _prepare(self, context: RequestContext, *, match: Match, principal: Principal) -> Sender:
        """A function that sends the answer. It does not refer to the plan, so a slow client keeps no release open."""
        planned = await self._planner.read_plan(match, context, entitlement=principal.entitlement)
        context.release = planned.served.header
        if matches(context.if_none_match, planned.etag):
            self._counts.add(Counter.NOT_MODIFIED)
            return partial(send_not_modified, context=context, head=planned.head)
        if planned.plan.file is not None:
            return await self._prepare_file(context, planned, planned.plan.file)
        body = await self._bodies.read_body(planned, choose_coding(context.accept_encoding))
        return partial(send_success, context=context, head=planned.head, body=body)

    async def _prepare_file(self, context: RequestContext, planned: RequestPlan, file: PlannedFile) -> Sender:
        """The stored bytes if the client accepts their coding, otherwise unpacked while they are sent."""
        data = await self._bodies.open_file(file)
        self._counts.add(Counter.OBJECT)
        export, coding = file.export, file.export.coding.encode()
        if coding and choose_coding(context.accept_encoding) != coding:
            entity, pieces = list_entity(export.size, IDENTITY, media=planned.plan.media), unpack_pieces(data)
        else:
            entity, pieces = list_entity(export.packed, coding, media=planned.plan.media), cut_pieces(data)
        return partial(send_file, context=context, head=planned.head, entity=entity, pieces=pieces)
