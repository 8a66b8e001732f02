"""The store of releases: a few named byte strings that are written as a whole, one of which is replaced.

Objects never change once they are written. Only `put_if` replaces what is there. Every failure of a store is a
`StoreError`.
"""

import enum
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol, Self

from msgspec import Struct

# Where a store keeps what it has not finished writing. A killed process leaves it behind.
TEMPORARY = "tmp/"


class StoreError(Exception):
    """The store could not do an operation. `cause` says why, and what a person can do about it."""

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
    """The outcome of a compare-and-swap. UNKNOWN: it was sent, but no reply came; it may still arrive."""

    WON = "won"
    LOST = "lost"
    UNKNOWN = "unknown"


class VersionedBytes(Struct, frozen=True):
    """Bytes and the store's tag of them, to be handed back to `put_if`."""

    data: bytes
    etag: str


class StoreEntry(Struct, frozen=True):
    """A listed name: size in bytes, and when it was last written in seconds since 1970 by the store's clock."""

    name: str
    size: int
    modified_at: float


class Store(Protocol):
    """A store of named byte strings. The contract suite in `tests/release` tests these promises for each kind."""

    def get(self, name: str) -> bytes:
        """Return the bytes with this name. Raises NotFound."""

    def read_versioned(self, name: str) -> VersionedBytes | None:
        """Return the bytes and their tag, or None if nothing has this name."""

    def exists(self, name: str) -> bool: ...

    def list(self, prefix: str) -> Iterator[StoreEntry]:
        """Yield everything whose name starts with `prefix`, in no order. What is written meanwhile may be missing."""

    def put(self, name: str, data: bytes) -> None:
        """Write one object, as `put_many` does."""

    def put_many(self, items: Iterable[tuple[str, bytes]]) -> None:
        """Write all objects. When it returns, all of them survive a power cut. No reader sees a part of one."""

    def put_if(self, name: str, data: bytes, *, expected: str | None) -> Outcome:
        """Replace the bytes that have the tag `expected`, durably. If that is None, write the first ones.

        Of any number of concurrent writers at most one succeeds.
        """

    def read_clock(self) -> float:
        """Return the time by which the store says when something was written, in seconds since 1970."""

    def delete(self, entries: Iterable[StoreEntry]) -> Sequence[StoreEntry]:
        """Remove these entries durably, except those that were written again since. Return those that were removed."""
