"""First in the chain: what this worker has answered before it answers again from memory, and goes no further."""

from collections.abc import Mapping
from time import perf_counter

from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.chain.identification import make_request_id
from edge.chain.keys import KeyRing
from edge.chain.metering import Metered, Metering
from edge.exchange import MOST_HEADER_BYTES, read_path, read_trace_id
from edge.holder import Holder
from edge.replies.bodies import Bodies
from edge.replies.conditions import matches
from edge.replies.encoding import choose_coding
from edge.replies.planning import Planned, Planning
from edge.replies.responses import Body, Header, list_headers, send_whole
from edge.usage.counts import Counter, Counts
from edge.usage.usage import Usage


class Held(Struct, frozen=True, kw_only=True):
    """What would be answered; a 304 has no body."""

    planned: Planned
    body: Body | None


class Asked(Struct, frozen=True, kw_only=True):
    """A request that may be answered here. `started` is `perf_counter()`'s."""

    started: float
    headers: Mapping[bytes, bytes]
    holder: Holder
    held: Held


class Reply(Struct, frozen=True, kw_only=True):
    """A response, whole."""

    status: int
    headers: list[Header]
    body: bytes


class Shortcut:
    """A GET by a key in force, of a path and query that were planned under the release and dates of now, and whose tag
    matches or whose body is held: all its checks were passed when it was planned, but the key's and its limits', which
    are made here. No request is parsed and no answer made. All else, and all doubt, goes down the chain; so does what
    the limits refuse, since that is not counted.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        ring: KeyRing,
        metering: Metering,
        planning: Planning,
        bodies: Bodies,
        counts: Counts,
        usage: Usage,
    ) -> None:
        self._app = app
        self._ring = ring
        self._metering = metering
        self._planning = planning
        self._bodies = bodies
        self._counts = counts
        self._usage = usage

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        asked = self._find_asked(scope, started)
        metered = None if asked is None else await self._metering.take(asked.holder)
        if asked is None or metered is None or not metered.has_passed:
            await self._app(scope, receive, send)
            return
        reply = self._make_reply(asked, metered)
        await send_whole(send, status=reply.status, headers=reply.headers, body=reply.body)

    def reply_now(self, scope: Scope) -> Reply | None:
        """The same for a server that has not begun with its own part yet: of a scope, it reads the method, path, query
        and headers. None where the whole chain is to answer."""
        asked = self._find_asked(scope, perf_counter())
        metered = None if asked is None else self._metering.take_now(asked.holder)
        if asked is None or metered is None or not metered.has_passed:
            return None
        return self._make_reply(asked, metered)

    def _find_asked(self, scope: Scope, started: float) -> Asked | None:
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        holder = self._find_holder(scope, headers)
        held = None if holder is None else self._find_held(scope, headers, holder)
        if holder is None or held is None:
            return None
        return Asked(started=started, headers=headers, holder=holder, held=held)

    def _find_holder(self, scope: Scope, headers: Mapping[bytes, bytes]) -> Holder | None:
        if scope["method"] != "GET" or len(headers) != len(scope["headers"]):
            return None  # a name sent twice
        if sum(map(len, headers)) + sum(map(len, headers.values())) > MOST_HEADER_BYTES:
            return None
        return self._ring.find_active(headers.get(b"x-api-key", b""))

    def _find_held(self, scope: Scope, headers: Mapping[bytes, bytes], holder: Holder) -> Held | None:
        planned = self._planning.recall_plan(read_path(scope), scope["query_string"], entitlement=holder.entitlement)
        if planned is None:
            return None
        if matches(headers.get(b"if-none-match"), planned.etag):
            return Held(planned=planned, body=None)
        body = self._bodies.recall_body(planned, choose_coding(headers.get(b"accept-encoding", b"")))
        return None if body is None else Held(planned=planned, body=body)

    def _make_reply(self, asked: Asked, metered: Metered) -> Reply:
        held, request_id = asked.held, make_request_id()
        self._counts.add(Counter.NOT_MODIFIED if held.body is None else Counter.CACHED)
        status, body = (304, b"") if held.body is None else (200, held.body.data)
        self._usage.record(
            started=asked.started,
            holder=asked.holder,
            route=held.planned.query.match.route,
            method="GET",
            status=status,
            size=len(body),
            request_id=request_id,
            release=held.planned.serving.header,
        )
        headers = list_headers(
            head=held.planned.head,
            body=held.body,
            limits=metered.list_fields(),
            request_id=request_id,
            trace_id=read_trace_id(asked.headers, request_id),
        )
        return Reply(status=status, headers=headers, body=body)
