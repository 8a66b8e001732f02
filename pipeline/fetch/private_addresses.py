"""Connect only to servers at allowed addresses, so that no feed makes a build talk to the operator's own network."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.request import getproxies, proxy_bypass

import httpx2

from pipeline.fetch.urls import PORTS

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]

# By which networks without IPv4 reach it (RFC 6052): the last 32 bits are an address of IPv4.
_NAT64 = IPv6Network("64:ff9b::/96")
# All addresses of the internet are here (RFC 4291). Others may lead to a network's own ones, as 64:ff9b:1::/48 does.
_GLOBAL = IPv6Network("2000::/3")


class PrivateAddress(Exception):  # noqa: N818 - the name says it
    """The server has a private address, and nothing was sent. The message has that address, but not the URL."""

    def __init__(self, address: Address) -> None:
        super().__init__(
            f"is at {address}, an address of this machine or of a private network; "
            "for a feed of your own network, set allow_private = true"
            if is_routable(address)
            else f"is at {address}, a link-local address, which no feed may have"
        )


def _find_inner(address: Address) -> IPv4Address | None:
    """Return the address of IPv4 that an address of IPv6 contains, if any."""
    if not isinstance(address, IPv6Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def is_public(address: Address) -> bool:
    """Return True for an address of the public internet. An IPv6 address that contains one of IPv4 is judged by it."""
    inner = _find_inner(address)
    if inner is not None:
        return is_public(inner)
    if isinstance(address, IPv6Address) and address not in _GLOBAL:
        return False
    return address.is_global and not address.is_multicast


def is_routable(address: Address) -> bool:
    """Return False for a link-local address. There a machine's cloud answers with the machine's own credentials."""
    return not any(inner.is_link_local for inner in (address, _find_inner(address)) if inner is not None)


async def resolve_host(host: str, port: int) -> Sequence[Address]:
    """Resolve a name by the system, which knows more spellings than we would: `127.1`, `0x7f000001`. Raises OSError."""
    addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(ip_address(sockaddr[0]) for *_, sockaddr in addresses))


class PinnedTransport(httpx2.AsyncBaseTransport):
    """A transport that connects only to addresses that are allowed, and to the one that was checked: a name may have
    another later.

    A proxy of the environment connects by itself. Then the addresses that the name has here, if any, are checked.
    Raises PrivateAddress.
    """

    def __init__(
        self, *, verify: ssl.SSLContext, connect_timeout: float, resolve: Resolve = resolve_host,
        is_allowed: Callable[[Address], bool], uses_proxies: bool = True,
    ) -> None:  # fmt: skip
        self._verify, self._connect_timeout = verify, connect_timeout
        self._resolve, self._is_allowed, self._uses_proxies = resolve, is_allowed, uses_proxies
        # One a host and proxy: a connection whose certificate was checked for one is not another's on the same address,
        # and one without a proxy would ask for the name's address again.
        self._transports: dict[tuple[str, str | None], httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host, proxy = request.url.raw_host.decode("ascii"), _find_proxy(request.url) if self._uses_proxies else None
        try:
            async with asyncio.timeout(self._connect_timeout):
                addresses = await self._resolve(host, request.url.port or PORTS[request.url.scheme])
        except (OSError, UnicodeError, TimeoutError):
            addresses = ()
        for address in addresses:
            if not self._is_allowed(address):
                raise PrivateAddress(address)
        if (host, proxy) not in self._transports:
            self._transports[host, proxy] = httpx2.AsyncHTTPTransport(verify=self._verify, proxy=proxy)
        transport = self._transports[host, proxy]
        if proxy is not None:
            return await transport.handle_async_request(request)
        failure = httpx2.TransportError("its name has no address", request=request)
        for address in addresses:
            # The header `Host` and the certificate to check stay those of the name.
            pinned = httpx2.Request(
                request.method, request.url.copy_with(host=str(address)), headers=request.headers,
                stream=request.stream, extensions={**request.extensions, "sni_hostname": host},
            )  # fmt: skip
            try:
                return await transport.handle_async_request(pinned)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def aclose(self) -> None:
        for transport in self._transports.values():
            await transport.aclose()


def _find_proxy(url: httpx2.URL) -> str | None:
    """Return the environment's proxy for this address."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(url.host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
