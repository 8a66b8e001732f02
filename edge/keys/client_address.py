"""The client's address: the peer of the connection, or the address that a trusted proxy forwards for."""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address

# A household gets a whole prefix of this length (RFC 6177), so addresses are counted by prefix.
_PREFIX = 64


class TrustedProxies:
    """`texts`: addresses and networks. ValueError for what is neither."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._networks = tuple(ip_network(text, strict=False) for text in texts)
        self._is_trusted = lru_cache(maxsize=1024)(self._find_trust)

    def name_client(self, host: str | None, forwarded_for: bytes) -> str | None:
        """Return the client's address, or the network of it; the same text for the same client.

        Args:
            host: the peer of the connection; None over a Unix socket, whose peers are trusted.
            forwarded_for: the values of `X-Forwarded-For`, joined by commas.
        """
        address = _parse(host) if host else None
        if address is None or self._is_trusted(address):
            address = self._find_forwarded(forwarded_for) or address
        return None if address is None else _name_network(address)

    def name_peer(self, host: str | None) -> str | None:
        """The name of a connection's peer. None for a trusted proxy, which has many clients, and over a Unix
        socket."""
        address = None if host is None else _parse(host)
        return None if address is None or self._is_trusted(address) else _name_network(address)

    def _find_forwarded(self, forwarded_for: bytes) -> Address | None:
        """Return the last address that is not a trusted proxy. A client can forge all before it."""
        for text in reversed(forwarded_for.decode("latin-1").split(",")):
            address = _parse(text.strip())
            if address is None:
                return None
            if not self._is_trusted(address):
                return address
        return None

    def _find_trust(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


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
