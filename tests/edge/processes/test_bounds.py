"""Limits on what a client without a key can do to a server with 256 descriptors, so that others notice nothing."""

import asyncio
import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvloop

from edge.limits.connections import MOST_UNSENT_BYTES, ConnectionLimiter
from edge.serving.http_protocol import HttpProtocol
from edge.serving.server import UNSENT_BYTES, bind_sockets
from tests.edge.conftest import Service
from tests.edge.processes.connections import Connection, Transport, connect_protocol, make_protocol
from tests.edge.processes.serving import (
    PATIENCE,
    Server,
    count_connections,
    list_workers,
    start_server,
    stop_server,
)

pytestmark = pytest.mark.xdist_group("bounds")  # one worker starts the server

DESCRIPTORS = 256
MEBIBYTE = 2**20
# What may be on its way when the server stops reading: the kernel's buffers of both ends, and what is thrown away.
MOST_SENT = 32 * MEBIBYTE

# Heads that never end, as their beginning and what comes again and again.
ENDLESS = {
    "fields": (b"GET /v1/metros HTTP/1.1\r\n", b"".join(b"a%d: b\r\n" % n for n in range(5_000))),
    "short fields": (b"GET /v1/metros HTTP/1.1\r\n", b"a:\r\n" * 16_000),
    "one field": (b"GET /v1/metros HTTP/1.1\r\nX-Long: ", b"a" * 65_536),
    "a field's name": (b"GET /v1/metros HTTP/1.1\r\n", b"a" * 65_536),
    "a target": (b"GET /v1/", b"a" * 65_536),
    "a query": (b"GET /v1/harbor/events?q=", b"a" * 65_536),
    "blank lines": (b"", b"\r\n" * 32_768),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = start_server(tmp_path_factory.mktemp("bounds"), descriptors=DESCRIPTORS)
    yield started
    stop_server(started)


@pytest.fixture(autouse=True)
def _same_worker(server: Server) -> Iterator[None]:
    """Check that the same worker still runs."""
    before = list_workers(server)
    yield
    assert list_workers(server) == before


def connect(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)


def send_without_end(connection: socket.socket, beginning: bytes, again: bytes) -> int:
    """Send bytes until the server closes, and return how many were sent."""
    sent = 0
    with contextlib.suppress(OSError):
        connection.sendall(beginning)
        while sent < 10 * MOST_SENT:
            sent += connection.send(again)
    return sent


def read_all(connection: socket.socket) -> bytes:
    received = b""
    with contextlib.suppress(ConnectionError):
        while data := connection.recv(65_536):
            received += data
    return received


def read_memory(server: Server) -> int:
    """The most that the worker ever had, in bytes."""
    [worker] = list_workers(server)
    [line] = [line for line in Path(f"/proc/{worker}/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize("head", ENDLESS.values(), ids=ENDLESS)
def test_a_head_without_end_is_cut_off(server: Server, head: tuple[bytes, bytes]) -> None:
    with connect(server) as connection:
        assert send_without_end(connection, *head) < MOST_SENT


@pytest.mark.parametrize("head", ENDLESS.values(), ids=ENDLESS)
def test_who_sends_too_long_a_head_and_then_reads_is_told_so(server: Server, head: tuple[bytes, bytes]) -> None:
    beginning, again = head
    with connect(server) as connection:
        connection.sendall(beginning + again * 2)
        received = read_all(connection)
    assert received.startswith(b"HTTP/1.1 400 ")
    assert b'"reason":"out_of_range"' in received


def test_six_heads_without_end_leave_others_their_answers_and_the_worker_its_memory(server: Server) -> None:
    before, stopped = read_memory(server), threading.Event()

    def attack() -> None:
        for head in itertools.cycle(ENDLESS.values()):
            if stopped.is_set():
                return
            with contextlib.suppress(OSError), connect(server) as connection:
                send_without_end(connection, *head)

    threads = [threading.Thread(target=attack) for _ in range(6)]
    for thread in threads:
        thread.start()
    try:
        assert {server.get("/v1/harbor/events").status for _ in range(20)} == {200}
    finally:
        stopped.set()
        for thread in threads:
            thread.join()
    assert read_memory(server) - before < 64 * MEBIBYTE


BODIES = {
    "200 MB": (b"Content-Length: 200000000\r\n\r\n", b"a" * 65_536),
    "no length": (b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"a" * 65_536 + b"\r\n"),
    "a line behind it": (b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"a: b\r\n" * 10_000),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_a_long_body_is_not_read_and_ends_its_connection(
    server: Server, body: tuple[bytes, bytes], method: bytes
) -> None:
    beginning, again = body
    head = method + b" /v1/metros HTTP/1.1\r\nHost: a\r\nX-API-Key: " + server.keys["all"].encode() + b"\r\n"
    with connect(server) as connection:
        connection.sendall(head + beginning + again)
        received = read_all(connection)
    assert received.startswith(b"HTTP/1.1 200 " if method == b"GET" else b"HTTP/1.1 405 ")
    assert b"\r\nconnection: close\r\n" in received
    with connect(server) as connection:
        assert send_without_end(connection, head + beginning, again) < MOST_SENT


def test_bytes_behind_a_body_without_a_length_are_no_request(server: Server) -> None:
    head = b"GET /v1/metros HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX-API-Key: %b\r\n\r\n"
    with connect(server) as connection:
        connection.sendall(head % server.keys["all"].encode() + b"0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n")
        assert read_all(connection).count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "wanted", [b"Upgrade: h2c\r\nConnection: Upgrade", b"Expect: 100-continue\r\nContent-Length: 9"]
)
def test_who_wants_more_than_an_answer_gets_it_and_no_more(server: Server, wanted: bytes) -> None:
    with connect(server) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n" + wanted + b"\r\n\r\n")
        received = read_all(connection)
    assert received.startswith(b"HTTP/1.1 200 ")
    assert received.endswith(b'{"status":"ok"}')


def test_connections_that_say_nothing_take_no_place_from_others(server: Server) -> None:
    """The connections are more than the worker has descriptors."""
    [worker] = list_workers(server)
    with contextlib.ExitStack() as sockets:
        for number in range(DESCRIPTORS + 64):
            connection = sockets.enter_context(connect(server))
            connection.sendall(b"GET /v1/metros HTTP/1.1\r\nX-Slow: " if number % 2 else b"")
        assert server.get("/v1/harbor/events").status == 200
        assert count_connections(worker) <= DESCRIPTORS // 2
        assert server.get("/v1/harbor/places").status == 200


def test_an_address_has_as_many_connections_as_it_likes(server: Server) -> None:
    """A proxy sends for many clients."""
    with contextlib.ExitStack() as sockets:
        connections = [sockets.enter_context(contextlib.closing(Connection(server))) for _ in range(60)]
        assert {connection.ask("/v1/metros").status for connection in connections} == {200}


REQUEST = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"


def drip(service: Service, sent: bytes, *, again: bytes) -> Transport:
    """A byte or so each turn of the event loop, until the connection is closed."""

    async def run() -> Transport:
        wire, transport = connect_protocol(service)
        wire.data_received(sent)
        async with asyncio.timeout(PATIENCE):
            while not transport.closed.is_set():
                wire.data_received(again)
                await asyncio.sleep(0)
        wire.connection_lost(None)
        return transport

    return asyncio.run(run())


SLOW = {
    "a head": (b"GET /healthz HTTP/1.1\r\nX-Slow: ", b"a", 0),
    "a body": (b"GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 16384\r\n\r\n", b"", 1),
    "line ends before a request": (b"", b"\r\n", 0),
    "line ends behind an answer": (REQUEST, b"\r\n", 1),
}


@pytest.mark.parametrize(("sent", "again", "answers"), SLOW.values(), ids=SLOW)
def test_who_sends_byte_by_byte_is_waited_for_no_longer_than_others(
    make_own: Callable[..., Service], monkeypatch: pytest.MonkeyPatch, sent: bytes, again: bytes, answers: int
) -> None:
    for name in ("HEAD_SECONDS", "BODY_SECONDS"):
        monkeypatch.setattr(f"edge.serving.http_protocol.{name}", 0.01)
    transport = drip(make_own(), sent, again=again)
    assert transport.written.count(b"HTTP/1.1 200 OK") == answers


def test_a_request_that_came_while_the_server_stood_still_is_answered_after_all_deadlines(
    make_own: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On an idle connection and on a new one. It stands still while it reads: then uvloop looks at its timers first."""
    service = make_own()
    monkeypatch.setattr("edge.serving.http_protocol.HEAD_SECONDS", 0.5)

    async def run() -> list[bytes]:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: make_protocol(service, keep_alive=0.5), "127.0.0.1", 0)
        idle, _ = clients = [socket.create_connection(server.sockets[0].getsockname()) for _ in range(2)]
        waiting, waker = socket.socketpair()

        def stand_still() -> None:
            loop.remove_reader(waiting)
            for client in clients:
                client.send(REQUEST)
            time.sleep(1)

        with contextlib.ExitStack() as opened:
            for client in (*clients, waiting, waker):
                opened.enter_context(client).setblocking(False)
            opened.callback(server.close)
            idle.send(REQUEST)
            answers = [await loop.sock_recv(idle, 65_536)]
            loop.add_reader(waiting, stand_still)
            waker.send(b"1")
            async with asyncio.timeout(PATIENCE):
                answers += [await loop.sock_recv(client, 65_536) for client in clients]
        return answers

    assert [answer[:15] for answer in uvloop.run(run())] == [b"HTTP/1.1 200 OK"] * 3


def test_requests_that_wait_for_the_one_before_are_not_read(make_own: Callable[..., Service]) -> None:
    service, count = make_own(), 1_000

    async def run() -> int:
        wire, transport = connect_protocol(service)
        wire.data_received(REQUEST * count)
        waiting = len(wire.pipeline)
        assert not transport.is_read
        while transport.written.count(b"HTTP/1.1 200 OK") < count:
            waiting = max(waiting, len(wire.pipeline))
            await asyncio.sleep(0)
        assert transport.is_read
        wire.connection_lost(None)
        return waiting

    assert asyncio.run(asyncio.wait_for(run(), 60)) == 0


def test_of_requests_that_came_together_each_turn_of_the_event_loop_reads_one_of_a_connection(
    make_own: Callable[..., Service],
) -> None:
    service, count, turns = make_own(), 4, 20

    async def run() -> int:
        opened = [connect_protocol(service) for _ in range(count)]
        for wire, _ in opened:
            wire.data_received(REQUEST * 100)
        for _ in range(turns):
            await asyncio.sleep(0)
        answers = sum(transport.written.count(b"HTTP/1.1 200 OK") for _, transport in opened)
        for wire, _ in opened:
            wire.connection_lost(None)
        return answers

    assert count < asyncio.run(run()) <= count * (1 + turns)


def test_nothing_is_read_of_who_takes_no_answer(make_own: Callable[..., Service]) -> None:
    service = make_own()

    async def run() -> None:
        wire, transport = connect_protocol(service)
        wire.pause_writing()
        wire.data_received(REQUEST * 3)
        is_read, begun = transport.is_read, len(wire.tasks)
        wire.resume_writing()
        for _ in range(100):
            await asyncio.sleep(0)
        wire.connection_lost(None)
        assert (is_read, begun, transport.written.count(b"HTTP/1.1 200 OK")) == (False, 0, 3)

    asyncio.run(run())


def test_an_answer_that_was_written_whole_counts_until_it_is_taken(
    make_own: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_own()

    async def answer_slowly() -> tuple[HttpProtocol, Transport]:
        wire, transport = connect_protocol(service)
        monkeypatch.setattr(transport, "write", lambda _: wire.pause_writing())
        monkeypatch.setattr(transport, "get_write_buffer_size", lambda: MOST_UNSENT_BYTES * 2 // 3)
        wire.data_received(REQUEST)
        await asyncio.gather(*wire.tasks)
        return wire, transport

    async def run() -> list[bool]:
        opened = [await answer_slowly() for _ in range(2)]
        have_left = [transport.is_closing() for _, transport in opened]
        for wire, _ in opened:
            wire.connection_lost(None)
        return have_left

    assert asyncio.run(run()) == [True, False]


class Slow:
    """A connection that is asked to leave."""

    idle_since: float | None = 0.0
    has_left = False

    def leave(self) -> None:
        self.has_left = True


def test_who_has_not_taken_an_answer_longest_makes_room_for_the_answers_of_others() -> None:
    connections, slow, idle = ConnectionLimiter(), [Slow() for _ in range(4)], Slow()
    for connection in (idle, *slow):
        assert connections.open(connection)
    third = MOST_UNSENT_BYTES // 3
    for connection in slow[:3]:
        connections.hold(connection, third)
    connections.hold(slow[0], third)
    assert not any(connection.has_left for connection in slow)
    connections.hold(slow[3], third)
    assert [connection.has_left for connection in slow] == [False, True, False, False]
    connections.hold(slow[2], 0)
    connections.hold(slow[0], 2 * third)
    assert not slow[3].has_left
    connections.hold(slow[0], 3 * third)
    assert [connection.has_left for connection in (idle, *slow)] == [False, False, True, False, True]


def test_the_kernel_takes_little_of_an_answer_that_it_can_not_send() -> None:
    """Otherwise it would take 4 MB for each client that reads nothing."""
    with contextlib.closing(bind_sockets("127.0.0.1", 0, count=2)) as listening:
        taken = {value.getsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT) for value in listening.sockets}
    assert taken == {UNSENT_BYTES}


def test_who_takes_nothing_of_an_answer_is_not_waited_for(
    make_own: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.serving.http_protocol.WRITE_SECONDS", 0.01)
    service = make_own()

    async def run() -> None:
        wire, transport = connect_protocol(service)
        wire.data_received(REQUEST)
        wire.pause_writing()
        await asyncio.wait_for(transport.closed.wait(), PATIENCE)
        wire.connection_lost(None)

    asyncio.run(run())
