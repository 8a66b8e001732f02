"""The earlier releases that a root names: any of them is a few reads away, and what is not there is known as soon."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from outings.release.lineage import MOST_READS, ReleaseChain
from outings.release.objects import Corrupt, hash_of, name_of, object_name
from outings.release.pointer import read_current
from outings.release.publishing import publish
from outings.release.releases import read_release
from outings.release.root import Root
from outings.release.store import NotFound, Store, StoreError
from outings.release.trust import ANYBODY
from outings.release.verifying import verify_releases
from tests.release.doubles import WatchedObject
from tests.release.memory import MemoryStore
from tests.release.worlds import NOON, minutes, put_metro, read_chain

# 7 days of a build each quarter of an hour.
KEPT = 671
# Seattle changes with every third release, Boston comes late and changes with every one.
BOSTON_FROM = 300


def publish_chain(count: int) -> MemoryStore:
    store, base = MemoryStore(), None
    for number in range(1, count + 1):
        parts = {}
        if number % 3 == 1:
            parts["seattle"] = put_metro(store, "seattle", "a", stamp=minutes(number))
        if number >= BOSTON_FROM:
            parts["boston"] = put_metro(store, "boston", "a", stamp=minutes(number))
        base = publish(store, base=base, parts=parts, changes=[], feeds={}, now=NOON).root
    return store


@pytest.fixture(scope="module")
def published() -> MemoryStore:
    return publish_chain(KEPT)


class Reads:
    """A store that counts what is read of it."""

    def __init__(self, store: Store) -> None:
        self.count = 0
        self.store: Any = WatchedObject(store, self._watch)

    def _watch(self, operation: str, act: Any) -> Any:
        self.count += operation == "get"
        return act()


def read_root(store: Store) -> Root:
    current = read_current(store)
    assert current is not None
    return current.root


def list_ids(store: Store) -> Iterator[tuple[int, str, str]]:
    """Sequence, id and hash of each root by the names of those before them alone, without the first one."""
    chain = read_chain(store)
    for newer in chain[:-1]:
        yield newer["sequence"] - 1, f"{newer['sequence'] - 1}-{newer['previous'][:8]}", newer["previous"]


def test_any_release_is_found_by_its_id_in_few_reads(published: MemoryStore) -> None:
    current, most = read_root(published), 0
    for _, release_id, sha in list_ids(published):
        reads = Reads(published)
        assert ReleaseChain(reads.store).find_id(release_id, current=current) == sha
        most = max(most, reads.count)
    assert most <= 2


@pytest.mark.parametrize("sequence", [0, 1, 2, 15, 16, 17, 255, 256, 257, 500, KEPT - 1, KEPT, KEPT + 1, 10**9])
def test_what_was_never_published_is_known_in_few_reads(published: MemoryStore, sequence: int) -> None:
    reads = Reads(published)
    assert ReleaseChain(reads.store).find_id(f"{sequence}-00000000", current=read_root(published)) is None
    assert reads.count <= 3


def test_any_release_is_found_by_a_stamp_in_few_reads(published: MemoryStore) -> None:
    current, chain, most = read_root(published), read_chain(published), 0
    for metro in ("seattle", "boston"):
        wanted: dict[str, str] = {}
        for newer, root in itertools.pairwise(chain):
            if metro in root["parts"] and root["parts"][metro] != chain[0]["parts"][metro]:
                wanted.setdefault(root["parts"][metro]["stamp"], newer["previous"])
        for stamp, sha in wanted.items():
            reads = Reads(published)
            assert ReleaseChain(reads.store).find_stamp(metro, stamp, current=current) == sha
            most = max(most, reads.count)
    assert most <= 16


@pytest.mark.parametrize(
    ("metro", "stamp"),
    [
        ("seattle", "2026-08-10T12:02:00Z"),
        ("seattle", "2026-08-10T18:00:01Z"),
        ("seattle", "1970-01-01T00:00:00Z"),
        ("boston", "2026-08-10T12:02:00Z"),
        ("boston", "2040-01-01T00:00:00Z"),
        ("atlantis", "2026-08-10T12:02:00Z"),
    ],
)
def test_a_stamp_of_no_release_is_known_in_few_reads(published: MemoryStore, metro: str, stamp: str) -> None:
    reads = Reads(published)
    assert ReleaseChain(reads.store).find_stamp(metro, stamp, current=read_root(published)) is None
    assert reads.count <= 16


def test_searches_together_read_each_root_once(published: MemoryStore) -> None:
    reads, current = Reads(published), read_root(published)
    chain = ReleaseChain(reads.store)
    for _ in range(3):
        for sequence in range(1, KEPT):
            assert chain.find_id(f"{sequence}-00000000", current=current) is None
            assert chain.find_stamp("seattle", f"2026-08-10T12:{sequence % 60:02}:30Z", current=current) is None
    assert reads.count < KEPT


def test_what_is_pruned_is_not_found(published: MemoryStore) -> None:
    ids = list(list_ids(published))
    store = MemoryStore()
    store.put_many((entry.name, published.get(entry.name)) for entry in published.list(""))
    for sequence, _, sha in ids:
        if sequence < 400:
            store.delete(list(store.list(object_name(sha))))
    for sequence, release_id, sha in ids:
        if sequence >= 400:
            assert read_release(store, release_id).sha == sha
        else:
            with pytest.raises(NotFound, match="is no longer kept"):
                read_release(store, release_id)
    current = read_root(store)
    assert ReleaseChain(store).find_stamp("seattle", "2026-08-10T18:40:00Z", current=current) is not None
    assert ReleaseChain(store).find_stamp("seattle", "2026-08-10T18:37:00Z", current=current) is None


def test_a_root_names_as_few_as_ever_however_long_the_chain(published: MemoryStore) -> None:
    assert [len(level) for level in read_root(published).earlier] == [16, 16, 2]
    assert sum(map(len, read_chain(published, most=1)[0]["earlier"])) * 66 < 3_000


def age(store: MemoryStore) -> MemoryStore:
    """The chain as a program without lineage would have written it."""
    older, previous = MemoryStore(), None
    for root in reversed(read_chain(store)):
        del root["earlier"]
        data = json.dumps({**root, "previous": previous}, sort_keys=True, separators=(",", ":")).encode()
        older.put(name_of(data), data)
        previous = hash_of(data)
    pointer = json.loads(store.get("current.json"))
    older.put("current.json", json.dumps({**pointer, "root": previous}).encode())
    return older


def test_a_chain_from_before_is_walked_in_bounds_and_near_after_the_next_build(published: MemoryStore) -> None:
    store = age(published)
    ids = {sequence: release_id for sequence, release_id, _ in list_ids(store)}
    reads, current = Reads(store), read_root(store)
    chain = ReleaseChain(reads.store)
    assert chain.find_id(ids[KEPT - 100], current=current) is not None
    with pytest.raises(StoreError, match="ask again, to go on from here"):
        chain.find_id(ids[1], current=current)
    assert reads.count == 99 + MOST_READS
    with pytest.raises(StoreError, match="ask again"):
        chain.find_stamp("seattle", "1970-01-01T00:00:00Z", current=current)
    assert chain.find_id(ids[1], current=current) is not None
    publish(store, base=None, parts={}, changes=[], feeds={}, now=NOON)
    reads, current = Reads(store), read_root(store)
    assert len(current.earlier) == 3
    for sequence in (1, 2, 17, 300, KEPT - 1):
        sha = ReleaseChain(reads.store).find_id(ids[sequence], current=current)
        assert sha is not None
        assert ids[sequence] == f"{sequence}-{sha[:8]}"


def test_a_root_that_names_another_one_is_found_wrong() -> None:
    store = publish_chain(4)
    root = read_chain(store, most=1)[0]
    root["earlier"][0][2] = root["earlier"][0][1]
    data = json.dumps(root).encode()
    store.put(name_of(data), data)
    pointer = json.loads(store.get("current.json"))
    store.put("current.json", json.dumps({**pointer, "root": hash_of(data)}).encode())
    with pytest.raises(Corrupt, match=r"release 3-.*: it and a newer release name two roots of release 1"):
        verify_releases(store, trust=ANYBODY)
    with pytest.raises(Corrupt, match="its sequence is 2; a newer root says 1"):
        ReleaseChain(store).find_stamp("seattle", "1970-01-01T00:00:00Z", current=read_root(store))
