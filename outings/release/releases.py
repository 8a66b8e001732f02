"""The releases that are kept: the chain of roots that begins at the pointer."""

from collections.abc import Iterator

from msgspec import Struct

from outings.release.pointer import read_current
from outings.release.root import Root, format_release_id, parse_release_id, walk_roots
from outings.release.store import NotFound, Store
from outings.release.trust import ANYBODY, Trust


class ListedRelease(Struct, frozen=True):
    """A release in the chain: its id, its root and the root's hash."""

    id: str
    sha: str
    root: Root


def list_releases(store: Store, *, trust: Trust = ANYBODY) -> Iterator[ListedRelease]:
    """Yields the current release and those before it, newest first, until one is pruned. Each root is read when it is
    needed.

    Each root names the one before it by hash, so the pointer's signature covers all of them. Raises UntrustedRelease,
    Corrupt, NotFound and StoreError.
    """
    current = read_current(store, trust=trust)
    if current is None:
        return
    yield name_release(current.pointer.pointer.root, current.root)
    if current.root.previous is not None:
        for sha, root in walk_roots(store, current.root.previous):
            yield name_release(sha, root)


def name_release(sha: str, root: Root) -> ListedRelease:
    return ListedRelease(format_release_id(root.sequence, sha), sha, root)


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
