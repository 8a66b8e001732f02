"""Both stores of counters, each empty, by a clock that the test moves; and a Redis of the tests' own."""

import asyncio
import contextlib
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from edge.limits.limiter import Allowance, LimitState, LimitStore, MappedLimitStore, Operation
from tests.ports import find_free_port

# 2026-08-31T23:59:00Z: a minute before a month ends.
BEGIN = 1_788_220_740 * 1_000_000


@dataclass
class Clock:
    now: int = BEGIN

    def __call__(self) -> int:
        return self.now


@dataclass
class CountedStore:
    """A store on an event loop of its own, asked one operation at a time."""

    limits: LimitStore
    clock: Clock
    runner: asyncio.Runner

    def take(self, allowance: Allowance) -> LimitState:
        return self.runner.run(self.limits.apply(allowance, Operation.TAKE))

    def show(self, allowance: Allowance) -> LimitState:
        return self.runner.run(self.limits.apply(allowance, Operation.PEEK))

    def refund(self, allowance: Allowance, month: int) -> LimitState:
        return self.runner.run(self.limits.apply(allowance, Operation.REFUND, month=month))


@dataclass
class RedisServer:
    """A Redis server on loopback. It logs every change before it answers, so that a killed one has all of them."""

    port: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        words = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder), "--save", ""]
        words += ["--appendonly", "yes", "--appendfsync", "no", "--loglevel", "warning"]
        self.process = subprocess.Popen(["redis-server", *words], stdout=subprocess.DEVNULL)
        until = time.monotonic() + 30
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5) as asking:
                asking.sendall(b"PING\r\n")
                if asking.recv(100).startswith(b"+PONG"):
                    return
            assert self.process.poll() is None, "redis-server ended"
            assert time.monotonic() < until, "redis-server does not answer"
            time.sleep(0.02)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def name_url(self, database: int = 0) -> str:
        return f"redis://127.0.0.1:{self.port}/{database}"

    def clear(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as asking:
            asking.sendall(b"FLUSHALL\r\n")
            assert asking.recv(100).startswith(b"+OK")


def make_redis(folder: Path) -> RedisServer:
    made = RedisServer(find_free_port(), folder)
    made.start()
    return made


@pytest.fixture(scope="session")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One a worker; whoever uses it clears it."""
    made = make_redis(tmp_path_factory.mktemp("redis"))
    yield made
    made.kill()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """Start a Redis server that the test may kill."""
    made = make_redis(tmp_path)
    yield made
    made.kill()


@pytest.fixture(params=["mapped", "redis"])
def begin(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], CountedStore]]:
    """Makes a store in which nothing was counted, as often as it is called."""
    with asyncio.Runner() as runner:
        made: list[LimitStore] = []

        def make() -> CountedStore:
            clock = Clock()
            if request.param == "mapped":
                made.append(MappedLimitStore(tmp_path_factory.mktemp("state") / "limits", clock=clock))
            else:
                # Its client takes a second to import.
                from edge.limits.redis_store import RedisLimitStore

                server: RedisServer = request.getfixturevalue("redis")
                server.clear()
                made.append(RedisLimitStore(server.name_url(), clock=clock, timeout_seconds=60))
            return CountedStore(made[-1], clock, runner)

        yield make
        for entry in made:
            runner.run(entry.close())


@pytest.fixture
def counting(begin: Callable[[], CountedStore]) -> CountedStore:
    return begin()
