"""Headers between a front (nginx) and a server: the server decides who gets what, and the front sends the bytes.

docs/front-protocol.md describes them.
"""

import hmac
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256

from msgspec import Struct

FRONT, FILL = b"outings-front", b"outings-fill"
# A fill with this value accepts any ETag.
ANY = b"any"
# Headers of a pointer: the reader's `Cache-Control`, and the coding of the bytes at the address.
CACHE_CONTROL, CODING = b"outings-cache-control", b"outings-coding"

OBJECTS, EXPORTS, ANSWERS = "objects", "exports", "answers"
KINDS = (OBJECTS, EXPORTS, ANSWERS)
POINTERS = {"accel": b"x-accel-redirect", "own": b"outings-body"}
# From this size on, a body costs less if nginx sends it.
LEAST_POINTER_BYTES = 131_072
PREFIX = "/.outings/"

_MOST_DIGITS = 15


class Front(Struct, frozen=True, kw_only=True):
    """A proxy that can send bodies itself. `follows`: the kinds of pointer that it understands; `least`: the smallest
    body in bytes that is worth a pointer; `header`: the name of the header for the pointer."""

    follows: frozenset[str] = frozenset()
    least: int = LEAST_POINTER_BYTES
    header: bytes = POINTERS["own"]


class Fronts:
    """Recognizes fronts by any of `secrets`. Without secrets it recognizes none."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        self._secrets = [secret.encode() for secret in secrets]

    def recognize(self, value: bytes) -> Front | None:
        """Return the front that sent this header, or None if its secret is wrong. The comparison leaks no timing."""
        secret, _, rest = value.partition(b";")
        given = secret.strip()
        matches = [hmac.compare_digest(secret, given) for secret in self._secrets]
        return parse_front(rest) if any(matches) else None


@lru_cache(maxsize=64)
def parse_front(text: bytes) -> Front:
    """Parse the part of the front's header after the secret. Missing and invalid settings get their defaults."""
    parts = (part.partition("=") for part in text.decode("latin-1").split(";"))
    stated = {name.strip(): value.strip() for name, _, value in parts}
    digits = stated.get("from", "")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return Front(
        follows=frozenset(kind.strip() for kind in stated.get("follows", "").split(",")) & frozenset(KINDS),
        least=int(digits) if is_number else LEAST_POINTER_BYTES,
        header=POINTERS.get(stated.get("pointer", ""), POINTERS["own"]),
    )


def render_front(secret: str, *, follows: Iterable[str], least: int, pointer: str) -> str:
    """Return the value of the header with which a front introduces itself."""
    return f"{secret}; follows={','.join(follows)}; from={least}; pointer={pointer}"


def name_object(sha: str, *, kind: str = OBJECTS) -> bytes:
    """Return the address of an object's bytes; `kind` is one of `OBJECTS` and `EXPORTS`."""
    return f"{PREFIX}{kind}/{sha[:2]}/{sha}".encode()


def name_answer(query_text: str, *, etag: bytes, coding: bytes) -> bytes:
    """Return the address under which a front requests and caches a body. Equal requests with equal rights share one."""
    digest = sha256(query_text.encode() + b"\n" + etag).hexdigest()
    return f"{PREFIX}{ANSWERS}/{digest}.".encode() + (coding or b"identity")
