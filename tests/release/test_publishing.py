"""Publishing: what a release takes over, what it refuses, and what never goes back."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from outings.release.pointer import DamagedStore, Pointer, list_releases, read_pointer, read_release
from outings.release.pruning import prune
from outings.release.publishing import BuildTooLong, ConcurrentPublication, make_deadline, publish
from outings.release.root import Log, Part, Root, explain_regress, format_release_id, parse_release_id, parse_root
from outings.release.store import Corrupt, NotFound, Store, decode_json, encode_canonical, name_of, read_object
from tests.release.worlds import (
    NOON,
    change,
    listing_id,
    minutes,
    put_metro,
    read_chain,
    read_current,
    read_log,
    read_whole,
    remember,
)


def test_a_first_release_is_number_one_and_names_all(store: Store) -> None:
    part = put_metro(store, "seattle", "a")
    published = publish(store, base=None, parts={"seattle": part}, changes=[change(1)], feeds={}, now=NOON)
    current = read_current(store)
    assert current == {
        "sequence": 1, "root": published.sha, "published_at": "2026-08-10T12:00:00Z", "latest_version_id": 1,
    }  # fmt: skip
    (root,) = read_chain(store)
    assert (root["sequence"], root["previous"], root["built_at"]) == (1, None, "2026-08-10T12:00:00Z")
    assert read_whole(store, root) == {"seattle": "seattle table a"}
    assert published.id == f"1-{published.sha[:8]}"


def test_a_release_takes_over_what_a_build_did_not_touch(store: Store) -> None:
    feed = remember("h")
    first = publish(
        store,
        base=None,
        parts={"seattle": put_metro(store, "seattle", "a"), "boston": put_metro(store, "boston", "a")},
        changes=[change(1)],
        feeds={"spl": feed, "bpl": feed},
        now=NOON,
    )
    seattle = put_metro(store, "seattle", "b", stamp=minutes(1))
    second = publish(
        store, base=first.root, parts={"seattle": seattle}, changes=[change(2)], feeds={"spl": None}, now=minutes(1)
    )
    assert read_whole(store, read_chain(store)[0]) == {"seattle": "seattle table b", "boston": "boston table a"}
    assert second.root.feeds == {"bpl": feed}
    third = publish(store, base=second.root, parts={"boston": None}, changes=[], feeds={}, now=minutes(2))
    assert set(third.root.parts) == {"seattle"}
    assert third.root.log == second.root.log


def test_an_unchanged_build_makes_a_release_with_the_same_objects(store: Store) -> None:
    first = publish(
        store, base=None, parts={"seattle": put_metro(store, "seattle", "a")}, changes=[change(1)], feeds={}, now=NOON
    )
    objects = {entry.name for entry in store.list("objects/")}
    second = publish(store, base=first.root, parts={}, changes=[], feeds={}, now=NOON)
    assert second.id != first.id
    assert {entry.name for entry in store.list("objects/")} - objects == {f"objects/{second.sha[:2]}/{second.sha}"}


def test_the_same_builds_from_nothing_are_the_same_bytes(store: Store) -> None:
    def build() -> dict[str, bytes]:
        base = None
        for number in range(3):
            part = put_metro(store, "seattle", str(number), stamp=minutes(number))
            base = publish(
                store,
                base=base,
                parts={"seattle": part},
                changes=[change(number, stamp=minutes(number))],
                feeds={"b": remember("b"), "a": remember("a")},
                now=minutes(number),
            ).root
        return {entry.name: store.get(entry.name) for entry in (*store.list("objects/"), *store.list("current.json"))}

    first = build()
    store.delete(list(store.list("")))
    assert build() == first


def test_a_build_that_began_before_another_keeps_the_others_metro(store: Store) -> None:
    base = publish(store, base=None, parts={}, changes=[change("first")], feeds={}, now=NOON).root
    seattle, boston = (put_metro(store, slug, "new") for slug in ("seattle", "boston"))
    memory = {name: remember(name) for name in ("s", "b")}
    publish(store, base=base, parts={"seattle": seattle}, changes=[change("s")], feeds={"s": memory["s"]}, now=NOON)
    publish(store, base=base, parts={"boston": boston}, changes=[change("b")], feeds={"b": memory["b"]}, now=NOON)
    late = next(list_releases(store)).root
    assert late.parts == {"seattle": seattle, "boston": boston}
    assert late.feeds == memory
    assert [(version["version_id"], version["listing_id"]) for version in read_log(store, read_chain(store)[0])] == [
        (1, listing_id("first")), (2, listing_id("s")), (3, listing_id("b")),
    ]  # fmt: skip


def test_a_build_of_a_metro_that_another_build_published_is_refused(store: Store) -> None:
    a, b, c = (put_metro(store, "seattle", content) for content in "abc")
    base = publish(store, base=None, parts={"seattle": a}, changes=[], feeds={}, now=NOON)
    publish(store, base=base.root, parts={"seattle": b}, changes=[], feeds={}, now=NOON)
    before = read_current(store)
    for began, part in ((base.root, c), (None, c), (base.root, None)):
        with pytest.raises(ConcurrentPublication, match=r"release 2, or one just before it, published seattle first"):
            publish(store, base=began, parts={"seattle": part}, changes=[change(1)], feeds={}, now=NOON)
    assert read_current(store) == before


def test_a_build_whose_release_is_gone_from_the_store_is_refused(store: Store) -> None:
    base = publish(store, base=None, parts={}, changes=[], feeds={}, now=NOON)
    store.delete(list(store.list("current.json")))
    with pytest.raises(DamagedStore, match="the newest that is whole is 1-"):
        publish(store, base=base.root, parts={}, changes=[], feeds={}, now=NOON)


@pytest.mark.parametrize("changed", ["sequence", "latest_version_id"])
def test_nothing_follows_or_is_pruned_by_a_pointer_that_does_not_fit_its_root(store: Store, changed: str) -> None:
    base = publish(store, base=None, parts={}, changes=[change(1)], feeds={}, now=NOON)
    right = decode_json(store.get("current.json"), Pointer, name="current.json")
    wrong = encode_canonical(replace(right, **{changed: getattr(right, changed) + 4}))
    store.put("current.json", wrong)
    names = {entry.name for entry in store.list("")}
    for act in (
        lambda: publish(store, base=base.root, parts={}, changes=[], feeds={}, now=NOON),
        lambda: prune(store, keep_days=0, now=NOON.timestamp() + 10**7),
        lambda: next(list_releases(store)),
    ):
        with pytest.raises(Corrupt, match=r"the pointer says \w+ 5, its root 1"):
            act()
    assert store.get("current.json") == wrong
    assert {entry.name for entry in store.list("")} == names


def test_a_build_that_took_too_long_does_not_publish(store: Store) -> None:
    clock = iter([100.0, 100.0 + 3600, 100.0 + 3601])
    check = make_deadline(longest=timedelta(hours=1), clock=lambda: next(clock))
    base = publish(store, base=None, parts={}, changes=[], feeds={}, now=NOON, check_deadline=check)
    with pytest.raises(BuildTooLong, match=r"the build took 1:00:01, longer than 1:00:00"):
        publish(store, base=base.root, parts={}, changes=[], feeds={}, now=NOON, check_deadline=check)
    assert read_chain(store)[0]["sequence"] == 1


def test_releases_are_listed_from_the_newest_and_read_by_id(store: Store) -> None:
    assert list(list_releases(store)) == []
    base, ids = None, []
    for _ in range(3):
        published = publish(store, base=base, parts={}, changes=[], feeds={}, now=NOON)
        base = published.root
        ids.append(published.id)
    assert [release.id for release in list_releases(store)] == ids[::-1]
    assert [read_release(store, value).root.sequence for value in ids] == [1, 2, 3]
    for gone in ("2-00000000", "9-00000000"):
        with pytest.raises(NotFound, match=f"cannot read release {gone}: it was never published, or is no longer kept"):
            read_release(store, gone)


@pytest.mark.parametrize(
    "text",
    ["", "1", "1-", "1-0a1b2c3", "1-0a1b2c3d4", "01-0a1b2c3d", "-1-0a1b2c3d", "x-0a1b2c3d", "1-0A1B2C3D", "²-0a1b2c3d"],
)
def test_what_is_no_release_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="allowed: <sequence>-<8 hex digits>"):
        parse_release_id(text)


def test_a_release_id_is_read_as_it_is_written() -> None:
    assert format_release_id(12, "0a1b2c3d" + "e" * 56) == "12-0a1b2c3d"
    assert parse_release_id("12-0a1b2c3d") == (12, "0a1b2c3d")


def test_roots_and_pointers_that_are_none_are_corrupt() -> None:
    for data in (b"", b"{}", b"[]", b"\xff", b'{"layout": 1}'):
        with pytest.raises(Corrupt, match=r"^root: "):
            parse_root(data)
        with pytest.raises(Corrupt, match=r"^current\.json: "):
            decode_json(data, Pointer, name="current.json")
    with pytest.raises(Corrupt, match="its layout is 2; this program reads 1"):
        parse_root(b'{"layout": 2, "anything": []}')


def test_an_object_that_is_not_what_its_name_says_is_corrupt(store: Store) -> None:
    store.put(name_of(b"right"), b"wrong")
    with pytest.raises(Corrupt, match=r"objects/.*: its 5 bytes have the SHA-256"):
        read_object(store, name_of(b"right").rpartition("/")[2])


def test_roots_and_pointers_are_read_as_they_are_written(store: Store) -> None:
    pointer = Pointer(sequence=3, root="a" * 64, published_at=NOON, latest_version_id=7)
    assert decode_json(encode_canonical(pointer), Pointer, name="current.json") == pointer
    root = publish(store, base=None, parts={}, changes=[change(1)], feeds={}, now=NOON).root
    assert parse_root(encode_canonical(root)) == root
    file = read_pointer(store)
    assert file is not None
    assert file.pointer.latest_version_id == root.log.latest_version_id == 1


def test_an_edge_is_reported_why_a_root_may_not_follow_another() -> None:
    def root(sequence: int, versions: int, minute: int) -> Root:
        part = Part(manifest="m", stamp=minutes(minute), snapshot="s")
        log = Log(latest_version_id=versions)
        return Root(sequence=sequence, previous=None, built_at=NOON, parts={"seattle": part}, log=log)

    old = root(5, 10, 3)
    assert explain_regress(old, root(5, 10, 3)) is None
    assert explain_regress(old, root(6, 12, 4)) is None
    assert explain_regress(old, root(4, 12, 4)) == "sequence goes back from 5 to 4"
    assert explain_regress(old, root(6, 9, 4)) == "latest version goes back from 10 to 9"
    assert str(explain_regress(old, root(6, 12, 2))).startswith("the stamp of seattle goes back from ")
