"""Where releases live: a few named byte strings, written whole, one of them swapped.

Objects never change once written; only `put_if` replaces what is there. Every failure of a store is a `StoreError`.
"""

import enum
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol, Self

from msgspec import Struct

# What a store is in the middle of writing, under names of its own; a killed process leaves it behind.
TEMPORARY = "tmp/"


class StoreError(Exception):
    """The store could not do what was asked: `cause` says why, and what a person may do about it."""

    def __init__(self, *, store: str, operation: str, name: str, cause: str) -> None:
        super().__init__(f"store {store}: cannot {operation} {name}: {cause}")
        self.store = store
        self.operation = operation
        self.name = name
        self.cause = cause

    def __reduce__(self) -> tuple[partial[Self], tuple[()]]:
        """Errors cross process pools, which rebuild them."""
        make = partial(type(self), store=self.store, operation=self.operation, name=self.name, cause=self.cause)
        return make, ()


class NotFound(StoreError):  # noqa: N818 - the name says it
    """Nothing has this name."""


class Outcome(enum.Enum):
    """What became of a compare-and-swap. UNKNOWN: it was sent and no reply says; it may still arrive."""

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
    """The promises that every store keeps; the contract suite in `tests/release` is their list."""

    def get(self, name: str) -> bytes:
        """The bytes of this name, or NotFound."""

    def read_versioned(self, name: str) -> VersionedBytes | None:
        """The bytes and their tag, or None where nothing has this name."""

    def exists(self, name: str) -> bool: ...

    def list(self, prefix: str) -> Iterator[StoreEntry]:
        """Everything whose name starts with `prefix`, in no order; what is written meanwhile may be missing."""

    def put(self, name: str, data: bytes) -> None:
        """As `put_many` of one."""

    def put_many(self, items: Iterable[tuple[str, bytes]]) -> None:
        """Write all; when this returns, all of them outlive a power cut. No reader sees a part of one."""

    def put_if(self, name: str, data: bytes, *, expected: str | None) -> Outcome:
        """Replace what has the tag `expected`, or write the first (None) where there is nothing, durably.

        Of any number of racing writers at most one wins.
        """

    def read_clock(self) -> float:
        """The time by which it says when something was written, in seconds since 1970."""

    def delete(self, entries: Iterable[StoreEntry]) -> Sequence[StoreEntry]:
        """Remove what was listed, durably, save what was written again since; those that were removed."""
