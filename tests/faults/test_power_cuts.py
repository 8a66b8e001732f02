"""Power cuts at each step of a build: what was not synced may be gone or half there, and every release is whole."""

import random
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import DISK, Meets, build, make_old, restore, run
from tests.faults.whole import check_current, check_listed
from tests.faults.worlds import clock_of, copy_world, forget_cache
from tests.release.doubles import ForgetfulDisk

# Making a folder is durable in itself, and leaves nothing behind.
STEPS = tuple(value for value in DISK if value != "make_folder")
# What is left of things that were not synced: nothing, all, or some.
LOTS = (0.0, 1.0, 0.5)


class CutDisk(ForgetfulDisk):
    """A disk that lays out what a power cut would leave before each call in `numbers`: in `into/<number>/<lot>`, one
    lot after the other; after the call before number `end` in `into/last/<lot>`."""

    def __init__(self, store: Path, into: Path, *, numbers: frozenset[int], end: int) -> None:
        super().__init__()
        self._store, self._into, self._numbers, self._end = store, into, numbers, end
        self._count = 0
        self.remember(store)

    def write_file(self, path: Path, data: bytes) -> None:
        self._cut()
        super().write_file(path, data)

    def sync_files(self, paths: Any) -> None:
        self._cut()
        super().sync_files(paths)

    def replace(self, source: Path, target: Path) -> None:
        self._cut()
        super().replace(source, target)

    def remove(self, path: Path) -> None:
        self._cut()
        super().remove(path)

    def sync_folders(self, paths: Any) -> None:
        self._cut()
        super().sync_folders(paths)
        if self._count == self._end:
            self._lay_out("last", LOTS)

    def _cut(self) -> None:
        if self._count in self._numbers:
            self._lay_out(str(self._count), [LOTS[self._count % len(LOTS)]])
        self._count += 1

    def _lay_out(self, name: str, lots: Sequence[float]) -> None:
        for lot in lots:
            moments = random.Random(f"{name} {lot}")
            self.cut_power(self._store, self._into / name / str(lot), choose=lambda m=moments, p=lot: m.random() < p)


def list_left(into: Path) -> list[tuple[str, Path]]:
    return [(number.name, left) for number in sorted(into.iterdir()) for left in sorted(number.iterdir())]


def choose_turns(steps: Sequence[str]) -> set[int]:
    """Every step that makes something durable, and those beside it."""
    return {at + by for at, step in enumerate(steps) if step.startswith("sync") for by in (-1, 0, 1)}


def choose_any(steps: Sequence[str], *, cases: int) -> set[int]:
    return set(random.Random(6).sample(range(len(steps)), min(cases, len(steps))))


@pytest.mark.long
@pytest.mark.parametrize("number", [pytest.param(0, id="first"), pytest.param(1, id="second")])
def test_a_power_cut_at_each_step_of_a_build_leaves_a_whole_release(
    number: int, unbuilt: Path, built: Path, tmp_path: Path, cases: int
) -> None:
    config = copy_world((unbuilt, built)[number], tmp_path / "world")
    forget_cache(config)
    store, into = config.parent / "var/store", tmp_path / "left"
    counted = build(copy_world(config, tmp_path / "counted"), as_of=clock_of(number))
    steps = [value for value in counted.trace if value in STEPS]
    numbers = frozenset(choose_turns(steps) | choose_any(steps, cases=cases // 2))
    disk = partial(CutDisk, store, into, numbers=numbers, end=len(steps))
    ended = build(config, as_of=clock_of(number), meets=Meets(make_disk=disk))
    assert ended.code == 0, ended.err
    cut = list_left(into)
    releases = {left: check_current(left) for _, left in cut}
    assert set(releases.values()) == {number, number + 1}
    assert {releases[left] for name, left in cut if name == "last"} == {number + 1}, "what was promised is gone"
    # Whatever is left half written, the next build goes on from there.
    for name, left in random.Random(8).sample(cut, min(len(cut), 3 + cases // 10)):
        again = copy_world((unbuilt, built)[number], tmp_path / f"again {name} {left.name}")
        shutil.rmtree(again.parent / "var", ignore_errors=True)
        shutil.copytree(left, again.parent / "var/store")
        before = 1 if releases[left] == 0 and restore(again) else releases[left]
        ended = build(again, as_of=clock_of(number + 1))
        assert ended.code == 0, ended.err
        assert check_current(again.parent / "var/store") == before + 1
        check_listed(again.parent / "var/store")


@pytest.mark.long
def test_a_power_cut_at_steps_of_a_prune_leaves_whole_releases(built: Path, tmp_path: Path, cases: int) -> None:
    config = make_old(built, tmp_path / "world")
    store, into = config.parent / "var/store", tmp_path / "left"
    counted = run("releases", "prune", "--clock-is-right", config=copy_world(config, tmp_path / "counted"))
    steps = [value for value in counted.trace if value in STEPS]
    numbers = frozenset({*range(6), *choose_any(steps, cases=cases)})
    disk = partial(CutDisk, store, into, numbers=numbers, end=len(steps))
    ended = run("releases", "prune", "--clock-is-right", config=config, meets=Meets(make_disk=disk))
    assert ended.code == 0, ended.err
    kept = set()
    for _, left in list_left(into):
        assert check_current(left) == 2
        kept.add(len(check_listed(left)))
    assert kept == {1, 2}
