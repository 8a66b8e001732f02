"""The edge as a process: `outings serve`, over a folder, asked through sockets."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from edge.serving.server import START_SECONDS, bind_sockets
from outings.keys.registry import change_registry, revoke_key
from tests.edge.processes.serving import (
    LIST,
    PATIENCE,
    Load,
    Server,
    count_connections,
    is_ready,
    list_forking,
    list_sockets,
    list_workers,
    read_command,
    wait_until,
)
from tests.edge.publishing import NOW, make_world, publish_worlds


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
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
        wait_until(lambda: {status for status, _ in revoked.answers[-40:]} == {401})
    assert others.faults == revoked.faults == []
    assert {status for status, _ in others.answers} == {200}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
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


def send_bytes(server: Server, sent: bytes, *, silence: float = 2) -> bytes:
    """Everything that comes back until the server closes or is silent for so many seconds."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=silence) as connection:
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
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"\r\n" * 100,
    ):
        received = send_bytes(server, sent)
        assert received == b"" or received.startswith(b"HTTP/1.1 4"), (sent, received)
    received = send_bytes(
        server,
        b"GET /v1/metros HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-API-Key: " + key + b"\r\n\r\nhello"
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        silence=PATIENCE,
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


@pytest.mark.long
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
        [sys.executable, "-m", "command", *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert str(server.port) in done.stderr


def test_a_wrong_configuration_is_exit_2_before_anything_is_served(tmp_path: Path) -> None:
    (tmp_path / "outings.toml").write_text("[store]\nurl = 7\n")
    done = subprocess.run(
        [sys.executable, "-m", "command", "serve", "-c", str(tmp_path / "outings.toml"), "--port", "0"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "store.url" in done.stderr


def test_the_log_is_json_lines_without_keys(start: Callable[..., Server]) -> None:
    server = start()
    server.get("/v1/metros")
    log = (server.folder / "log").read_text()
    first, *rest = log.splitlines()
    assert first.startswith("Starting 1 worker(s) for http://127.0.0.1:")
    events = {json.loads(line)["event"] for line in rest if line.startswith("{")}
    assert {"keys_read", "release_served"} <= events
    assert not any(key[4:12] in log for key in server.keys.values())


def test_it_says_that_it_serves_once_requests_are_answered(start: Callable[..., Server]) -> None:
    server = start()
    log = server.folder / "log"
    wait_until(lambda: "Serving on" in log.read_text())
    before, _, after = log.read_text().partition(f"Serving on http://127.0.0.1:{server.port}, 1 worker(s).\n")
    assert '"release_served"' in before
    assert "Serving on" not in after


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
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

    wait_until(ask, seconds=240)
    assert set(statuses) == {200}
    assert len(list_workers(server)) == workers
    assert read_answers(server) == len(statuses)


@pytest.mark.long
def test_a_worker_is_replaced_by_one_that_is_slow_to_be_ready(start: Callable[..., Server]) -> None:
    """The new worker is stopped, as on a busy machine, for longer than a serving worker may take for an answer."""
    server = start()
    before = list_workers(server)
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: bool(list_workers(server) - before))
    (slow,) = list_workers(server) - before
    os.kill(int(slow), signal.SIGSTOP)
    try:
        time.sleep(START_SECONDS + 2)
        assert server.get(LIST).status == 200
    finally:
        os.kill(int(slow), signal.SIGCONT)
    wait_until(lambda: list_workers(server) == {slow}, seconds=120)
    assert server.get(LIST).status == 200


@pytest.mark.long
def test_workers_end_with_a_killed_supervisor(start: Callable[..., Server]) -> None:
    """Otherwise they would hold the port, and no server could start again."""
    server = start(workers=2)
    wait_until(lambda: len(list_workers(server)) == 2)
    workers = list_workers(server)
    server.process.kill()
    server.process.wait()
    wait_until(lambda: not any(b"forkserver" in read_command(worker) for worker in workers))
    bind_sockets("127.0.0.1", server.port, count=1).close()


@pytest.mark.long
def test_workers_are_replaced_when_what_forked_them_was_killed(start: Callable[..., Server]) -> None:
    """The supervisor knows of them by it: nobody could tell the old ones of a new configuration."""
    server = start(workers=2)
    wait_until(lambda: len(list_workers(server)) == 2)
    workers = list_workers(server)
    (forking,) = list_forking(server)
    os.kill(int(forking), signal.SIGKILL)
    wait_until(lambda: not any(b"forkserver" in read_command(worker) for worker in workers))
    wait_until(lambda: len(list_workers(server)) == 2 and is_ready(server), seconds=60)


@pytest.mark.long
def test_connections_are_shared_out_among_the_workers(start: Callable[..., Server]) -> None:
    server = start(workers=2)
    wait_until(lambda: count_listening(server) == 2, seconds=60)
    connections = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(40)]
    try:
        wait_until(lambda: sum(map(count_connections, list_workers(server))) >= len(connections))
        shares = [count_connections(worker) for worker in list_workers(server)]
    finally:
        for connection in connections:
            connection.close()
    # By a hash of the ports: all 40 on one of two would be a chance of one in 10^12.
    assert min(shares) > 0, shares


def count_listening(server: Server) -> int:
    return sum(row[1].endswith(f":{server.port:04X}") for row in list_sockets("0A"))
