"""The keys that this process knows: the registry in the store, polled, and a cache of the principals found in it.

`Key.describe_state` in `outings/keys/registry.py` says whether a key is active, expired or revoked. It is asked at each
request, so the cache never revives a key.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256

import structlog

from edge.principal import Principal, make_principal
from outings.contract.pricing_plans import PricingPlan
from outings.keys.changes import check_seal
from outings.keys.registry import NAME, Registry, parse_registry, refuse_lost_registry
from outings.keys.seal import Seal, WrongSeal
from outings.release.objects import Corrupt
from outings.release.pointer import NAME as POINTER
from outings.release.store import NotFound, Store, StoreError

log = structlog.get_logger()

MOST_REMEMBERED = 8_192


class KeyRing:
    """The registry as it was last read. If the store fails, or the registry is corrupt, the last one stays.

    `is_read`: it was read once, or the store has a release and no registry.
    """

    def __init__(
        self, store: Store, *, clock: Callable[[], datetime], plans: Mapping[str, PricingPlan], seal: Seal | None = None
    ) -> None:
        self._seal = seal
        self._store = store
        self._clock = clock
        self._plans = plans
        # Replaced together: a principal of one registry is never found under the next.
        self._known: tuple[Registry, dict[bytes, Principal]] = (Registry(), {})
        self._etag: str | None = None
        self.failure: str | None = None
        # Until then nobody knows whether a key exists.
        self.is_read = False

    def poll(self) -> None:
        """Reads the registry if it has changed. Blocks: not for the event loop."""
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
                self._known = (registry, {})
                self._etag = file.etag
                log.info("keys_read", keys=len(registry.keys))
                self._tell_unknown(registry)
            self.failure = None
            self.is_read = True
        except (StoreError, Corrupt) as error:
            if self.failure is None:
                log.warning("keys_not_read", reason=str(error))
            self.failure = str(error)

    def _tell_unknown(self, registry: Registry) -> None:
        """Keys sealed with another secret can't be recognized: they get 401."""
        try:
            check_seal(registry, self._seal)
        except WrongSeal as wrong:
            log.error("keys_sealed_otherwise", reason=str(wrong))

    def find_active(self, text: bytes) -> Principal | None:
        """The principal of this key's text, if the key is active now. The cache has hashes of keys, not their texts."""
        registry, cache = self._known
        digest = sha256(text).digest()
        principal = cache.get(digest)
        if principal is None:
            key = registry.find_key(text, seal=self._seal)
            if key is None:
                return None
            principal = make_principal(registry, key, plans=self._plans)
            if len(cache) >= MOST_REMEMBERED:
                del cache[next(iter(cache))]
            cache[digest] = principal
        return self._check_active(principal)

    def find_active_id(self, id_: str) -> Principal | None:
        """The principal of the key of this id, if the key is active now."""
        registry, _ = self._known
        key = registry.by_id.get(id_)
        return None if key is None else self._check_active(make_principal(registry, key, plans=self._plans))

    def _check_active(self, principal: Principal) -> Principal | None:
        return principal if principal.key.describe_state(self._clock()) == "active" else None
