"""Both ends of a connection: a client's that reads off the socket, and the server's with a transport that keeps what is
written."""

import asyncio
import socket
from dataclasses import dataclass

import uvicorn
from uvicorn.server import ServerState

from edge.limits.limiter import FIELDS
from edge.serving.http_protocol import HttpProtocol
from tests.edge.conftest import Service
from tests.edge.processes.serving import PATIENCE, Server

# Each response has its own.
OWN = {"date", "x-request-id", "x-trace-id"} | {name.lower() for name in FIELDS}


@dataclass
class Raw:
    """A response as it was read off the socket."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def list_kept(self) -> list[tuple[str, str]]:
        return [(name, "" if name in OWN else value) for name, value in self.headers]


class Connection:
    def __init__(self, server: Server) -> None:
        self._key = server.keys["all"]
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self._left = b""

    def write_head(self, target: str, *, method: str = "GET", version: str = "1.1", **headers: str) -> bytes:
        lines = [f"{method} {target} HTTP/{version}", "Host: a", f"X-API-Key: {self._key}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode()

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def read(self, *, method: str = "GET") -> Raw:
        while b"\r\n\r\n" not in self._left:
            self._receive()
        head, _, self._left = self._left.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        pairs = [(name.lower(), value) for name, _, value in (line.partition(": ") for line in lines)]
        status, size = int(first.split()[1]), int(dict(pairs).get("content-length", "0"))
        if status == 304 or method == "HEAD":
            size = 0
        while len(self._left) < size:
            self._receive()
        body, self._left = self._left[:size], self._left[size:]
        return Raw(status=status, headers=pairs, body=body)

    def ask(self, target: str, **headers: str) -> Raw:
        self.send(self.write_head(target, **headers))
        return self.read()

    def is_at_end(self) -> bool:
        return not self._left and self._socket.recv(1) == b""

    def close(self) -> None:
        self._socket.close()

    def _receive(self) -> None:
        data = self._socket.recv(65_536)
        assert data, f"the server closed the connection after {self._left!r}"
        self._left += data


class Transport(asyncio.Transport):
    """Keeps what is written, and whether more is read."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.is_read = True
        self.closed = asyncio.Event()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.writes.append(bytes(data))

    @property
    def written(self) -> bytes:
        return b"".join(self.writes)

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_reading(self) -> None:
        self.is_read = True

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.closed.is_set()

    def close(self) -> None:
        self.closed.set()

    def abort(self) -> None:
        self.closed.set()

    def write_eof(self) -> None:
        pass


def make_protocol(service: Service, *, keep_alive: float = 5) -> HttpProtocol:
    """Make a protocol on a running event loop. `keep_alive`: seconds that an idle connection lives."""
    config = uvicorn.Config(service.edge, http=HttpProtocol, proxy_headers=False)
    config.timeout_keep_alive = keep_alive  # type: ignore[assignment]
    config.load()
    return HttpProtocol(config=config, server_state=ServerState(), app_state={})


def connect_protocol(service: Service) -> tuple[HttpProtocol, Transport]:
    """Connect a protocol to a service on a running event loop."""
    wire, transport = make_protocol(service), Transport()
    wire.connection_made(transport)
    return wire, transport
