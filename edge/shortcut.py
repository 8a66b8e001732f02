"""First in the chain: what this worker has answered before it answers again from memory, and goes no further."""

from collections.abc import Mapping

from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.bodies import Bodies
from edge.conditions import matches
from edge.counts import Counter, Counts
from edge.encoding import choose_coding
from edge.exchange import MOST_HEADER_BYTES, read_path, read_trace_id
from edge.identification import make_request_id
from edge.keys import KeyRing
from edge.planning import Planned, Planning
from edge.responses import Header, list_headers, send_whole


class Reply(Struct, frozen=True, kw_only=True):
    """A response, whole."""

    status: int
    headers: list[Header]
    body: bytes = b""


class Shortcut:
    """A GET by a key in force, of a path and query that were planned under the release and dates of now, and whose tag
    matches or whose body is held: all its checks were passed when it was planned, but the key's, which is made here.
    No request is parsed and no answer made. All else, and all doubt, goes down the chain.
    """

    def __init__(self, app: ASGIApp, *, ring: KeyRing, planning: Planning, bodies: Bodies, counts: Counts) -> None:
        self._app = app
        self._ring = ring
        self._planning = planning
        self._bodies = bodies
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = self._find_reply(scope) if scope["method"] == "GET" else None
        if reply is None:
            await self._app(scope, receive, send)
            return
        await send_whole(send, status=reply.status, headers=reply.headers, body=reply.body)

    def _find_reply(self, scope: Scope) -> Reply | None:
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        if len(headers) != len(scope["headers"]):
            return None  # a name sent twice
        if sum(map(len, headers)) + sum(map(len, headers.values())) > MOST_HEADER_BYTES:
            return None
        holder = self._ring.find_active(headers.get(b"x-api-key", b""))
        if holder is None:
            return None
        # Rate and quota stand here too, once what is asked for is known to be remembered: issue D.
        planned = self._planning.recall_plan(read_path(scope), scope["query_string"], entitlement=holder.entitlement)
        return None if planned is None else self._recall_reply(planned, headers)

    def _recall_reply(self, planned: Planned, headers: Mapping[bytes, bytes]) -> Reply | None:
        request_id = make_request_id()
        trace_id = read_trace_id(headers.get(b"x-trace-id"), request_id)
        if matches(headers.get(b"if-none-match"), planned.etag):
            self._counts.add(Counter.NOT_MODIFIED)
            headers_sent = list_headers(head=planned.head, body=None, request_id=request_id, trace_id=trace_id)
            return Reply(status=304, headers=headers_sent)
        body = self._bodies.recall_body(planned, choose_coding(headers.get(b"accept-encoding", b"")))
        if body is None:
            return None
        sent = list_headers(head=planned.head, body=body, request_id=request_id, trace_id=trace_id)
        return Reply(status=200, headers=sent, body=body.data)
