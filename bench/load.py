"""A load generator in a process of its own: N clients, each with one connection and one request at a time."""

import asyncio
import multiprocessing
import time
from collections.abc import Sequence
from typing import cast

import uvloop
from msgspec import Struct


class Load(Struct, frozen=True, kw_only=True):
    """What was measured: requests a second, and latencies in milliseconds."""

    per_second: float
    p50: float
    p99: float


class Client(asyncio.Protocol):
    """Sends the next request as soon as the last answer is whole. Anything but 200 ends the measurement."""

    def __init__(self, requests: Sequence[bytes], *, first: int, until: float, took: list[float]) -> None:
        self._requests = requests
        self._next = first
        self._until = until
        self._took = took
        self._awaited = -1
        self._held = 0
        self._sent = 0.0
        self._transport: asyncio.Transport | None = None
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's own, which asyncio does not know as one
        self._send()

    def data_received(self, data: bytes) -> None:
        if self._awaited < 0:
            if not data.startswith(b"HTTP/1.1 200"):
                self.done.set_exception(RuntimeError(f"answered {data[:200]!r}"))
                return
            head, _, _ = data.partition(b"\r\n\r\n")
            _, _, rest = head.lower().partition(b"\r\ncontent-length: ")
            self._awaited = len(head) + 4 + int(rest.partition(b"\r\n")[0])
        self._held += len(data)
        if self._held >= self._awaited:
            now = time.perf_counter()
            self._took.append(now - self._sent)
            if now < self._until:
                self._send()
            elif not self.done.done():
                self.done.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or RuntimeError("the server closed the connection"))

    def _send(self) -> None:
        assert self._transport is not None
        self._awaited, self._held = -1, 0
        self._sent = time.perf_counter()
        self._transport.write(self._requests[self._next % len(self._requests)])
        self._next += 1


async def _run_clients(port: int, requests: Sequence[bytes], clients: int, seconds: float, start: int) -> Load:
    loop = asyncio.get_running_loop()
    took: list[float] = []
    began = time.perf_counter()
    made = [
        await loop.create_connection(
            lambda at=at: Client(requests, first=start + at * 7919, until=began + seconds, took=took), "127.0.0.1", port
        )
        for at in range(clients)
    ]
    await asyncio.gather(*(client.done for _, client in made))
    spent = time.perf_counter() - began
    for transport, _ in made:
        transport.close()
    took.sort()
    return Load(per_second=len(took) / spent, p50=took[len(took) // 2] * 1e3, p99=took[int(len(took) * 0.99)] * 1e3)


def _measure(port: int, requests: Sequence[bytes], clients: int, seconds: float, start: int) -> Load:
    return uvloop.run(_run_clients(port, requests, clients, seconds, start))


def measure_load(
    port: int, requests: Sequence[bytes], *, clients: int = 8, seconds: float = 3.0, start: int = 0
) -> Load:
    """`requests` are whole HTTP requests; each client takes them in turn, from a place of its own after `start`."""
    with multiprocessing.get_context("spawn").Pool(1) as process:
        return process.apply(_measure, (port, list(requests), clients, seconds, start))


def make_request(target: str, *, headers: Sequence[tuple[str, str]]) -> bytes:
    lines = [f"GET {target} HTTP/1.1", "Host: 127.0.0.1", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode()
