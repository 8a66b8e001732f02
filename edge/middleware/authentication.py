"""Middleware: finds whose key the request has, and puts it into `context.principal`."""

from starlette.types import ASGIApp, Receive, Scope, Send

from edge.calendar_addresses import SIGNATURE, CalendarAddresses, is_signed
from edge.key_ring import KeyRing
from edge.middleware.client_address import TrustedProxies
from edge.middleware.failure_limiter import FailureLimiter
from edge.principal import Principal
from edge.request_context import RequestContext
from outings.contract.errors import bad_request, unavailable


class AuthenticationMiddleware:
    """Answers 401 without an active key, or 429 to an address from which too many keys failed. If the keys could not be
    read since the server started, a request with a key gets 503.

    The signed address of a calendar has the id of a key. Its signature goes no further than here.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        ring: KeyRing,
        proxies: TrustedProxies,
        failures: FailureLimiter,
        addresses: CalendarAddresses,
    ) -> None:
        self._app = app
        self._ring = ring
        self._addresses = addresses
        self._proxies = proxies
        self._failures = failures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context: RequestContext = scope["context"]
        assert context.match is not None
        has_signature = context.match.route.takes_signature and is_signed(context.query_string)
        if has_signature and not context.key_texts:
            principal = self._find_signed(context)
        else:
            principal = self._ring.find_active(context.key_texts[0]) if len(context.key_texts) == 1 else None
        if principal is None:
            if not self._ring.is_read and (context.key_texts or has_signature):
                raise unavailable()
            raise self._failures.make_refusal(self._proxies.name_client(scope))
        if has_signature and context.key_texts:
            raise bad_request(
                param=SIGNATURE,
                reason="contradictory",
                message="A signed address stands in place of X-API-Key: send one of them.",
            )
        context.principal = principal
        await self._app(scope, receive, send)

    def _find_signed(self, context: RequestContext) -> Principal | None:
        signed = self._addresses.verify(context.path, context.query_string)
        if signed is None:
            return None
        context.query_string = signed.query_string
        return self._ring.find_active_id(signed.key_id)
