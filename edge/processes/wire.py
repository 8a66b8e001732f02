"""HTTP off the wire: uvicorn's own protocol, but where it would give up, and where nothing is left for it to do."""

import asyncio
from collections.abc import Iterable

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from edge.chain.identification import make_request_id
from edge.chain.shortcut import Reply
from edge.replies.responses import Header, make_refusal
from outings.contract.errors import bad_request

# The parser's numbers have 16 bits: a longer target is "no HTTP" to it. What the edge reads is far shorter.
MOST_TARGET_BYTES = 65_535

# From a connection's beginning, or a request's first byte, to the end of its head: who sends byte by byte holds a
# connection no longer. Between requests uvicorn's own timeout holds, 5 s.
HEAD_SECONDS = 10.0

_STATUS_LINES = {
    200: b"HTTP/1.1 200 OK\r\n",
    304: b"HTTP/1.1 304 Not Modified\r\n",
    400: b"HTTP/1.1 400 Bad Request\r\n",
}
# A request that says so has a body, or wants more than one answer.
_MORE = frozenset({b"content-length", b"transfer-encoding", b"expect", b"upgrade"})


class Wire(HttpToolsProtocol):
    """A target of any length is taken, cut, and refused for its length in the contract's words; and held in bounds.

    What the application can answer at once is written as soon as the request's head is read: no task, no cycle of
    messages, no check of headers that are ours. All else is uvicorn's.
    """

    _is_answered = False
    _heading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_head()
        super().connection_lost(exc)

    def on_url(self, url: bytes) -> None:
        self.url = (self.url + url)[:MOST_TARGET_BYTES]

    def on_message_begin(self) -> None:
        self._is_answered = False
        if self._heading is None:
            self._expect_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._end_head()
        reply = self.app.shortcut.reply_now(self._make_scope()) if self._is_simple() else None
        if reply is None:
            super().on_headers_complete()
            return
        self._is_answered = True
        self.transport.write(encode_head(reply, self.server_state.default_headers))
        if reply.body:
            self.transport.write(reply.body)
        self.on_response_complete()

    def on_message_complete(self) -> None:
        if not self._is_answered:
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """In the contract's words too: a `café` in a target that nobody encoded is no HTTP to the parser."""
        message = f"{msg} What is not ASCII in a path or query is sent percent-encoded, such as caf%C3%A9."
        error = bad_request(reason="invalid_value", message=message)
        headers, body = make_refusal(error, make_request_id())
        reply = Reply(status=error.status, headers=[*headers, (b"connection", b"close")], body=body)
        self.transport.write(encode_head(reply, self.server_state.default_headers) + body)
        self.transport.close()

    def _expect_head(self) -> None:
        self._heading = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _end_head(self) -> None:
        if self._heading is not None:
            self._heading.cancel()
            self._heading = None

    def _is_simple(self) -> bool:
        """A GET without a body, of a connection that stays open and on which nothing else is under way."""
        return (
            self.parser.get_method() == b"GET"
            and self.parser.get_http_version() == "1.1"
            and self.parser.should_keep_alive()
            and not self.flow.write_paused
            and not self.pipeline
            and not self._is_answering()
            and not self.root_path
            and self.url[:1] == b"/"
            and b"#" not in self.url
            and not any(name in _MORE for name, _ in self.headers)
        )

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _make_scope(self) -> Scope:
        path, _, query = self.url.partition(b"?")
        return {"method": "GET", "raw_path": path, "query_string": query, "headers": self.headers}


def encode_head(reply: Reply, defaults: Iterable[Header]) -> bytes:
    """`defaults`: the server's own headers, such as `Date`."""
    lines = [b"%b: %b\r\n" % header for header in (*defaults, *reply.headers)]
    return b"".join((_STATUS_LINES[reply.status], *lines, b"\r\n"))
