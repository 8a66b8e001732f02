"""The supervisor where what forks its workers fails it; all else is tested by servers that run (`test_server`)."""

import threading
from typing import ClassVar

import pytest
from uvicorn import Config
from uvicorn.supervisors import multiprocess

from edge.processes.supervisor import Post


class Worker:
    """One that what forks it can't start at first."""

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
    post = Post(Config("none"), [], should_exit=threading.Event())
    post.processes = [Worker()]  # type: ignore[list-item]
    for _ in range(2):
        post.keep_subprocess_alive()
        assert not post.processes[0].is_alive(timeout=0)
    post.keep_subprocess_alive()
    assert post.processes[0].is_alive(timeout=0)
