"""Fetch an address by GET, with limits of time and size, retries, and conditional requests if validators are known."""

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from tempfile import TemporaryFile
from typing import BinaryIO
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2
import stamina
from msgspec import Struct

from outings.configuration import FeedTable
from outings.retry_policy import TRANSIENT_STATUSES, RetryPolicy, read_retry_after
from pipeline.fetch.addresses import PORTS, SCHEMES, show_url
from pipeline.fetch.source import FeedError
from pipeline.fetch.unpacking import CorruptBody, LongBody, unpack_gzip

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
        )


def is_public(address: Address) -> bool:
    """Return True for an address of the public internet. An IPv6 address that contains one of IPv4 is judged by it."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address not in _GLOBAL:
            return False
    return address.is_global and not address.is_multicast


async def resolve_host(host: str, port: int) -> Sequence[Address]:
    """Resolve a name by the system, which knows more spellings than we would: `127.1`, `0x7f000001`. Raises OSError."""
    addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(ip_address(sockaddr[0]) for *_, sockaddr in addresses))


class PublicTransport(httpx2.AsyncBaseTransport):
    """A transport that connects only to public addresses, and to the one that was checked: a name may have another
    later.

    A proxy of the environment connects by itself. Then the addresses that the name has here, if any, are checked.
    Raises PrivateAddress.
    """

    def __init__(
        self, *, verify: ssl.SSLContext, connect_timeout: float, resolve: Resolve = resolve_host,
        is_allowed: Callable[[Address], bool] = is_public,
    ) -> None:  # fmt: skip
        self._verify, self._connect_timeout = verify, connect_timeout
        self._resolve, self._is_allowed = resolve, is_allowed
        # One a host and proxy: a connection whose certificate was checked for one is not another's on the same address,
        # and one without a proxy would ask for the name's address again.
        self._transports: dict[tuple[str, str | None], httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host, proxy = request.url.raw_host.decode("ascii"), _find_proxy(request.url)
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


MOST_REDIRECTS = 5
_MOST_VALIDATOR_CHARACTERS = 1_000
# Bytes of what a server says that refuses a request, as for a page behind the last.
_MOST_BEGIN = 4096
_HEADERS = {"User-Agent": "outings/1", "Accept": "*/*", "Accept-Encoding": "gzip"}
RETRY_POLICY = RetryPolicy(connect=10.0, silence=60.0, whole=900.0, attempts=4, pause=1.0, rest=120.0)


class Validators(Struct, frozen=True, kw_only=True):
    """The ETag and date of an earlier response, by which a server knows whether it changed."""

    etag: str | None = None
    last_modified: str | None = None


class FetchResult(Struct, frozen=True, kw_only=True):
    """The result of a fetch. `is_unchanged`: the server answered 304, nothing was written. `url`: the address after
    redirects. `link`: the next page, from the header `Link`."""

    is_unchanged: bool
    url: str
    content_type: str = ""
    validators: Validators = Validators()
    link: str | None = None


class FetchError(Exception):
    """A fetch of `url` failed. The message names no address. `status`: of the response, if there was one; `body`: its
    beginning, if the request was refused."""

    def __init__(self, reason: str, *, url: str = "", status: int | None = None, body: bytes = b"") -> None:
        super().__init__(reason)
        self.url = url
        self.status = status
        self.body = body


class TransientFetchError(FetchError):
    """A fetch failed in a way that a retry may help, after `rest` seconds if the server says so."""

    def __init__(self, reason: str, *, status: int | None = None, rest: float | None = None) -> None:
        super().__init__(reason, status=status)
        self.rest = rest


class FeedClient(Struct, frozen=True):
    """An HTTP client for one feed. The feed's headers are sent only to the server of its url."""

    http: httpx2.AsyncClient
    feed: FeedTable
    policy: RetryPolicy


@asynccontextmanager
async def open_client(feed: FeedTable, policy: RetryPolicy) -> AsyncIterator[FeedClient]:
    """Open a client with the environment's proxies and certificates, but no proxy for this machine itself.

    Raises FeedError for errors while it is open: of a fetch, a timeout, or of writing a file.
    """
    timeout = httpx2.Timeout(policy.silence, connect=policy.connect)
    verify, transport = _read_certificates(), None
    if not feed.allow_private:
        transport = PublicTransport(verify=verify, connect_timeout=policy.connect)
    trusts = not _is_loopback(urlsplit(feed.url).hostname or "")
    try:
        async with (
            asyncio.timeout(policy.feed),
            httpx2.AsyncClient(
                timeout=timeout, headers=_HEADERS, trust_env=trusts, verify=verify, transport=transport
            ) as client,
        ):
            yield FeedClient(client, feed, policy)
    except FetchError as error:
        raise FeedError(feed.name, show_url(error.url), str(error)) from None
    except TimeoutError:
        reason = f"takes longer than {policy.feed:g} s with all its pages"
        raise FeedError(feed.name, show_url(feed.url), reason) from None
    except OSError as error:
        raise FeedError(feed.name, show_url(feed.url), f"can't be stored while it is read: {error.strerror}") from error


@cache
def _read_certificates() -> ssl.SSLContext:
    """Return the TLS settings, cached because reading certificates takes some 50 ms."""
    return httpx2.create_ssl_context()


async def fetch(
    client: FeedClient,
    url: str,
    *,
    target: BinaryIO,
    most: int,
    bound: str = "the feed's max_bytes",
    known: Validators = Validators(),
) -> FetchResult:
    """Fetch `url` and write its body, at most `most` bytes, to `target`. `bound`: name of that limit. Raises
    `FetchError`."""
    policy, tried = client.policy, 0

    def choose_wait(error: Exception) -> bool | float:
        if isinstance(error, FetchError):
            error.url = url
        if not isinstance(error, TransientFetchError):
            return False
        return True if error.rest is None else error.rest

    try:
        async for attempt in stamina.retry_context(
            on=choose_wait, attempts=policy.attempts, timeout=None, wait_initial=policy.pause,
            wait_jitter=policy.pause, wait_max=policy.rest,
        ):  # fmt: skip
            with attempt:
                tried += 1
                target.seek(0)
                target.truncate()
                return await _fetch_once(client, url, target=target, most=most, bound=bound, known=known)
    except TransientFetchError as failure:
        raise FetchError(f"{failure} ({tried} times)", url=url, status=failure.status) from None
    raise AssertionError("the last attempt raises")


async def _fetch_once(
    client: FeedClient, url: str, *, target: BinaryIO, most: int, bound: str, known: Validators
) -> FetchResult:
    conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    headers = {name: value for name, value in conditions.items() if value is not None}
    try:
        # A timeout of each silence alone lets a server take for ever.
        async with asyncio.timeout(client.policy.whole):
            request = client.http.build_request("GET", url, headers=headers)
            response = await _follow(client, request)
            try:
                if response.status_code == 304 and headers:
                    return FetchResult(is_unchanged=True, url=str(response.url), validators=_merge(known, response))
                await _check_status(response, most_rest=client.policy.rest)
                await _write_body(response, target=target, most=most, bound=bound)
            finally:
                await response.aclose()
    except TimeoutError:
        raise TransientFetchError(f"takes longer than {client.policy.whole:g} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        raise _explain_failure(error) from None
    content_type = response.headers.get("content-type", "")
    return FetchResult(
        is_unchanged=False, url=str(response.url), content_type=content_type,
        validators=_merge(Validators(), response), link=response.links.get("next", {}).get("url"),
    )  # fmt: skip


async def _follow(client: FeedClient, request: httpx2.Request) -> httpx2.Response:
    for number in range(MOST_REDIRECTS + 1):
        _settle_headers(client, request)
        try:
            response = await client.http.send(request, stream=True)
        except PrivateAddress as refused:
            led = f"leads to {show_url(str(request.url))}, which " if number else ""
            raise FetchError(f"{led}{refused}") from None
        if response.next_request is None:
            return response
        await response.aclose()
        before, request = request, response.next_request
        if request.url.scheme not in SCHEMES:
            raise FetchError(f'leads to a "{request.url.scheme[:20]}" address; allowed: {", ".join(SCHEMES)}')
        if (before.url.scheme, request.url.scheme) == ("https", "http"):
            raise FetchError(f"leads from https to http, to {show_url(str(request.url))}")
    raise FetchError(f"redirects too often; allowed: {MOST_REDIRECTS} redirects")


def _settle_headers(client: FeedClient, request: httpx2.Request) -> None:
    """Set the feed's own headers, which may hold a key, for its own server, and remove them for others: the client
    copies them on a redirect."""
    is_own = _is_same_server(httpx2.URL(client.feed.url), request.url)
    for name, value in client.feed.headers.items():
        request.headers.pop(name, None)
        sent = value if is_own else client.http.headers.get(name)
        if sent is not None:
            request.headers[name] = sent


def _is_same_server(own: httpx2.URL, other: httpx2.URL) -> bool:
    """Return True if scheme, host and port are equal, or `other` is https instead of http, both on default ports."""
    ports = ((own.scheme, own.port), (other.scheme, other.port))
    return own.host == other.host and (ports[0] == ports[1] or ports == (("http", None), ("https", None)))


async def _check_status(response: httpx2.Response, *, most_rest: float) -> None:
    """Raise FetchError for a status other than 200, TransientFetchError if a retry may help."""
    status = response.status_code
    if status == 200:
        return
    if status not in TRANSIENT_STATUSES:
        begin = b""
        with suppress(httpx2.HTTPError):
            async for piece in response.aiter_bytes():
                begin += piece
                if len(begin) >= _MOST_BEGIN:
                    break
        raise FetchError(f"answers {status}", status=status, body=begin[:_MOST_BEGIN])
    rest = read_retry_after(response.headers.get("retry-after"), time.time())
    if rest is not None and rest > most_rest:
        raise FetchError(f"answers {status} and asks for a pause of {rest:.0f} s", status=status)
    raise TransientFetchError(f"answers {status}", status=status, rest=rest)


async def _write_body(response: httpx2.Response, *, target: BinaryIO, most: int, bound: str) -> None:
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip"):
        raise FetchError(f'has the encoding "{coding[:50]}", which was not requested')
    with nullcontext(target) if coding in ("", "identity") else TemporaryFile() as arriving:
        async for piece in response.aiter_raw():
            arriving.write(piece)
            if arriving.tell() > most:
                raise FetchError(f"has more than {most:,} bytes, {bound}")
        if arriving is not target and arriving.tell():
            arriving.seek(0)
            try:
                unpack_gzip(arriving, target, most=most)
            except CorruptBody as torn:
                raise TransientFetchError(str(torn)) from None
            except LongBody:
                raise FetchError(f"has more than {most:,} bytes, {bound}") from None


def _merge(known: Validators, response: httpx2.Response) -> Validators:
    """Return the response's validators, and those of `known` that it lacks: a 304 need not repeat them."""
    etag, last_modified = (_read_validator(response, name) for name in ("etag", "last-modified"))
    return Validators(etag=etag or known.etag, last_modified=last_modified or known.last_modified)


def _read_validator(response: httpx2.Response, name: str) -> str | None:
    value = response.headers.get(name, "").strip()
    usable = value and value.isascii() and value.isprintable() and len(value) <= _MOST_VALIDATOR_CHARACTERS
    return value if usable else None


# What a failure of the client means, the first that fits. Its own text may name the address.
_FAILURES: tuple[tuple[type[Exception], str], ...] = (
    (httpx2.ConnectTimeout, "can't be reached"), (httpx2.ConnectError, "can't be reached"),
    (httpx2.TimeoutException, "sends nothing for too long"),
    (httpx2.RemoteProtocolError, "breaks off, or is not HTTP"), (httpx2.ReadError, "breaks off, or is not HTTP"),
)  # fmt: skip


def _explain_failure(error: Exception) -> FetchError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return FetchError(f"has a certificate that is not trusted: {cause.verify_message}")
        cause = cause.__cause__ or cause.__context__
    reasons = (text for kind, text in _FAILURES if isinstance(error, kind))
    return TransientFetchError(next(reasons, f"can't be fetched ({type(error).__name__})"))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
