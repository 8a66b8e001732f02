"""The edge as a process: `outings serve`, over a folder, asked through sockets."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from edge.processes.supervisor import bind_sockets
from outings.release.folder import FolderStore
from outings.release.keys import change_registry, revoke_key
from tests.command.conftest import CONFIGURATION
from tests.edge.publishing import KEY_KINDS, NOW, add_keys, make_world, make_worlds, publish_worlds

LIST = "/v1/harbor/events?from=2026-08-10"
PATIENCE = 10.0
KINDS = {name: KEY_KINDS[name] for name in ("all", "other", "harbor")}


@dataclass
class Server:
    """A running one: its port, its process, the store that it reads, and keys by kind."""

    port: int
    process: subprocess.Popen[bytes]
    store: FolderStore
    folder: Path
    keys: dict[str, str]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def get(self, target: str, *, kind: str = "all") -> http.client.HTTPResponse:
        with contextlib.closing(self.connect()) as connection:
            connection.request("GET", target, headers={"X-API-Key": self.keys[kind]})
            response = connection.getresponse()
            response.read()
            return response


def wait_until(is_so: Callable[[], bool], *, seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, f"not so after {seconds} s"
        time.sleep(0.05)


def start_server(
    folder: Path,
    *,
    workers: int = 1,
    edge: str = "",
    kinds: Mapping[str, Mapping[str, object]] = KINDS,
    descriptors: int | None = None,
) -> Server:
    """The port is the server's own choice, read from its first line. `edge`: more of that table; `descriptors`: how
    many each process may have."""
    config = folder / "outings.toml"
    config.write_text(CONFIGURATION + f'\n[edge]\ncache = "{folder}/cache"\n{edge}\n')
    store = FolderStore(folder / "store")
    publish_worlds(store, make_worlds(), folder=folder)
    keys = add_keys(store, kinds)
    log = folder / "log"
    words = ["serve", "-c", str(config), "--port", "0", "--workers", str(workers)]
    bound = [] if descriptors is None else ["prlimit", f"--nofile={descriptors}:{descriptors}"]
    with log.open("w") as lines:
        process = subprocess.Popen([*bound, sys.executable, "-m", "outings.command", *words], stderr=lines)
    wait_until(lambda: "\n" in log.read_text(), seconds=60)
    port = int(log.read_text().partition("127.0.0.1:")[2].partition(",")[0])
    server = Server(port, process, store, folder, keys)
    wait_until(lambda: is_ready(server), seconds=60)
    return server


def stop_server(server: Server) -> None:
    if server.process.poll() is None:
        server.process.terminate()
        server.process.wait(PATIENCE * 2)


def is_ready(server: Server) -> bool:
    with contextlib.suppress(OSError):
        return server.get("/readyz").status == 200
    return False


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def begin(**options: Any) -> Server:
        started.append(start_server(tmp_path, **options))
        return started[-1]

    yield begin
    for server in started:
        stop_server(server)


@dataclass
class Load:
    """Clients that ask without a pause until they are told to stop: every status and release that they saw."""

    server: Server
    kind: str = "all"
    clients: int = 4
    answers: list[tuple[int, str | None]] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list)

    def __enter__(self) -> "Load":
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(self.clients)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        try:
            with contextlib.closing(self.server.connect()) as connection:
                while not self._stopped.is_set():
                    for target in (LIST, "/v1/harbor/events", f"{LIST}&limit=2", "/v1/metros"):
                        connection.request("GET", target, headers={"X-API-Key": self.server.keys[self.kind]})
                        response = connection.getresponse()
                        response.read()
                        self.answers.append((response.status, response.headers["x-release"]))
        except Exception as fault:  # noqa: BLE001 the test asserts that there was none
            self.faults.append(fault)


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.long), 2])
def test_a_new_release_is_taken_up_under_load_without_a_failed_request(
    start: Callable[..., Server], workers: int
) -> None:
    server = start(workers=workers)
    with Load(server) as load:
        wait_until(lambda: len(load.answers) > 50)
        published = []
        for minutes in (1, 2):
            world = make_world("harbor", timezone="America/New_York", events=minutes)
            stamp = NOW + timedelta(minutes=minutes)
            published.append(publish_worlds(server.store, [world], folder=server.folder, stamp=stamp).id)
            wait_until(lambda: all(answer[1] == published[-1] for answer in load.answers[-40:]))
    assert load.faults == []
    assert {status for status, _ in load.answers} == {200}
    assert {release for _, release in load.answers} >= set(published)


def read_answers(server: Server) -> int:
    """Successes by `/metrics`, whoever is asked for it."""
    with contextlib.closing(server.connect()) as connection:
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
    return sum(int(float(line.split()[1])) for line in lines if line.startswith("outings_answers_total{"))


def test_metrics_are_the_sums_over_all_workers(start: Callable[..., Server]) -> None:
    server = start(workers=2)
    with Load(server) as load:
        wait_until(lambda: len(load.answers) > 200)
    assert [read_answers(server) for _ in range(10)] == [len(load.answers)] * 10


def test_a_revoked_key_stops_and_the_others_do_not(start: Callable[..., Server]) -> None:
    server = start(workers=2)
    with Load(server, kind="other", clients=2) as revoked, Load(server, clients=2) as others:
        wait_until(lambda: len(revoked.answers) > 20)
        assert {status for status, _ in revoked.answers} == {200}
        change_registry(server.store, lambda registry: revoke_key(registry, server.keys["other"][4:12], now=NOW))
        # After many failures from one address they are 429 (`test_attempts`).
        wait_until(lambda: {status for status, _ in revoked.answers[-40:]} <= {401, 429})
    assert others.faults == revoked.faults == []
    assert {status for status, _ in others.answers} == {200}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(start: Callable[..., Server], workers: int, number: signal.Signals) -> None:
    server = start(workers=workers)
    server.process.send_signal(number)
    assert server.process.wait(PATIENCE * 2) == 0
    with pytest.raises(OSError, match="refused"):
        server.get("/healthz")


def test_no_header_names_the_software_and_every_answer_is_dated(start: Callable[..., Server]) -> None:
    server = start()
    for target in ("/v1/metros", "/v1/nowhere", "/healthz"):
        headers = server.get(target).headers
        assert "server" not in headers
        assert headers["date"]


def context(server: Server, sent: bytes) -> bytes:
    """Everything that comes back until the server closes or is silent."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=2) as connection:
        connection.sendall(sent)
        received = b""
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while data := connection.recv(65536):
                received += data
        return received


def test_what_is_no_http_is_refused_and_harms_nobody(start: Callable[..., Server]) -> None:
    server = start()
    key = server.keys["all"].encode()
    for sent in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /v1/metros HTTP/9.9\r\n\r\n",
        b"GET /v1/\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /v1/metros HTTP/1.1\r\nHost: a\r\nContent-Length: nine\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\n\r\n",
        b"\r\n" * 100,
    ):
        received = context(server, sent)
        assert received == b"" or received.startswith(b"HTTP/1.1 4"), (sent, received)
    received = context(
        server,
        b"GET /v1/metros HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-API-Key: " + key + b"\r\n\r\nhello"
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    )
    assert received.count(b"HTTP/1.1 200 OK") == 2
    assert received.endswith(b'{"status":"ok"}')


def test_a_target_of_any_length_is_refused_in_the_contracts_words(start: Callable[..., Server]) -> None:
    server = start()
    targets = [
        *((f"{LIST}?neighborhood={'a' * size}", 400, "out_of_range") for size in (17_000, 50_000, 70_000, 2 * 2**20)),
        *((f"/v1/{'a' * size}/events", 404, None) for size in (17_000, 50_000)),
        *((f"/v1/{'a' * size}/events", 400, "out_of_range") for size in (70_000, 2 * 2**20)),
    ]
    for target, status, reason in targets:
        with contextlib.closing(server.connect()) as connection:
            connection.request("GET", target, headers={"X-API-Key": server.keys["all"]})
            response = connection.getresponse()
            error = json.loads(response.read())["error"]
        assert (response.status, error.get("details", {}).get("reason")) == (status, reason)
        assert error["request_id"] == response.headers["X-Request-Id"]


def test_a_client_that_goes_away_harms_nobody(start: Callable[..., Server]) -> None:
    server = start()
    request = f"GET {LIST} HTTP/1.1\r\nHost: a\r\nX-API-Key: {server.keys['all']}\r\n\r\n".encode()
    for _ in range(30):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(request * 3)
    assert server.get("/v1/metros").status == 200


def test_a_port_that_is_taken_is_exit_1_in_one_line(start: Callable[..., Server]) -> None:
    server = start()
    words = ["serve", "-c", str(server.folder / "outings.toml"), "--port", str(server.port)]
    done = subprocess.run(
        [sys.executable, "-m", "outings.command", *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert str(server.port) in done.stderr


def test_a_wrong_configuration_is_exit_2_before_anything_is_served(tmp_path: Path) -> None:
    (tmp_path / "outings.toml").write_text("[store]\nurl = 7\n")
    done = subprocess.run(
        [sys.executable, "-m", "outings.command", "serve", "-c", str(tmp_path / "outings.toml"), "--port", "0"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "store.url" in done.stderr


def test_the_log_is_json_lines_without_keys(start: Callable[..., Server]) -> None:
    server = start()
    server.get("/v1/metros")
    log = (server.folder / "log").read_text()
    first, *rest = log.splitlines()
    assert first.startswith("Serving on ")
    assert {"keys_read", "release_served"} <= {json.loads(line)["event"] for line in rest}
    assert not any(key[4:12] in log for key in server.keys.values())


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.long), 2])
def test_workers_are_replaced_while_it_serves_and_counts_go_on(start: Callable[..., Server], workers: int) -> None:
    server = start(workers=workers)
    before, statuses = list_workers(server), [server.get(LIST).status for _ in range(20)]
    server.process.send_signal(signal.SIGHUP)

    def ask() -> bool:
        # A connection that the old worker closes before it read the request is tried again, as HTTP clients do.
        for _ in range(3):
            with contextlib.suppress(http.client.RemoteDisconnected, ConnectionResetError):
                statuses.append(server.get(LIST).status)
                return not before & list_workers(server)
        raise AssertionError("three connections in a row were closed")

    wait_until(ask, seconds=120)
    assert set(statuses) == {200}
    assert len(list_workers(server)) == workers
    assert read_answers(server) == len(statuses)


def list_workers(server: Server) -> set[str]:
    """Numbers of the processes that serve: forked by a child of the supervisor's."""
    return {worker for each in list_forking(server) for worker in list_children(each)}


def list_forking(server: Server) -> list[str]:
    return [each for each in list_children(str(server.process.pid)) if b"forkserver" in read_command(each)]


def list_children(process: str) -> list[str]:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return []


def read_command(process: str) -> bytes:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def test_workers_end_with_a_killed_supervisor(start: Callable[..., Server]) -> None:
    """Else they held the port, and no server could start again."""
    server = start(workers=2)
    wait_until(lambda: len(list_workers(server)) == 2)
    workers = list_workers(server)
    server.process.kill()
    server.process.wait()
    wait_until(lambda: not any(b"forkserver" in read_command(each) for each in workers))
    bind_sockets("127.0.0.1", server.port, count=1).close()


def test_workers_are_replaced_when_what_forked_them_was_killed(start: Callable[..., Server]) -> None:
    """The supervisor knows of them by it: nobody could tell the old ones of a new configuration."""
    server = start(workers=2)
    wait_until(lambda: len(list_workers(server)) == 2)
    workers = list_workers(server)
    (forking,) = list_forking(server)
    os.kill(int(forking), signal.SIGKILL)
    wait_until(lambda: not any(b"forkserver" in read_command(each) for each in workers))
    wait_until(lambda: len(list_workers(server)) == 2 and is_ready(server), seconds=60)


def test_connections_are_shared_out_among_the_workers(start: Callable[..., Server]) -> None:
    server = start(workers=2)
    wait_until(lambda: count_listening(server) == 2, seconds=60)
    held = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(40)]
    try:
        wait_until(lambda: sum(map(count_connections, list_workers(server))) >= len(held))
        shares = [count_connections(worker) for worker in list_workers(server)]
    finally:
        for each in held:
            each.close()
    # By a hash of the ports: all 40 on one of two would be a chance of one in 10^12.
    assert min(shares) > 0, shares


def list_sockets(state: str, *, process: str = "self") -> list[list[str]]:
    """Rows of TCP's sockets in a state, as proc(5) numbers them."""
    rows = Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]
    return [row.split() for row in rows if row.split()[3] == state]


def count_listening(server: Server) -> int:
    return sum(row[1].endswith(f":{server.port:04X}") for row in list_sockets("0A"))


def count_connections(process: str) -> int:
    """Sockets of TCP that are established."""
    established = {row[9] for row in list_sockets("01", process=process)}
    opened = set()
    for each in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            opened.add(str(each.readlink()).removeprefix("socket:[").removesuffix("]"))
    return len(established & opened)
