"""Last in the chain: request → plan → `304` or a body."""

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.types import Receive, Scope, Send

from edge.exchange import Exchange
from edge.replies.bodies import Bodies
from edge.replies.conditions import matches
from edge.replies.encoding import IDENTITY, choose_coding, cut_pieces, unpack_pieces
from edge.replies.planning import Planned, Planning
from edge.replies.responses import list_entity, send_file, send_not_modified, send_success
from edge.usage.counts import Counter, Counts
from outings.answers.routes import PlannedFile
from outings.contract.entitlement import Entitlement
from outings.contract.routes import Match

Reply = Callable[[Send], Awaitable[None]]


class Deliver:
    """Answers a keyed request. A tag that matches costs no body, and so no query of the engine."""

    def __init__(self, *, planning: Planning, bodies: Bodies, counts: Counts) -> None:
        self._planning = planning
        self._bodies = bodies
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 a GET's body is ignored
        exchange: Exchange = scope["exchange"]
        match, holder = exchange.match, exchange.holder
        assert match is not None
        assert holder is not None
        try:
            await self._answer(send, exchange, match=match, entitlement=holder.entitlement)
        finally:
            self._counts.follow_queries()

    async def _answer(self, send: Send, exchange: Exchange, *, match: Match, entitlement: Entitlement) -> None:
        reply = await self._prepare(exchange, match=match, entitlement=entitlement)
        await reply(send)

    async def _prepare(self, exchange: Exchange, *, match: Match, entitlement: Entitlement) -> Reply:
        """What sends it. The plan ends here: a client that reads slowly keeps no release open."""
        planned = await self._planning.read_plan(match, exchange, entitlement=entitlement)
        exchange.release = planned.serving.header
        if matches(exchange.if_none_match, planned.etag):
            self._counts.add(Counter.NOT_MODIFIED)
            return partial(send_not_modified, exchange=exchange, head=planned.head)
        if planned.plan.file is not None:
            return await self._prepare_file(exchange, planned, planned.plan.file)
        body = await self._bodies.read_body(planned, choose_coding(exchange.accept_encoding))
        return partial(send_success, exchange=exchange, head=planned.head, body=body)

    async def _prepare_file(self, exchange: Exchange, planned: Planned, file: PlannedFile) -> Reply:
        """As it lies in the store, to who takes its coding; unpacked on the way to others."""
        data = await self._bodies.open_file(file)
        self._counts.add(Counter.OBJECT)
        export, coding = file.export, file.export.coding.encode()
        if coding and choose_coding(exchange.accept_encoding) != coding:
            entity, pieces = list_entity(export.size, IDENTITY, media=planned.plan.media), unpack_pieces(data)
        else:
            entity, pieces = list_entity(export.packed, coding, media=planned.plan.media), cut_pieces(data)
        return partial(send_file, exchange=exchange, head=planned.head, entity=entity, pieces=pieces)
