"""A prune beside a build: whatever of either comes first, every release that is listed is whole."""

import json
import os
import random
import signal
from pathlib import Path

import pytest

from tests.faults.commands import MONTH, STORE, Meets, build, make_old, pause_at, run, start
from tests.faults.whole import check_current, check_listed
from tests.faults.worlds import clock_of, copy_world, write_round
from tests.release.doubles import Nth, kill


def prune(config: Path, *, meets: Meets | None = None) -> int:
    """Prune, and return how many objects were deleted."""
    ended = run("releases", "prune", "--clock-is-right", "--json", config=config, meets=meets)
    assert ended.code == 0, ended.err
    return int(json.loads(ended.out)["deleted"])


def check(config: Path, *, sequence: int) -> None:
    store = config.parent / "var/store"
    assert check_current(store) == sequence
    check_listed(store)


@pytest.mark.long
def test_a_prune_before_any_write_of_a_build_leaves_both_whole(built: Path, tmp_path: Path, cases: int) -> None:
    """Prunes also run before as many other operations as the setting says."""
    origin = make_old(built, tmp_path / "origin")
    counted = build(copy_world(origin, tmp_path / "counted"), as_of=clock_of(2))
    operations = [value for value in counted.trace if value in STORE]
    writes = [at for at, operation in enumerate(operations) if operation in ("put", "put_many", "put_if")]
    others = random.Random(4).sample(range(len(operations)), min(cases // 5, len(operations)))
    deleted = []
    for n in sorted({0, *writes, *others}):
        config = copy_world(origin, tmp_path / str(n))
        pause = pause_at(n)
        words = ("build", "--workers", "1", "--as-of", clock_of(2))
        with start(*words, config=config, meets=Meets(operations=pause)) as waiting:
            assert pause.wait(waiting)
            deleted.append(prune(config))
            pause.end()
            ended = waiting.wait()
        assert ended.code == 0, ended.err
        check(config, sequence=3)
    # What the killed build left goes, but what this one has written by then stays.
    assert deleted[0] > deleted[-1] > 0


@pytest.mark.long
def test_a_build_before_any_operation_of_a_prune_leaves_both_whole(built: Path, tmp_path: Path, cases: int) -> None:
    origin = make_old(built, tmp_path / "origin")
    counted = run("releases", "prune", "--clock-is-right", config=copy_world(origin, tmp_path / "counted"))
    count = len([entry for entry in counted.trace if entry in STORE or entry.startswith("delete")])
    assert counted.count("remove") > 100
    numbers = {*range(4), *random.Random(5).sample(range(count), min(cases // 5, count)), count - 1}
    for n in sorted(numbers):
        config = copy_world(origin, tmp_path / str(n))
        pause = pause_at(n)
        with start(
            "releases", "prune", "--clock-is-right", "--json", config=config, meets=Meets(operations=pause)
        ) as waiting:
            assert pause.wait(waiting)
            ended = build(config, as_of=clock_of(2))
            pause.end()
            pruned = waiting.wait()
        assert (ended.code, pruned.code) == (0, 0), ended.err + pruned.err
        check(config, sequence=3)


@pytest.mark.long
def test_a_prune_killed_at_any_operation_leaves_whole_releases_and_the_next_ends_its_work(
    built: Path, tmp_path: Path, cases: int
) -> None:
    """The releases that are still listed are whole, and the next prune ends the work."""
    origin = make_old(built, tmp_path / "origin")
    whole = copy_world(origin, tmp_path / "whole")
    assert prune(whole) > 100
    config = copy_world(origin, tmp_path / "killed")
    moments = random.Random(9)
    for _ in range(max(3, cases // 4)):
        meets = Meets(operations=Nth(moments.randrange(40), kill))
        ended = run("releases", "prune", "--clock-is-right", config=config, meets=meets)
        assert ended.code in (0, -signal.SIGKILL)
        check(config, sequence=2)
    prune(config)
    check(config, sequence=2)
    assert sorted(path.name for path in list_objects(config)) == sorted(path.name for path in list_objects(whole))


def list_objects(config: Path) -> list[Path]:
    return list((config.parent / "var/store/objects").glob("*/*"))


@pytest.mark.long
def test_prunes_over_and_over_beside_builds_leave_whole_releases(built: Path, tmp_path: Path, cases: int) -> None:
    """Prunes and builds overlap as the machine lets them, with all published objects old enough to be deleted."""
    config = make_old(built, tmp_path / "world")
    for number in range(2, 2 + max(2, cases // 8)):
        write_round(config, number)
        words = ("build", "--workers", "1", "--as-of", clock_of(number))
        with start(*words, config=config) as running:
            while running.is_alive:
                prune(config)
            ended = running.wait()
        assert ended.code == 0, ended.err
        check(config, sequence=number + 1)
        for path in list_objects(config):
            os.utime(path, (path.stat().st_mtime - MONTH,) * 2)
