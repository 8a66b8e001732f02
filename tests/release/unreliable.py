"""A way to an S3 server on which requests meet what a test chose: refusals, silence, lost requests, lost replies."""

import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONFLICT = b"<Error><Code>ConditionalRequestConflict</Code><Message>two writers met</Message></Error>"
FAILURE = b"<Error><Code>InternalError</Code><Message>the server failed</Message></Error>"
SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
UNAVAILABLE = b"<Error><Code>ServiceUnavailable</Code><Message>not now</Message></Error>"
# Longer than a client that is tried with silence waits.
SILENCE_SECONDS = 7.0
# Headers that belong to one connection, not to what is handed on.
_OWN = frozenset({"connection", "content-length", "date", "server", "transfer-encoding"})


# What a request of this number, from 0, and method meets, or None: nothing.
Choose = Callable[[int, str], str | None]


class UnreliableWay(ThreadingHTTPServer):
    """Hands requests on to `endpoint`. `script` says what the next conditional writes meet; after it, what `choose`
    says of any request. `requests`: methods of the requests so far; `met`: how many met something."""

    daemon_threads = True

    def __init__(self, endpoint: str, script: list[str], *, choose: Choose = lambda _, __: None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.endpoint = endpoint
        self.script = script
        self.choose = choose
        self.requests: list[str] = []
        self.met = 0
        self._lock = threading.Lock()

    def choose_fate(self, method: str, *, conditional: bool) -> str | None:
        with self._lock:
            fate = self.script.pop(0) if conditional and self.script else self.choose(len(self.requests), method)
            self.requests.append(method)
            self.met += fate is not None
        return fate

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


_REFUSALS: dict[str | None, tuple[int, dict[str, str], bytes]] = {
    "conflict": (409, {}, CONFLICT),
    "slow down": (503, {}, SLOW_DOWN),
    "unavailable": (503, {}, UNAVAILABLE),
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: UnreliableWay

    def log_message(self, *_: object) -> None:
        pass

    def hand_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fate = self.choose_fate()
        if fate in _REFUSALS:
            return self.reply(*_REFUSALS[fate])
        if fate == "lose request":
            return self.drop()
        if fate == "silence":
            return self.be_silent()
        reply = self.ask(body)
        if fate == "cut reply":
            return self.reply(*reply, cut=True)
        if fate == "silence after":
            return self.be_silent()
        if fate == "lose reply":
            return self.drop()
        if fate == "fail":
            return self.reply(500, {}, FAILURE)
        return self.reply(*reply)

    def choose_fate(self) -> str | None:
        conditional = "If-Match" in self.headers or "If-None-Match" in self.headers
        return self.server.choose_fate(self.command, conditional=conditional)

    def ask(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _OWN}
        requested = urllib.request.Request(
            self.server.endpoint + self.path, data=body or None, headers=headers, method=self.command
        )
        try:
            with urllib.request.urlopen(requested, timeout=30) as got:
                return got.status, dict(got.headers), got.read()
        except urllib.error.HTTPError as got:
            with got:
                return got.code, dict(got.headers), got.read()

    def be_silent(self) -> None:
        time.sleep(SILENCE_SECONDS)
        self.drop()

    def drop(self) -> None:
        self.close_connection = True

    def reply(self, status: int, headers: dict[str, str], data: bytes, *, cut: bool = False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in _OWN:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[: len(data) // 2] if cut else data)
        if cut:
            self.drop()

    do_GET = do_PUT = do_HEAD = do_DELETE = hand_on  # noqa: N815 - http.server's names
