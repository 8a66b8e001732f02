"""Verify every kept release as an outsider would, from the pointer's signature down to the bytes of each object."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import islice

from msgspec import Struct

from outings.release.log import list_segments
from outings.release.manifest import hash_snapshot, list_references, read_manifest
from outings.release.objects import Corrupt, check_object, object_name
from outings.release.pointer import (
    VersionedPointer,
    explain_pointer,
    find_pointer_signer,
    read_pointer,
    refuse_lost_pointer,
)
from outings.release.releases import ListedRelease
from outings.release.root import ReleaseRange, Root, explain_regress, format_release_id, has_ended, read_root
from outings.release.store import NotFound, Store
from outings.release.trust import Trust

# Objects asked for at once, and how many names are held for them.
_REQUESTS = 16
_BATCH = 1_024


class VerifiedRelease(Struct, frozen=True, kw_only=True):
    """A release that is right. `objects` and `bytes` count what it names and no newer one does, including its root. Of
    a release that ended with a takedown only the root counts, because the rest may be pruned."""

    id: str
    built_at: datetime
    metros: tuple[str, ...]
    objects: int
    bytes: int


class VerificationReport(Struct, frozen=True, kw_only=True):
    """The result of a verification. `current` is None before the first release. `signer` is the name of the key that
    signed it, None if no key is required. `ends` is the release before the oldest one, which is pruned."""

    current: VersionedPointer | None
    signer: str | None
    releases: tuple[VerifiedRelease, ...]
    ends: str | None


def verify_releases(
    store: Store, *, trust: Trust, report: Callable[[VerifiedRelease], None] = lambda _: None
) -> VerificationReport:
    """Verify all kept releases, and call `report` with each that is right. Raises Corrupt, UntrustedRelease or NotFound
    for the first fault, and StoreError.

    Do not run it during a prune, which removes what it would read. It reads every object once, so as many bytes as the
    store has.
    """
    current = read_pointer(store)
    if current is None:
        refuse_lost_pointer(store)
        return VerificationReport(current=None, signer=None, releases=(), ends=None)
    pointer = current.pointer
    signer = find_pointer_signer(pointer, trust=trust)
    visited: set[str] = set()
    verified: list[VerifiedRelease] = []
    newer: ListedRelease | None = None
    sha: str | None = pointer.root
    ended: tuple[ReleaseRange, ...] = ()
    ends = None
    while sha is not None:
        try:
            root = read_root(store, sha)
        except NotFound:
            if newer is None:
                raise
            ends = format_release_id(newer.root.sequence - 1, sha)
            break
        release = ListedRelease(format_release_id(root.sequence, sha), sha, root)
        wrong = explain_pointer(pointer, root) if newer is None else _explain_step(root, newer.root)
        if wrong is not None:
            raise Corrupt(f"release {release.id}: {wrong}")
        ended = root.ended if newer is None else ended
        is_ended = has_ended(ended, root.sequence)
        verified.append(verify_release(store, release, visited=visited, is_ended=is_ended))
        report(verified[-1])
        newer, sha = release, root.previous
    return VerificationReport(
        current=current, signer=None if signer is None else signer.name, releases=tuple(verified), ends=ends
    )


def _explain_step(old: Root, new: Root) -> str | None:
    if new.sequence != old.sequence + 1:
        return f"release {new.sequence} names it as the one before"
    return explain_regress(old, new)


def verify_release(
    store: Store, release: ListedRelease, *, visited: set[str] | None = None, is_ended: bool = False
) -> VerifiedRelease:
    """Check each object that the release names and that is not in `visited`, and add it there. Raises Corrupt, NotFound
    and StoreError."""
    visited = set() if visited is None else visited
    try:
        _check_log(release.root)
        for slug, part in () if is_ended else release.root.parts.items():
            if part.manifest not in visited and hash_snapshot(read_manifest(store, part.manifest)) != part.snapshot:
                raise Corrupt(f"metro {slug}: its manifest does not make the snapshot that the root names")
        named = () if is_ended else list_references(store, release.root, known=visited)
        new = {release.sha, *named} - visited
        size = sum(_read_all(store, sorted(new)))
    except (Corrupt, NotFound) as error:
        raise Corrupt(f"release {release.id}: {error}") from error
    visited |= new
    return VerifiedRelease(
        id=release.id, built_at=release.root.built_at, metros=tuple(sorted(release.root.parts)), objects=len(new),
        bytes=size,
    )  # fmt: skip


def _check_log(root: Root) -> None:
    """Raise Corrupt unless the segments of the log follow each other from version 1 to the last."""
    last = 0
    for segment in list_segments(root.log):
        if segment.first != last + 1 or segment.last < segment.first:
            raise Corrupt(f"log: versions {segment.first} to {segment.last} follow version {last}")
        last = segment.last
    if last != root.log.latest_version_id:
        raise Corrupt(f"log: it ends with version {last}, and the root says {root.log.latest_version_id}")


def _read_all(store: Store, names: Iterable[str]) -> Iterator[int]:
    """Read and check objects, and yield their sizes in order. Few are in memory at once."""

    def read(sha: str) -> int:
        return len(check_object(sha, store.get(object_name(sha))))

    waiting = iter(names)
    with ThreadPoolExecutor(_REQUESTS) as pool:
        while batch := list(islice(waiting, _BATCH)):
            yield from pool.map(read, batch)
