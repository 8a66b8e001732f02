"""The addresses of clients, from the connection's peer or a trusted proxy's header, and a rate limit for each."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from cachetools import FIFOCache
from msgspec import Struct

from edge.limits.limiter import MINUTE, SECOND, has_room, leak, wait_for_room
from edge.request_headers import Request
from outings.contract.errors import rate_limited

Address = IPv4Address | IPv6Address

# A household gets a whole prefix of this length (RFC 6177), so addresses are counted by prefix.
_PREFIX = 64


class TrustedProxies:
    """The proxies whose `X-Forwarded-For` is trusted. `texts`: addresses and networks; others raise ValueError."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._networks = tuple(ip_network(text, strict=False) for text in texts)
        self._is_trusted = lru_cache(maxsize=1024)(
            lambda address: any(address in network for network in self._networks)
        )

    def name_client(self, host: str | None, forwarded_for: bytes) -> str | None:
        """Return the client's address, or its network, as a text that is always the same for one client.

        Args:
            host: the peer of the connection; None over a Unix socket, whose peers are trusted.
            forwarded_for: the values of `X-Forwarded-For`, joined by commas.
        """
        address = _parse(host) if host else None
        if address is None or self._is_trusted(address):
            address = self._find_forwarded(forwarded_for) or address
        return None if address is None else _name_network(address)

    def _find_forwarded(self, forwarded_for: bytes) -> Address | None:
        """Return the last address that is not a trusted proxy's. A client can forge all earlier ones."""
        for text in reversed(forwarded_for.decode("latin-1").split(",")):
            address = _parse(text.strip())
            if address is None:
                return None
            if not self._is_trusted(address):
                return address
        return None


def _name_network(address: Address) -> str:
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _PREFIX), strict=False))
    return str(address)


def _parse(text: str) -> Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


MOST_ADDRESSES = 16_384


class VisitorKey(Struct, frozen=True, kw_only=True):
    """The text of the visitors' key, and how many requests each address may send with it in a minute."""

    text: str
    per_minute: int = 120


class VisitorLimiter:
    """Limits the requests with the visitors' key of each client address. Each worker counts by itself, so an address
    may have its rate at each of them. One that was evicted from the cache starts a new minute. `clock`:
    microseconds."""

    def __init__(self, key: VisitorKey, *, proxies: TrustedProxies, clock: Callable[[], int]) -> None:
        self._digest = sha256(key.text.encode()).digest()
        self._per_minute = key.per_minute
        self._proxies = proxies
        self._clock = clock
        # The load of each bucket, and when it had it.
        self._buckets: FIFOCache[str, tuple[int, int]] = FIFOCache(MOST_ADDRESSES)

    def check(self, request: Request) -> None:
        """Count a request with the visitors' key for its client's address. Raises 429 above the limit. Counts nothing
        over a Unix socket. The comparison of keys leaks no timing."""
        if request.key_text is None or sha256(request.key_text).digest() != self._digest:
            return
        address = self._proxies.name_client(request.client, request.forwarded_for)
        if address is None:
            return
        (load, then), now = self._buckets.get(address, (0, 0)), self._clock()
        load = leak(load, then=then, now=now, limit=self._per_minute)
        if not has_room(load, self._per_minute):
            raise rate_limited(-(-wait_for_room(load, self._per_minute) // SECOND))
        self._buckets[address] = load + MINUTE, now
