"""Fourth in the chain: whose request it is. Below it `exchange.key` is a key in force."""

from collections.abc import Callable
from datetime import datetime

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.exchange import Exchange
from outings.contract.errors import unauthorized
from outings.release.keys import NAME, Key, Registry, parse_registry
from outings.release.objects import Corrupt
from outings.release.store import Store, StoreError

log = structlog.get_logger()


class KeyRing:
    """The registry as this process last read it. A store that fails, or a broken registry, leaves it as it was."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._registry = Registry()
        self._etag: str | None = None
        self.failure: str | None = None

    def poll(self) -> None:
        """Reads the registry if it is another one. Blocks: not for the event loop."""
        try:
            found = self._store.read_versioned(NAME)
            if found is not None and found.etag != self._etag:
                self._registry = parse_registry(found)
                self._etag = found.etag
                log.info("keys_read", keys=len(self._registry.keys))
            self.failure = None
        except (StoreError, Corrupt) as error:
            if self.failure is None:
                log.warning("keys_not_read", reason=str(error))
            self.failure = str(error)

    def find_key(self, text: bytes) -> Key | None:
        return self._registry.find_key(text)


class Recognize:
    """401 to whoever has no key in force."""

    def __init__(self, app: ASGIApp, *, ring: KeyRing, clock: Callable[[], datetime]) -> None:
        self._app = app
        self._ring = ring
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange: Exchange = scope["exchange"]
        key = self._ring.find_key(exchange.key_texts[0]) if len(exchange.key_texts) == 1 else None
        if key is None or key.describe_state(self._clock()) != "active":
            raise unauthorized()
        exchange.key = key
        await self._app(scope, receive, send)
