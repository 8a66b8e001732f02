"""Middleware: finds whose key the request has, and puts it into `context.principal`."""

from starlette.types import ASGIApp, Receive, Scope, Send

from edge.key_ring import KeyRing
from edge.middleware.client_address import TrustedProxies
from edge.middleware.failure_limiter import FailureLimiter
from edge.request_context import RequestContext


class AuthenticationMiddleware:
    """Answers 401 without an active key, or 429 to an address from which too many keys failed."""

    def __init__(self, app: ASGIApp, *, ring: KeyRing, proxies: TrustedProxies, failures: FailureLimiter) -> None:
        self._app = app
        self._ring = ring
        self._proxies = proxies
        self._failures = failures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context: RequestContext = scope["context"]
        principal = self._ring.find_active(context.key_texts[0]) if len(context.key_texts) == 1 else None
        if principal is None:
            raise self._failures.make_refusal(self._proxies.name_origin(scope))
        context.principal = principal
        await self._app(scope, receive, send)
