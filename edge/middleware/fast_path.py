"""Middleware: a request that this worker answered before is answered from memory, without the others."""

from collections.abc import Mapping
from time import perf_counter

from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.front_protocol import FILL, FRONT, Front, Fronts
from edge.key_ring import KeyRing
from edge.limits.limiter import LimitDecision, RateLimiter
from edge.middleware.request_id import make_request_id
from edge.middleware.visitor_limiter import VisitorLimiter
from edge.principal import Principal
from edge.replies.bodies import Bodies
from edge.replies.body_pointers import find_pointer, rename_age
from edge.replies.conditional_requests import matches
from edge.replies.content_coding import choose_coding
from edge.replies.planner import Planner, RequestPlan
from edge.replies.responses import Body, Header, list_headers, send_whole
from edge.request_context import MOST_HEADER_BYTES, PRECONDITIONS, read_path, read_trace_id
from edge.usage.counts import Counter, Counts, FrontAnswer
from edge.usage.recorder import UsageRecorder


class _CachedAnswer(Struct, frozen=True, kw_only=True):
    """An answer from memory. A 304 has no body. `kind`: to a front; of a pointer, `body` stands in for another one, of
    `pointed_bytes` where they are known."""

    planned: RequestPlan
    body: Body | None
    kind: FrontAnswer | None = None
    pointed_bytes: int = 0


class _Request(Struct, frozen=True, kw_only=True):
    """A request that can be answered from memory. `started` is a reading of `perf_counter()`."""

    started: float
    headers: Mapping[bytes, bytes]
    principal: Principal
    answer: _CachedAnswer


class Response(Struct, frozen=True, kw_only=True):
    """A complete response."""

    status: int
    headers: list[Header]
    body: bytes


class FastPath:
    """Answers a GET by an active key if its path and query have a plan under the current release and dates, and either
    its ETag matches or its body is in memory. The request passed all its checks when it was planned, except those of
    the key and its limits, which are made here. Nothing is parsed and no answer is made. Everything else goes on to
    the next middleware. So does a request over its limits, because a refused request is not counted.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        ring: KeyRing,
        limiter: RateLimiter,
        planner: Planner,
        bodies: Bodies,
        counts: Counts,
        usage: UsageRecorder,
        visitors: VisitorLimiter,
        fronts: Fronts = Fronts(),
    ) -> None:
        self._app = app
        self._fronts = fronts
        self._visitors = visitors
        self._ring = ring
        self._limiter = limiter
        self._planner = planner
        self._bodies = bodies
        self._counts = counts
        self._usage = usage

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        request = self._find_request(scope, started)
        decision = None if request is None else await self._limiter.take(request.principal)
        if request is None or decision is None or not decision.has_passed:
            await self._app(scope, receive, send)
            return
        response = self._make_response(request, decision)
        await send_whole(send, status=response.status, headers=response.headers, body=response.body)

    def respond_now(self, scope: Scope) -> Response | None:
        """The response, for a server that has not yet built a whole ASGI scope: `scope` needs a method, path, query and
        headers. None if the other middleware has to answer."""
        request = self._find_request(scope, perf_counter())
        decision = None if request is None else self._limiter.take_now(request.principal)
        if request is None or decision is None or not decision.has_passed:
            return None
        return self._make_response(request, decision)

    def _find_request(self, scope: Scope, started: float) -> _Request | None:
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        principal = self._find_principal(scope, headers)
        answer = None if principal is None else self._find_answer(scope, headers, principal)
        if principal is None or answer is None:
            return None
        return _Request(started=started, headers=headers, principal=principal, answer=answer)

    def _find_principal(self, scope: Scope, headers: Mapping[bytes, bytes]) -> Principal | None:
        if scope["method"] != "GET" or len(headers) != len(scope["headers"]):
            return None  # a name sent twice
        if sum(map(len, headers)) + sum(map(len, headers.values())) > MOST_HEADER_BYTES:
            return None
        key_text = headers.get(b"x-api-key", b"")
        # Requests with the visitors' key are also limited by client address, which may not be known at this point.
        return None if self._visitors.is_visitors(key_text) else self._ring.find_active(key_text)

    def _find_answer(self, scope: Scope, headers: Mapping[bytes, bytes], principal: Principal) -> _CachedAnswer | None:
        planned = self._planner.recall_plan(read_path(scope), scope["query_string"], entitlement=principal.entitlement)
        if planned is None:
            return None
        front_text = headers.get(FRONT)
        if front_text is not None and self._fronts.exist:
            front = self._fronts.recognize(front_text)
            if front is not None:
                return self._find_fronted(front, headers, planned)
        if matches(headers.get(b"if-none-match"), planned.etag):
            return _CachedAnswer(planned=planned, body=None)
        body = self._bodies.recall_body(planned, choose_coding(headers.get(b"accept-encoding", b"")))
        return None if body is None else _CachedAnswer(planned=planned, body=body)

    def _find_fronted(
        self, front: Front, headers: Mapping[bytes, bytes], planned: RequestPlan
    ) -> _CachedAnswer | None:
        """Fills go another way, since they are not counted."""
        if FILL in headers or not PRECONDITIONS.isdisjoint(headers):
            return None
        if matches(headers.get(b"if-none-match"), planned.etag):
            return _CachedAnswer(planned=planned, body=None)
        coding = choose_coding(headers.get(b"accept-encoding", b""))
        body = self._bodies.recall_body(planned, coding)
        pointer = find_pointer(front, planned, coding, made=body)
        if pointer is not None:
            return _CachedAnswer(
                planned=planned, body=pointer.body, kind=FrontAnswer.POINTER, pointed_bytes=pointer.size
            )
        return None if body is None else _CachedAnswer(planned=planned, body=body, kind=FrontAnswer.INLINE)

    def _make_response(self, request: _Request, decision: LimitDecision) -> Response:
        answer, request_id = request.answer, make_request_id()
        if answer.kind is not None:
            self._counts.add_front(answer.planned.query.match.route, answer.kind)
        is_pointer = answer.kind is FrontAnswer.POINTER
        if not is_pointer:
            self._counts.add(Counter.NOT_MODIFIED if answer.body is None else Counter.CACHED)
        status, body = (304, b"") if answer.body is None else (200, answer.body.data)
        self._usage.record(
            started=request.started,
            principal=request.principal,
            route=answer.planned.query.match.route,
            method="GET",
            status=status,
            size=answer.pointed_bytes or len(body),
            request_id=request_id,
            release=answer.planned.served.header,
        )
        headers = list_headers(
            head=rename_age(answer.planned.head) if is_pointer else answer.planned.head,
            body=answer.body,
            limits=decision.list_fields(),
            request_id=request_id,
            trace_id=read_trace_id(request.headers, request_id),
        )
        return Response(status=status, headers=headers, body=body)
