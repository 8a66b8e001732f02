"""A worker needs no more descriptors, however many releases come."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command.conftest import CONFIGURATION
from tests.edge.processes.serving import Load, Server, start_server, stop_server, wait_until
from tests.edge.publishing import publish_restamped

FEW = 256
RELEASES = 30


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    started = start_server(tmp_path, descriptors=FEW)
    yield started
    stop_server(started)


def list_children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            yield child
            yield from list_children(child)


def find_worker(server: Server) -> Path:
    """The process that has files of the cache mapped."""
    [worker] = (
        path
        for path in (Path(f"/proc/{pid}") for pid in list_children(server.process.pid))
        if str(server.folder / "cache/objects") in (path / "maps").read_text()
    )
    return worker


def count_descriptors(worker: Path) -> int:
    return len(list((worker / "fd").iterdir()))


@pytest.mark.long
def test_thirty_releases_are_taken_up_under_load_without_a_failed_request(server: Server) -> None:
    """Replaced releases stay open for cursors, and take no descriptors."""
    counts = []
    with Load(server, clients=2) as load:
        for minute in range(1, 1 + RELEASES):
            [newest] = publish_restamped(server.store, 1, minutes=minute)
            wait_until(lambda newest=newest: load.answers[-1:] and load.answers[-1][1] == newest, seconds=60)
            counts.append(count_descriptors(find_worker(server)))
    assert load.faults == []
    assert {status for status, _ in load.answers} == {200}
    assert max(counts) <= min(counts) + 8, counts
    assert max(counts) < FEW / 2


def test_a_server_that_may_open_too_little_does_not_start_and_says_what_to_do(tmp_path: Path) -> None:
    config = tmp_path / "outings.toml"
    config.write_text(CONFIGURATION)
    words = ["prlimit", f"--nofile={FEW - 1}", sys.executable, "-m", "command", "serve", "-c", str(config)]
    ended = subprocess.run([*words, "--port", "0"], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    [line] = ended.stderr.splitlines()
    assert f"may open {FEW - 1} files and sockets" in line
    assert "LimitNOFILE=" in line
