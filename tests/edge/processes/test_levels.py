"""What a worker takes of its machine stays level, however many releases come and are asked for."""

import http.client
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.command.conftest import CONFIGURATION
from tests.edge.processes.serving import LIST, Load, Server, start_server, stop_server, wait_until
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


def read_level(worker: Path) -> dict[str, int]:
    status = dict(line.split(":", 1) for line in (worker / "status").read_text().splitlines())
    return {
        "descriptors": len(list((worker / "fd").iterdir())),
        "maps": (worker / "maps").read_text().count("/cache/objects/"),
        "kilobytes": int(status["RssAnon"].split()[0]),
    }


@contextmanager
def ask_for_old_ones(server: Server, ids: list[str]) -> Iterator[list[int]]:
    """Any of the releases that there were, one after the other: the statuses."""
    statuses: list[int] = []
    stopped, chance = threading.Event(), random.Random(7)

    def ask() -> None:
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
            while not stopped.is_set():
                target = f"{LIST}&limit=2&release={chance.choice(ids)}"
                connection.request("GET", target, headers={"X-API-Key": server.keys["all"]})
                response = connection.getresponse()
                response.read()
                statuses.append(response.status)

    asking = threading.Thread(target=ask)
    asking.start()
    yield statuses
    stopped.set()
    asking.join()


@pytest.mark.long
def test_thirty_releases_are_taken_up_under_load_without_a_failed_request(server: Server) -> None:
    ids = publish_restamped(server.store, 4)
    levels = []
    with Load(server, clients=2) as load, ask_for_old_ones(server, ids) as statuses:
        for minute in range(10, 10 + RELEASES):
            [newest] = publish_restamped(server.store, 1, minutes=minute)
            wait_until(lambda newest=newest: load.answers[-1:] and load.answers[-1][1] == newest, seconds=60)
            ids.append(newest)
            requested = len(statuses)
            wait_until(lambda requested=requested: len(statuses) > requested + 8, seconds=60)
            levels.append(read_level(find_worker(server)))
    assert load.faults == []
    assert {status for status, _ in load.answers} == set(statuses) == {200}
    early, late = levels[6:12], levels[-6:]
    # A level goes up and down with the old releases that happen to be open. What leaks never comes down again, so
    # the lowest late level is compared: one more for each of 18 releases, or a release's files kept, shows in it.
    for name, allowed in (("descriptors", 1.3), ("maps", 1.1), ("kilobytes", 1.15)):
        before, after = max(level[name] for level in early), min(level[name] for level in late)
        assert after <= allowed * before, (name, levels)
    assert max(level["descriptors"] for level in levels) < FEW / 2


def test_a_server_that_may_open_too_little_does_not_start_and_says_what_to_do(tmp_path: Path) -> None:
    config = tmp_path / "outings.toml"
    config.write_text(CONFIGURATION)
    words = ["prlimit", f"--nofile={FEW - 1}", sys.executable, "-m", "outings.command", "serve", "-c", str(config)]
    ended = subprocess.run([*words, "--port", "0"], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    [line] = ended.stderr.splitlines()
    assert f"may open {FEW - 1} files and sockets" in line
    assert "LimitNOFILE=" in line
