"""A store of each kind that has lost its pointer: what is refused, and what is put in force again."""

import pytest

from outings.release.pointer import DamagedStore, list_releases, read_current
from outings.release.pruning import prune
from outings.release.publishing import ConcurrentPublication, publish
from outings.release.root import Root
from outings.release.store import Store
from outings.release.trust import ANYBODY, UntrustedRelease
from outings.release.verifying import RestoreRefusal, restore_release
from tests.release.signing import OTHER, make_publisher
from tests.release.worlds import change, minutes, put_metro


def publish_number(store: Store, number: int, *, base: Root | None) -> Root:
    part = put_metro(store, "seattle", str(number), stamp=minutes(number))
    published = publish(
        store, base=base, parts={"seattle": part}, changes=[change(number)], feeds={}, now=minutes(number),
        trust=make_publisher(),
    )  # fmt: skip
    return published.root


def lose_pointer(store: Store) -> bytes:
    pointer = store.get("current.json")
    store.delete(store.list("current.json"))
    return pointer


def test_nothing_is_pruned_or_published_without_the_pointer_and_the_newest_release_is_restored(store: Store) -> None:
    first = publish_number(store, 1, base=None)
    second = publish_number(store, 2, base=first)
    ids = [release.id for release in list_releases(store)]
    pointer = lose_pointer(store)
    before = {entry.name for entry in store.list("")}
    for act in (
        lambda: prune(store, keep_days=0, now=9e12, is_clock_right=True),
        lambda: publish_number(store, 3, base=second),
        lambda: read_current(store),
    ):
        with pytest.raises(DamagedStore, match=f"current.json.*{ids[0]}.*`outings releases restore`"):
            act()
    assert before <= {entry.name for entry in store.list("")}  # what was to be published is there, and in no release
    restored = restore_release(store, None, trust=make_publisher())
    assert (restored.release.id, restored.skipped) == (ids[0], ())
    assert store.get("current.json") == pointer
    publish_number(store, 3, base=second)


def test_a_first_build_that_did_not_know_of_releases_does_not_replace_a_pointer(store: Store) -> None:
    publish_number(store, 1, base=None)
    with pytest.raises(ConcurrentPublication):
        publish_number(store, 2, base=None)


def test_a_pointer_of_somebody_else_is_not_restored_over(store: Store) -> None:
    publish_number(store, 1, base=None)
    with pytest.raises(UntrustedRelease):
        restore_release(store, None, trust=make_publisher(OTHER))


def test_a_store_without_a_release_has_nothing_to_restore(store: Store) -> None:
    put_metro(store, "seattle", "of a first build that was killed")
    assert read_current(store) is None
    with pytest.raises(RestoreRefusal, match="there are: none"):
        restore_release(store, None, trust=ANYBODY)
