"""Put a release in force again whose pointer was lost: the pointer is made of the release's root, and signed."""

from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct

from outings.failures import GuardRefusal
from outings.release.objects import Corrupt
from outings.release.pointer import NAME, encode_pointer, find_roots, make_pointer, read_current
from outings.release.releases import ListedRelease, name_release
from outings.release.store import NotFound, Outcome, Store
from outings.release.trust import Trust, UntrustedRelease
from outings.release.verifying import verify_release


class RestoreRefusal(GuardRefusal):
    """An error: nothing to restore, or nothing says which release was in force."""


class RestoredRelease(Struct, frozen=True, kw_only=True):
    """The release that is in force again. `skipped`: why each newer one was not chosen."""

    release: ListedRelease
    skipped: tuple[str, ...]


def restore_release(store: Store, release_id: str | None, *, trust: Trust) -> RestoredRelease:
    """Write the pointer to the release with this id, or to the newest one of which every object is right.

    The new pointer has the bytes of the lost one, because all that it says is in the root. Raises RestoreRefusal if a
    release is in force, no release is whole, or two are the newest; UntrustedRelease and StoreError.
    """
    before = store.read_versioned(NAME)
    _refuse_in_force(store, trust=trust)
    roots = [name_release(sha, root) for sha, root in find_roots(store)]
    wanted = [each for each in roots if release_id in (None, each.id)]
    if not wanted:
        named = "" if release_id is None else f" {release_id}"
        raise RestoreRefusal(f"store {store} has no release{named} to restore; there are: {_list_ids(roots)}")
    skipped: list[str] = []
    release = _choose(store, wanted, skipped)
    pointer = make_pointer(release.sha, release.root, trust=trust)
    expected = None if before is None else before.etag
    if store.put_if(NAME, encode_pointer(pointer), expected=expected) is not Outcome.WON:
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
        release = name_release(current.pointer.pointer.root, current.root)
        raise RestoreRefusal(f"release {release.id} is in force: there is nothing to restore")


def _choose(store: Store, releases: list[ListedRelease], skipped: list[str]) -> ListedRelease:
    """Return the newest release that verifies. Add to `skipped` why newer ones do not."""
    for _, group in groupby(releases, key=lambda each: each.root.sequence):
        right = list(_verify(store, group, skipped))
        if len(right) > 1:
            raise RestoreRefusal(
                f"{len(right)} releases have the same number: {_list_ids(right)}. All but one were never in force, "
                "because their builds were killed or refused right before. The log of your servers says which one they "
                "served (`release_served`): name the one to restore"
            )
        if right:
            return right[0]
    raise RestoreRefusal("; ".join((*skipped, "no other release can be restored: put the store back from a backup")))


def _verify(store: Store, releases: Iterator[ListedRelease], skipped: list[str]) -> Iterator[ListedRelease]:
    for release in releases:
        try:
            verify_release(store, release)
        except (Corrupt, NotFound) as error:
            skipped.append(str(error))
        else:
            yield release


def _list_ids(releases: list[ListedRelease]) -> str:
    return ", ".join(f"{each.id} (built {each.root.built_at.isoformat()})" for each in releases) or "none"
