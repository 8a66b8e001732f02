"""Authenticate requests by the registry of keys that this process last read."""

from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256

import structlog
from msgspec import Struct
from msgspec.structs import replace

from edge.calendar_addresses import SIGNATURE, CalendarAddresses, is_signed
from edge.limits.limiter import Principal, make_principal
from edge.request_headers import Request
from outings.contract.errors import bad_request, unauthorized, unavailable
from outings.contract.pricing_plans import PricingPlan
from outings.keys.registry import NAME, Registry, parse_registry, refuse_lost_registry
from outings.release.pointer import NAME as POINTER
from outings.release.store import Corrupt, NotFound, Store, StoreError

log = structlog.get_logger()

MOST_REMEMBERED = 8_192


class KeyRing:
    """The registry as it was last read. If the store fails, or the registry is corrupt, the last good one is in use.

    `is_read`: True after the first successful read, or if the store has a release and no registry.
    """

    def __init__(self, store: Store, *, clock: Callable[[], datetime], plans: Mapping[str, PricingPlan]) -> None:
        self._store = store
        self._clock = clock
        self._plans = plans
        # The registry and its principals by their keys' hashes: replaced together, so that both always fit.
        self._current: tuple[Registry, dict[bytes, Principal]] = (Registry(), {})
        self._etag: str | None = None
        self.failure: str | None = None
        self.is_read = False

    def poll(self) -> None:
        """Read the registry if it has changed. Blocks, so do not call it on the event loop."""
        try:
            file = self._store.read_versioned(NAME)
            if file is None:
                refuse_lost_registry(self._store)
                # Without a release either, nobody knows if this is the store or the place where it is to be mounted.
                if self._etag is not None or not self._store.exists(POINTER):
                    cause = "it does not exist; the store is empty, not mounted, or lost it"
                    raise NotFound(store=str(self._store), operation="get", name=NAME, cause=cause)
            if file is not None and file.etag != self._etag:
                registry = parse_registry(file)
                self._current = (registry, {})
                self._etag = file.etag
                log.info("keys_read", keys=len(registry.keys))
            self.failure = None
            self.is_read = True
        except (StoreError, Corrupt) as error:
            if self.failure is None:
                log.warning("keys_not_read", reason=str(error))
            self.failure = str(error)

    def find_active(self, text: bytes) -> Principal | None:
        """Return the principal of the key with this text, or None unless the key is active now. The cache holds hashes
        of keys, not their texts."""
        registry, cache = self._current
        digest = sha256(text).digest()
        principal = cache.get(digest)
        if principal is None:
            key = registry.find_key(text)
            if key is None:
                return None
            principal = make_principal(registry, key, plans=self._plans)
            if len(cache) >= MOST_REMEMBERED:
                del cache[next(iter(cache))]
            cache[digest] = principal
        return self._check_active(principal)

    def find_active_id(self, id_: str) -> Principal | None:
        """Return the principal of the key with this id, or None unless the key is active now."""
        registry, _ = self._current
        key = registry.by_id.get(id_)
        return None if key is None else self._check_active(make_principal(registry, key, plans=self._plans))

    def _check_active(self, principal: Principal) -> Principal | None:
        return principal if principal.key.describe_state(self._clock()) == "active" else None


class Authenticator(Struct, frozen=True, kw_only=True):
    """Authenticate requests by `X-API-Key`, or by the signature of a calendar's address, which contains a key's id.
    Raises 401 without an active key, or 503 if the keys could not be read since the server started."""

    ring: KeyRing
    addresses: CalendarAddresses

    def authenticate(self, request: Request) -> Request:
        """Return the request with its `principal`, and its `query_string` without the verified signature."""
        assert request.match is not None
        has_signature = request.match.route.takes_signature and is_signed(request.query_string)
        query_string, principal = request.query_string, None
        if request.key_text is not None:
            principal = self.ring.find_active(request.key_text)
        elif has_signature and (signed := self.addresses.verify(request.path, query_string)) is not None:
            key_id, query_string = signed
            principal = self.ring.find_active_id(key_id)
        if principal is None:
            if not self.ring.is_read and (request.key_text is not None or has_signature):
                raise unavailable()
            raise unauthorized()
        if has_signature and request.key_text is not None:
            raise bad_request(
                param=SIGNATURE,
                reason="contradictory",
                message="A signed address stands in place of X-API-Key: send one of them.",
            )
        return replace(request, principal=principal, query_string=query_string)
