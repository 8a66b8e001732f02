"""Middleware: counts the requests of active keys; every response to one says what is left of its limits."""

from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.front_protocol import ANY
from edge.key_ring import KeyRing
from edge.limits.limiter import LimitDecision, RateLimiter
from edge.middleware.visitor_limiter import VisitorLimiter
from edge.principal import Principal
from edge.request_context import RequestContext

# In the scope of a request that the fast path counted and then could not answer.
LIMIT_DECISION = "outings.limit_decision"


class RateLimitMiddleware(Struct, frozen=True):
    """Answers 429 over the rate or the quota, and to an address that asked too much with the visitors' key. A success
    and a 304 are billed, no other answer. A front's fill was billed with the request that it is for."""

    app: ASGIApp
    limiter: RateLimiter
    visitors: VisitorLimiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context: RequestContext = scope["context"]
        assert context.principal is not None
        if context.fill is not None:
            if context.fill == ANY:
                context.limits = (await self.limiter.show(context.principal)).encode_fields()
            await self.app(scope, receive, send)
            return
        if context.key_texts and self.visitors.is_visitors(context.key_texts[0]):
            context.limits = (await self.limiter.show(context.principal)).encode_fields()
            self.visitors.check(scope)
        counted: LimitDecision | None = scope.get(LIMIT_DECISION)
        taken = counted or await self.limiter.take(context.principal)
        context.limits = taken.encode_fields()
        if not taken.has_passed:
            raise taken.make_refusal()
        try:
            await self.app(scope, receive, send)
        except Exception:
            # Billed first, so that two requests can't both take the last one; a failure is given back.
            context.limits = (await self.limiter.refund(taken)).encode_fields()
            raise


class LimitHeadersMiddleware(Struct, frozen=True):
    """Adds the limits to the response if a request of an active key failed before it was counted."""

    app: ASGIApp
    ring: KeyRing
    limiter: RateLimiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        except Exception:
            context: RequestContext = scope["context"]
            principal = self._find_uncounted(context)
            if principal is not None:
                context.limits = (await self.limiter.show(principal)).encode_fields()
            raise

    def _find_uncounted(self, context: RequestContext) -> Principal | None:
        if context.principal is not None or len(context.key_texts) != 1 or context.method == "OPTIONS":
            return None
        return self.ring.find_active(context.key_texts[0])
