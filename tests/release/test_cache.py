"""The cache of a machine: checked on arrival, shared by processes, bounded."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from outings.release.cache import evict_objects, fetch_object
from outings.release.store import Corrupt, NotFound, hash_of, name_of, object_name, put_object
from tests.release.doubles import Nth, WatchedObject, fail
from tests.release.memory import MemoryStore


def put_objects(store: MemoryStore, count: int) -> list[str]:
    """Objects of 1,000 bytes each."""
    return [put_object(store, b"%1000d" % number) for number in range(count)]


def fetch_at(store: MemoryStore, sha: str, folder: Path, *, second: int) -> None:
    os.utime(fetch_object(store, sha, folder=folder).path, (second, second))


def list_cached(folder: Path) -> set[str]:
    return {path.name for path in (folder / "objects").iterdir()}


def test_an_object_is_fetched_once(tmp_path: Path) -> None:
    store, requests = MemoryStore(), []
    sha = put_object(store, b"data")

    def watch(operation: str, act: Any) -> Any:
        requests.append(operation)
        return act()

    for _ in range(3):
        file = fetch_object(WatchedObject(store, watch), sha, folder=tmp_path)
        assert file.path == tmp_path / "objects" / sha
        assert file[:] == file.path.read_bytes() == b"data"
    assert requests == ["get"]


def test_an_object_that_is_not_what_its_name_says_is_refused_and_not_kept(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put(name_of(b"right"), b"wrong")
    for _ in range(2):
        with pytest.raises(Corrupt, match="its 5 bytes have the SHA-256"):
            fetch_object(store, hash_of(b"right"), folder=tmp_path)
    store.put(name_of(b"right"), b"right")
    assert fetch_object(store, hash_of(b"right"), folder=tmp_path)[:] == b"right"


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "other bytes":
        path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    else:
        os.truncate(path, {"empty": 0, "half": len(data) // 2, "longer": len(data) + 1}[how])


DAMAGES = ["other bytes", "empty", "half", "longer"]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_file_that_is_not_what_its_name_says_is_fetched_again_once_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    store = MemoryStore()
    reads = Nth(-1, fail)
    sha = put_object(store, b"data")
    path = fetch_object(store, sha, folder=tmp_path).path
    damage(path, how)
    for _ in range(3):
        assert fetch_object(WatchedObject(store, reads), sha, folder=tmp_path)[:] == b"data"
    assert reads.calls == ["get"]
    [line] = caplog.messages
    assert str(path) in line
    assert list_cached(tmp_path) == {sha}


def test_a_file_and_an_object_that_are_both_damaged_are_refused(tmp_path: Path) -> None:
    store = MemoryStore()
    sha = put_object(store, b"data")
    damage(fetch_object(store, sha, folder=tmp_path).path, "half")
    store.put(name_of(b"data"), b"date")
    for _ in range(2):
        with pytest.raises(Corrupt, match="its 4 bytes have the SHA-256"):
            fetch_object(store, sha, folder=tmp_path)


def test_a_file_is_checked_by_a_process_that_did_not_fetch_it(tmp_path: Path) -> None:
    """The file's bytes were changed without a write."""
    store = MemoryStore()
    sha = put_object(store, b"data")
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / sha).write_bytes(b"date")
    assert fetch_object(store, sha, folder=tmp_path)[:] == b"data"


def test_an_object_that_is_gone_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        fetch_object(MemoryStore(), hash_of(b"none"), folder=tmp_path)


def test_many_that_fetch_at_once_see_it_whole(tmp_path: Path) -> None:
    store = MemoryStore()
    data = os.urandom(1_000_000)
    sha, copies = put_object(store, data), []
    threads = [
        threading.Thread(target=lambda: copies.append(fetch_object(store, sha, folder=tmp_path)[:] == data))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert copies == [True] * 16
    assert list_cached(tmp_path) == {sha}


def test_what_no_release_needs_is_evicted_an_hour_after_it_was_opened_last(tmp_path: Path) -> None:
    store = MemoryStore()
    needed, unused, opened, new = put_objects(store, 4)
    for sha in (needed, unused, opened):
        fetch_at(store, sha, tmp_path, second=1)
    (tmp_path / "objects" / f"{'a' * 64}.temporary").write_bytes(b"half")  # by a fetch that was killed
    os.utime(tmp_path / "objects" / f"{'a' * 64}.temporary", (1, 1))
    mapped = fetch_object(store, unused, folder=tmp_path)
    os.utime(mapped.path, (1, 1))
    for sha in (opened, new):
        fetch_object(store, sha, folder=tmp_path)
    evict_objects(tmp_path, needed={needed})
    assert list_cached(tmp_path) == {needed, opened, new}
    assert mapped[:] == store.get(object_name(unused))
    evict_objects(tmp_path / "none", needed=())
