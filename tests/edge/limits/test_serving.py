"""The real thing: `outings serve`, several workers and clients, over the file and over Redis, and kills of either."""

import contextlib
import http.client
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.edge.limits.conftest import RedisServer
from tests.edge.processes.serving import PATIENCE, Server, list_workers, read_uncounted, start_server, wait_until

TARGETS = ("/v1/harbor/events", "/v1/harbor/events?limit=2", "/v1/metros")
LIMIT = 300
MANY = 50
ENDLESS = 10**6
KINDS: Mapping[str, Mapping[str, object]] = {
    "all": {"per_minute": ENDLESS},
    "limited": {"plan": "standard", "per_minute": LIMIT},
    "billed": {"plan": "standard", "per_minute": ENDLESS},
}

Start = Callable[..., Server]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Server] = []

    def begin(**options: Any) -> Server:
        started.append(start_server(tmp_path, kinds=KINDS, **options))
        return started[-1]

    yield begin
    for server in started:
        if server.process.poll() is None:
            server.process.terminate()
            server.process.wait(PATIENCE * 2)


@dataclass
class Answer:
    status: int
    sent: float
    received: float
    headers: http.client.HTTPMessage


@dataclass
class Clients:
    """Clients that send requests without a pause, for some seconds or until they are stopped. They open a new
    connection if one breaks."""

    server: Server
    kind: str
    answers: list[Answer] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        self.stopped.set()

    def ask(self, *, seconds: float = math.inf, clients: int = 8) -> None:
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=self._ask, args=(until,)) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _ask(self, until: float) -> None:
        while time.monotonic() < until and not self.stopped.is_set():
            with contextlib.closing(self.server.connect()) as connection:
                try:
                    self._ask_on(connection, until)
                except (OSError, http.client.HTTPException) as error:
                    waited = time.monotonic() - self.answers[-1].received if self.answers else 0
                    self.broken.append(f"{error!r}, {waited:.1f} s after any client's answer")
                    time.sleep(0.01)

    def _ask_on(self, connection: http.client.HTTPConnection, until: float) -> None:
        for number in range(10**9):
            sent = time.monotonic()
            if sent >= until or self.stopped.is_set():
                return
            target = TARGETS[number % len(TARGETS)]
            connection.request("GET", target, headers={"X-API-Key": self.server.keys[self.kind]})
            response = connection.getresponse()
            response.read()
            self.answers.append(Answer(response.status, sent, time.monotonic(), response.headers))

    def count(self, status: int) -> int:
        return sum(answer.status == status for answer in self.answers)


def read_used(server: Server, kind: str = "billed") -> int:
    """Return how many requests of the month are counted, by a request that is not counted. It is repeated if a worker
    can't count and shows no number."""
    shown: list[int] = []

    def read() -> bool:
        headers = server.get("/v1/nowhere", kind=kind).headers
        if "X-Quota-Limit" in headers:
            shown.append(int(headers["X-Quota-Limit"]) - int(headers["X-Quota-Remaining"]))
        return bool(shown)

    wait_until(read)
    return shown[0]


def check_rate(answers: list[Answer], *, uncounted: int) -> None:
    """Check that between a request and the end of a later answer no more were answered than the limit, 1 %, and the
    uncounted ones."""
    passed = sorted((answer for answer in answers if answer.status == 200), key=lambda answer: answer.sent)
    ends = sorted(answer.received for answer in passed)
    for first in passed[:: max(1, len(passed) // 40)]:
        inside = sorted(answer.received for answer in passed if answer.sent >= first.sent)
        for taken, end in enumerate(inside, start=1):
            assert taken <= LIMIT * (1 + (end - first.sent) / 60) * 1.01 + 1 + uncounted
    assert ends


@pytest.mark.long
@pytest.mark.parametrize("storage", ["local", "redis"])
def test_four_workers_and_eight_clients_keep_to_the_rate(
    start: Start, storage: str, request: pytest.FixtureRequest
) -> None:
    url = "local" if storage == "local" else request.getfixturevalue("own_redis").name_url()
    server = start(workers=4, edge=f'rate_storage = "{url}"')
    clients = Clients(server, "limited")
    began = time.monotonic()
    while clients.count(429) < 100 and time.monotonic() - began < 30:
        clients.ask(seconds=2)
    spent = time.monotonic() - began
    uncounted = read_uncounted(server.port)
    assert storage == "redis" or uncounted == 0
    assert {answer.status for answer in clients.answers} == {200, 429}
    check_rate(clients.answers, uncounted=uncounted)
    passed = clients.count(200)
    assert LIMIT <= passed <= LIMIT * (1 + spent / 60) * 1.01 + uncounted
    assert passed - uncounted <= read_used(server, "limited") <= passed
    for _ in range(2):
        refused = None
        while refused is None:
            got = server.get("/v1/metros", kind="limited")
            refused = got if got.status == 429 else None
        time.sleep(int(refused.headers["Retry-After"]))
        assert server.get("/v1/metros", kind="limited").status == 200


@pytest.mark.long
def test_killed_workers_and_a_killed_server_lose_no_count(start: Start, cases: int, tmp_path: Path) -> None:
    """All answered requests were billed. Of a broken connection, each client's last request may have been billed."""
    server = start(workers=4)
    clients = Clients(server, "billed")
    kills = min(cases, 8)
    killing = threading.Thread(target=kill_workers, args=(server, kills))
    killing.start()
    clients.ask(seconds=2 + 0.5 * kills, clients=4)
    killing.join()
    wait_until(lambda: len(list_workers(server)) == 4, seconds=60)
    assert {answer.status for answer in clients.answers} == {200}
    used = read_used(server)
    assert clients.count(200) <= used <= clients.count(200) + len(clients.broken)
    for worker in [str(server.process.pid), *list_workers(server)]:
        os.kill(int(worker), signal.SIGKILL)
    server.process.wait()
    again = start_server_again(server, tmp_path)
    try:
        assert read_used(again) == used
    finally:
        again.process.terminate()
        again.process.wait(PATIENCE * 2)


def kill_workers(server: Server, kills: int) -> None:
    for number in range(kills):
        time.sleep(0.5)
        workers = sorted(list_workers(server))
        if workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(workers[number % len(workers)]), signal.SIGKILL)


def start_server_again(server: Server, folder: Path) -> Server:
    log = folder / "log-again"
    words = ["serve", "-c", str(folder / "outings.toml"), "--port", "0", "--workers", "2"]
    with log.open("w") as lines:
        process = subprocess.Popen([sys.executable, "-m", "command", *words], stderr=lines)
    wait_until(lambda: "\n" in log.read_text(), seconds=60)
    port = int(log.read_text().partition("127.0.0.1:")[2].partition(",")[0])
    again = Server(port, process, server.store, folder, server.keys)

    def is_up() -> bool:
        with contextlib.suppress(OSError):
            return again.get("/readyz").status == 200
        return False

    wait_until(is_up, seconds=60)
    return again


def list_events(server: Server) -> list[str]:
    """List the events in whole lines. The server may be writing the next one."""
    lines = (server.folder / "log").read_text().rpartition("\n")[0].splitlines()
    return [json.loads(line)["event"] for line in lines if line.startswith("{")]


@pytest.mark.long
def test_with_redis_killed_under_load_reads_go_on_and_counting_resumes(start: Start, own_redis: RedisServer) -> None:
    server = start(workers=2, edge=f'rate_storage = "{own_redis.name_url()}"')
    clients = Clients(server, "billed")
    asking = threading.Thread(target=clients.ask, kwargs={"clients": 4})
    asking.start()
    try:
        wait_until(lambda: len(clients.answers) >= MANY)
        own_redis.kill()
        wait_until(lambda: "limits_down" in list_events(server))
        without = len(clients.answers)
        wait_until(lambda: len(clients.answers) >= without + MANY)
        own_redis.start()
        wait_until(lambda: "limits_back" in list_events(server))
        counted = read_used(server)
        wait_until(lambda: read_used(server) >= counted + MANY)
    finally:
        clients.stop()
        asking.join()
    assert (clients.broken, {answer.status for answer in clients.answers}) == ([], {200})
    used, uncounted = read_used(server), read_uncounted(server.port)
    assert len(clients.answers) - uncounted <= used <= len(clients.answers)
    events = list_events(server)
    # A worker says once that counting has failed, and once that it goes on, however many requests came meanwhile.
    assert events.count("limits_down") <= events.count("limits_back") + 2 < MANY


def test_a_redis_that_is_not_there_keeps_no_server_from_starting(start: Start) -> None:
    server = start(workers=1, edge='rate_storage = "redis://:open-sesame@127.0.0.1:1/0"')
    assert server.get("/v1/metros", kind="billed").status == 200
    wait_until(lambda: "limits_down" in list_events(server))
    assert "sesame" not in (server.folder / "log").read_text()


def serve_in_vain(folder: Path, edge: str) -> str:
    """Return the message of a server that does not start."""
    (folder / "outings.toml").write_text(f'[store]\nurl = "file:store"\n[edge]\n{edge}\n')
    words = ["serve", "-c", str(folder / "outings.toml"), "--port", "0"]
    done = subprocess.run(
        [sys.executable, "-m", "command", *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_url_that_no_client_of_redis_can_read_is_refused_and_not_shown(tmp_path: Path) -> None:
    printed = serve_in_vain(tmp_path, 'rate_storage = "redis://:open/sesame@127.0.0.1:port/0"')
    assert "[edge] rate_storage" in printed
    assert "open" not in printed
    assert "sesame" not in printed


@pytest.mark.parametrize("blocked", ["file", "foreign"])
def test_a_state_that_cannot_be_used_is_refused_before_anything_is_served(tmp_path: Path, blocked: str) -> None:
    state = tmp_path / "state"
    if blocked == "file":
        state.write_text("")
    else:
        state.mkdir()
        (state / "limits").write_text("A letter to my aunt.")
    printed = serve_in_vain(tmp_path, 'state = "state"')
    assert "[edge] state" in printed
    assert str(state) in printed


def test_a_proxy_that_cannot_be_used_is_refused_before_anything_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    printed = serve_in_vain(tmp_path, '[geocoder]\nprovider = "nominatim"\nurl = "http://127.0.0.1:9"')
    assert "proxy" in printed
    assert "Traceback" not in printed


def test_a_cache_that_cannot_be_used_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    printed = serve_in_vain(tmp_path, 'cache = "cache"')
    assert "[edge] cache" in printed
    assert str(tmp_path / "cache") in printed
