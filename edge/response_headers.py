"""Write a response and its headers: CORS, caching, the ETag, ranges, limits and ids.

Headers are lines of bytes, ready to send: most are encoded only once.
"""

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from msgspec import Struct
from starlette.types import Send

from edge.limits.limiter import FIELDS
from edge.request_headers import Header, Request
from outings.answers.plan import JSON
from outings.contract.envelope import PROBLEM, encode_error
from outings.contract.errors import METHODS, ApiError

# Header fields as they are sent, each with the end of its line.
Lines = bytes

# A browser shows a script only those headers of a response that are named here.
EXPOSED = (
    "ETag", "Retry-After", "Link", "X-Release", "X-Request-Id", "X-Trace-Id", "Allow", "Date", "Vary", "Content-Range",
    *FIELDS,
)  # fmt: skip

_COMMON: tuple[Header, ...] = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", ", ".join(EXPOSED).encode()),
    (b"vary", b"X-API-Key, Authorization, Accept-Encoding"),
    (b"x-content-type-options", b"nosniff"),
)
_PREFLIGHT: tuple[Header, ...] = (
    (b"allow", ", ".join(METHODS).encode()),
    (b"access-control-allow-methods", ", ".join(METHODS).encode()),
    (
        b"access-control-allow-headers",
        b"X-API-Key, Authorization, X-Trace-Id, traceparent, If-None-Match, Range, If-Range",
    ),
    (b"access-control-max-age", b"86400"),
)
_NO_STORE: Header = (b"cache-control", b"no-store")


class Response(Struct, frozen=True, kw_only=True, gc=False):
    """A response, ready to send.

    Attributes:
        body: empty if there are `pieces`, and for a HEAD.
        pieces: a body that is never in memory as a whole.
        size: the bytes that are recorded as sent.
    """

    status: int
    head: Lines
    body: bytes = b""
    pieces: Iterable[bytes] | None = None
    size: int = 0


class Body(Struct, frozen=True, kw_only=True):
    """The bytes of a success, with the headers that describe them."""

    data: bytes
    head: Lines


def encode_lines(fields: Iterable[Header]) -> Lines:
    return b"".join([b"%b: %b\r\n" % field for field in fields])


_COMMON_LINES = encode_lines(_COMMON)


def split_lines(lines: Lines) -> list[Header]:
    """Split encoded header lines into pairs of name and value, the reverse of `encode_lines`."""
    pairs = (line.split(b": ", 1) for line in lines.split(b"\r\n")[:-1])
    return [(name, value) for name, value in pairs]


def make_etag(body: bytes) -> bytes:
    """Return a weak ETag of a body, which is the same for all content codings."""
    return b'W/"%b"' % hashlib.sha256(body).hexdigest()[:32].encode()


def matches_etag(if_none_match: bytes | None, etag: bytes) -> bool:
    """Return True if `If-None-Match` contains the current ETag, so that the response is a 304. The comparison is weak
    (RFC 9110, 13.1.2); lists and `*`, which matches any ETag, are accepted."""
    if if_none_match is None:
        return False
    wanted = etag.removeprefix(b"W/")
    tags = [tag.strip() for tag in if_none_match.split(b",")]
    return tags == [b"*"] or any(tag.removeprefix(b"W/") == wanted for tag in tags)


def make_body(data: bytes, coding: bytes, *, media: str = JSON, links: Lines = b"") -> Body:
    """Return the body of a response from `data`, which is encoded in `coding` already."""
    return Body(data=data, head=list_content_headers(len(data), coding, media=media) + links)


def list_content_headers(size: int, coding: bytes, *, media: str) -> Lines:
    """Return the headers of a body of `size` bytes in this coding."""
    head = b"content-type: %b\r\ncontent-length: %d\r\n" % (media.encode(), size)
    return b"%bcontent-encoding: %b\r\n" % (head, coding) if coding else head


_NEXT = re.compile(rb'"next_cursor":"([A-Za-z0-9_-]+)"')
# `meta`, which has the cursor, is the end of a body.
_META_BYTES = 1 << 14


def write_links(text: str, data: bytes) -> Lines:
    """Return the header `Link`: the contract, and the next page if the body has a cursor of one. `text`: the canonical
    request."""
    links = b'</openapi.json>; rel="service-desc"'
    found = _NEXT.search(data, max(0, len(data) - _META_BYTES))
    if found is not None:
        path, _, query = text.partition("?")
        kept = "".join(f"{pair}&" for pair in query.split("&") if pair and not pair.startswith("page="))
        links += b', <%b?%bcursor=%b>; rel="next"' % (path.encode(), kept.encode(), found[1])
    return b"link: %b\r\n" % links


@lru_cache(maxsize=64)
def _begin_head(max_age: int | None) -> Lines:
    cache_control = b"private, no-cache" if max_age is None else b"private, max-age=%d" % max_age
    return encode_lines((*_COMMON, (b"cache-control", cache_control)))


def make_head(*, etag: bytes, max_age: int | None, release: bytes | None) -> Lines:
    """Encode the first headers of a success and of its 304, which are the same for all clients. `max_age` is in
    seconds; None is `no-cache`."""
    head = b"%betag: %b\r\n" % (_begin_head(max_age), etag)
    return head if release is None else b"%bx-release: %b\r\n" % (head, release)


def list_headers(request: Request, head: Lines, entity: Lines = b"") -> Lines:
    """Return all headers of a response to this request: `head`, `entity` (the body's), limits and ids."""
    limits = b"" if request.limit is None else request.limit.encode_fields()
    ids = b"x-request-id: %b\r\nx-trace-id: %b\r\n" % (request.request_id, request.trace_id)
    return b"".join((head, entity, limits, ids))


def make_success(request: Request, head: Lines, body: Body, *, status: int = 200) -> Response:
    """Return a response with this body, or without it for a HEAD."""
    data = b"" if request.is_head else body.data
    return Response(status=status, head=list_headers(request, head, body.head), body=data, size=len(data))


def make_file(
    request: Request, head: Lines, entity: Lines, pieces: Iterable[bytes], *, size: int, status: int = 200
) -> Response:
    """Return a response whose body of `size` bytes is sent piece by piece, or without it for a HEAD."""
    lines = list_headers(request, head, entity)
    if request.is_head:
        return Response(status=status, head=lines)
    return Response(status=status, head=lines, pieces=pieces, size=size)


def make_ranged(
    request: Request, head: Lines, cut: Callable[[slice], Iterable[bytes]], *, etag: bytes, size: int, media: str
) -> Response:
    """Return an uncompressed file of `size` bytes; or 206 with the part that `Range` requests, or 416 if that is empty.
    `cut` returns a part of the file in pieces."""
    part = read_range(request, etag, size)
    if part is None:
        entity = b"accept-ranges: bytes\r\n" + list_content_headers(size, b"", media=media)
        return make_file(request, head, entity, cut(slice(size)), size=size)
    length = part.stop - part.start
    if not length:
        entity = b"content-range: bytes */%d\r\ncontent-length: 0\r\n" % size
        return Response(status=416, head=list_headers(request, head, entity))
    entity = list_content_headers(length, b"", media=media)
    entity += b"content-range: bytes %d-%d/%d\r\n" % (part.start, part.stop - 1, size)
    return make_file(request, head, entity, cut(part), size=length, status=206)


_RANGE = re.compile(rb"bytes=(\d{0,18})-(\d{0,18})")


def read_range(request: Request, etag: bytes, size: int) -> slice | None:
    """Parse `Range` for a file of `size` bytes. Return None, for the whole file, if the range is missing, invalid, of
    several parts or of another version by `If-Range` (RFC 9110, 14.2 and 13.1.5), and an empty slice if the file has
    none of it."""
    match = _RANGE.fullmatch(request.range_text)
    if match is None or match.groups() == (b"", b"") or request.if_range not in (None, etag):
        return None
    first, last = match.groups()
    begin = int(first) if first else max(size - int(last), 0)
    end = min(int(last) + 1, size) if first and last else size
    if first and last and int(last) < begin:
        return None
    return slice(begin, end) if begin < end else slice(0, 0)


def make_not_modified(request: Request, head: Lines) -> Response:
    """Return 304: the headers that the success would have, and no body."""
    return Response(status=304, head=list_headers(request, head))


def make_redirect(request: Request, head: Lines, *, location: bytes) -> Response:
    """Return 308, a redirect of the same request to `location`."""
    entity = encode_lines(((b"location", location), (b"content-length", b"0")))
    return Response(status=308, head=list_headers(request, head, entity))


def make_temporary_redirect(request: Request, *, location: bytes, release: bytes) -> Response:
    """Return 302, a redirect to an address that is valid for a short time."""
    headers = ((b"location", location), (b"cache-control", b"private, no-store"), (b"x-release", release))
    return _make_plain(request, status=302, headers=headers, body=b"")


def make_preflight(request: Request) -> Response:
    """Return 204 to `OPTIONS`."""
    return _make_plain(request, status=204, headers=_PREFLIGHT)


def make_status(request: Request, body: bytes, *, media: str = JSON) -> Response:
    """Return the 200 response of a probe, which must not be cached."""
    return _make_plain(request, status=200, headers=((b"content-type", media.encode()), _NO_STORE), body=body)


def make_failure(request: Request, error: ApiError, *, release: bytes | None) -> Response:
    """Return an error in the contract's format. `release`: the id of the release in use, if any."""
    body = encode_error(error, request.request_id.decode(), is_problem=request.wants_problem)
    media = PROBLEM if request.wants_problem else JSON
    headers = [*_list_error_headers(error, media), *([] if release is None else [(b"x-release", release)])]
    return _make_plain(request, status=error.status, headers=headers, body=body)


def make_refusal(error: ApiError, request_id: bytes) -> tuple[list[Header], bytes]:
    """Return the headers and the body of an error for bytes that could not be parsed as a request."""
    body = encode_error(error, request_id.decode())
    ids = ((b"x-request-id", request_id), (b"x-trace-id", request_id))
    return [*_COMMON, *ids, *_list_error_headers(error), (b"content-length", b"%d" % len(body))], body


def _list_error_headers(error: ApiError, media: str = JSON) -> Iterator[Header]:
    yield (b"content-type", media.encode())
    yield _NO_STORE
    yield from ((name.lower().encode(), text.encode()) for name, text in error.headers.items())


def _make_plain(request: Request, *, status: int, headers: Iterable[Header], body: bytes | None = None) -> Response:
    """Return a response without an ETag. `body` is None for a status that has none."""
    fields = [*headers]
    if body is not None:
        fields.append((b"content-length", b"%d" % len(body)))
    lines = list_headers(request, _COMMON_LINES, encode_lines(fields))
    data = b"" if request.is_head else body or b""
    return Response(status=status, head=lines, body=data, size=len(data))


async def send_response(send: Send, response: Response) -> None:
    """Send the response as ASGI messages."""
    await send({"type": "http.response.start", "status": response.status, "headers": split_lines(response.head)})
    for piece in response.pieces or ():
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.sleep(0)  # others are answered between two pieces
    await send({"type": "http.response.body", "body": response.body})
