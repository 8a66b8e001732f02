"""Turn a request into its response: key, limit, query, ETag, and then 304, a cached body or a rendered one."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from time import perf_counter
from traceback import StackSummary, walk_tb

import structlog
from msgspec import Struct
from msgspec.structs import replace

from edge.authentication import Authenticator
from edge.bodies import (
    IDENTITY,
    Bodies,
    choose_coding,
    cut_pieces,
    measure_file,
    name_body,
    unpack_pieces,
)
from edge.client_addresses import VisitorLimiter
from edge.limits.limiter import RateLimiter
from edge.metrics import Counts
from edge.planner import Planner, RequestPlan, find_match
from edge.public import Pages, PublicEndpoints
from edge.request_headers import MOST_HEADER_BYTES, Request
from edge.response_headers import (
    Response,
    list_content_headers,
    make_failure,
    make_file,
    make_not_modified,
    make_preflight,
    make_ranged,
    make_success,
    make_temporary_redirect,
    matches_etag,
)
from edge.usage import RequestRecord, UsageRecorder
from outings.answers.plan import AnswerPlan, PlannedFile
from outings.contract.errors import METHODS, ApiError, bad_request, internal, method_not_allowed, unavailable
from outings.release.store import Corrupt, StoreError

log = structlog.get_logger()

# The recorded status for a client that left before its answer, as in nginx. It is never sent.
GONE = 499

LocateFile = Callable[[AnswerPlan, bytes], bytes | None]


class Responder(Struct, frozen=True, kw_only=True):
    """Responds to requests. Every kind of server calls `respond`.

    `locate_file`: returns an address outside the server for a file in a coding; None sends the file itself.
    """

    authenticator: Authenticator
    visitors: VisitorLimiter | None
    limiter: RateLimiter
    planner: Planner
    bodies: Bodies
    public: PublicEndpoints
    pages: Pages
    counts: Counts
    usage: UsageRecorder
    clock: Callable[[], datetime]
    locate_file: LocateFile

    async def respond(self, request: Request) -> Response:
        """Return the response to a request; errors and crashes become responses too. Each step returns the request with
        what it found. Every request is recorded once, however it ends."""
        started, status, size, release = perf_counter(), GONE, 0, None
        try:
            try:
                request = self._find_route(request)
                self._check_line(request)
                if request.method == "OPTIONS":
                    response = make_preflight(request)
                elif request.match is None:
                    response = await self.pages.answer(request)
                elif not request.match.route.needs_key:
                    response = await self.public.answer(request)
                else:
                    request = self.authenticator.authenticate(request)
                    request = await self._count(request)
                    if request.limit is not None and not request.limit.has_passed:
                        raise request.limit.make_refusal()
                    release = self.planner.read_release()
                    planned = await self.planner.plan(request)
                    release = planned.served.header
                    if request.page:
                        response = self.pages.answer_listing(request, planned)
                    else:
                        response = self._match_etag(request, planned) or await self._make_answer(request, planned)
            except Exception as error:  # noqa: BLE001 whatever it is, somebody waits for an answer
                request = await self._apply_limit(request)
                if request.page and isinstance(error, ApiError) and error.status in (401, 403, 404):
                    response = self.pages.explain_missing(request)
                else:
                    response = self._fail(request, error, release)
            status, size = response.status, response.size
            return response
        finally:
            self.usage.record(
                RequestRecord(
                    at=self.clock(),
                    seconds=perf_counter() - started,
                    key=None if request.principal is None else request.principal.key,
                    route=None if request.match is None else request.match.route,
                    method=request.method,
                    status=status,
                    size=size,
                    request_id=request.request_id,
                    release=release,
                )
            )

    def _find_route(self, request: Request) -> Request:
        """Set `match`, the route. It is None for pages, including the "not found" page. Raises 404, or under `/v1`
        405 for a wrong method, whatever the path."""
        if not request.path.startswith("/v1/"):
            if self.pages.has_page(request.path):
                return request
            if (listing := self.pages.find_listing(request)) is not None:
                return listing
        try:
            return replace(request, match=find_match(request.path))
        except ApiError as failure:
            if self.pages.explains(request, failure):
                return request
            if request.method not in METHODS and request.path.split("/")[1:2] == ["v1"]:
                raise method_not_allowed() from None
            raise

    def _check_line(self, request: Request) -> None:
        """Raise 405 for a method that no route has, and 400 for too many bytes of headers."""
        if request.method not in METHODS:
            raise method_not_allowed()
        if request.header_bytes > MOST_HEADER_BYTES:
            raise bad_request(
                reason="out_of_range",
                message=f"The headers have {request.header_bytes} bytes; at most {MOST_HEADER_BYTES}.",
                max=MOST_HEADER_BYTES,
            )

    async def _count(self, request: Request) -> Request:
        """Count and bill the request, and set `limit`: now, so that two requests can't both take the last one.
        Raises 429 for an address that used the visitors' key too often."""
        assert request.principal is not None
        if self.visitors is not None:
            self.visitors.check(request)
        return replace(request, limit=await self.limiter.take(request.principal))

    async def _apply_limit(self, request: Request) -> Request:
        """Refund a failed request, or set the limits of its active key if it failed before it was counted."""
        if request.limit is not None:
            has_passed = request.limit.has_passed
            return replace(request, limit=await self.limiter.refund(request.limit)) if has_passed else request
        if request.method == "OPTIONS" or request.key_text is None:
            return request
        principal = self.authenticator.ring.find_active(request.key_text)
        return request if principal is None else replace(request, limit=await self.limiter.show(principal))

    def _match_etag(self, request: Request, planned: RequestPlan) -> Response | None:
        """Return 304 if the client has this answer, else None."""
        if not matches_etag(request.if_none_match, planned.etag):
            return None
        self.counts.not_modified.inc()
        return make_not_modified(request, planned.head)

    async def _make_answer(self, request: Request, planned: RequestPlan) -> Response:
        """Return the response with its body, cached or made now."""
        coding = choose_coding(request.accept_encoding)
        body = self.bodies.recall(name_body(planned, coding))
        if body is not None:
            self.counts.cached.inc()
        elif planned.plan.file is not None:
            return await self._open_file(request, planned, planned.plan.file, coding)
        else:
            body = await self.bodies.make(planned, coding, key_id=request.key_id)
        return make_success(request, planned.head, body)

    async def _open_file(self, request: Request, planned: RequestPlan, file: PlannedFile, coding: bytes) -> Response:
        """Return a stored file as it is if the client accepts its coding, otherwise unpacked while it is sent; or a
        redirect to where it is."""
        location = None if request.is_head else self.locate_file(planned.plan, coding)
        if location is not None:
            return make_temporary_redirect(request, location=location, release=planned.served.header)
        data = await self.bodies.open_file(file, key_id=request.key_id)
        self.counts.object.inc()
        stored, size, media = file.export.coding.encode(), measure_file(file.export, coding), planned.plan.media
        if not stored:
            cut = partial(cut_pieces, data)
            return make_ranged(request, planned.head, cut, etag=planned.etag, size=size, media=media)
        sent, pieces = (stored, cut_pieces(data)) if coding == stored else (IDENTITY, unpack_pieces(data))
        entity = list_content_headers(size, sent, media=media)
        return make_file(request, planned.head, entity, pieces, size=size)

    def _fail(self, request: Request, error: Exception, release: bytes | None) -> Response:
        """Return the error's response: an `ApiError`'s, 503 if the store failed, or 500 without details for a crash."""
        if isinstance(error, (StoreError, Corrupt)):
            log.warning("answer_not_read", reason=str(error))
            error = unavailable()
        elif not isinstance(error, ApiError):
            route = None if request.match is None else request.match.route.path
            log.error("crash", request_id=request.request_id.decode(), route=route, raised=list_raised(error))
            error = internal()
        (self.counts.refused if error.status < 500 else self.counts.failed).inc()
        return make_failure(request, error, release=release)


def list_raised(error: BaseException) -> list[str]:
    """List an error's type and stack trace, then those of its causes. Messages are left out, because they may quote a
    request, and addresses of readers must not be logged."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    places = StackSummary.extract(walk_tb(error.__traceback__), lookup_lines=False)
    return [
        type(error).__name__,
        *(f"{place.filename}:{place.lineno} {place.name}" for place in places),
        *(list_raised(cause) if cause else []),
    ]
