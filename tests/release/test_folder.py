"""Promises that only a store in a folder makes: other processes, full disks, power cuts."""

import errno
import multiprocessing
import os
import pickle
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.release.folder import Disk, FolderStore, sync_file_system
from outings.release.pointer import list_releases
from outings.release.pruning import prune
from outings.release.publishing import publish
from outings.release.root import Root
from outings.release.store import NotFound, Outcome, StoreError, name_of, open_store
from tests.release.doubles import ForgetfulDisk, Nth, ProcessKilledError, WatchedObject, die, fill_disk, refuse
from tests.release.worlds import change, minutes, put_metro, read_chain, read_log, read_whole


def test_a_url_with_slashes_or_without_names_the_same_folder(tmp_path: Path) -> None:
    open_store(f"file:{tmp_path}/var/store").put("keys.json", b"{}")
    assert (tmp_path / "var/store/keys.json").read_bytes() == b"{}"
    assert open_store(f"file://{tmp_path}/var/store").get("keys.json") == b"{}"


def swap_in_process(folder: Path, number: int, start: Any, answers: Any) -> None:
    store = FolderStore(folder)
    versioned = store.read_versioned("current.json")
    assert versioned is not None
    start.wait()
    answers.put((number, store.put_if("current.json", b"%d" % number, expected=versioned.etag).name))


@pytest.mark.long
def test_of_racing_processes_one_wins(tmp_path: Path) -> None:
    FolderStore(tmp_path).put_if("current.json", b"start", expected=None)
    context = multiprocessing.get_context("spawn")
    start, answers = context.Barrier(4), context.Queue()
    racers = [context.Process(target=swap_in_process, args=(tmp_path, number, start, answers)) for number in range(4)]
    for racer in racers:
        racer.start()
    got = dict(answers.get(timeout=60) for _ in racers)
    for racer in racers:
        racer.join()
    assert sorted(got.values()) == ["LOST", "LOST", "LOST", "WON"]
    assert got[int(FolderStore(tmp_path).get("current.json"))] == "WON"


@pytest.mark.parametrize(
    ("fault", "words"),
    [(fill_disk, "No space left on device (free space"), (refuse, "Permission denied (this user needs")],
)
def test_a_disk_that_refuses_is_said_and_the_release_before_untouched(tmp_path: Path, fault: Any, words: str) -> None:
    store = FolderStore(tmp_path)
    base = publish_one(store, base=None, number=1)
    reported, unsaid, sequences = list[str](), list[str](), list[int]()
    # How often the disk is asked differs by what hashes begin with: each call fails several times.
    beyond = 0
    for number in count(2):
        n = number // 4
        watch = Nth(n, fault)
        before = read_chain(store)[0]["sequence"]
        try:
            publish_one(FolderStore(tmp_path, disk=WatchedObject(Disk(), watch)), base=base, number=number)
        except StoreError as error:
            reported.append(str(error))
            sequences.append(read_chain(store)[0]["sequence"] - before)
        else:
            beyond += n >= len(watch.calls)
            if beyond == 8:
                break
            unsaid += watch.calls[n : n + 1]
        read_whole(store, read_chain(store)[0])
        base = latest(store)
    assert all(text.startswith(f"store file:{tmp_path}: cannot ") and words in text for text in reported)
    assert set(sequences) == {0}
    # The swap's own: it is in place, and was found to be. More than one `n` may be its number.
    assert set(unsaid) == {"sync_folders"}


def test_a_swap_whose_folder_could_not_be_flushed_is_unknown(tmp_path: Path) -> None:
    def fault(operation: str, act: Any) -> Any:
        if operation == "sync_folders":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return act()

    FolderStore(tmp_path).put_if("current.json", b"1", expected=None)
    pointer = FolderStore(tmp_path).read_versioned("current.json")
    assert pointer is not None
    store = FolderStore(tmp_path, disk=WatchedObject(Disk(), fault))
    assert store.put_if("current.json", b"2", expected=pointer.etag) is Outcome.UNKNOWN


def test_what_was_written_again_since_it_was_listed_is_not_deleted(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.put("objects/aa/one", b"x")
    os.utime(tmp_path / "objects/aa/one", (1, 1))
    listed = list(store.list("objects/"))
    store.put("objects/aa/one", b"x")
    assert list(store.delete(listed)) == []
    assert store.get("objects/aa/one") == b"x"


def test_a_folder_that_is_linked_into_the_store_is_neither_listed_nor_pruned(tmp_path: Path) -> None:
    """Nor is the link. The folder of all objects may be one: on a larger disk, say."""
    behind, disk = tmp_path / "behind", tmp_path / "disk"
    (tmp_path / "store").mkdir()
    disk.mkdir()
    (tmp_path / "store/objects").symlink_to(disk)
    store = FolderStore(tmp_path / "store")
    publish_one(store, base=None, number=1)
    store.put(name_of(b"unneeded"), b"unneeded")
    outside = behind / name_of(b"outside").rpartition("/")[2]
    behind.mkdir()
    outside.write_bytes(b"outside")
    (disk / outside.name[:2]).symlink_to(behind)
    (tmp_path / "store/tmp/linked").symlink_to(behind)
    deleted = prune(store, keep_days=0, now=time.time() + 7 * 86_400).deleted
    assert [entry.name for entry in deleted] == [name_of(b"unneeded")]
    assert outside.read_bytes() == b"outside"
    assert (disk / outside.name[:2]).is_symlink()


def test_a_path_that_is_no_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    with pytest.raises(StoreError, match=r"put keys.json: .* \(there is a file where the store needs a folder\)"):
        FolderStore(tmp_path / "store").put("keys.json", b"{}")


def test_store_errors_cross_processes_whole() -> None:
    error = pickle.loads(pickle.dumps(NotFound(store="s", operation="get", name="n", cause="c")))
    assert (type(error), str(error)) == (NotFound, "store s: cannot get n: c")


def test_the_file_system_is_flushed_in_one_call(tmp_path: Path) -> None:
    assert sync_file_system(tmp_path)
    with pytest.raises(OSError, match="No such file"):
        sync_file_system(tmp_path / "none")


def latest(store: FolderStore) -> Root:
    return next(list_releases(store)).root


def publish_one(store: Any, *, base: Root | None, number: int) -> Root:
    part = put_metro(store, "seattle", str(number), stamp=minutes(number))
    changes = [change(number, stamp=minutes(number))]
    return publish(store, base=base, parts={"seattle": part}, changes=changes, feeds={}, now=minutes(number)).root


def test_the_double_forgets_what_was_not_synced(tmp_path: Path) -> None:
    disk = ForgetfulDisk()
    (tmp_path / "live").mkdir()
    for name in ("synced", "flushed", "neither"):
        disk.write_file(tmp_path / "live" / name, b"0123456789")
    disk.sync_files([tmp_path / "live/synced", tmp_path / "live/flushed"])
    disk.sync_folders([tmp_path / "live"])
    disk.write_file(tmp_path / "live/later", b"x")
    disk.cut_power(tmp_path / "live", tmp_path / "left", choose=lambda: False)
    left = {path.name: path.read_bytes() for path in (tmp_path / "left").iterdir()}
    assert left == {"synced": b"0123456789", "flushed": b"0123456789", "neither": b"01234"}


@given(st.integers(0, 60), st.randoms(use_true_random=False))
def test_after_a_power_cut_the_old_or_the_new_release_is_whole(tmp_path_factory: Any, n: int, random: Any) -> None:
    folder = tmp_path_factory.mktemp("power")
    disk, watch = ForgetfulDisk(), Nth(n, die)
    base = publish_one(FolderStore(folder / "live", disk=disk), base=None, number=1)
    acknowledged = 1
    try:
        publish_one(FolderStore(folder / "live", disk=WatchedObject(disk, watch)), base=base, number=2)
        acknowledged = 2
    except ProcessKilledError:
        pass
    disk.cut_power(folder / "live", folder / "left", choose=lambda: random.random() < 0.5)
    left = FolderStore(folder / "left")
    chain = read_chain(left)
    assert chain[0]["sequence"] in (acknowledged, 2)
    assert read_whole(left, chain[0]) == {"seattle": f"seattle table {chain[0]['sequence']}"}
    assert [version["version_id"] for version in read_log(left, chain[0])] == [*range(1, chain[0]["sequence"] + 1)]
    # Whatever is left half written, the next build goes on from there.
    publish_one(left, base=latest(left), number=3)
    assert read_whole(left, read_chain(left)[0]) == {"seattle": "seattle table 3"}


def test_an_object_whose_name_was_there_before_is_whole_after_a_power_cut(tmp_path: Path) -> None:
    disk = ForgetfulDisk()
    store = FolderStore(tmp_path / "live", disk=disk)
    data = b"0123456789"
    store.put(name_of(data), data)
    with pytest.raises(ProcessKilledError):
        FolderStore(tmp_path / "live", disk=WatchedObject(disk, Nth(2, die))).put(name_of(data), data)
    disk.cut_power(tmp_path / "live", tmp_path / "left", choose=lambda: True)
    assert FolderStore(tmp_path / "left").get(name_of(data)) == data
