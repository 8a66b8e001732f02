"""The text of an API key, `ldk_<id>_<secret><check sum>`, and its hash: only id and hash are in the registry."""

import re
import secrets
import zlib
from collections.abc import Callable
from hashlib import sha256
from string import ascii_lowercase, ascii_uppercase, digits

ID_LENGTH, SECRET_LENGTH, SUM_LENGTH = 8, 30, 6
_BASE62 = digits + ascii_uppercase + ascii_lowercase
_PAIRS = [(high + low).encode() for high in _BASE62 for low in _BASE62]
_FORM = re.compile(rb"ldk_([0-9A-Za-z]{8})_[0-9A-Za-z]{36}")


def make_key_text(choose: Callable[[str], str] = secrets.choice) -> str:
    """Return `ldk_<8 base62 id>_<30 base62 secret><6 base62 CRC-32 of everything before>`."""
    id_, secret = ("".join(choose(_BASE62) for _ in range(length)) for length in (ID_LENGTH, SECRET_LENGTH))
    opening = f"ldk_{id_}_{secret}"
    return opening + _sum(opening.encode()).decode()


def split_key_text(text: str) -> tuple[str, str]:
    """Return the id of a text from `make_key_text`, and the hash that the registry stores."""
    return text[4 : 4 + ID_LENGTH], hash_key_text(text)


def hash_key_text(text: str | bytes) -> str:
    return sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def has_key_form(text: bytes) -> bool:
    """Return True if the text contains a key's id. Legacy keys have another form, and are found by their hash."""
    return _FORM.fullmatch(text) is not None


def read_key_id(text: bytes) -> str | None:
    """Return the id in a key's text, or None for a legacy key. Raises ValueError if the check sum is wrong."""
    form = _FORM.fullmatch(text)
    if form is None:
        return None
    if text[-SUM_LENGTH:] != _sum(text[:-SUM_LENGTH]):
        raise ValueError("the key's check sum does not fit its text")
    return form[1].decode()


def _sum(opening: bytes) -> bytes:
    rest, low = divmod(zlib.crc32(opening), len(_PAIRS))
    high, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[high] + _PAIRS[middle] + _PAIRS[low]
