"""The pointer, `current.json`, which names the current release. Replacing it publishes a release.

Also walks the chain of earlier releases, and finds the releases of a store that lost its pointer.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from outings.failures import GuardRefusal
from outings.release.manifest import list_references
from outings.release.root import (
    ListedRelease,
    ReleaseRange,
    Root,
    format_release_id,
    has_ended,
    parse_release_id,
    read_root,
    walk_releases,
)
from outings.release.store import (
    PREFIX,
    Corrupt,
    NotFound,
    Outcome,
    Store,
    StoreError,
    decode_json,
    encode_canonical,
    object_name,
    run_all,
)
from outings.release.trust import ANYBODY, PublicKey, Trust

NAME = "current.json"

# How often a swap without a reply is sent. Each attempt waits for the time-out of the store's client.
ATTEMPTS = 5

_ADVICE = "put it back from a copy, or let `outings releases restore` write one to the newest release that is whole"

# Larger objects are no roots. A root has kilobytes, and some 300 bytes for each takedown.
_MOST_BYTES = 16 * 2**20


class DamagedStore(Corrupt, GuardRefusal):
    """The store has releases and no pointer, so nothing says which of them is in force."""


class Pointer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The name of the current release. The sequence rises with every swap, so no two pointers have the same bytes.

    `signature`: base64, over the bytes of the pointer without it; null where releases are not signed.
    """

    sequence: int
    root: str
    published_at: datetime
    latest_version_id: int
    signature: str | None = None


class VersionedPointer(Struct, frozen=True):
    """A pointer as it was read, with the store's ETag."""

    pointer: Pointer
    etag: str


class CurrentRelease(Struct, frozen=True):
    """The release in force: the pointer and the root that it names, which fit each other."""

    pointer: VersionedPointer
    root: Root

    @property
    def listed(self) -> ListedRelease:
        return ListedRelease(self.pointer.pointer.root, self.root)


def make_pointer(sha: str, root: Root, *, trust: Trust) -> Pointer:
    """Return the pointer to this root, signed if `trust` has a signer. The same root always has the same pointer."""
    pointer = Pointer(
        sequence=root.sequence, root=sha, published_at=root.built_at, latest_version_id=root.log.latest_version_id
    )
    return replace(pointer, signature=trust.sign(encode_canonical(pointer)))


def find_pointer_signer(pointer: Pointer, *, trust: Trust) -> PublicKey | None:
    """Return the trusted key that signed the pointer, or None if no key is required. Raises UntrustedRelease."""
    data = encode_canonical(replace(pointer, signature=None))
    release_id = format_release_id(pointer.sequence, pointer.root)
    return trust.find_signer(data, pointer.signature, named=f"{NAME}, which names release {release_id}")


def read_pointer(store: Store, *, trust: Trust = ANYBODY) -> VersionedPointer | None:
    """Read the pointer, or return None if nothing was published yet. Raises UntrustedRelease, Corrupt and
    StoreError."""
    versioned = store.read_versioned(NAME)
    if versioned is None:
        return None
    try:
        pointer = decode_json(versioned.data, Pointer, name=NAME)
    except Corrupt as error:
        raise Corrupt(f"{error}; {_ADVICE}") from None
    find_pointer_signer(pointer, trust=trust)
    return VersionedPointer(pointer, versioned.etag)


def read_current(store: Store, *, trust: Trust = ANYBODY, is_new: bool = False) -> CurrentRelease | None:
    """Return the release in force, or None if nothing was published yet. Only commands that publish or delete need it.
    `is_new`: a store without a pointer is believed to be new, and not searched for releases.

    Raises DamagedStore if the store has releases and no pointer, Corrupt if the pointer and its root do not fit,
    UntrustedRelease and StoreError.
    """
    versioned = read_pointer(store, trust=trust)
    if versioned is None:
        if not is_new:
            refuse_lost_pointer(store)
        return None
    pointer = versioned.pointer
    try:
        root = read_root(store, pointer.root)
        reason = explain_pointer(pointer, root)
    except NotFound:
        reason = f"its root, {object_name(pointer.root)}, does not exist"
    except Corrupt as error:
        reason = str(error)
    if reason is not None:
        release_id = format_release_id(pointer.sequence, pointer.root)
        raise Corrupt(f"store {store}: {NAME}, which names release {release_id}: {reason}; {_ADVICE}")
    return CurrentRelease(versioned, root)


def explain_pointer(pointer: Pointer, root: Root) -> str | None:
    """Explain why this root is not the one that the pointer names, or return None."""
    if root.sequence != pointer.sequence:
        return f"the pointer says sequence {pointer.sequence}, its root {root.sequence}"
    if root.log.latest_version_id != pointer.latest_version_id:
        return f"the pointer says version {pointer.latest_version_id}, its root {root.log.latest_version_id}"
    return None


def swap_pointer(store: Store, *, old: VersionedPointer | None, new: Pointer) -> Outcome:
    """Replace the pointer. Return WON or LOST, never UNKNOWN: after a lost reply the chain of roots tells.

    While the pointer still is `old`, the same swap is sent again: the one on its way and the new one can't both win,
    and neither can undo what followed. Raises StoreError if even that gets no reply.
    """
    expected = None if old is None else old.etag
    doubted = False
    for _ in range(ATTEMPTS):
        outcome = store.put_if(NAME, encode_canonical(new), expected=expected)
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
    """Return True if the root of `wanted` is the current one or an earlier one of its chain."""
    for release in walk_releases(store, current.root):
        if release.root.sequence <= wanted.sequence:
            return release.sha == wanted.root
    return False


def refuse_lost_pointer(store: Store) -> None:
    """Raise DamagedStore if the store, which has no pointer, has releases. Its text names the newest whose objects are
    all there. Objects without a root are no release: their first build was killed."""
    releases = find_releases(store)
    if not releases:
        return
    names = {entry.name for entry in store.list(PREFIX)}
    whole = next((release.id for release in releases if _is_whole(store, release.root, names)), None)
    advice = (
        "none of them is whole: put the store back from a backup"
        if whole is None
        else f"the newest that is whole is {whole}: `outings releases restore` puts it in force again"
    )
    raise DamagedStore(
        f"store {store} has releases, and its current.json, which says which one is in force, is gone; {advice}. "
        "`outings build --new-store` starts a new one, at version 1 and without earlier takedowns"
    )


def find_releases(store: Store) -> list[ListedRelease]:
    """Return all releases in the store, the highest sequence first, without those that a takedown ended. It reads every
    object small enough to be a root."""
    names = (entry.name for entry in store.list(PREFIX) if entry.size <= _MOST_BYTES)
    matches = filter(None, run_all(partial(_find_release, store), names))
    ended: tuple[ReleaseRange, ...] = ()
    releases = []
    for release in sorted(matches, key=lambda release: release.root.sequence, reverse=True):
        if not has_ended(ended, release.root.sequence):
            releases.append(release)
        ended += release.root.ended
    return releases


def _find_release(store: Store, name: str) -> ListedRelease | None:
    sha = name.rpartition("/")[2]
    try:
        return ListedRelease(sha, read_root(store, sha))
    except (Corrupt, NotFound):
        return None


def _is_whole(store: Store, root: Root, names: Collection[str]) -> bool:
    try:
        return all(object_name(sha) in names for sha in list_references(store, root))
    except (Corrupt, NotFound):
        return False


def list_releases(store: Store, *, trust: Trust = ANYBODY) -> Iterator[ListedRelease]:
    """Yield the current release and the previous ones, newest first, until one is pruned. Roots are read when needed.

    Each root names the previous one by hash, so the pointer's signature covers all of them. Raises UntrustedRelease,
    Corrupt, NotFound and StoreError.
    """
    current = read_current(store, trust=trust)
    if current is not None:
        yield current.listed
        yield from walk_releases(store, current.root.previous)


def read_release(store: Store, release_id: str, *, trust: Trust = ANYBODY) -> ListedRelease:
    """Return the release with this id. Raises NotFound if it is not kept, ValueError if the text is no id of a release,
    UntrustedRelease and Corrupt."""
    sequence, _ = parse_release_id(release_id)
    for release in list_releases(store, trust=trust):
        if release.id == release_id:
            return release
        if release.root.sequence <= sequence:
            break
    cause = "it was never published, or is no longer kept"
    raise NotFound(store=str(store), operation="read", name=f"release {release_id}", cause=cause)
