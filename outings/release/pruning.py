"""Pruning: what no reader, walk or build can need any more is deleted.

Kept are all that is named by a release replaced less than `keep_days` and one longest build ago (a build or a rollback
may have begun from it on its last day), and whatever is younger than the longest build, which may be about to be named.
Times are those at which the store says an object was written: a release's own are its build's, which may be `--as-of`.
"""

from collections.abc import Iterator
from datetime import timedelta

from msgspec import Struct

from outings.release.objects import PREFIX, object_name
from outings.release.publishing import LONGEST_BUILD
from outings.release.releases import list_references, list_releases
from outings.release.store import TEMPORARY, Entry, Store
from outings.release.trust import ANYBODY, Trust


class Pruned(Struct, frozen=True, kw_only=True):
    """What was deleted, in no order, and how many releases are kept."""

    deleted: tuple[Entry, ...]
    releases: int


class _Kept(Struct, frozen=True):
    named: frozenset[str]
    releases: int
    cut: str | None  # the newest root that is not kept


def prune(
    store: Store, *, keep_days: float, now: float, longest_build: timedelta = LONGEST_BUILD, trust: Trust = ANYBODY
) -> Pruned:
    """`now`, in seconds since 1970, is read before this is called and is never `--as-of`. StoreError, Corrupt;
    Untrusted: a made-up pointer would name nothing of what is needed.

    Safe beside builds and readers. Killed in its middle: the releases that it lists no more are gone, all others whole.
    """
    expired_before = now - timedelta(days=keep_days).total_seconds()
    kept = choose_kept(store, expired_before=expired_before, grace=longest_build, trust=trust)
    young = now - longest_build.total_seconds()
    # The chain is cut first: from then on no one finds a release whose objects are going.
    cut = store.delete(store.list(object_name(kept.cut))) if kept.cut else ()
    unneeded = store.delete(_list_unneeded(store, named=kept.named, young=young))
    return Pruned(deleted=(*cut, *unneeded), releases=kept.releases)


def choose_kept(store: Store, *, expired_before: float, grace: timedelta, trust: Trust) -> _Kept:
    """The hashes that kept releases name, their roots' included."""
    named: set[str] = set()
    releases = 0
    replaced_at: float | None = None
    for release in list_releases(store, trust=trust):
        if replaced_at is not None and replaced_at < expired_before - grace.total_seconds():
            return _Kept(frozenset(named), releases, release.sha)
        named.update(list_references(store, release.root, known=named))
        named.add(release.sha)
        releases += 1
        # It replaced the one before it when its root was written, to a second or so.
        replaced_at = max((entry.modified_at for entry in store.list(object_name(release.sha))), default=None)
    return _Kept(frozenset(named), releases, None)


def _list_unneeded(store: Store, *, named: frozenset[str], young: float) -> Iterator[Entry]:
    for entry in store.list(PREFIX):
        if entry.modified_at < young and entry.name.rpartition("/")[2] not in named:
            yield entry
    for entry in store.list(TEMPORARY):
        if entry.modified_at < young:
            yield entry
