"""Finds whose key a request has."""

from msgspec import Struct
from msgspec.structs import replace

from edge.keys.calendar_addresses import SIGNATURE, CalendarAddresses, is_signed
from edge.keys.client_address import TrustedProxies
from edge.keys.key_ring import KeyRing
from edge.limits.address_buckets import AddressBuckets
from edge.request import Request
from outings.contract.errors import bad_request, rate_limited, unauthorized, unavailable

# Failed keys of a client address, by worker. It does not protect against guessing, since a key has 62^30 values: it
# limits the work that wrong keys cause.
MOST_FAILURES_PER_MINUTE = 60


class Authenticator(Struct, frozen=True, kw_only=True):
    """Raises 401 without an active key, or 429 for an address from which too many keys failed. If the keys could not be
    read since the server started, a request with a key gets 503.

    `failures` counts failed keys by client address; an active key passes from anywhere. The signed address of a
    calendar has the id of a key. Its signature goes no further than here.
    """

    ring: KeyRing
    proxies: TrustedProxies
    addresses: CalendarAddresses
    failures: AddressBuckets

    def authenticate(self, request: Request) -> Request:
        """Add `principal`, and take a verified signature out of `query_string`."""
        assert request.match is not None
        has_signature = request.match.route.takes_signature and is_signed(request.query_string)
        if request.key_text is None:
            keyed = self._find_signed(request) if has_signature else None
        else:
            principal = self.ring.find_active(request.key_text)
            keyed = None if principal is None else replace(request, principal=principal)
        if keyed is None:
            if not self.ring.is_read and (request.key_text is not None or has_signature):
                raise unavailable()
            address = self.proxies.name_client(request.client, request.forwarded_for)
            wait = 0 if address is None else self.failures.take(address)
            raise rate_limited(wait) if wait else unauthorized()
        if has_signature and request.key_text is not None:
            raise bad_request(
                param=SIGNATURE,
                reason="contradictory",
                message="A signed address stands in place of X-API-Key: send one of them.",
            )
        return keyed

    def _find_signed(self, request: Request) -> Request | None:
        signed = self.addresses.verify(request.path, request.query_string)
        principal = None if signed is None else self.ring.find_active_id(signed.key_id)
        if signed is None or principal is None:
            return None
        return replace(request, principal=principal, query_string=signed.query_string)
