"""Last in the chain: request → plan → `304` or a body."""

from starlette.types import Receive, Scope, Send

from edge.exchange import Exchange
from edge.replies.bodies import Bodies
from edge.replies.conditions import matches
from edge.replies.encoding import IDENTITY, choose_coding, cut_pieces, unpack_pieces
from edge.replies.planning import Planned, Planning
from edge.replies.responses import list_entity, send_file, send_not_modified, send_success
from edge.usage.counts import Counter, Counts
from outings.answers.plan import PlannedFile
from outings.contract.entitlement import Entitlement
from outings.contract.routes import Match


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
        planned = await self._planning.read_plan(match, exchange, entitlement=entitlement)
        exchange.release = planned.release
        if matches(exchange.if_none_match, planned.etag):
            self._counts.add(Counter.NOT_MODIFIED)
            await send_not_modified(send, exchange, head=planned.head)
            return
        if planned.plan.file is not None:
            await self._send_file(send, exchange, planned, planned.plan.file)
            return
        body = await self._bodies.read_body(planned, choose_coding(exchange.accept_encoding))
        await send_success(send, exchange, head=planned.head, body=body)

    async def _send_file(self, send: Send, exchange: Exchange, planned: Planned, file: PlannedFile) -> None:
        """As it lies in the store, to who takes its coding; unpacked on the way to others."""
        data = await self._bodies.open_file(file)
        self._counts.add(Counter.OBJECT)
        export, coding = file.export, file.export.coding.encode()
        if coding and choose_coding(exchange.accept_encoding) != coding:
            entity, pieces = list_entity(export.size, IDENTITY, media=planned.plan.media), unpack_pieces(data)
        else:
            entity, pieces = list_entity(export.packed, coding, media=planned.plan.media), cut_pieces(data)
        await send_file(send, exchange, head=planned.head, entity=entity, pieces=pieces)
