"""The interface of stores: named byte strings, most of them immutable objects named by their SHA-256."""

import enum
import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Protocol, Self, TypeVar

import msgspec
from msgspec import Struct

from outings.configuration.tables import StoreTable

# The prefix of files that are not written completely. A killed process leaves them behind.
TEMPORARY = "tmp/"


class StoreError(Exception):
    """An operation of the store failed. `cause`: why, and what a person can do about it."""

    def __init__(self, *, store: str, operation: str, name: str, cause: str) -> None:
        super().__init__(f"store {store}: cannot {operation} {name}: {cause}")
        self.store = store
        self.operation = operation
        self.name = name
        self.cause = cause

    def __reduce__(self) -> tuple[partial[Self], tuple[()]]:
        """Let process pools rebuild the error."""
        make = partial(type(self), store=self.store, operation=self.operation, name=self.name, cause=self.cause)
        return make, ()


class NotFound(StoreError):  # noqa: N818 - the name says it
    """The store has nothing with this name."""


class Outcome(enum.Enum):
    """The outcome of a compare-and-swap. UNKNOWN: no reply came, and the write may still take effect."""

    WON = "won"
    LOST = "lost"
    UNKNOWN = "unknown"


class VersionedBytes(Struct, frozen=True):
    """Bytes, and the store's tag for this version of them, for `put_if`."""

    data: bytes
    etag: str


class StoreEntry(Struct, frozen=True):
    """A name in a store: its size in bytes, and its last write in seconds since 1970 by the store's clock."""

    name: str
    size: int
    modified_at: float


class Store(Protocol):
    """A store of named byte strings. `tests/release/test_store.py` tests that each kind does what is said here."""

    def get(self, name: str) -> bytes:
        """Return the bytes with this name. Raises NotFound."""

    def read_versioned(self, name: str) -> VersionedBytes | None:
        """Return the bytes and their tag, or None if nothing has this name."""

    def exists(self, name: str) -> bool: ...

    def list(self, prefix: str) -> Iterator[StoreEntry]:
        """Yield the entries whose names start with `prefix`, in no order. Those written meanwhile may be missing."""

    def put(self, name: str, data: bytes) -> None:
        """Write one object, as `put_many` does."""

    def put_many(self, items: Iterable[tuple[str, bytes]]) -> None:
        """Write objects. On return, all of them survive a power cut. No reader ever sees a part of one."""

    def put_if(self, name: str, data: bytes, *, expected: str | None) -> Outcome:
        """Replace bytes durably if the store's tag for them is `expected`; None means that the name must not exist yet.

        Of any number of concurrent writers at most one succeeds.
        """

    def read_clock(self) -> float:
        """Return the time of the clock that dates entries, in seconds since 1970."""

    def delete(self, entries: Iterable[StoreEntry]) -> Sequence[StoreEntry]:
        """Delete these entries durably, except those that were written again since. Return those that were deleted."""


PREFIX = "objects/"

Document = TypeVar("Document")
Item = TypeVar("Item")
Reply = TypeVar("Reply")


class Bytes(Protocol):
    """A byte string, or a mapped file, that can be sliced."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: slice, /) -> bytes: ...


class Corrupt(Exception):  # noqa: N818 - the name says it
    """An error: stored bytes do not have the hash in their name, or can't be parsed. Their release can't be read."""


def hash_of(data: bytes | memoryview) -> str:
    """Return the SHA-256 of these bytes as 64 hex digits, by which roots, manifests and tables refer to them."""
    return hashlib.sha256(data).hexdigest()


def object_name(sha: str) -> str:
    """Return the name in the store of the object with this hash: `objects/<aa>/<sha256>`."""
    return f"{PREFIX}{sha[:2]}/{sha}"


def name_of(data: bytes) -> str:
    """Return the name in the store of an object with these bytes."""
    return object_name(hash_of(data))


def decode_json(data: bytes, kind: type[Document], *, name: str) -> Document:
    """Decode JSON as a `kind`. Raises Corrupt, with `name` in its message, if it is malformed, too deep or of another
    kind."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError) as error:
        raise Corrupt(f"{name}: {error}") from None


def encode_canonical(value: Struct) -> bytes:
    """Encode a root, manifest, site or pointer as canonical JSON: equal values always have the same bytes."""
    return msgspec.json.encode(value, order="sorted")


def read_object(store: Store, sha: str) -> bytes:
    """Read an object and check its hash. Raises NotFound and Corrupt."""
    data = store.get(object_name(sha))
    actual = hash_of(data)
    if actual != sha:
        raise Corrupt(f"object {object_name(sha)} is damaged: its {len(data)} bytes have the SHA-256 {actual}")
    return data


def put_object(store: Store, data: bytes) -> str:
    """Write one object, and return its hash."""
    sha = hash_of(data)
    store.put(object_name(sha), data)
    return sha


# Requests at once. Objects are small, so time goes into round trips, not into bytes.
REQUESTS = 16


def run_all(act: Callable[[Item], Reply], items: Iterable[Item]) -> list[Reply]:
    """Call `act` with each item, `REQUESTS` at once, and return the results in order. Raises the first error. Takes few
    items at a time, so that a generator's items are not all in memory."""
    replies: list[Reply] = []
    running: deque[Future[Reply]] = deque()
    with ThreadPoolExecutor(REQUESTS) as pool:
        for item in items:
            if len(running) >= 2 * REQUESTS:
                replies.append(running.popleft().result())
            running.append(pool.submit(act, item))
        replies += [future.result() for future in running]
    return replies


def open_store(url: str, *, endpoint_url: str | None = None, region: str | None = None) -> Store:
    """Open `file:PATH` or `s3://bucket/prefix`. Raises ValueError if `url` is neither."""
    scheme, _, rest = url.partition(":")
    if scheme == "file" and rest:
        from outings.release.folder import FolderStore

        return FolderStore(Path(rest.removeprefix("//")))
    if scheme == "s3":
        from outings.release.s3 import S3Store  # boto3 takes a second to import

        bucket, _, prefix = rest.removeprefix("//").partition("/")
        if bucket:
            return S3Store(bucket, prefix, endpoint_url=endpoint_url, region=region)
    raise ValueError(f"store url {url!r}: allowed: file:PATH and s3://BUCKET/PREFIX")


def open_configured_store(table: StoreTable) -> Store:
    return open_store(table.url, endpoint_url=table.endpoint_url, region=table.region)
