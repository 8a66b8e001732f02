"""Objects: immutable bytes, named by their own SHA-256."""

import hashlib
from typing import Protocol, TypeVar

import msgspec

from outings.release.store import Store

PREFIX = "objects/"

Document = TypeVar("Document")


class Bytes(Protocol):
    """A byte string, or a mapped file, that can be sliced."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: slice, /) -> bytes: ...


class Corrupt(Exception):  # noqa: N818 - the name says it
    """Stored bytes are not what their name or their layout says; the release that names them can't be read."""


def hash_of(data: bytes | memoryview) -> str:
    """Return the 64 hex digits by which a root, a manifest or a table names these bytes."""
    return hashlib.sha256(data).hexdigest()


def object_name(sha: str) -> str:
    """Return the name in the store of the object with this hash: `objects/<aa>/<sha256>`."""
    return f"{PREFIX}{sha[:2]}/{sha}"


def name_of(data: bytes) -> str:
    """Return the name in the store of these bytes."""
    return object_name(hash_of(data))


def check_object(sha: str, data: bytes) -> bytes:
    """Return the bytes, or raise Corrupt if they do not have this hash."""
    actual = hash_of(data)
    if actual != sha:
        raise Corrupt(f"object {object_name(sha)} is damaged: its {len(data)} bytes have the SHA-256 {actual}")
    return data


def decode_json(data: bytes, kind: type[Document], *, name: str) -> Document:
    """Decode JSON. Raise Corrupt, with `name` in its text, if the bytes are malformed, too deep, or another
    document."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError) as error:
        raise Corrupt(f"{name}: {error}") from None


def read_object(store: Store, sha: str) -> bytes:
    """Read an object and check its hash. Raises NotFound and Corrupt."""
    return check_object(sha, store.get(object_name(sha)))


def put_object(store: Store, data: bytes) -> str:
    """Write one object, and return its hash."""
    sha = hash_of(data)
    store.put(object_name(sha), data)
    return sha
