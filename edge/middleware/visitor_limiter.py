"""The key that the pages give to every visitor. It has a rate of its own, and each client address that uses it has a
rate too."""

from collections.abc import Callable
from hashlib import sha256

from msgspec import Struct
from starlette.types import Scope

from edge.limits.address_buckets import AddressBuckets
from edge.middleware.client_address import TrustedProxies
from outings.contract.errors import rate_limited


class VisitorKey(Struct, frozen=True, kw_only=True):
    """Without `text` no key is the visitors'."""

    text: str = ""
    per_minute: int = 120


class VisitorLimiter:
    """Counts by worker: an address may have as many times its rate as there are workers."""

    def __init__(self, key: VisitorKey, *, proxies: TrustedProxies, clock: Callable[[], int]) -> None:
        self._digest = sha256(key.text.encode()).digest() if key.text else b""
        self._proxies = proxies
        self._buckets = AddressBuckets(per_minute=key.per_minute, clock=clock)

    def is_visitors(self, key_text: bytes) -> bool:
        """Whether this is the key that visitors share. The time that it takes reveals nothing about the key."""
        return bool(self._digest) and sha256(key_text).digest() == self._digest

    def check(self, scope: Scope) -> None:
        """Of a request with that key. Raises 429; over a Unix socket nothing is counted."""
        address = self._proxies.name_client(scope)
        wait = 0 if address is None else self._buckets.take(address)
        if wait:
            raise rate_limited(wait)
