"""A way to an S3 server on which conditional writes meet a script: conflicts, lost requests and lost replies."""

import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONFLICT = b"<Error><Code>ConditionalRequestConflict</Code><Message>two writers met</Message></Error>"
FAILURE = b"<Error><Code>InternalError</Code><Message>the server failed</Message></Error>"
# Headers that belong to one connection, not to what is handed on.
_OWN = frozenset({"connection", "content-length", "date", "server", "transfer-encoding"})


class UnreliableWay(ThreadingHTTPServer):
    """Hands requests on to `endpoint`. `script` says what the next conditional writes meet; after it, nothing."""

    daemon_threads = True

    def __init__(self, endpoint: str, script: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.endpoint = endpoint
        self.script = script

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: UnreliableWay

    def log_message(self, *_: object) -> None:
        pass

    def hand_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fate = self.choose_fate()
        if fate == "conflict":
            return self.reply(409, {}, CONFLICT)
        if fate == "lose request":
            return self.drop()
        reply = self.ask(body)
        if fate == "lose reply":
            return self.drop()
        if fate == "fail":
            return self.reply(500, {}, FAILURE)
        return self.reply(*reply)

    def choose_fate(self) -> str | None:
        conditional = "If-Match" in self.headers or "If-None-Match" in self.headers
        return self.server.script.pop(0) if conditional and self.server.script else None

    def ask(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _OWN}
        asked = urllib.request.Request(
            self.server.endpoint + self.path, data=body or None, headers=headers, method=self.command
        )
        try:
            with urllib.request.urlopen(asked, timeout=30) as got:
                return got.status, dict(got.headers), got.read()
        except urllib.error.HTTPError as got:
            with got:
                return got.code, dict(got.headers), got.read()

    def drop(self) -> None:
        self.close_connection = True

    def reply(self, status: int, headers: dict[str, str], data: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in _OWN:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_PUT = do_HEAD = do_DELETE = hand_on  # noqa: N815 - http.server's names
