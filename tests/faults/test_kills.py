"""Builds killed by SIGKILL at each operation of the store and of its disk, and at random, with readers running."""

import random
import shutil
import signal
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from outings.release.folder import FolderStore
from tests.faults.commands import DISK, STORE, CommandResult, Meets, build, restore, start
from tests.faults.readers import asking, reading
from tests.faults.whole import Whole, check_current, read_whole
from tests.faults.worlds import clock_of, copy_world, forget_cache, write_round
from tests.release.doubles import Nth, kill, kill_after


class UninterruptedBuild(NamedTuple):
    """A build that nothing befell: its release, its store's bytes by name, and what it asked of store and disk."""

    release: Whole
    stored: dict[str, bytes]
    trace: tuple[str, ...]

    def count(self, *operations: str) -> int:
        return sum(operation in operations for operation in self.trace)


def build_uninterrupted(config: Path, *words: str, number: int) -> UninterruptedBuild:
    forget_cache(config)
    ended = build(config, *words, as_of=clock_of(number))
    assert ended.code == 0, ended.err
    store = config.parent / "var/store"
    release = read_whole(FolderStore(store))
    assert release is not None
    return UninterruptedBuild(release, read_objects(store), ended.trace)


def read_objects(store: Path) -> dict[str, bytes]:
    """Read all objects that a release may name."""
    return {path.name: path.read_bytes() for path in store.glob("objects/*/*")}


def build_again(config: Path, *words: str, number: int, expected: UninterruptedBuild) -> None:
    """Check that the next build after a kill succeeds, and leaves what a build leaves that was never killed."""
    store = config.parent / "var/store"
    before = check_current(store)
    if before == 0 and restore(config):
        assert read_whole(FolderStore(store)) == expected.release
        return
    ended = build(config, *words, as_of=clock_of(number))
    assert ended.code == 0, ended.err
    release = read_whole(FolderStore(store))
    assert release is not None
    assert (release.root["parts"], release.log) == (expected.release.root["parts"], expected.release.log)
    assert release.listings == expected.release.listings
    if before < expected.release.sequence:  # the killed one published nothing
        assert (release.sha, release.sequence) == (expected.release.sha, expected.release.sequence)
        assert read_objects(store) == expected.stored


WRITES = ("put", "put_many", "put_if")
# Of one world: its log grows with each, and is read whole after each.
ROUNDS = 50


def was_killed(ended: CommandResult) -> bool:
    """Return True if the build was killed, or the child in which it read a feed, which ends the build too."""
    return ended.code == -signal.SIGKILL or (ended.code == 1 and "stopped its reader (SIGKILL)" in ended.err)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        pytest.param(0, ("--metro", "seattle"), id="first, of one metro", marks=pytest.mark.long),
        pytest.param(1, (), id="second, of two", marks=pytest.mark.long),
    ],
)
def test_a_build_killed_at_each_store_operation_shows_readers_the_old_release_or_the_new(
    number: int, words: tuple[str, ...], unbuilt: Path, built: Path, tmp_path: Path, cases: int
) -> None:
    """Builds are killed before each operation, or before some that are drawn if there are more than `cases`. A killed
    build meets what those before it left. Before a write the next build is let through, so that the store changes."""
    origin = (unbuilt, built)[number]
    expected = build_uninterrupted(copy_world(origin, tmp_path / "expected"), *words, number=number)
    operations = [value for value in expected.trace if value in STORE]
    assert len(operations) >= 10
    config = copy_world(origin, tmp_path / "killed")
    store = config.parent / "var/store"
    with reading(store) as readings:
        drawn = sorted(random.Random(number).sample(range(len(operations)), min(len(operations), 4 * cases)))
        for n in drawn:
            operation = operations[n]
            forget_cache(config)
            ended = build(config, *words, as_of=clock_of(number), meets=Meets(operations=Nth(n, kill)))
            assert was_killed(ended), ended.err
            assert check_current(store) == number
            if operation in WRITES:
                build_again(copy_world(config, tmp_path / str(n)), *words, number=number, expected=expected)
        forget_cache(config)
        if number == 0:  # the release of a first build that was killed right before its swap is restored, not built on
            shutil.rmtree(store)
        last = operations.index("put_if")
        ended = build(config, *words, as_of=clock_of(number), meets=Meets(operations=Nth(last, kill_after)))
        assert ended.code == -signal.SIGKILL, ended.err
        assert check_current(store) == number + 1
        build_again(config, *words, number=number, expected=expected)
    assert set(readings) <= {number, number + 1, number + 2}


@pytest.mark.long
def test_a_build_killed_at_each_disk_operation_shows_readers_the_old_release_or_the_new(
    built: Path, tmp_path: Path, cases: int
) -> None:
    """Builds are killed at as many operations as the setting says, and at the last ones. Each meets what those before
    it left."""
    expected = build_uninterrupted(copy_world(built, tmp_path / "expected"), number=1)
    count = expected.count(*DISK)
    # The pointer: its bytes, their sync, its name, the sync of that.
    last = range(count - 5, count)
    others = random.Random(3).sample(range(last[0]), min(cases // 2, last[0]))
    config = copy_world(built, tmp_path / "killed")
    store = config.parent / "var/store"
    with reading(store) as readings:
        for n in sorted({*others, *last}):
            ended = build(config, as_of=clock_of(1), meets=Meets(disk=Nth(n, kill)))
            assert was_killed(ended), ended.err
            # Only the sync of its name is left when the pointer is another one.
            assert check_current(store) == (2 if n == last[-1] else 1)
    assert {1} <= set(readings) <= {1, 2}
    build_again(config, number=1, expected=expected)


@pytest.mark.long
def test_builds_killed_at_random_show_readers_the_old_release_or_the_new(
    built: Path, tmp_path: Path, cases: int
) -> None:
    """Readers of the store and of a server see the old release or the new one, never one between."""
    kills = 0
    for first in range(0, cases, ROUNDS):
        config = copy_world(built, tmp_path / str(first))
        kills += kill_at_random(config, moments=random.Random(11 + first), rounds=min(ROUNDS, cases - first))
        shutil.rmtree(config.parent)
    print(f"{kills} of {cases} builds were killed before their end")  # `make faults` shows it


def kill_at_random(config: Path, *, moments: random.Random, rounds: int) -> int:
    """Return how many builds were killed before they ended by themselves."""
    store, killed = config.parent / "var/store", 0
    published, longest = 1, 1.0
    with asking(config) as server, reading(store) as readings:
        for _ in range(rounds):
            write_round(config, published)
            with start("build", "--workers", "1", "--as-of", clock_of(published), config=config) as building:
                time.sleep(moments.uniform(0, longest))
                killed += building.is_alive
            now = check_current(store)
            assert now in (published, published + 1)
            # Whatever the machine's load, about half of the builds are killed before the end.
            longest *= 1.2 if now == published else 0.9
            published = now
        write_round(config, published)
        assert build(config, as_of=clock_of(published)).code == 0
        published += 1
        server.wait_for(published)
    whole = read_whole(FolderStore(store))
    assert whole is not None
    assert (whole.sequence, set(whole.marks.values())) == (published, {published - 1})
    assert set(readings) <= set(range(1, published + 1))
    assert all(rounds == {int(release.partition("-")[0]) - 1} for release, rounds in server.rounds.items())
    return killed
