"""Packs and manifests: documents found again, packs written again, snapshots hashed."""

from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.release.manifest import Manifest, Pack, PrecomputedPage, hash_snapshot, list_objects, read_manifest
from outings.release.store import Corrupt, decode_json, encode_canonical, hash_of, put_object
from pipeline.publish.objects.documents import MOST_PACKS, PACK_SIZE, PackWriter, choose_packs
from tests.release.memory import MemoryStore
from tests.release.worlds import NOON, put_metro


@given(st.lists(st.binary(max_size=40)), st.integers(1, 60))
def test_every_document_is_where_the_writer_said(documents: list[bytes], size: int) -> None:
    shelf: dict[str, bytes] = {}

    def put(data: bytes) -> str:
        return shelf.setdefault(hash_of(data), data) and hash_of(data)

    kept = (Pack(object="k", size=9, alive=9),)
    writer = PackWriter(kept=kept, put=put, size=size)
    places = [writer.append(document) for document in documents]
    packs = writer.finish()
    assert packs[:1] == kept
    results = [
        shelf[packs[pack].object][offset : offset + len(document)] if document else b""
        for (pack, offset), document in zip(places, documents, strict=True)
    ]
    assert results == documents
    assert all(pack.size == pack.alive == len(shelf[pack.object]) for pack in packs[1:])
    assert all(pack.size <= max(size, *map(len, documents)) for pack in packs[1:])
    assert sum(pack.size for pack in packs[1:]) == sum(map(len, documents))


def test_a_build_without_documents_adds_no_pack() -> None:
    assert PackWriter(put=lambda _: "never").finish() == ()


def test_the_first_document_is_at_the_beginning_of_the_pack_behind_the_kept_ones() -> None:
    writer = PackWriter(kept=(Pack(object="k", size=9, alive=5),), put=hash_of)
    assert (writer.append(b"one"), writer.append(b"two")) == ((1, 0), (1, 3))


def packs_of(*sizes: int) -> list[Pack]:
    return [Pack(object=str(at), size=size, alive=size) for at, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "alive", "kept"),
    [
        ([], [], {}),
        ([10], [10], {0: 0}),
        ([10], [5], {0: 0}),
        ([10], [4], {}),
        ([10], [0], {}),
        ([10, 10, 10], [9, 1, 8], {0: 0, 2: 1}),
        ([0], [0], {}),
    ],
)
def test_a_pack_less_than_half_alive_is_written_again(sizes: list[int], alive: list[int], kept: dict[int, int]) -> None:
    assert choose_packs(packs_of(*sizes), alive) == kept


def test_the_smallest_of_too_many_small_packs_are_joined() -> None:
    most = packs_of(*range(1, MOST_PACKS + 1))
    assert len(choose_packs(most, [pack.size for pack in most])) == MOST_PACKS
    sizes = [PACK_SIZE, *range(1, MOST_PACKS + 2)]
    kept = choose_packs(packs_of(*sizes), sizes)
    largest = range(len(sizes) - MOST_PACKS // 2, len(sizes))
    assert kept == {0: 0, **{at: index for index, at in enumerate(largest, start=1)}}


def test_a_manifest_is_read_as_it_is_written_and_names_all_its_objects() -> None:
    store = MemoryStore()
    part = put_metro(store, "seattle", "a")
    manifest = read_manifest(store, part.manifest)
    assert decode_json(encode_canonical(manifest), Manifest, name="manifest") == manifest
    objects = {entry.name.rpartition("/")[2] for entry in store.list("objects/")}
    assert set(list_objects(manifest)) == objects - {part.manifest}
    for data in (b"", b"{}", b"[]", b"\xff"):
        with pytest.raises(Corrupt, match=r"^manifest: "):
            read_manifest(store, put_object(store, data))


def test_a_snapshots_hash_is_of_what_an_answer_depends_on() -> None:
    store = MemoryStore()
    manifest = read_manifest(store, put_metro(store, "seattle", "a").manifest)
    other = read_manifest(store, put_metro(store, "seattle", "b").manifest)
    replace = msgspec.structs.replace
    assert hash_snapshot(manifest) == hash_snapshot(
        replace(
            manifest,
            pages={"x": PrecomputedPage(object="x", size=1)},
            inputs="other",
            date=manifest.date + timedelta(days=1),
        )
    )
    different = [
        replace(manifest, tables=other.tables),
        replace(manifest, packs=other.packs),
        replace(manifest, stamp=NOON + timedelta(seconds=1)),
        replace(manifest, metro=replace(manifest.metro, name="Other")),
        replace(manifest, vocabulary=replace(manifest.vocabulary, teams=("storm",))),
        replace(manifest, related=(("boat", "barge"),)),
    ]
    assert len({hash_snapshot(value) for value in (manifest, *different)}) == 7
