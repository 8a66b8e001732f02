"""Last in the chain: request → plan → `304` or a body."""

from starlette.types import Receive, Scope, Send

from edge.bodies import Bodies
from edge.conditions import matches
from edge.counts import Counter, Counts
from edge.encoding import choose_coding
from edge.exchange import Exchange
from edge.planning import Planning
from edge.responses import send_not_modified, send_success
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
        body = await self._bodies.read_body(planned, choose_coding(exchange.accept_encoding))
        await send_success(send, exchange, head=planned.head, body=body)
