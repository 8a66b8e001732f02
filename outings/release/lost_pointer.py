"""Find the releases of a store that has lost its pointer. Their roots are among its objects."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from outings.failures import GuardRefusal
from outings.release.objects import PREFIX, Corrupt, object_name
from outings.release.references import list_references
from outings.release.root import Root, format_release_id, read_root
from outings.release.store import NotFound, Store
from outings.release.withdrawals import ReleaseRange, has_ended

_REQUESTS = 16
# A root has kilobytes, and some 300 bytes for each takedown. Tables and packs may be larger than this.
_MOST_BYTES = 16 * 2**20


class DamagedStore(Corrupt, GuardRefusal):
    """The store has releases and no pointer, so nothing says which of them is in force."""


def refuse_lost_pointer(store: Store) -> None:
    """Raise DamagedStore if the store has releases. Its text names the newest whose objects are all there. A store
    with objects and no root was never published: its first build was killed. Call this if there is no pointer."""
    roots = find_roots(store)
    if not roots:
        return
    names = {entry.name for entry in store.list(PREFIX)}
    whole = next((format_release_id(root.sequence, sha) for sha, root in roots if _is_whole(store, root, names)), None)
    advice = (
        "none of them is whole: put the store back from a backup"
        if whole is None
        else f"the newest that is whole is {whole}: `outings releases restore` puts it in force again"
    )
    raise DamagedStore(
        f"store {store} has releases, and its current.json, which says which one is in force, is gone; {advice}. "
        "`outings build --new-store` begins anew, with version 1 and without what was taken down"
    )


def find_roots(store: Store) -> list[tuple[str, Root]]:
    """Return the hashes and roots of all releases in the store, the highest sequence first, without those that a
    takedown ended. Each object is read that is small enough to be a root."""
    with ThreadPoolExecutor(_REQUESTS) as pool:
        names = (entry.name for entry in store.list(PREFIX) if entry.size <= _MOST_BYTES)
        matches = [each for each in pool.map(partial(_find_root, store), names) if each is not None]
    ended: tuple[ReleaseRange, ...] = ()
    roots = []
    for sha, root in sorted(matches, key=lambda each: each[1].sequence, reverse=True):
        if not has_ended(ended, root.sequence):
            roots.append((sha, root))
        ended += root.ended
    return roots


def _find_root(store: Store, name: str) -> tuple[str, Root] | None:
    sha = name.rpartition("/")[2]
    try:
        return sha, read_root(store, sha)
    except (Corrupt, NotFound):
        return None


def _is_whole(store: Store, root: Root, names: Collection[str]) -> bool:
    try:
        return all(object_name(sha) in names for sha in list_references(store, root))
    except (Corrupt, NotFound):
        return False
