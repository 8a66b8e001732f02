"""Cursors: opaque texts that mark a position in a list, so that the next page can begin there.

A cursor works only for the request that issued it. It is sealed with the hash of the snapshot that its first page came
from (decision 0030).
"""

import datetime
import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

import msgspec
from msgspec import Struct

from outings.contract.errors import ApiError, bad_request
from outings.contract.values import EARLIEST, LATEST, format_instant, parse_instant

# The layout of a cursor, which is a part of its text. Cursors of other layouts are refused.
LAYOUT = 2
MOST_CHARACTERS = 2000
_BINDING_BYTES = 12
_CHECK_BYTES = 8
_SEAL_BYTES = 16
_ALPHABET = re.compile(r"[A-Za-z0-9_-]+")


class Cursor(Struct, frozen=True, kw_only=True, array_like=True, forbid_unknown_fields=True):
    """The position after the last item of a page. `position`: the sort key of that item. `release`: the metro's stamp
    when the first page was read; `date`: its local date then."""

    route: str
    release: str
    date: datetime.date
    position: tuple[str | int | None, ...]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Cursor)


def encode_cursor(cursor: Cursor, request_text: str, *, snapshot: str) -> str:
    """Encode a cursor. `request_text` is `Query.unpaged_text`: the request without page and cursor. `snapshot`: the
    hash of the snapshot that the first page came from.

    Raises ValueError if the position makes the text longer than the contract allows.
    """
    body = _encode_body(cursor, request_text)
    seal = _seal(body, snapshot)
    text = urlsafe_b64encode(body + _sum(body + seal) + seal).rstrip(b"=").decode()
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a cursor of {len(text)} characters; at most {MOST_CHARACTERS}: {cursor!r}")
    return text


def parse_cursor(text: str, *, route: str, request_text: str) -> tuple[Cursor, bytes]:
    """Return the cursor and its seal. Check the seal with `is_sealed` once the snapshot is known.

    Raises `cursor_malformed` if the text was changed or comes from another layout or route, and `cursor_mismatch` if it
    comes from another request.
    """
    parts = _split_text(text)
    if parts is None:
        raise malformed_cursor()
    body, seal = parts
    fields, binding = body[1:-_BINDING_BYTES], body[-_BINDING_BYTES:]
    try:
        cursor = _decoder.decode(fields)
    except msgspec.MsgspecError:
        raise malformed_cursor() from None
    # MessagePack has several spellings of a number: only ours passes.
    if cursor.route != route or not _is_possible(cursor) or _encoder.encode(cursor) != fields:
        raise malformed_cursor()
    if binding != _bind(request_text):
        message = "cursor belongs to another request; send it with exactly the parameters that gave it."
        raise bad_request(param="cursor", reason="cursor_mismatch", message=message)
    return cursor, seal


def is_sealed(cursor: Cursor, seal: bytes, request_text: str, *, snapshot: str) -> bool:
    """Return True if the cursor was made from the snapshot with this hash."""
    return hmac.compare_digest(seal, _seal(_encode_body(cursor, request_text), snapshot))


def malformed_cursor() -> ApiError:
    message = "cursor is not one that this list gave; send meta.next_cursor unchanged, or no cursor to start again."
    return bad_request(param="cursor", reason="cursor_malformed", message=message)


def _split_text(text: str) -> tuple[bytes, bytes] | None:
    """Return the cursor's body and its seal, or None if `encode_cursor` did not write the text. Base64 has several
    spellings of the same bytes, of which only ours passes."""
    if len(text) > MOST_CHARACTERS or not _ALPHABET.fullmatch(text) or len(text) % 4 == 1:
        return None
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        return None
    data, seal = data[:-_SEAL_BYTES], data[-_SEAL_BYTES:]
    body, check = data[:-_CHECK_BYTES], data[-_CHECK_BYTES:]
    is_whole = len(body) > _BINDING_BYTES and body[0] == LAYOUT and check == _sum(body + seal)
    return (body, seal) if is_whole else None


def _is_possible(cursor: Cursor) -> bool:
    """Return True if the cursor's date and stamp can be those of a snapshot."""
    stamp = parse_instant(cursor.release)
    if stamp is None or format_instant(stamp) != cursor.release:
        return False
    return all(EARLIEST <= day <= LATEST for day in (cursor.date, stamp.date()))


def _encode_body(cursor: Cursor, request_text: str) -> bytes:
    return b"%c%b%b" % (LAYOUT, _encoder.encode(cursor), _bind(request_text))


def _bind(request_text: str) -> bytes:
    return sha256(request_text.encode()).digest()[:_BINDING_BYTES]


def _seal(body: bytes, snapshot: str) -> bytes:
    """Return the seal. Its key is derived from the snapshot's hash for cursors alone, so that a seal reveals nothing
    about other uses of the hash."""
    key = hmac.digest(snapshot.encode(), b"cursor", "sha256")
    return hmac.digest(key, body, "sha256")[:_SEAL_BYTES]


def _sum(data: bytes) -> bytes:
    """Return a checksum, which detects a truncated cursor even when its snapshot is gone and its seal can't be
    checked."""
    return sha256(data).digest()[:_CHECK_BYTES]
