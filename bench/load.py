"""A load generator in a process of its own: N clients, each with one connection and one request at a time.

Sockets and epoll without an event loop between: it shares the machine with what it measures, so what it costs a request
is taken from the server.
"""

import itertools
import multiprocessing
import re
import select
import socket
import time
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

# In a request: replaced by digits that no other request of a measurement has.
UNIQUE = b"0000000000"

BUFFER_BYTES = 1 << 20
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Load(Struct, frozen=True, kw_only=True):
    """The result of a load: answers, answers per second, their bytes in all, and latencies in milliseconds."""

    answers: int
    per_second: float
    bytes_read: int
    p50: float
    p99: float


class Client:
    """One connection. Any status that is not expected ends the measurement."""

    def __init__(self, port: int, requests: Iterator[bytes], *, expected: Collection[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes_read = 0
        self._requests = requests
        self._expected = expected
        self._begin()

    def _begin(self) -> None:
        self._head = b""
        self._missing = -1

    def send(self) -> None:
        self._begin()
        self.sent = time.perf_counter()
        self.socket.sendall(next(self._requests))

    def read(self, buffer: memoryview) -> bool:
        """Read, and return True if the answer is whole."""
        count = self.socket.recv_into(buffer)
        if not count:
            raise RuntimeError("the server closed the connection")
        self.bytes_read += count
        if self._missing < 0:
            return self._read_head(buffer, count)
        self._missing -= count
        return self._missing == 0

    def _read_head(self, buffer: memoryview, count: int) -> bool:
        self._head += bytes(buffer[: min(count, 8192)])
        size = self._head.find(b"\r\n\r\n") + 4
        if size < 4:
            return False
        head = self._head[:size]
        if head[9:12] not in self._expected:
            raise RuntimeError(f"answered {self._head[:500]!r}")
        if head[9:12] == b"304":
            return True
        length = _LENGTH.search(head)
        if length is None:
            raise RuntimeError(f"of unknown length: {head!r}")
        self._missing = int(length[1]) - (count - size)
        return self._missing == 0


def run_clients(
    port: int, requests: Iterator[bytes], *, clients: int, seconds: float, expected: Collection[bytes]
) -> Load:
    """Run the clients in this process."""
    made = list(_connect(port, requests, clients=clients, expected=expected))
    took: list[float] = []
    buffer = memoryview(bytearray(BUFFER_BYTES))
    began = time.perf_counter()
    until = began + seconds
    with select.epoll() as poller:
        waiting = {client.socket.fileno(): client for client in made}
        for number, client in waiting.items():
            poller.register(number, select.EPOLLIN)
            client.send()
        while waiting:
            for number, _ in poller.poll(60) or _time_out():
                client = waiting[number]
                if not client.read(buffer):
                    continue
                now = time.perf_counter()
                took.append(now - client.sent)
                if now < until:
                    client.send()
                else:
                    client.socket.close()
                    del waiting[number]
    spent = time.perf_counter() - began
    took.sort()
    return Load(
        answers=len(took),
        per_second=len(took) / spent,
        bytes_read=sum(client.bytes_read for client in made),
        p50=took[len(took) // 2] * 1e3,
        p99=took[int(len(took) * 0.99)] * 1e3,
    )


def _connect(port: int, requests: Iterator[bytes], *, clients: int, expected: Collection[bytes]) -> Iterator[Client]:
    for _ in range(clients):
        yield Client(port, requests, expected=expected)
        # All at once they would be taken by whichever worker woke first, and the others have nothing to do.
        time.sleep(0.01)


def _time_out() -> list[tuple[int, int]]:
    raise RuntimeError("no answer within a minute")


def take_requests(requests: Sequence[bytes], start: int) -> Iterator[bytes]:
    """Yield the requests in turn from the `start`-th on, over and over; `UNIQUE` replaced by a number that counts
    on."""
    for number in itertools.count(start):
        request = requests[number % len(requests)]
        yield request.replace(UNIQUE, b"%010d" % (number + 1)) if UNIQUE in request else request


def _measure(
    port: int, requests: Sequence[bytes], clients: int, seconds: float, start: int, expected: Collection[bytes]
) -> Load:
    return run_clients(port, take_requests(requests, start), clients=clients, seconds=seconds, expected=expected)


def measure_load(
    port: int,
    requests: Sequence[bytes],
    *,
    clients: int = 8,
    seconds: float = 3.0,
    start: int = 0,
    expected: Collection[bytes] = (b"200",),
) -> Load:
    """`requests` are whole HTTP requests, taken in turn by all clients together from the `start`-th on."""
    with multiprocessing.get_context("spawn").Pool(1) as process:
        return process.apply(_measure, (port, list(requests), clients, seconds, start, expected))


def make_request(target: str, *, headers: Sequence[tuple[str, str]]) -> bytes:
    lines = [f"GET {target} HTTP/1.1", "Host: 127.0.0.1", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode()
