"""Signed addresses of calendars, for calendar programs, which can be given an address but no header with a key.

A signature is an HMAC-SHA256 over the key's id, the path and the decoded, sorted parameters: programs encode and order
them as they like. It does not depend on the table of parameters, so an address outlives a new default or a metro's new
slug.
"""

import hmac
from collections.abc import Iterable, Sequence
from hashlib import sha256
from urllib.parse import quote, unquote, urlencode

from outings.contract.query import MOST_BYTES, split_pairs

KEY_ID, SIGNATURE = "key_id", "signature"
_OWN = (KEY_ID.encode(), SIGNATURE.encode())
# The bytes by which these two may exceed the longest query string.
_OWN_BYTES = 512

_Pair = tuple[bytes, bytes]


class CalendarAddresses:
    """Signs addresses with the first of `secrets`, and verifies them with each. Without secrets there are none."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        self._secrets = [secret.encode() for secret in secrets]

    @property
    def exist(self) -> bool:
        return len(self._secrets) > 0

    def sign(self, target: str, *, key_id: str) -> str:
        """Return `target`, a path with or without a query string, with the key's id and a signature added."""
        path, separator, query_string = target.partition("?")
        message = _write_message(path, split_pairs(query_string.encode()), key_id=key_id)
        signature = _sign(self._secrets[0], message)
        return f"{target}{'&' if separator else '?'}{KEY_ID}={quote(key_id, safe='')}&{SIGNATURE}={signature}"

    def verify(self, path: str, query_string: bytes) -> tuple[str, bytes] | None:
        """Return the id of the key that signed the address, and the query string without the signature's parameters.
        Return None if the signature is missing or wrong. `path`: percent-encoded, as sent."""
        if not self.exist or len(query_string) > MOST_BYTES + _OWN_BYTES:
            return None
        pairs = split_pairs(query_string)
        others = [pair for pair in pairs if pair[0] not in _OWN]
        own = dict(pair for pair in pairs if pair[0] in _OWN)
        if len(own) != len(_OWN) or len(others) + len(_OWN) != len(pairs):
            return None
        try:
            key_id = own[_OWN[0]].decode()
        except UnicodeDecodeError:
            return None
        message = _write_message(path, others, key_id=key_id)
        given = own[_OWN[1]]
        if not any(hmac.compare_digest(_sign(secret, message).encode(), given) for secret in self._secrets):
            return None
        return key_id, urlencode(others).encode()


def is_signed(query_string: bytes) -> bool:
    """Return True if the query has a parameter of a signed address, whether or not its value is valid."""
    return any(name in _OWN for name, _ in split_pairs(query_string))


def _write_message(path: str, pairs: Iterable[_Pair], *, key_id: str) -> bytes:
    """Return the text to sign, which is the same for equal parameters however they were encoded, and unambiguous."""
    segments = "/".join(quote(unquote(segment, errors="surrogateescape"), safe="", errors="surrogateescape")
                        for segment in path.split("/"))  # fmt: skip
    written = sorted(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)
    return "\n".join(["calendar", quote(key_id, safe=""), segments, *written]).encode()


def _sign(secret: bytes, message: bytes) -> str:
    return hmac.new(secret, message, sha256).hexdigest()
