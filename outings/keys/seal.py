"""Sealing of keys' hashes: an HMAC over a hash that a key was kept by, with a secret that is not in the store.

A key of ours has 178 random bits, so that its SHA-256 tells nobody what it is. One of another system may be a word. Who
reads the registry could try words until one has its hash, but not without the secret.
"""

import hmac
from hashlib import sha256

from msgspec import Struct

_SEALED = "hmac"
_NAME_CHARACTERS = 8


class WrongSeal(Exception):  # noqa: N818 - the name says it
    """The registry has hashes that are sealed with another secret, or there is none here."""


class Seal(Struct, frozen=True):
    """By one secret, which is never changed: nobody has the texts to seal them anew."""

    secret: str

    @property
    def name(self) -> str:
        """Stands in each sealed hash, so that a wrong secret is told from a wrong key."""
        return self._sign(b"the name of this secret")[:_NAME_CHARACTERS]

    def close(self, hash_: str) -> str:
        """`hmac:<name>:<64 hex digits>`; one that is sealed stays as it is."""
        if find_seal(hash_) is not None:
            return hash_
        return f"{_SEALED}:{self.name}:{self._sign(bytes.fromhex(hash_))}"

    def _sign(self, data: bytes) -> str:
        return hmac.new(self.secret.encode(), data, sha256).hexdigest()


def open_seal(secret: str) -> Seal | None:
    """None where no secret is given."""
    return Seal(secret) if secret else None


def find_seal(hash_: str) -> str | None:
    """The name of the secret that this hash is sealed with; None of a plain one."""
    kind, _, rest = hash_.partition(":")
    return rest.partition(":")[0] if kind == _SEALED else None
