"""The supervisor where what forks its workers fails it; all else is tested by servers that run (`test_server`)."""

import contextlib
import subprocess
import sys
import threading
from pathlib import Path
from typing import ClassVar

import pytest
from uvicorn import Config
from uvicorn.supervisors import multiprocess

from edge.serving.server import WorkerSlot, bind_sockets
from tests.command.conftest import CONFIGURATION


class Worker:
    """A worker that can't be started at first."""

    failures: ClassVar[list[Exception]] = []

    def __init__(self, *_: object) -> None:
        self.pid, self.exitcode, self.is_started = 1, 255, False

    def start(self) -> None:
        if self.failures:
            raise self.failures.pop()
        self.is_started = True

    def is_alive(self, timeout: float) -> bool:
        return self.is_started

    def kill(self) -> None:
        pass

    def join(self) -> None:
        pass


def test_a_worker_is_asked_for_until_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed lets go of its socket before it is known to be dead."""
    monkeypatch.setattr(multiprocess, "Process", Worker)
    monkeypatch.setattr(multiprocess, "SIGNALS", {})
    monkeypatch.setattr(Worker, "failures", [EOFError(), ConnectionRefusedError(111, "refused")])
    post = WorkerSlot(Config("none"), [], should_exit=threading.Event())
    post.processes = [Worker()]  # type: ignore[list-item]
    for _ in range(2):
        post.keep_subprocess_alive()
        assert not post.processes[0].is_alive(timeout=0)
    post.keep_subprocess_alive()
    assert post.processes[0].is_alive(timeout=0)


def test_of_two_servers_that_begin_at_once_the_second_ends_and_says_why(tmp_path: Path) -> None:
    """Both could bind the port until one of them listens, and would share its connections."""
    config = tmp_path / "outings.toml"
    config.write_text(CONFIGURATION)
    with contextlib.closing(bind_sockets("127.0.0.1", 0, count=2)) as first:
        words = ["serve", "-c", str(config), "--port", str(first.port)]
        done = subprocess.run(
            [sys.executable, "-m", "command", *words], capture_output=True, text=True, timeout=60, check=False
        )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert f"127.0.0.1:{first.port}: another server uses this port" in done.stderr
    bind_sockets("127.0.0.1", first.port, count=2).close()
