"""Earlier releases, found in the chain of roots, also where an earlier program wrote a part of it."""

import json

import pytest

from outings.release.pointer import list_releases, read_release
from outings.release.publishing import publish
from outings.release.root import Root
from outings.release.store import NotFound, hash_of, name_of, object_name
from outings.release.trust import ANYBODY
from outings.release.verifying import restore_release, verify_releases
from tests.release.memory import MemoryStore
from tests.release.worlds import minutes, put_metro


def publish_chain(store: MemoryStore, count: int, *, base: Root | None = None) -> Root:
    for _ in range(count):
        at = minutes(0 if base is None else base.sequence)
        parts = {"seattle": put_metro(store, "seattle", str(at), stamp=at)}
        base = publish(store, base=base, parts=parts, changes=[], feeds={}, now=at).root
    assert base is not None
    return base


def test_each_kept_release_is_found_by_its_id_and_no_other() -> None:
    store = MemoryStore()
    publish_chain(store, 5)
    chain = list(list_releases(store))
    assert [release.root.sequence for release in chain] == [5, 4, 3, 2, 1]
    assert [read_release(store, release.id) for release in chain] == chain
    for unknown in (f"{number}-00000000" for number in (1, 3, 5, 6, 99)):
        with pytest.raises(NotFound, match="was never published, or is no longer kept"):
            read_release(store, unknown)
    store.delete(store.list(object_name(chain[2].sha)))
    for release in chain[2:]:
        with pytest.raises(NotFound, match=f"release {release.id}"):
            read_release(store, release.id)
    with pytest.raises(ValueError, match="allowed: <sequence>-<8 hex digits>"):
        read_release(store, "5")


def test_a_root_of_an_earlier_program_with_members_of_its_own_is_read_restored_and_followed() -> None:
    store = MemoryStore()
    publish_chain(store, 2)
    [newest, oldest] = list_releases(store)
    older = json.dumps({**json.loads(store.get(object_name(newest.sha))), "earlier": [[oldest.sha]]}).encode()
    store.put(name_of(older), older)
    pointer = json.loads(store.get("current.json"))
    store.put("current.json", json.dumps({**pointer, "root": hash_of(older)}).encode())
    store.delete(store.list(object_name(newest.sha)))
    assert [release.root for release in list_releases(store)] == [newest.root, oldest.root]
    verify_releases(store, trust=ANYBODY)
    store.delete(store.list("current.json"))
    restored = restore_release(store, None, trust=ANYBODY).release
    assert (restored.sha, [release.sha for release in list_releases(store)]) == (
        hash_of(older),
        [hash_of(older), oldest.sha],
    )
    publish_chain(store, 1, base=restored.root)
    assert [value.sequence for value in (release.root for release in list_releases(store))] == [3, 2, 1]
