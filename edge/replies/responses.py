"""Sends responses of each kind, with the headers that all of them have.

What many responses have in common is kept as lines, as a socket gets them: most are written to one.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec import Struct
from starlette.types import Send

from edge.limits.header_fields import FIELDS
from edge.request_context import RequestContext
from outings.answers.plan import JSON
from outings.contract.envelope import encode_error
from outings.contract.errors import METHODS, ApiError

Header = tuple[bytes, bytes]
# Header fields as they are sent, each with the end of its line.
Lines = bytes

# A browser shows a script only those headers of a response that are named here.
EXPOSED = ("ETag", "Retry-After", "X-Release", "X-Request-Id", "X-Trace-Id", "Allow", "Date", "Vary", *FIELDS)

_COMMON: tuple[Header, ...] = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", ", ".join(EXPOSED).encode()),
    (b"vary", b"X-API-Key, Accept-Encoding, Origin"),
    (b"x-content-type-options", b"nosniff"),
)
_PREFLIGHT: tuple[Header, ...] = (
    (b"allow", ", ".join(METHODS).encode()),
    (b"access-control-allow-methods", ", ".join(METHODS).encode()),
    (b"access-control-allow-headers", b"X-API-Key, X-Trace-Id, traceparent, If-None-Match"),
    (b"access-control-max-age", b"86400"),
)
_JSON: Header = (b"content-type", JSON.encode())
_NO_STORE: Header = (b"cache-control", b"no-store")


def encode_lines(fields: Iterable[Header]) -> Lines:
    return b"".join([b"%b: %b\r\n" % field for field in fields])


def split_lines(lines: Lines) -> list[Header]:
    """What `encode_lines` was given."""
    pairs = (line.split(b": ", 1) for line in lines.split(b"\r\n")[:-1])
    return [(name, value) for name, value in pairs]


def make_etag(body: bytes) -> bytes:
    """Weak: one for all codings."""
    return b'W/"%b"' % hashlib.sha256(body).hexdigest()[:32].encode()


def matches_etag(if_none_match: bytes | None, etag: bytes) -> bool:
    """Whether `If-None-Match` names the answer that would be sent, which then is 304. Weakly (RFC 9110, 13.1.2): lists
    are taken, and `*`, which names whatever there is."""
    if if_none_match is None:
        return False
    wanted = etag.removeprefix(b"W/")
    tags = [tag.strip() for tag in if_none_match.split(b",")]
    return tags == [b"*"] or any(tag.removeprefix(b"W/") == wanted for tag in tags)


@lru_cache(maxsize=64)
def _begin_head(max_age: int | None) -> Lines:
    """What is the same in all successes. `max_age` in seconds, or None for `no-cache`."""
    cache_control = b"private, no-cache" if max_age is None else b"private, max-age=%d" % max_age
    return encode_lines((*_COMMON, (b"cache-control", cache_control)))


class Body(Struct, frozen=True, kw_only=True):
    """Bytes of a success to be sent, with the headers that are theirs."""

    data: bytes
    head: Lines


def make_body(data: bytes, coding: bytes, *, media: str = JSON) -> Body:
    """`data` is in `coding` already."""
    return Body(data=data, head=list_content_headers(len(data), coding, media=media))


def list_content_headers(size: int, coding: bytes, *, media: str) -> Lines:
    """The headers of a body of so many bytes in this coding."""
    head = b"content-type: %b\r\ncontent-length: %d\r\n" % (media.encode(), size)
    return b"%bcontent-encoding: %b\r\n" % (head, coding) if coding else head


def make_head(*, etag: bytes, max_age: int | None, release: bytes | None) -> Lines:
    """What a success's and its 304's headers begin with, the same for everyone who gets them."""
    head = b"%betag: %b\r\n" % (_begin_head(max_age), etag)
    return head if release is None else b"%bx-release: %b\r\n" % (head, release)


def list_headers(*, head: Lines, body: Body | None, limits: Lines, request_id: bytes, trace_id: bytes) -> Lines:
    """Of a success, or of a 304 where there is no body."""
    own = b"" if body is None else body.head
    return b"%b%b%bx-request-id: %b\r\nx-trace-id: %b\r\n" % (head, own, limits, request_id, trace_id)


async def send_success(send: Send, context: RequestContext, *, head: Lines, body: Body) -> None:
    """200; to a HEAD without the body."""
    headers = _list_own(context, head=head, body=body)
    await send_whole(send, status=200, headers=headers, body=b"" if context.is_head else body.data)


async def send_file(
    send: Send,
    context: RequestContext,
    *,
    head: Lines,
    entity: Lines,
    pieces: Iterable[bytes],
) -> None:
    """Sends 200 with a body that is never in memory as a whole. A HEAD gets no body."""
    headers = _list_own(context, head=head, body=Body(data=b"", head=entity))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for piece in () if context.is_head else pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.sleep(0)  # others are answered between two pieces
    await send({"type": "http.response.body", "body": b""})


async def send_mismatch(send: Send) -> None:
    """412 to a front that asks for the body of an ETag which is not the answer's any more."""
    await send_whole(send, status=412, headers=[(b"content-length", b"0")])


async def send_not_modified(send: Send, context: RequestContext, *, head: Lines) -> None:
    """Sends 304: the headers that the success would have, and no body."""
    await send_whole(send, status=304, headers=_list_own(context, head=head, body=None))


def _list_own(context: RequestContext, *, head: Lines, body: Body | None) -> list[Header]:
    lines = list_headers(
        head=head,
        body=body,
        limits=context.limits,
        request_id=context.request_id,
        trace_id=context.trace_id,
    )
    return split_lines(lines)


async def send_redirect(send: Send, context: RequestContext, *, head: Lines, location: bytes) -> None:
    """308: the same request, at another address."""
    entity = encode_lines(((b"location", location), (b"content-length", b"0")))
    await send_whole(send, status=308, headers=_list_own(context, head=head, body=Body(data=b"", head=entity)))


async def send_preflight(send: Send, context: RequestContext) -> None:
    """204 to `OPTIONS`."""
    await _send(send, context, status=204, headers=_PREFLIGHT)


async def send_error(send: Send, context: RequestContext, error: ApiError) -> None:
    headers = [_JSON, _NO_STORE, *_list_headers(error)]
    body = encode_error(error, context.request_id.decode())
    await _send(send, context, status=error.status, headers=headers, body=body)


def make_refusal(error: ApiError, request_id: bytes) -> tuple[list[Header], bytes]:
    """Of what never became a request: headers and body."""
    body = encode_error(error, request_id.decode())
    length = (b"content-length", b"%d" % len(body))
    ids = ((b"x-request-id", request_id), (b"x-trace-id", request_id))
    return [*_COMMON, *ids, _JSON, _NO_STORE, *_list_headers(error), length], body


def _list_headers(error: ApiError) -> Iterator[Header]:
    return ((name.lower().encode(), text.encode()) for name, text in error.headers.items())


async def send_status(
    send: Send, context: RequestContext, *, body: bytes, content_type: str = "application/json"
) -> None:
    """200 of a probe, which nobody keeps."""
    headers = ((b"content-type", content_type.encode()), _NO_STORE)
    await _send(send, context, status=200, headers=headers, body=body)


async def _send(
    send: Send, context: RequestContext, *, status: int, headers: Iterable[Header], body: bytes | None = None
) -> None:
    """A response that has a body, or the same without it to a HEAD; or one that has none."""
    fields = [
        *_COMMON,
        *split_lines(context.limits),
        (b"x-request-id", context.request_id),
        (b"x-trace-id", context.trace_id),
        *headers,
    ]
    if body is not None:
        fields.append((b"content-length", b"%d" % len(body)))
    if context.release is not None:
        fields.append((b"x-release", context.release))
    await send_whole(send, status=status, headers=fields, body=b"" if context.is_head else body or b"")


async def send_whole(send: Send, *, status: int, headers: list[Header], body: bytes = b"") -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
