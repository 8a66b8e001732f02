"""Temporary files of a build are deleted at its end, and those of a killed build by the next one."""

import os
import signal
import tempfile
from functools import partial
from pathlib import Path

import pytest

from pipeline.scratch import open_scratch, sweep_scratch
from tests.faults.commands import Meets, Pause, build, start
from tests.faults.whole import check_current
from tests.faults.worlds import clock_of, copy_world

BUILD = ("build", "--workers", "1", "--as-of", clock_of(1), "--metro")


def use_folder(folder: Path) -> None:
    tempfile.tempdir = str(folder)


def is_writing(operation: str, _: int) -> bool:
    """A metro is put together from the records in the scratch folder."""
    return operation == "put_many"


def pause_in(folder: Path) -> tuple[Pause, Meets]:
    pause = Pause(is_writing)
    return pause, Meets(operations=pause, prepare=partial(use_folder, folder))


def list_scratch(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.long
def test_the_next_build_removes_what_dead_ones_left_and_nothing_of_a_living_one(built: Path, tmp_path: Path) -> None:
    config, folder = copy_world(built, tmp_path / "world"), tmp_path / "tmp"
    folder.mkdir()
    (folder / "somebody-elses").mkdir()
    pause, meets = pause_in(folder)
    with start(*BUILD, "seattle", config=config, meets=meets) as killed:
        assert pause.wait(killed)
        killed.kill()
    left = list_scratch(folder)
    assert len(left) == 2
    pause, meets = pause_in(folder)
    with start(*BUILD, "new-york", config=config, meets=meets) as living:
        assert pause.wait(living)
        scratch = list_scratch(folder)
        assert scratch & left == {"somebody-elses"}
        assert len(scratch) == 2
        through = build(
            config, "--metro", "seattle", as_of=clock_of(1), meets=Meets(prepare=partial(use_folder, folder))
        )
        assert through.code == 0, through.err
        assert list_scratch(folder) == scratch
        pause.end()
        assert living.wait().code == 0
    assert list_scratch(folder) == {"somebody-elses"}
    assert check_current(config.parent / "var/store") == 3


def test_a_scratch_folder_whose_lock_is_gone_goes_with_the_next_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build was killed while it deleted the folder, whose lock goes first."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "outings-build-torn").mkdir()
    (tmp_path / "outings-build-torn/events.spool").write_bytes(b"x")
    (tmp_path / "outings-build-file").write_bytes(b"somebody else's")
    (tmp_path / "outings-build-link").symlink_to(tmp_path / "elsewhere")
    with open_scratch() as living:
        sweep_scratch()
        assert list_scratch(tmp_path) == {living.name, "outings-build-file", "outings-build-link"}


def test_a_build_that_is_reported_to_end_leaves_no_scratch(built: Path, tmp_path: Path) -> None:
    config, folder = copy_world(built, tmp_path / "world"), tmp_path / "tmp"
    folder.mkdir()
    pause, meets = pause_in(folder)
    with start(*BUILD, "seattle", config=config, meets=meets) as building:
        assert pause.wait(building)
        assert list_scratch(folder) != set()
        os.kill(building.pid, signal.SIGTERM)
        assert building.wait().code == 128 + signal.SIGTERM
    assert list_scratch(folder) == set()
    assert check_current(config.parent / "var/store") == 1
