"""HTTP on a socket: uvicorn's protocol with limits of size and time. It calls `respond`, not an ASGI application."""

import asyncio
import re
from collections import deque
from collections.abc import Coroutine, Generator, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from types import coroutine
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from edge.request_headers import Header, Request, make_request_id, read_request
from edge.response_headers import Response, encode_lines, make_refusal
from outings.contract.errors import ApiError, bad_request

# The most bytes of a request's line and header fields. The edge accepts 16 KiB of a query and 32 KiB of fields.
MOST_HEAD_BYTES = 61_440
MOST_FIELDS = 100
# The most bytes of a request's body, which is ignored, since some clients always send one. If a body is longer, or its
# length is unknown, nothing of it is read, and the connection closes after the answer.
MOST_BODY_BYTES = 16_384
# The most bytes to parse before other connections get a turn. Parsing also stops at the end of a head.
PIECE_BYTES = 4_096
# Not an empty line before a request. A pattern that begins with a literal is found five times as fast.
_END_OF_HEAD = re.compile(rb"\r\n\r\n(?<=[^\r\n]\r\n\r\n)")

# The most time for a head, from the connection's start or the request's first byte, and for the body after it, so that
# nobody keeps a connection by sending byte by byte. Between requests uvicorn's own timeout counts, 5 s.
HEAD_SECONDS = BODY_SECONDS = 10.0
# How long a socket is looked at once more before its connection is closed for being late. If this process stood still,
# as in a paused virtual machine, all deadlines have passed, and a request that came in time is unread.
LOOK_SECONDS = 0.001
# Close a connection whose client has read nothing for this long.
WRITE_SECONDS = 60.0
# How long, and how much, a refused client may still send. It is ignored: the client reads the refusal afterwards.
LINGER_SECONDS, LINGER_BYTES = 2.0, 4 * 2**20

# A method as HTTP writes it, which the parser may not know, and the target behind it.
_OPENING = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [/*h]")
_REFUSED_METHOD = b"PATCH"
# Headers of requests that have a body, or expect more than one answer.
_MORE = frozenset({b"content-length", b"transfer-encoding", b"expect", b"upgrade"})


class HttpProtocol(HttpToolsProtocol):
    """One connection. Answers a request as soon as its head is read. uvicorn parses HTTP, closes idle connections and
    shuts the server down.

    Reading pauses while an earlier request is unanswered, or the client reads nothing. Connections take turns at being
    read, a head at a time. So a connection holds at most a head, one request, and what the event loop read at once.
    Deadlines bound the reading of a request, and the sending of an answer, but not the making of it.
    """

    idle_since: float | None = None
    _unread = b""
    _head_bytes = 0
    _is_in_head = True
    _is_begun = False  # a head began and has not ended
    _waiting = deque[tuple[Request, bool]]()  # noqa: RUF012 each connection gets its own
    _is_last = False  # nothing more is read
    _is_answering = False
    _keeps_alive = True  # after the request that is being answered
    _thrown_bytes = 0
    _deadline: asyncio.TimerHandle | None = None
    _is_in_line = False  # for its turn to be read
    _task: asyncio.Task[None] | None = None  # makes the answer
    _writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.headers = []
        self._waiting = deque()
        self.idle_since = self.loop.time()
        if self.app.connections.open(self):
            self._expect(HEAD_SECONDS)
        else:
            self.leave()

    def connection_lost(self, exc: Exception | None) -> None:
        self.app.connections.close(self)
        self._is_last, self._unread = True, b""
        for handle in (self._deadline, self._writing, self.timeout_keep_alive_task):
            if handle is not None:
                handle.cancel()
        if self._task is not None:
            self._task.cancel()
        super().connection_lost(exc)

    def leave(self) -> None:
        """Close the connection at once, and drop unsent bytes."""
        self._is_last = True
        self.app.counts.dropped.inc()
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._is_last:
            self._thrown_bytes += len(data)
            if self._thrown_bytes > LINGER_BYTES:
                self._close()
            return
        self._unread += data
        if self._must_wait():
            self.flow.pause_reading()
        else:
            self._read_piece()

    def _must_wait(self) -> bool:
        """Return True while no more bytes may be parsed: this connection waits for its turn, its client reads nothing,
        or a request of it is being answered. The rest of that request's body may be."""
        is_answering = bool(self._waiting) or (self._is_in_head and not self._is_idle())
        return self._is_in_line or is_answering or self.flow.write_paused

    def _take_turn(self) -> None:
        self._is_in_line = False
        if not self._is_last and not self.transport.is_closing() and not self._must_wait():
            self._read_piece()

    def _read_piece(self) -> None:
        """Parse the received bytes up to the end of the first head, or `PIECE_BYTES`. The rest waits for the answer."""
        end = _END_OF_HEAD.search(self._unread, 0, PIECE_BYTES)
        size = PIECE_BYTES if end is None else end.end()
        piece, self._unread = self._unread[:size], self._unread[size:]  # no copy where the piece is all
        goes_on = self._feed(piece)
        if self._waiting and not self._is_answering:
            self._begin()
        if not goes_on:
            self._unread = b""
            return
        self._read_on()
        # A head that is complete needs no deadline. An empty line is no request, and must not keep the connection.
        if self._deadline is None and (self._is_begun or (self.timeout_keep_alive_task is None and self._is_idle())):
            self._expect(HEAD_SECONDS)

    def _read_on(self) -> None:
        if self._is_last:
            return
        if not self._unread:
            self.flow.resume_reading()
            return
        self.flow.pause_reading()
        if not self._must_wait():
            self._is_in_line = True
            self.loop.call_soon(self._take_turn)

    def _feed(self, piece: bytes) -> bool:
        """Pass bytes to the parser, and refuse invalid ones. Return True if later bytes should be parsed too."""
        is_start, unknown_method = self._is_in_head and not self._is_begun, None
        try:
            self.parser.feed_data(piece)
            if self._is_in_head:
                self._head_bytes += len(piece)
                self._check_head()
        except httptools.HttpParserUpgrade:
            pass  # it was answered like any request, and is the last one
        except httptools.HttpParserInvalidMethodError:
            unknown_method = _OPENING.match(piece) if is_start else None
            if unknown_method is None:
                self._refuse(_refuse_grammar())
        except httptools.HttpParserError as error:
            cause = error.__context__
            self._refuse(cause if isinstance(cause, ApiError) else _refuse_grammar())
        except ApiError as error:
            self._refuse(error)
        if unknown_method is not None:
            # Parsed with a method that the parser knows, so that the 405 has the limits of its key.
            self.parser = httptools.HttpRequestParser(self)
            return self._feed(_REFUSED_METHOD + piece[unknown_method.end() - 2 :])
        return not self._is_last

    def _check_head(self) -> None:
        if self._head_bytes > MOST_HEAD_BYTES:
            raise _refuse_head(f"is longer than {MOST_HEAD_BYTES} bytes", MOST_HEAD_BYTES)
        if len(self.headers) > MOST_FIELDS:
            raise _refuse_head(f"has more than {MOST_FIELDS} header fields", MOST_FIELDS)

    def on_message_begin(self) -> None:
        self._is_begun = True
        self.url, self.headers, self.expect_100_continue = b"", [], False

    def on_headers_complete(self) -> None:
        self._check_head()
        names = [name for name, _ in self.headers]
        hosts = names.count(b"host")
        if hosts > 1 or (hosts == 0 and not self._is_old()):  # a proxy may have taken another (RFC 9112, 3.2)
            raise _refuse_grammar("It needs exactly one Host header.")
        self._is_in_head, self._is_begun, self._head_bytes = False, False, 0
        self._end_deadline()
        self.idle_since = None
        # HTTP/1.0 keeps a connection only if a header asks for it, and never here.
        keeps_alive = self.parser.should_keep_alive() and not (b"connection" in names and self._is_old())
        request, keeps_alive = self._read_request(), self._bound_body(names) and keeps_alive
        if self._is_answering:  # it came together with the body of an earlier request
            self.flow.pause_reading()
        self._waiting.append((request, keeps_alive))

    def _is_old(self) -> bool:
        return self.parser.get_http_version() == "1.0"

    def _read_request(self) -> Request:
        path, _, query = self.url.partition(b"?")
        if path[:1] != b"/" or b"#" in self.url:
            parsed = httptools.parse_url(self.url)
            path, query = parsed.path or b"/", parsed.query or b""
        return read_request(
            method=self.parser.get_method().decode("ascii"),
            path=path.decode("latin-1"),
            query_string=query,
            headers=self.headers,
            client=None if self.client is None else self.client[0],
        )

    def _begin(self) -> None:
        """Answer the next request: at once if its answer is cached, which saves a task and a round of the event loop,
        else in a task from where it first waits for something."""
        request, self._keeps_alive = self._waiting.popleft()
        self._is_answering = True
        answer = self._answer(request)
        try:
            waited = answer.send(None)
        except StopIteration:
            return
        self._task = self.loop.create_task(_finish(answer, waited))
        self.tasks.add(self._task)
        self._task.add_done_callback(self.tasks.discard)

    async def _answer(self, request: Request) -> None:
        """Write the response. The head is sent with the first bytes of the body, because a front that has a head can't
        try another server if this one dies."""
        response = await self.app.respond(request)
        head = encode_head(response, self.server_state.default_headers, keeps_alive=self._keeps_alive)
        for piece in response.pieces or ():
            if self.flow.write_paused:
                await self.flow.drain()
            self.transport.writelines((head, piece))
            head = b""
            await asyncio.sleep(0)  # others are answered between two pieces
        if head:  # the body is one piece, or none
            self.transport.writelines((head, response.body))
        self.on_response_complete()

    def _bound_body(self, names: Sequence[bytes]) -> bool:
        """Limit the request's body in size and time. Return False if the connection must close after the answer.
        `names`: those of the headers."""
        if _MORE.isdisjoint(names):
            return True
        fields = {name: value for name, value in self.headers if name in _MORE}
        size = int(fields.get(b"content-length", b"0"))
        if fields.keys() - {b"content-length"} or self.parser.should_upgrade() or size > MOST_BODY_BYTES:
            self._read_no_more()
        elif size:
            self._expect(BODY_SECONDS)
        return not self._is_last

    def on_body(self, body: bytes) -> None:
        """Ignore the bodies of requests."""

    def on_message_complete(self) -> None:
        self._is_in_head = True
        self._end_deadline()

    def on_response_complete(self) -> None:
        self._is_answering = False
        self.server_state.total_requests += 1
        if self.transport.is_closing() or not self._keeps_alive:
            self._close()
            return
        if self._waiting:
            self._begin()
            return
        self.idle_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._look_later(self.timeout_keep_alive)
        self._read_on()

    def shutdown(self) -> None:
        """Close the connection, after the answer if a request is being answered."""
        self._keeps_alive = False
        if self._is_idle():
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.idle_since = self.loop.time()
        self.app.connections.hold(self, self.transport.get_write_buffer_size())
        self._expect_taking()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._writing is not None and not self.transport.is_closing():
            self._writing.cancel()
            self._writing = None
            self.app.connections.hold(self, 0)
            if self._is_answering:
                self.idle_since = None
            self._read_on()

    def _look_later(self, seconds: float, *, is_late: bool = False) -> None:
        look = partial(self._close_idle, is_late=is_late)
        self.timeout_keep_alive_task = self.loop.call_later(seconds, look)

    def _close_idle(self, *, is_late: bool) -> None:
        """Close the connection if it has waited too long for a request. One timer follows `idle_since`, since a timer
        for each request costs as much as parsing it. `is_late`: its socket was looked at once more."""
        self.timeout_keep_alive_task = None
        if self._is_in_line or self._deadline is not None or not self._is_idle():
            return  # the end of the request sets the timer again
        assert self.idle_since is not None
        left = self.idle_since + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._look_later(left)
        elif not is_late:
            self._look_later(LOOK_SECONDS, is_late=True)
        else:
            self._close()

    def _refuse(self, error: ApiError) -> None:
        """Answer invalid bytes with an error and close the connection. If earlier requests are unanswered, answer those
        and close without the error."""
        if not self._is_idle():
            self._read_no_more()
            return
        self._is_last = True
        self.app.counts.refused.inc()
        headers, body = make_refusal(error, make_request_id())
        head = encode_lines((*headers, (b"connection", b"close")))
        reply = Response(status=error.status, head=head)
        self.transport.write(encode_head(reply, self.server_state.default_headers) + body)
        self.transport.write_eof()
        self.flow.resume_reading()
        self._end_deadline()
        self._expect(LINGER_SECONDS)

    def _read_no_more(self) -> None:
        self._is_last, self._keeps_alive = True, False
        self.flow.pause_reading()

    def _close(self) -> None:
        """Close the connection after the client has taken what is written, or after a deadline."""
        self._is_last = True
        self.transport.close()
        self._expect_taking()

    def _expect_taking(self) -> None:
        if self._writing is None:
            self._writing = self.loop.call_later(WRITE_SECONDS, self.leave)

    def _expect(self, seconds: float) -> None:
        self._deadline = self.loop.call_later(seconds, self._end_waiting)

    def _end_waiting(self) -> None:
        if self._unread and not self._is_last:
            self._expect(HEAD_SECONDS)  # not the client is late, but this server
        else:
            self._deadline = self.loop.call_later(LOOK_SECONDS, self._close)

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _is_idle(self) -> bool:
        return not self._waiting and not self._is_answering


async def _finish(answer: Coroutine[Any, None, None], waited: Any) -> None:
    await _go_on(answer, waited)


@coroutine
def _go_on(answer: Coroutine[Any, None, None], waited: Any) -> Generator[Any, None, None]:
    """Await the rest of a coroutine that began outside of a task. `waited`: what it waits for."""
    with suppress(StopIteration):
        if waited is None:  # it only gave way, which it has done by now
            waited = answer.send(None)
        while True:
            try:
                yield waited
            except BaseException as error:  # noqa: BLE001 such as that the client has left
                waited = answer.throw(error)
            else:
                waited = answer.send(None)


def encode_head(response: Response, defaults: Iterable[Header], *, keeps_alive: bool = True) -> bytes:
    """Encode the status line and headers. `defaults` are the server's own headers, such as `Date`."""
    own = b"" if keeps_alive else b"connection: close\r\n"
    return b"".join((STATUS_LINE[response.status], _encode_defaults(tuple(defaults)), response.head, own, b"\r\n"))


@lru_cache(maxsize=2)
def _encode_defaults(defaults: tuple[Header, ...]) -> bytes:
    """Encode the server's own headers, which are the same for a second."""
    return encode_lines(defaults)


def _refuse_head(fault: str, most: int) -> ApiError:
    return bad_request(reason="out_of_range", message=f"The head of the request {fault}.", max=most)


def _refuse_grammar(
    fault: str = "Percent-encode what is not ASCII in path and query, as in caf%C3%A9.",
) -> ApiError:
    """Return the error for what is no HTTP, such as a path with a `café` that is not percent-encoded."""
    return bad_request(reason="invalid_value", message=f"The request is not valid HTTP. {fault}")
