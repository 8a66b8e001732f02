"""The key that the pages give to every visitor. It has a rate of its own, and each client address that uses it has a
rate too."""

from collections.abc import Callable
from hashlib import sha256

from msgspec import Struct

from edge.keys.client_address import TrustedProxies
from edge.limits.address_buckets import AddressBuckets
from edge.request import Request
from outings.contract.errors import rate_limited


class VisitorKey(Struct, frozen=True, kw_only=True):
    """The key's text, and how many requests each address may send with it in a minute."""

    text: str
    per_minute: int = 120


class VisitorLimiter:
    """Counts by worker: an address may have as many times its rate as there are workers."""

    def __init__(self, key: VisitorKey, *, proxies: TrustedProxies, clock: Callable[[], int]) -> None:
        self._digest = sha256(key.text.encode()).digest()
        self._proxies = proxies
        self._buckets = AddressBuckets(per_minute=key.per_minute, clock=clock)

    def check(self, request: Request) -> None:
        """Count a request if it has that key; the time that this takes reveals nothing about the key. Raises 429; over
        a Unix socket nothing is counted."""
        if request.key_text is None or sha256(request.key_text).digest() != self._digest:
            return
        address = self._proxies.name_client(request.client, request.forwarded_for)
        wait = 0 if address is None else self._buckets.take(address)
        if wait:
            raise rate_limited(wait)
