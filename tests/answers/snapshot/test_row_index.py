"""Look-ups by id and slug, against the listings themselves."""

import threading
from pathlib import Path
from random import Random
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outings.answers.rows.evaluator import open_evaluator
from outings.answers.snapshot.reader import RowIndex, SnapshotReader, open_snapshot
from tests.answers.asking import fetch
from tests.answers.generated import make_world, seeds
from tests.answers.worlds import STATUSES, TYPES, World, open_release, open_world


@given(seed=seeds, size=st.integers(min_value=0, max_value=60))
def test_every_row_is_found_by_its_id_and_by_its_slug_and_no_other_is(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int
) -> None:
    world = make_world(Random(seed), size=size)
    for number, listing in enumerate(world.listings):
        listing["slug"] = ["ä", "a", "a-b", "b", "", "a" * 50][number % 6] + str(number // 12)
        if number % 5 == 0:  # the same first eight bytes: told apart by the rest
            listing["id"] = str(UUID(bytes=b"\x00" * 8 + UUID(listing["id"]).bytes[8:]))
    snapshot = open_world(world, tmp_path_factory.mktemp("world"))
    for value in (snapshot, replace(snapshot, mapped={})):
        check_index(open_snapshot(value).listings, world, open_snapshot(snapshot))


def check_index(index: RowIndex, world: World, opened: SnapshotReader) -> None:
    assert len(index) == len(world.listings)
    for listing in world.listings:
        code = TYPES.index(listing["type"])
        row = index.find_id(listing["id"], type_code=code)
        assert row is not None
        assert b'"id":"%b"' % listing["id"].encode() in opened.read_document(row)
        assert index.find_id(listing["id"], type_code=(code + 1) % 4) is None
        alike = (other for other in world.listings if other["slug"] == listing["slug"])
        same = [other["id"] for other in alike if other["type"] == listing["type"]]
        rows = list(index.find_slug(listing["slug"], type_code=code))
        assert sorted(index.find_id(row_id, type_code=code) or 0 for row_id in same) == sorted(rows)
        visible = [index.is_visible(row, include_archived=flag) for flag in (False, True)]
        status = STATUSES.index(listing["status"])
        assert visible == [status == 0, status in (0, 1)]
    assert index.find_id(str(uuid4()), type_code=0) is None
    assert list(index.find_slug("zzz", type_code=3)) == []


def test_a_snapshot_is_opened_once_and_let_go_with_its_last_release(tmp_path: Path) -> None:
    world = make_world(Random(5), size=10)
    snapshot = open_world(world, tmp_path)
    reader = open_snapshot(snapshot)
    assert open_snapshot(snapshot) is reader
    assert open_evaluator(open_snapshot(snapshot)) is open_evaluator(reader)
    reference = reader.reference
    del reader
    assert reference() is not None
    del snapshot
    assert reference() is None


def test_threads_ask_at_once_and_each_sees_its_own_circle(tmp_path: Path) -> None:
    release = open_release([make_world(Random(11), size=150)], tmp_path)
    requests = [
        {"lat": "40", "lng": "-74", "radius_m": str(500 * number), "audience": "all", "min_confidence": "0"}
        for number in range(1, 17)
    ]
    expected = [fetch(release, "/v1/harbor/places", params) for params in requests]
    assert len({body["meta"]["count"] for body in expected}) > 2
    wrong: list[int] = []

    def ask_all(first: int) -> None:
        for step in range(32):
            number = (first + step) % 16
            if fetch(release, "/v1/harbor/places", requests[number]) != expected[number]:
                wrong.append(number)

    threads = [threading.Thread(target=ask_all, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_texts_of_a_request_are_values(tmp_path: Path) -> None:
    release = open_release([make_world(Random(2), size=20)], tmp_path)
    for text in ("'; DROP TABLE listings; --", "' OR 1=1 --", "?", "%", "\\", "{schema}"):
        assert fetch(release, "/v1/harbor/places", {"neighborhood": text})["data"] == []
