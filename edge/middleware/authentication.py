"""Middleware: finds whose key the request has, and puts it into `context.principal`."""

from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.calendar_addresses import SIGNATURE, CalendarAddresses, is_signed
from edge.key_ring import KeyRing
from edge.limits.address_buckets import AddressBuckets
from edge.middleware.client_address import TrustedProxies
from edge.principal import Principal
from edge.request_context import RequestContext
from outings.contract.errors import bad_request, rate_limited, unauthorized, unavailable

# Failed keys of a client address, by worker. It does not protect against guessing, since a key has 62^30 values: it
# limits the work that wrong keys cause.
MOST_FAILURES_PER_MINUTE = 60


class AuthenticationMiddleware(Struct, frozen=True, kw_only=True):
    """Answers 401 without an active key, or 429 to an address from which too many keys failed. If the keys could not be
    read since the server started, a request with a key gets 503.

    `failures` counts failed keys by client address; an active key passes from anywhere. The signed address of a
    calendar has the id of a key. Its signature goes no further than here.
    """

    app: ASGIApp
    ring: KeyRing
    proxies: TrustedProxies
    addresses: CalendarAddresses
    failures: AddressBuckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context: RequestContext = scope["context"]
        assert context.match is not None
        has_signature = context.match.route.takes_signature and is_signed(context.query_string)
        if has_signature and not context.key_texts:
            principal = self._find_signed(context)
        else:
            principal = self.ring.find_active(context.key_texts[0]) if len(context.key_texts) == 1 else None
        if principal is None:
            if not self.ring.is_read and (context.key_texts or has_signature):
                raise unavailable()
            address = self.proxies.name_client(scope)
            wait = 0 if address is None else self.failures.take(address)
            raise rate_limited(wait) if wait else unauthorized()
        if has_signature and context.key_texts:
            raise bad_request(
                param=SIGNATURE,
                reason="contradictory",
                message="A signed address stands in place of X-API-Key: send one of them.",
            )
        context.principal = principal
        await self.app(scope, receive, send)

    def _find_signed(self, context: RequestContext) -> Principal | None:
        signed = self.addresses.verify(context.path, context.query_string)
        if signed is None:
            return None
        context.query_string = signed.query_string
        return self.ring.find_active_id(signed.key_id)
