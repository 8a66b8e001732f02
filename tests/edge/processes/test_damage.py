"""A machine's cache goes bad under a running server: its successor mends it, and answers."""

import contextlib
import hashlib
import http.client
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edge.processes.serving import LIST, Server, start_server, stop_server, wait_until


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    started = start_server(tmp_path)
    yield started
    stop_server(started)


def list_cached(server: Server) -> list[Path]:
    return [path for path in (server.folder / "cache/objects").iterdir() if "." not in path.name]


def list_damaged(server: Server) -> list[Path]:
    return [path for path in list_cached(server) if hashlib.sha256(path.read_bytes()).hexdigest() != path.name]


def answers(server: Server) -> bool:
    with contextlib.suppress(OSError, http.client.HTTPException):
        return server.get(f"{LIST}&limit=3").status == 200
    return False


@pytest.mark.long
def test_damaged_files_are_fetched_again_by_the_next_worker(server: Server) -> None:
    wait_until(lambda: answers(server), seconds=60)  # the first answer waits for the files that it needs
    for at, path in enumerate(sorted(list_cached(server))):
        size = path.stat().st_size
        if at % 2:
            os.truncate(path, size // 2)
        else:
            data = path.read_bytes()
            path.write_bytes(data[: size // 2] + bytes([data[size // 2] ^ 1]) + data[size // 2 + 1 :])
    damaged = {str(path) for path in list_damaged(server)}
    assert damaged
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: not list_damaged(server), seconds=60)
    wait_until(lambda: answers(server), seconds=60)
    lines = [json.loads(line) for line in (server.folder / "log").read_text().splitlines() if line.startswith("{")]
    messages = [line["event"] for line in lines if "is not what its name says" in line["event"]]
    assert all(any(path in line for line in messages) for path in damaged)
