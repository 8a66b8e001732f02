"""Where a walk stands: opaque text, bound to the request that issued it (decisions §5)."""

import datetime
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

import msgspec
from msgspec import Struct

from outings.contract.errors import ApiError, bad_request

# Part of the text: a cursor that another layout made is refused, never read as if it were this one's.
LAYOUT = 1
MOST_CHARACTERS = 2000
_BINDING_BYTES = 12
_CHECK_BYTES = 8
_ALPHABET = re.compile(r"[A-Za-z0-9_-]+")


class Cursor(Struct, frozen=True, kw_only=True, array_like=True, forbid_unknown_fields=True):
    """`release` and `date` (of the metro) are those on which the walk began; `position` is the last row's key."""

    route: str
    release: str
    date: datetime.date
    position: tuple[str | int | None, ...]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Cursor)


def encode_cursor(cursor: Cursor, request_text: str) -> str:
    """`request_text`: `Query.walk`, the request without its page and cursor.

    Raises ValueError when the position makes the text longer than the contract allows.
    """
    body = bytes([LAYOUT]) + _encoder.encode(cursor) + _bind(request_text)
    text = urlsafe_b64encode(body + _sum(body)).rstrip(b"=").decode()
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a cursor of {len(text)} characters; at most {MOST_CHARACTERS}: {cursor!r}")
    return text


def parse_cursor(text: str, *, route: str, request_text: str) -> Cursor:
    """Raises `cursor_malformed` (cut, changed, of another layout or route) or `cursor_mismatch` (another request)."""
    body = _read_body(text)
    if body is None or body[0] != LAYOUT:
        raise _malformed()
    try:
        cursor = _decoder.decode(body[1:-_BINDING_BYTES])
    except msgspec.MsgspecError:
        raise _malformed() from None
    if cursor.route != route:
        raise _malformed()
    if body[-_BINDING_BYTES:] != _bind(request_text):
        raise bad_request(
            param="cursor",
            reason="cursor_mismatch",
            message="This cursor was issued for another request; send it with exactly the parameters that gave it.",
        )
    return cursor


def _read_body(text: str) -> bytes | None:
    """The bytes under the check sum, or None. Base64 has several spellings of some bytes: only ours passes."""
    if len(text) > MOST_CHARACTERS or not _ALPHABET.fullmatch(text) or len(text) % 4 == 1:
        return None
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        return None
    body, check = data[:-_CHECK_BYTES], data[-_CHECK_BYTES:]
    return body if len(body) > _BINDING_BYTES and check == _sum(body) else None


def _bind(request_text: str) -> bytes:
    return sha256(request_text.encode()).digest()[:_BINDING_BYTES]


def _sum(body: bytes) -> bytes:
    return sha256(body).digest()[:_CHECK_BYTES]


def _malformed() -> ApiError:
    return bad_request(
        param="cursor",
        reason="cursor_malformed",
        message="This is no cursor of this list; send meta.next_cursor as it was given, or none to start anew.",
    )
