"""Objects: immutable bytes, named by their own SHA-256."""

import hashlib
from typing import Protocol, TypeVar

import msgspec

from outings.release.store import Store

PREFIX = "objects/"

Document = TypeVar("Document")


class Bytes(Protocol):
    """What can be cut like bytes."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: slice, /) -> bytes: ...


class Corrupt(Exception):  # noqa: N818 - the name says it
    """Stored bytes are not what their name or their layout says; the release that names them can't be read."""


def hash_of(data: bytes | memoryview) -> str:
    """The 64 hex digits by which a root, a manifest or a table names these bytes."""
    return hashlib.sha256(data).hexdigest()


def object_name(sha: str) -> str:
    """Where the store keeps the object of this hash: `objects/<aa>/<sha256>`."""
    return f"{PREFIX}{sha[:2]}/{sha}"


def name_of(data: bytes) -> str:
    """Where the store keeps these bytes."""
    return object_name(hash_of(data))


def check_object(sha: str, data: bytes) -> bytes:
    """The bytes, or Corrupt where they are not the ones that were named."""
    actual = hash_of(data)
    if actual != sha:
        raise Corrupt(f"object {object_name(sha)} is damaged: its {len(data)} bytes have the SHA-256 {actual}")
    return data


def decode_json(data: bytes, kind: type[Document], *, name: str) -> Document:
    """Corrupt, which says `name`, where the bytes are no such JSON: malformed, of others, no UTF-8, too deep."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError) as error:
        raise Corrupt(f"{name}: {error}") from None


def read_object(store: Store, sha: str) -> bytes:
    """The object's bytes, their hash checked. NotFound, Corrupt."""
    return check_object(sha, store.get(object_name(sha)))


def put_object(store: Store, data: bytes) -> str:
    """Write one object; its hash."""
    sha = hash_of(data)
    store.put(object_name(sha), data)
    return sha
