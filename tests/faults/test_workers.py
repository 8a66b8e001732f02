"""Builds of several processes: one of them killed, all of them interrupted, or the one that started them killed."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from outings.release.folder import FolderStore
from tests.faults.commands import build
from tests.faults.whole import check_current, read_whole
from tests.faults.worlds import clock_of, copy_world

PATIENCE = 60.0


def find_temporary(config: Path) -> Path:
    """Return the folder of a build's temporary files."""
    return config.parent / "tmp"


@contextlib.contextmanager
def start_build(config: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a build with two workers, in a process group of its own that is ended after the block."""
    words = ["build", "-c", str(config), "--json", "--workers", "2", "--as-of", clock_of(1)]
    temporary = find_temporary(config)
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "command", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def list_group(leader: int) -> dict[int, str]:
    """The living processes that a build started, their command lines by pid."""
    processes = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, _, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(group) == leader and int(folder.name) != leader and state != "Z":
                processes[int(folder.name)] = (folder / "cmdline").read_text()
    return processes


def wait_for_workers(build_: subprocess.Popen[str]) -> list[int]:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        workers = [pid for pid, line in list_group(build_.pid).items() if "spawn_main" in line]
        if workers:
            return workers
        time.sleep(0.01)
    raise AssertionError("no worker started")


def wait_for_nobody(leader: int) -> None:
    until = time.monotonic() + PATIENCE
    while left := list_group(leader):
        assert time.monotonic() < until, left
        time.sleep(0.02)


@pytest.mark.long
def test_a_killed_worker_is_reported_and_the_release_before_stays(built: Path, tmp_path: Path, cases: int) -> None:
    config = copy_world(built, tmp_path / "world")
    store, moments = config.parent / "var/store", random.Random(2)
    for delay in (0, *(moments.uniform(0, 2) for _ in range(cases // 10))):
        with start_build(config) as running:
            wait_for_workers(running)
            time.sleep(delay)
            workers = [pid for pid, line in list_group(running.pid).items() if "spawn_main" in line]
            for pid in workers[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            out, err = running.communicate(timeout=PATIENCE)
            wait_for_nobody(running.pid)
        if running.returncode == 0:  # its work was done
            assert check_current(store) == 2
            config = copy_world(built, tmp_path / f"world {delay}")
            store = config.parent / "var/store"
            continue
        assert (running.returncode, out) == (1, "")
        assert "a worker process of this build died" in err
        assert "Traceback" not in err
        assert check_current(store) == 1
    with start_build(config) as running:
        _, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, err
    assert "in 2 worker processes\n" in err
    assert build(copy_world(built, tmp_path / "alone"), as_of=clock_of(1)).code == 0
    several, alone = (read_whole(FolderStore(folder / "var/store")) for folder in (config.parent, tmp_path / "alone"))
    assert several == alone


@pytest.mark.long
def test_nothing_of_a_killed_build_goes_on(built: Path, tmp_path: Path) -> None:
    config = copy_world(built, tmp_path / "world")
    with start_build(config) as running:
        wait_for_workers(running)
        running.kill()
        running.wait(PATIENCE)
        wait_for_nobody(running.pid)
    assert check_current(config.parent / "var/store") == 1


@pytest.mark.long
def test_an_interrupted_build_ends_at_once(built: Path, tmp_path: Path) -> None:
    """Ctrl-C goes to all processes of the group."""
    config = copy_world(built, tmp_path / "world")
    with start_build(config) as running:
        wait_for_workers(running)
        os.killpg(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE)
        wait_for_nobody(running.pid)
    assert (running.returncode, out) == (1, "")
    # Python may say of workers that were interrupted too that it cleans up, or that it had only begun to start one.
    assert "Aborted!\n" in err
    assert not any(f"/{room}/" in err for room in ("pipeline", "outings"))
    assert check_current(config.parent / "var/store") == 1


@pytest.mark.long
def test_a_build_that_is_reported_to_end_ends_at_once_and_reports_it(built: Path, tmp_path: Path) -> None:
    config = copy_world(built, tmp_path / "world")
    config.write_text(config.read_text() + '\n[build]\nreport = "var/report"\n')
    with start_build(config) as running:
        wait_for_workers(running)
        running.terminate()
        running.communicate(timeout=PATIENCE)
        wait_for_nobody(running.pid)
    assert running.returncode == 128 + signal.SIGTERM
    report = json.loads((config.parent / "var/report/build.json").read_text())
    assert (report["outcome"], report["exit_code"], report["error"]) == ("stopped", 143, "stopped by SIGTERM")
    assert [*find_temporary(config).glob("outings-*")] == []
    assert check_current(config.parent / "var/store") == 1
