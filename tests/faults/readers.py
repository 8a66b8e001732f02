"""Readers that go on while builds are killed: one of the store, in a process of its own, and one over HTTP."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.synchronize import Event
from pathlib import Path

from tests.faults.commands import run
from tests.faults.watching import watching
from tests.faults.whole import check_current
from tests.faults.worlds import METROS, read_marks

PATIENCE = 60.0


def _read(folder: Path, stop: Event) -> list[int]:
    numbers = []
    while not stop.is_set():
        numbers.append(check_current(folder))
        time.sleep(0.15)  # builds need the machine too
    return numbers


@contextlib.contextmanager
def reading(store: Path) -> Iterator[list[int]]:
    """Reads the release in force over and over, each time whole; afterwards, the numbers that were seen."""
    with watching(partial(_read, store)) as numbers:
        yield numbers
    assert numbers == sorted(numbers)


@dataclass
class Server:
    """A running `outings serve`. `rounds`: of each release and metro that it answered from, the rounds of its names."""

    port: int
    key: str
    rounds: dict[str, set[int]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    answers: int = 0

    def ask(self, connection: http.client.HTTPConnection, target: str) -> None:
        connection.request("GET", target, headers={"X-API-Key": self.key})
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200, body
        release = response.headers["x-release"]
        if release not in self.order[-1:]:
            self.order.append(release)
        items = json.loads(body)["data"]
        assert items
        self.rounds.setdefault(f"{release} {target.split('/')[2]}", set()).update(
            read_marks(item["name"] for item in items)
        )
        self.answers += 1

    def wait_for(self, sequence: int) -> None:
        """Wait until an answer comes from this release."""
        until = time.monotonic() + PATIENCE
        while not self.order or int(self.order[-1].partition("-")[0]) < sequence:
            assert time.monotonic() < until, self.order
            time.sleep(0.05)


@contextlib.contextmanager
def serving(config: Path) -> Iterator[Server]:
    """Serve the configuration's store, which has a release."""
    # It asks as fast as it can.
    made = run("keys", "create", "--plan", "partner", "--per-minute", "1000000000", "--json", config=config)
    assert made.code == 0, made.err
    log = config.parent / "serve.log"
    with log.open("w") as lines:
        process = subprocess.Popen(
            [sys.executable, "-m", "command", "serve", "-c", str(config), "--port", "0", "--workers", "1"],
            stderr=lines, start_new_session=True,
        )  # fmt: skip
    try:
        port = _wait_for_port(log, process)
        yield Server(port, json.loads(made.out)["key"])
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for_port(log: Path, process: subprocess.Popen[bytes]) -> int:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()
        _, marker, port = log.read_text().partition("Serving on http://127.0.0.1:")
        if marker and "," in port:
            with contextlib.suppress(OSError), contextlib.closing(_connect(int(port.partition(",")[0]))) as connection:
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return int(port.partition(",")[0])
        time.sleep(0.05)
    raise AssertionError(log.read_text())


def _connect(port: int) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)


TARGETS = [
    f"/v1/{metro}/{rest}"
    for metro in METROS
    for rest in ("events?from=2026-08-01&limit=200", "classes?from=2026-08-01", "places?limit=100&min_confidence=0")
]


@contextlib.contextmanager
def asking(config: Path) -> Iterator[Server]:
    """Asks a server over and over; in the end no answer failed, and none mixed two rounds within one release."""
    failures: list[Exception] = []
    stop = threading.Event()
    with serving(config) as server:

        def ask() -> None:
            try:
                with contextlib.closing(_connect(server.port)) as connection:
                    while not stop.wait(0.01):
                        for target in TARGETS:
                            server.ask(connection, target)
            except Exception as error:  # noqa: BLE001 - whatever it is, the test fails with it
                failures.append(error)

        asker = threading.Thread(target=ask)
        asker.start()
        try:
            yield server
        finally:
            stop.set()
            asker.join()
    assert not failures, failures
    assert server.answers
    assert all(len(rounds) == 1 for rounds in server.rounds.values()), server.rounds
    numbers = [int(release.partition("-")[0]) for release in server.order]
    assert numbers == sorted(set(numbers)), server.order
