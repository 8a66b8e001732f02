"""Sixth in the chain: whose request it is. Below it `exchange.holder` has a key in force."""

from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.bounded import Bounded
from edge.chain.addresses import Proxies
from edge.chain.attempts import Attempts
from edge.exchange import Exchange
from edge.holder import Holder, find_holder
from outings.contract.plans import Plan
from outings.release.key_changes import check_seal
from outings.release.keys import NAME, Registry, parse_registry
from outings.release.objects import Corrupt
from outings.release.sealing import Seal, WrongSeal
from outings.release.store import Store, StoreError

log = structlog.get_logger()

MOST_REMEMBERED = 8_192


class KeyRing:
    """The registry as this process last read it. A store that fails, or a broken registry, leaves it as it was."""

    def __init__(
        self, store: Store, *, clock: Callable[[], datetime], plans: Mapping[str, Plan], seal: Seal | None = None
    ) -> None:
        self._seal = seal
        self._store = store
        self._clock = clock
        self._plans = plans
        # Read and replaced together: what one registry said is not remembered under the next.
        self._known = (Registry(), _make_memory())
        self._etag: str | None = None
        self.failure: str | None = None

    def poll(self) -> None:
        """Reads the registry if it is another one. Blocks: not for the event loop."""
        try:
            found = self._store.read_versioned(NAME)
            if found is not None and found.etag != self._etag:
                registry = parse_registry(found)
                self._known = (registry, _make_memory())
                self._etag = found.etag
                log.info("keys_read", keys=len(registry.keys))
                self._tell_unknown(registry)
            self.failure = None
        except (StoreError, Corrupt) as error:
            if self.failure is None:
                log.warning("keys_not_read", reason=str(error))
            self.failure = str(error)

    def _tell_unknown(self, registry: Registry) -> None:
        """Of some keys it can't know the holders: they get 401."""
        try:
            check_seal(registry, self._seal)
        except WrongSeal as wrong:
            log.error("keys_sealed_otherwise", reason=str(wrong))

    def find_active(self, text: bytes) -> Holder | None:
        """Of this text's key, if it is in force now. Known ones are remembered by their hash, not by their text."""
        registry, memory = self._known
        digest = sha256(text).digest()
        holder = memory.get(digest)
        if holder is None:
            holder = find_holder(registry, text, plans=self._plans, seal=self._seal)
            if holder is None:
                return None
            memory.put(digest, holder)
        return holder if holder.key.describe_state(self._clock()) == "active" else None


def _make_memory() -> Bounded[bytes, Holder]:
    return Bounded(MOST_REMEMBERED)


class Recognize:
    """401 to whoever has no key in force, or 429 from where many failed."""

    def __init__(self, app: ASGIApp, *, ring: KeyRing, proxies: Proxies, attempts: Attempts) -> None:
        self._app = app
        self._ring = ring
        self._proxies = proxies
        self._attempts = attempts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange: Exchange = scope["exchange"]
        holder = self._ring.find_active(exchange.key_texts[0]) if len(exchange.key_texts) == 1 else None
        if holder is None:
            raise self._attempts.make_refusal(self._proxies.name_origin(scope))
        exchange.holder = holder
        await self._app(scope, receive, send)
