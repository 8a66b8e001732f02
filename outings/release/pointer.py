"""Pointer: `current.json`, the one name whose bytes change. Swapping it is what publishes a release."""

from datetime import datetime

import msgspec
from msgspec import Struct

from outings.release.objects import Corrupt
from outings.release.root import walk_roots
from outings.release.store import Outcome, Store, StoreError

NAME = "current.json"

# A reply is asked for again at most this often; each attempt already waits as long as the store's client does.
ATTEMPTS = 5


class Pointer(Struct, frozen=True, kw_only=True):
    """The release in force. The sequence rises with every swap, so no two pointers have the same bytes."""

    sequence: int
    root: str
    published_at: datetime
    latest_version_id: int


class VersionedPointer(Struct, frozen=True):
    """A pointer as it was read, with the store's tag of it."""

    pointer: Pointer
    etag: str


def encode_pointer(pointer: Pointer) -> bytes:
    return msgspec.json.encode(pointer, order="sorted")


def parse_pointer(data: bytes) -> Pointer:
    """Corrupt where the bytes are no pointer."""
    try:
        return msgspec.json.decode(data, type=Pointer)
    except msgspec.DecodeError as error:
        raise Corrupt(f"{NAME}: {error}") from None


def read_pointer(store: Store) -> VersionedPointer | None:
    """The pointer in force, or None where nothing was published yet."""
    found = store.read_versioned(NAME)
    return None if found is None else VersionedPointer(parse_pointer(found.data), found.etag)


def swap_pointer(store: Store, *, old: VersionedPointer | None, new: Pointer) -> Outcome:
    """WON or LOST, never UNKNOWN: a lost reply is settled by reading the pointer and the chain of roots.

    While the pointer still is `old`, the same swap is sent again: the one on its way and the new one can't both win,
    and neither can undo what followed. StoreError where even that gets no answer.
    """
    expected = None if old is None else old.etag
    doubted = False
    for _ in range(ATTEMPTS):
        outcome = store.put_if(NAME, encode_pointer(new), expected=expected)
        if outcome is Outcome.WON or (outcome is Outcome.LOST and not doubted):
            return outcome
        doubted = True
        current = read_pointer(store)
        if current is not None and is_published(store, current=current.pointer, wanted=new):
            return Outcome.WON
        if (None if current is None else current.etag) != expected:
            return Outcome.LOST
    cause = f"no reply to {ATTEMPTS} attempts, so it is not known whether release {new.sequence} was published"
    raise StoreError(store=str(store), operation="swap", name=NAME, cause=cause)


def is_published(store: Store, *, current: Pointer, wanted: Pointer) -> bool:
    """Whether the root of `wanted` is the current one or one of those before it."""
    for sha, root in walk_roots(store, current.root):
        if root.sequence <= wanted.sequence:
            return sha == wanted.root
    return False
