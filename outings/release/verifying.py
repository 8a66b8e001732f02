"""Verify kept releases from the pointer's signature down to the bytes of each object, and restore a lost pointer."""

from collections.abc import Callable
from datetime import datetime
from itertools import groupby

from msgspec import Struct

from outings.failures import GuardRefusal
from outings.release.log import list_segments
from outings.release.manifest import hash_snapshot, list_references, read_manifest
from outings.release.pointer import (
    NAME,
    VersionedPointer,
    explain_pointer,
    find_pointer_signer,
    find_releases,
    make_pointer,
    read_current,
    read_pointer,
    refuse_lost_pointer,
)
from outings.release.root import (
    ListedRelease,
    Root,
    explain_regress,
    format_release_id,
    has_ended,
    read_root,
    walk_releases,
)
from outings.release.store import Corrupt, NotFound, Outcome, Store, encode_canonical, read_object, run_all
from outings.release.trust import Trust, UntrustedRelease


class VerifiedRelease(Struct, frozen=True, kw_only=True):
    """A release without faults. `objects` and `bytes` count its objects, with its root, that no newer release names. If
    a takedown ended the release, only the root counts, because the rest may be pruned."""

    id: str
    built_at: datetime
    metros: tuple[str, ...]
    objects: int
    bytes: int


class VerificationReport(Struct, frozen=True, kw_only=True):
    """The result of a verification. `current` is None before the first release. `signer`: the name of the key that
    signed it; None if no key is required. `ends`: the id of the newest pruned release; None if none was pruned."""

    current: VersionedPointer | None
    signer: str | None
    releases: tuple[VerifiedRelease, ...]
    ends: str | None


def verify_releases(
    store: Store, *, trust: Trust, report: Callable[[VerifiedRelease], None] = lambda _: None
) -> VerificationReport:
    """Verify all kept releases, and call `report` with each. Raises Corrupt, UntrustedRelease or NotFound for the first
    fault, and StoreError.

    Do not run it during a prune, which deletes objects that it would read. It reads every object once: all bytes of the
    store.
    """
    current = read_pointer(store)
    if current is None:
        refuse_lost_pointer(store)
        return VerificationReport(current=None, signer=None, releases=(), ends=None)
    pointer = current.pointer
    signer = find_pointer_signer(pointer, trust=trust)
    visited: set[str] = set()
    verified: list[VerifiedRelease] = []
    newest = newer = read_root(store, pointer.root)
    for release in walk_releases(store, pointer.root):
        root = release.root
        if not verified:
            wrong = explain_pointer(pointer, root)
        elif newer.sequence != root.sequence + 1:
            wrong = f"release {newer.sequence} names it as the one before"
        else:
            wrong = explain_regress(root, newer)
        if wrong is not None:
            raise Corrupt(f"release {release.id}: {wrong}")
        is_ended = has_ended(newest.ended, root.sequence)
        verified.append(verify_release(store, release, visited=visited, is_ended=is_ended))
        report(verified[-1])
        newer = root
    ends = None if newer.previous is None else format_release_id(newer.sequence - 1, newer.previous)
    return VerificationReport(
        current=current, signer=None if signer is None else signer.name, releases=tuple(verified), ends=ends
    )


def verify_release(
    store: Store, release: ListedRelease, *, visited: set[str] | None = None, is_ended: bool = False
) -> VerifiedRelease:
    """Check each object of the release that is not in `visited`, and add it to that. Raises Corrupt and StoreError."""
    visited = set() if visited is None else visited
    try:
        _check_log(release.root)
        for slug, part in () if is_ended else release.root.parts.items():
            if part.manifest not in visited and hash_snapshot(read_manifest(store, part.manifest)) != part.snapshot:
                raise Corrupt(f"metro {slug}: its manifest does not make the snapshot that the root names")
        named = () if is_ended else list_references(store, release.root, known=visited)
        new = {release.sha, *named} - visited
        size = sum(run_all(lambda sha: len(read_object(store, sha)), sorted(new)))
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


class RestoreRefusal(GuardRefusal):
    """An error: no release can be restored, or several could be the one that was in force."""


class RestoredRelease(Struct, frozen=True, kw_only=True):
    """The release that was restored. `skipped`: why each newer one was not."""

    release: ListedRelease
    skipped: tuple[str, ...]


def restore_release(store: Store, release_id: str | None, *, trust: Trust) -> RestoredRelease:
    """Write the pointer to the release with this id, or to the newest one without faults.

    The new pointer has the bytes of the lost one, because all its content is in the root. Raises RestoreRefusal if a
    release is in force, no release is whole, or two are the newest; UntrustedRelease and StoreError.
    """
    before = store.read_versioned(NAME)
    _refuse_in_force(store, trust=trust)
    releases = find_releases(store)
    wanted = [release for release in releases if release_id in (None, release.id)]
    if not wanted:
        named = "" if release_id is None else f" {release_id}"
        raise RestoreRefusal(f"store {store} has no release{named} to restore; there are: {_list_ids(releases)}")
    skipped: list[str] = []
    release = _choose(store, wanted, skipped)
    pointer = make_pointer(release.sha, release.root, trust=trust)
    expected = None if before is None else before.etag
    if store.put_if(NAME, encode_canonical(pointer), expected=expected) is not Outcome.WON:
        raise RestoreRefusal(f"another command wrote {NAME}, or the store did not answer; run the command again")
    return RestoredRelease(release=release, skipped=tuple(skipped))


def _refuse_in_force(store: Store, *, trust: Trust) -> None:
    try:
        current = read_current(store, trust=trust, is_new=True)
    except UntrustedRelease:
        raise
    except (Corrupt, NotFound):
        return
    if current is not None:
        raise RestoreRefusal(f"release {current.listed.id} is in force: there is nothing to restore")


def _choose(store: Store, releases: list[ListedRelease], skipped: list[str]) -> ListedRelease:
    """Return the newest release without faults. Append to `skipped` why newer ones have some."""
    for _, group in groupby(releases, key=lambda release: release.root.sequence):
        right = []
        for release in group:
            try:
                verify_release(store, release)
            except (Corrupt, NotFound) as error:
                skipped.append(str(error))
            else:
                right.append(release)
        if len(right) > 1:
            raise RestoreRefusal(
                f"{len(right)} releases have the same number: {_list_ids(right)}. All but one were never in force, "
                "because their builds were killed or refused right before. The log of your servers says which one they "
                "served (`release_served`): name the one to restore"
            )
        if right:
            return right[0]
    raise RestoreRefusal("; ".join((*skipped, "no other release can be restored: put the store back from a backup")))


def _list_ids(releases: list[ListedRelease]) -> str:
    return ", ".join(f"{release.id} (built {release.root.built_at.isoformat()})" for release in releases) or "none"
