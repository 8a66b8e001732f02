"""A web server on loopback that says what a test tells it to, also what no server should."""

import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from outings.retry_policy import RetryPolicy
from pipeline.fetch.source import FeedSource
from tests.loopback import run_server
from tests.pipeline.city import make_event

# Nothing takes as long, however busy the machine is. A test of a slow server makes one of its times short.
PATIENT = RetryPolicy(connect=30.0, silence=30.0, whole=60.0, attempts=3, pause=0.001, rest=0.2)
LINE = json.dumps(make_event("a")).encode() + b"\n"


@dataclass
class Page:
    """`length`: the Content-Length that is claimed, where it is not that of `body`; `cut`: the connection ends behind
    so many bytes; `pause`: before each byte; `is_silent`: nothing is answered for as long as the client waits.
    `statuses` are answered first, one a request. With an `etag` or `last_modified` a request with the same gets 304."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    statuses: list[int] = field(default_factory=list)
    length: int | None = None
    cut: int | None = None
    pause: float = 0.0
    is_silent: bool = False
    endless: bool = False
    etag: str | None = None
    last_modified: str | None = None


class Web:
    """`pages` by path, with or without its query; a function makes one of the request's target. `requests`: targets
    with the headers of each request, in order."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.pages: dict[str, Page | Callable[[str], Page]] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []

    @property
    def targets(self) -> list[str]:
        return [target for target, _ in self.requests]

    def find(self, target: str) -> Page:
        page = self.pages.get(target) or self.pages.get(target.partition("?")[0]) or Page(b"not here", status=404)
        return page if isinstance(page, Page) else page(target)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    web: Web

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.web.requests.append((self.path, headers))
        page = self.web.find(self.path)
        with suppress(OSError):  # whoever asked may have gone
            if page.is_silent:
                self.connection.recv(1)  # nothing more is sent: it ends when the client closes
            else:
                self.answer(page, headers)

    def answer(self, page: Page, headers: dict[str, str]) -> None:
        status = page.statuses.pop(0) if page.statuses else page.status
        members = {"ETag": page.etag, "Last-Modified": page.last_modified}
        met = {headers.get("if-none-match"), headers.get("if-modified-since")} & set(members.values()) - {None}
        if met:
            status = 304
        body = b"" if met else page.body
        if not page.endless:
            members["Content-Length"] = str(len(body) if page.length is None else page.length)
        self.send_response(status)
        # Said, and not only done: who does not know may ask on a connection that is just closed.
        self.send_header("Connection", "close")
        for name, value in (members | page.headers).items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        self.send(page, body if page.cut is None else body[: page.cut])

    def send(self, page: Page, body: bytes) -> None:
        for sign in body if page.pause else b"":
            self.wfile.write(bytes([sign]))
            time.sleep(page.pause)
        if not page.pause:
            self.wfile.write(body)
        while page.endless:
            self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def serve_web(certificate: ssl.SSLContext | None = None) -> Iterator[Web]:
    """Serve over https if there is a `certificate`, else over http."""
    web = Web("")
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("WebHandler", (Handler,), {"web": web}))
    if certificate is not None:
        server.socket = certificate.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.daemon_threads = True
    web.url = f"{'http' if certificate is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    with run_server(server):
        yield web


def read_body(source: FeedSource) -> bytes:
    (file,) = source.files
    return file.path.read_bytes()
