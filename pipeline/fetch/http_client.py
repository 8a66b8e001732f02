"""Fetch an address by GET, with limits of time and size, retries, and conditional requests if validators are known."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import cache
from ipaddress import ip_address
from tempfile import TemporaryFile
from typing import BinaryIO
from urllib.parse import urlsplit

import httpx2
import stamina
from msgspec import Struct

from outings.configuration import FeedTable
from outings.release.root import FeedMemory
from outings.retry_policy import TRANSIENT_STATUSES, RetryPolicy, read_retry_after
from pipeline.fetch.private_addresses import PinnedTransport, PrivateAddress, is_public, is_routable
from pipeline.fetch.source import FeedError
from pipeline.fetch.unpacking import CorruptBody, LongBody, unpack_gzip
from pipeline.fetch.urls import SCHEMES, show_url
from pipeline.scratch import explain_full

MOST_REDIRECTS = 5
_MOST_VALIDATOR_CHARACTERS = 1_000
# Bytes of what a server says that refuses a request, as for a page behind the last.
_MOST_BEGIN = 4096
_HEADERS = {"User-Agent": "outings/1", "Accept": "*/*", "Accept-Encoding": "gzip"}


class FetchResult(Struct, frozen=True, kw_only=True):
    """The result of a fetch. `is_unchanged`: the server answered 304, nothing was written. `url`: the address after
    redirects. `link`: the next page, from the header `Link`."""

    is_unchanged: bool
    url: str
    content_type: str = ""
    charset: str | None = None
    etag: str | None = None
    last_modified: str | None = None
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
    """An HTTP client for one feed. The feed's headers are sent only to the server of its url. `check` is called with
    each address to which a redirect leads, and raises what forbids it."""

    http: httpx2.AsyncClient
    feed: FeedTable
    policy: RetryPolicy
    check: Callable[[str], Awaitable[None]] | None = None


@asynccontextmanager
async def open_client(
    feed: FeedTable, policy: RetryPolicy, *, check: Callable[[str], Awaitable[None]] | None = None
) -> AsyncIterator[FeedClient]:
    """Open a client with the environment's proxies and certificates, but no proxy for this machine itself.

    Raises FeedError for errors while it is open: of a fetch, a timeout, or of writing a file.
    """
    timeout = httpx2.Timeout(policy.silence, connect=policy.connect)
    verify = _read_certificates()
    is_allowed = is_routable if feed.allow_private else is_public
    transport = PinnedTransport(
        verify=verify, connect_timeout=policy.connect, is_allowed=is_allowed,
        uses_proxies=not _is_loopback(urlsplit(feed.url).hostname or ""),
    )  # fmt: skip
    try:
        async with (
            asyncio.timeout(policy.feed),
            httpx2.AsyncClient(timeout=timeout, headers=_HEADERS, transport=transport) as client,
        ):
            yield FeedClient(client, feed, policy, check)
    except FetchError as error:
        raise FeedError(feed.name, show_url(error.url), str(error)) from None
    except TimeoutError:
        reason = f"takes longer than {policy.feed:g} s with all its pages"
        raise FeedError(feed.name, show_url(feed.url), reason) from None
    except OSError as error:
        raise FeedError(
            feed.name, show_url(feed.url), f"can't be stored while it is read: {explain_full(error)}"
        ) from error


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
    known: FeedMemory | FetchResult | None = None,
) -> FetchResult:
    """Fetch `url` and write its body, at most `most` bytes, to `target`. `bound`: name of that limit. `known`: has the
    validators of an earlier response. Raises `FetchError`."""
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
    client: FeedClient, url: str, *, target: BinaryIO, most: int, bound: str, known: FeedMemory | FetchResult | None
) -> FetchResult:
    conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified} if known else {}
    headers = {name: value for name, value in conditions.items() if value is not None}
    try:
        # A timeout of each silence alone lets a server take for ever.
        async with asyncio.timeout(client.policy.whole):
            request = client.http.build_request("GET", url, headers=headers)
            response = await _follow(client, request)
            try:
                etag, last_modified = (_read_validator(response, name) for name in ("etag", "last-modified"))
                if known and headers and response.status_code == 304:  # which need not repeat the validators
                    etag, last_modified = etag or known.etag, last_modified or known.last_modified
                    return FetchResult(
                        is_unchanged=True, url=str(response.url), etag=etag, last_modified=last_modified
                    )  # fmt: skip
                await _check_status(response, most_rest=client.policy.rest)
                await _write_body(response, target=target, most=most, bound=bound)
            finally:
                await response.aclose()
    except TimeoutError:
        raise TransientFetchError(f"takes longer than {client.policy.whole:g} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        raise _explain_failure(error) from None
    return FetchResult(
        is_unchanged=False, url=str(response.url), content_type=response.headers.get("content-type", ""),
        charset=response.charset_encoding, etag=etag, last_modified=last_modified,
        link=response.links.get("next", {}).get("url"),
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
        if client.check is not None:
            await client.check(str(request.url))
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


# What a status that refuses means to the feed's operator.
_MEANINGS = {
    401: ", as it wants a key",
    403: ", as it refuses this program: it was asked too often, or lets only browsers in",
    429: ", as it was asked too often",
}


async def _check_status(response: httpx2.Response, *, most_rest: float) -> None:
    """Raise FetchError for a status other than 200, TransientFetchError if a retry may help."""
    status = response.status_code
    if status == 200:
        return
    answered = f"answers {status}{_MEANINGS.get(status, '')}"
    if status not in TRANSIENT_STATUSES:
        begin = b""
        with suppress(httpx2.HTTPError):
            async for piece in response.aiter_bytes():
                begin += piece
                if len(begin) >= _MOST_BEGIN:
                    break
        raise FetchError(answered, status=status, body=begin[:_MOST_BEGIN])
    rest = read_retry_after(response.headers.get("retry-after"), time.time())
    if rest is not None and rest > most_rest:
        raise FetchError(f"{answered}, and asks for a pause of {rest:.0f} s", status=status)
    raise TransientFetchError(answered, status=status, rest=rest)


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
