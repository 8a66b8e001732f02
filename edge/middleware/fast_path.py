"""Middleware: a request is answered from memory, or made at once where that is quick, without the others."""

from collections.abc import Mapping
from time import perf_counter

from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.front_protocol import FILL, FRONT, Front, Fronts
from edge.key_ring import KeyRing
from edge.limits.limiter import LimitDecision, RateLimiter
from edge.middleware.rate_limit import LIMIT_DECISION
from edge.middleware.request_id import make_request_id
from edge.middleware.routing import find_match
from edge.middleware.visitor_limiter import VisitorLimiter
from edge.principal import Principal
from edge.replies.bodies import Bodies, is_quick, name_body
from edge.replies.body_pointers import find_pointer, replace_cache_control
from edge.replies.content_coding import choose_coding
from edge.replies.planner import Planner, PlanSlot, RequestPlan, is_plannable_now
from edge.replies.responses import Body, Lines, list_headers, matches_etag, send_whole, split_lines
from edge.request_context import MOST_HEADER_BYTES, PRECONDITIONS, read_path, read_trace_id
from edge.usage.counts import Counter, Counts, FrontAnswer
from edge.usage.recorder import UsageRecorder
from outings.contract.errors import ApiError
from outings.contract.route import Match


class _ReadyAnswer(Struct, frozen=True, kw_only=True):
    """A 304 has no body. `counter`: what it still counts as. `kind`: to a front; of a pointer, `body` stands in for
    another one, of `pointed_bytes` where they are known."""

    planned: RequestPlan
    body: Body | None
    counter: Counter | None = None
    kind: FrontAnswer | None = None
    pointed_bytes: int = 0


class _Request(Struct, frozen=True, kw_only=True):
    """A request by an active key. `started` is a reading of `perf_counter()`, `slot` where its plan is remembered.
    `answer` is from memory; without one, `match` is of a route whose answer may be quick to make, by the plan if it is
    known."""

    started: float
    headers: Mapping[bytes, bytes]
    principal: Principal
    slot: PlanSlot
    front: Front | None
    answer: _ReadyAnswer | None
    planned: RequestPlan | None
    match: Match | None


class Response(Struct, frozen=True, kw_only=True):
    """A complete response."""

    status: int
    head: Lines
    body: bytes


class FastPath(Struct, frozen=True, kw_only=True):
    """Answers a GET by an active key, if the answer is in memory or quick to make.

    A request that has a plan under the current release and dates passed all its checks when it was planned, except
    those of the key and its limits, which are made here. One without is counted first and planned then, if nothing has
    to be waited for. Everything else goes on to the next middleware, which does not count it again. So does a request
    over its limits, because a refused request is not counted, and one that fails: it fails there once more, where
    errors are answered.
    """

    app: ASGIApp
    ring: KeyRing
    limiter: RateLimiter
    planner: Planner
    bodies: Bodies
    counts: Counts
    usage: UsageRecorder
    visitors: VisitorLimiter
    fronts: Fronts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_tried = LIMIT_DECISION in scope  # by `respond_now`
        request = None if is_tried else self._find_request(scope, perf_counter())
        decision = None if request is None else await self.limiter.take(request.principal)
        response = None if request is None or decision is None else self._respond(scope, request, decision)
        if response is None:
            await self.app(scope, receive, send)
            return
        await send_whole(send, status=response.status, headers=split_lines(response.head), body=response.body)

    def respond_now(self, scope: Scope) -> Response | None:
        """The response, for a server that has not yet built a whole ASGI scope: `scope` needs a method, path, query and
        headers. None if the other middleware has to answer; it needs what is in `scope` then."""
        request = self._find_request(scope, perf_counter())
        decision = None if request is None else self.limiter.take_now(request.principal)
        return None if request is None or decision is None else self._respond(scope, request, decision)

    def _respond(self, scope: Scope, request: _Request, decision: LimitDecision) -> Response | None:
        if not decision.has_passed:
            return None
        answer = request.answer or self._make_answer(request)
        if answer is None:
            scope[LIMIT_DECISION] = decision
            return None
        return self._make_response(request, answer, decision)

    def _find_request(self, scope: Scope, started: float) -> _Request | None:
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        principal = self._find_principal(scope, headers)
        if principal is None:
            return None
        front = self.fronts.recognize(headers[FRONT]) if FRONT in headers and self.fronts.exist else None
        if front is not None and (FILL in headers or not PRECONDITIONS.isdisjoint(headers)):
            return None  # fills go another way, since they are not counted
        path, query_string = read_path(scope), scope["query_string"]
        slot = self.planner.find_slot(path, query_string, entitlement=principal.entitlement)
        if slot is None:
            return None
        planned = self.planner.recall_plan(slot)
        answer = None if planned is None else self._find_answer(planned, headers, front)
        match = find_quick_match(path, query_string, planned) if answer is None else None
        if answer is None and match is None:
            return None
        return _Request(
            started=started,
            headers=headers,
            principal=principal,
            slot=slot,
            front=front,
            answer=answer,
            planned=planned,
            match=match,
        )

    def _find_principal(self, scope: Scope, headers: Mapping[bytes, bytes]) -> Principal | None:
        if scope["method"] != "GET" or len(headers) != len(scope["headers"]):
            return None  # a name sent twice
        if sum(map(len, headers)) + sum(map(len, headers.values())) > MOST_HEADER_BYTES:
            return None
        key_text = headers.get(b"x-api-key", b"")
        # Requests with the visitors' key are also limited by client address, which may not be known at this point.
        return None if self.visitors.is_visitors(key_text) else self.ring.find_active(key_text)

    def _find_answer(
        self, planned: RequestPlan, headers: Mapping[bytes, bytes], front: Front | None, *, makes: bool = False
    ) -> _ReadyAnswer | None:
        """From memory; with `makes` also one that is quick to make."""
        if matches_etag(headers.get(b"if-none-match"), planned.etag):
            return _ReadyAnswer(planned=planned, body=None, counter=Counter.NOT_MODIFIED)
        coding = choose_coding(headers.get(b"accept-encoding", b""))
        name = name_body(planned, coding)
        body = self.bodies.recall_body(name)
        answer = choose_answer(planned, body, front=front, coding=coding, counter=Counter.CACHED)
        if answer is not None or not makes or not is_quick(planned):
            return answer
        return choose_answer(planned, self.bodies.make_quick(planned, name), front=front, coding=coding)

    def _make_answer(self, request: _Request) -> _ReadyAnswer | None:
        """None of what takes long, or fails."""
        assert request.match is not None
        try:
            planned = request.planned or self.planner.plan_now(
                request.match, request.slot, entitlement=request.principal.entitlement
            )
            return None if planned is None else self._find_answer(planned, request.headers, request.front, makes=True)
        except Exception:  # noqa: BLE001 whatever it is, it is raised once more where it is answered
            return None
        finally:
            self.counts.follow_queries()

    def _make_response(self, request: _Request, answer: _ReadyAnswer, decision: LimitDecision) -> Response:
        request_id = make_request_id()
        if answer.kind is not None:
            self.counts.add_front(answer.planned.query.match.route, answer.kind)
        if answer.counter is not None:
            self.counts.add(answer.counter)
        is_pointer = answer.kind is FrontAnswer.POINTER
        status, body = (304, b"") if answer.body is None else (200, answer.body.data)
        self.usage.record(
            started=request.started,
            principal=request.principal,
            route=answer.planned.query.match.route,
            method="GET",
            status=status,
            size=answer.pointed_bytes or len(body),
            request_id=request_id,
            release=answer.planned.served.header,
        )
        head = list_headers(
            head=replace_cache_control(answer.planned.head) if is_pointer else answer.planned.head,
            body=answer.body,
            limits=decision.encode_fields(),
            request_id=request_id,
            trace_id=read_trace_id(request.headers, request_id),
        )
        return Response(status=status, head=head, body=body)


def choose_answer(
    planned: RequestPlan, body: Body | None, *, front: Front | None, coding: bytes, counter: Counter | None = None
) -> _ReadyAnswer | None:
    """The body, or to a front what points to it; `counter` is of a body. None where there is neither."""
    pointer = None if front is None else find_pointer(front, planned, coding, made=body)
    if pointer is not None:
        return _ReadyAnswer(planned=planned, body=pointer.body, kind=FrontAnswer.POINTER, pointed_bytes=pointer.size)
    if body is None:
        return None
    kind = None if front is None else FrontAnswer.INLINE
    return _ReadyAnswer(planned=planned, body=body, counter=counter, kind=kind)


def find_quick_match(path: str, query_string: bytes, planned: RequestPlan | None) -> Match | None:
    """The route of a request whose answer may be quick to make; `planned` where it is known how that is made. A signed
    address beside a key is refused, elsewhere."""
    if planned is not None and not is_quick(planned):
        return None
    try:
        match = find_match(path)
    except ApiError:
        return None
    route = match.route
    can_plan = route.needs_key and not route.takes_signature and is_plannable_now(route, query_string)
    return match if can_plan else None
