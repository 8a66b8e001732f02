"""Builds killed by SIGKILL, at each disk operation and at random, with readers running: never a torn release."""

import contextlib
import itertools
import random
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from outings.release.folder import Disk, FolderStore
from outings.release.pointer import list_releases
from outings.release.pruning import prune
from outings.release.publishing import publish
from outings.release.trust import ANYBODY
from outings.release.verifying import RestoreRefusal, restore_release
from tests.forking import CONTEXT
from tests.release.doubles import Nth, WatchedObject, kill
from tests.release.worlds import change, minutes, put_metro, read_chain, read_log, read_whole

# Of one store: its log grows with each, and is read whole after each.
ROUNDS = 50
# A publisher lives a tenth of a second, a build many: with those of the builds CI has its 300 kills.
FEWEST = 280


def publish_next(store: Any) -> int:
    """One more release, whose table, change and time are its number; that number. What a first build that was killed
    right before its swap has left is put in force before, as its operator is told."""
    with contextlib.suppress(RestoreRefusal):
        restore_release(store, None, trust=ANYBODY)
    base = next((release.root for release in list_releases(store)), None)
    number = base.sequence + 1 if base else 1
    part = put_metro(store, "seattle", str(number), stamp=minutes(number))
    changes = [change(number, stamp=minutes(number))]
    return publish(
        store, base=base, parts={"seattle": part}, changes=changes, feeds={}, now=minutes(number)
    ).root.sequence


def publish_and_die(folder: Path, n: int) -> None:
    publish_next(FolderStore(folder, disk=WatchedObject(Disk(), Nth(n, kill))))


def publish_until_killed(folder: Path, sender: Connection) -> None:
    while True:
        sender.send(publish_next(FolderStore(folder)))


def check_current(store: FolderStore) -> int:
    """Everything of the release in force is there and is its own; its number, 0 before the first."""
    chain = read_chain(store, most=1)
    if not chain:
        return 0
    number = int(chain[0]["sequence"])
    assert read_whole(store, chain[0]) == {"seattle": f"seattle table {number}"}
    assert [(version["version_id"], version["slug"]) for version in read_log(store, chain[0])] == [
        (at, f"listing-{at}") for at in range(1, number + 1)
    ]
    return number


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[list[int]]:
    """A reader that checks the release in force over and over; the numbers that it saw."""
    sequences, failures, stop = [], [], threading.Event()

    def read() -> None:
        while not stop.wait(0.005):
            try:
                sequences.append(check_current(FolderStore(folder)))
            except Exception as error:  # noqa: BLE001 - whatever it is, the test fails with it
                failures.append(error)
                return

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield sequences
    finally:
        stop.set()
        reader.join()
    assert not failures, failures
    assert sequences == sorted(sequences)


def test_killed_at_each_disk_operation_the_old_or_the_new_release_is_whole(tmp_path: Path) -> None:
    store, killed = FolderStore(tmp_path), 0
    with reading(tmp_path):
        for n in itertools.count():
            before = check_current(store)
            build = CONTEXT.Process(target=publish_and_die, args=(tmp_path, n))
            build.start()
            build.join()
            after = check_current(store)
            if build.exitcode == 0:
                assert after == before + 1
                break
            assert build.exitcode == -signal.SIGKILL
            assert after in (before, before + 1)
            killed += 1
    assert killed > 20
    # Half-written files of killed builds go with the next prune, and nothing that is needed.
    left = check_current(store)
    assert list(store.list("tmp/"))
    prune(store, keep_days=0, now=time.time() + 7 * 86_400, is_clock_right=True)
    assert list(store.list("tmp/")) == []
    assert check_current(store) == left


def hear_out(receiver: Connection) -> Iterator[int]:
    """Return all that a process wrote before it died."""
    with receiver, contextlib.suppress(EOFError):
        while True:
            yield receiver.recv()


@pytest.mark.long
def test_killed_at_random_what_was_acknowledged_is_published(tmp_path: Path, cases: int) -> None:
    kills = max(cases, FEWEST)
    for first in range(0, kills, ROUNDS):
        kill_at_random(tmp_path / str(first), moments=random.Random(7 + first), rounds=min(ROUNDS, kills - first))
        shutil.rmtree(tmp_path / str(first))
    print(f"{kills} publishers were killed")  # `make faults` shows it


def kill_at_random(folder: Path, *, moments: random.Random, rounds: int) -> None:
    store = FolderStore(folder)
    with reading(folder) as readings:
        for _ in range(rounds):
            before = check_current(store)
            receiver, sender = CONTEXT.Pipe(duplex=False)
            build = CONTEXT.Process(target=publish_until_killed, args=(folder, sender))
            build.start()
            sender.close()
            assert receiver.poll(60)
            time.sleep(moments.uniform(0, 0.05))
            build.kill()
            build.join()
            acknowledged = max(before, *hear_out(receiver))
            assert check_current(store) in (acknowledged, acknowledged + 1)
        published = check_current(store)
    assert published >= rounds
    assert set(readings) <= set(range(published + 1))
