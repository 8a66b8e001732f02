"""Connecting to a feed's server: the address itself is checked, whatever name or redirect led to it."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.request import getproxies, proxy_bypass

import httpx2

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]

# By which networks without IPv4 reach it (RFC 6052): the last 32 bits are an address of IPv4.
_NAT64 = IPv6Network("64:ff9b::/96")
# All addresses of the internet are here (RFC 4291). Others may lead to a network's own ones, as 64:ff9b:1::/48 does.
_GLOBAL = IPv6Network("2000::/3")
_PORTS = {"http": 80, "https": 443}


class PrivateAddress(Exception):  # noqa: N818 - the name says it
    """An error before anything was sent. Its text names the address, and not how it was found."""

    def __init__(self, address: Address) -> None:
        super().__init__(
            f"is at {address}, an address of this machine or of a private network; "
            "for a feed of your own network, set allow_private = true"
        )


class PublicTransport(httpx2.AsyncBaseTransport):
    """Connects to public addresses alone, and to that very one which was checked: a name may have another one by then.

    Through a proxy of the environment it is the proxy that connects. Then what the name is here is checked, if it is
    known here. PrivateAddress.
    """

    def __init__(
        self,
        *,
        verify: ssl.SSLContext,
        connect_timeout: float,
        resolve: Resolve | None = None,
        is_allowed: Callable[[Address], bool] | None = None,
    ) -> None:
        self._verify = verify
        self._connect_timeout = connect_timeout
        self._resolve = resolve or resolve_host
        self._is_allowed = is_allowed or is_public
        # One a host and proxy: a connection whose certificate was checked for one is not another's on the same address,
        # and one without a proxy would ask for the name's address again.
        self._transports: dict[tuple[str, str | None], httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host, proxy = request.url.raw_host.decode("ascii"), _find_proxy(request.url)
        addresses = await self._find_addresses(request, host, is_proxied=proxy is not None)
        for address in addresses:
            if not self._is_allowed(address):
                raise PrivateAddress(address)
        transport = self._find_transport(host, proxy)
        if proxy is not None:
            return await transport.handle_async_request(request)
        for address in addresses[:-1]:
            try:
                return await transport.handle_async_request(_pin(request, host, address))
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await transport.handle_async_request(_pin(request, host, addresses[-1]))

    async def aclose(self) -> None:
        for transport in self._transports.values():
            await transport.aclose()

    async def _find_addresses(self, request: httpx2.Request, host: str, *, is_proxied: bool) -> Sequence[Address]:
        """Return at least one address; none only if a proxy may know a name that is unknown here."""
        port = request.url.port or _PORTS[request.url.scheme]
        try:
            async with asyncio.timeout(self._connect_timeout):
                addresses = await self._resolve(host, port)
        except (OSError, UnicodeError, TimeoutError):
            addresses = ()
        if not addresses and not is_proxied:
            raise httpx2.ConnectError("its name has no address", request=request)
        return addresses

    def _find_transport(self, host: str, proxy: str | None) -> httpx2.AsyncHTTPTransport:
        if (host, proxy) not in self._transports:
            self._transports[host, proxy] = httpx2.AsyncHTTPTransport(verify=self._verify, proxy=proxy)
        return self._transports[host, proxy]


def is_public(address: Address) -> bool:
    """Return True for an address of the internet; one that carries another one inside is judged by that."""
    if isinstance(address, IPv6Address):
        inner = _find_inner(address)
        if inner is not None:
            return is_public(inner)
        if address not in _GLOBAL:
            return False
    return address.is_global and not address.is_multicast


def _find_inner(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


async def resolve_host(host: str, port: int) -> Sequence[Address]:
    """Resolve a name as the system does, which knows more spellings than we would: `127.1`, `0x7f000001`. Raises
    OSError."""
    addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(ip_address(sockaddr[0]) for *_, sockaddr in addresses))


def _pin(request: httpx2.Request, host: str, address: Address) -> httpx2.Request:
    """Return the request, sent to that address; its `Host` and the certificate to check stay those of the name."""
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=str(address)),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host},
    )


def _find_proxy(url: httpx2.URL) -> str | None:
    """Return the environment's proxy for this address."""
    known = getproxies()
    proxy = known.get(url.scheme) or known.get("all")
    if not proxy or proxy_bypass(url.host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
