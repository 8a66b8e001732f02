"""The API as a function of AWS Lambda: one request at a time, and between two of them nothing runs.

So each request does first what a server does beside requests: it looks for new keys and a new release, if the last look
is some time ago. What is too large for a function's answer lies in the store, and the reader is sent there: the
function is a front of its own application (docs/front-protocol.md).
"""

import os
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from mangum import Mangum
from starlette.types import Receive, Scope, Send

from edge.app import POLL_SECONDS, Edge
from edge.bodies import choose_coding
from edge.front_protocol import CODING, EXPORTS, FRONT, OBJECTS, POINTERS, render_front
from edge.limits.limiter import LOCAL
from edge.messages import Header, Response, encode_lines, read_scope, send_response, split_lines
from edge.serving.function_store import FunctionStore
from edge.serving.worker import make_served_edge
from outings.configuration import read_configuration
from outings.contract.envelope import encode_error
from outings.contract.errors import bad_request
from outings.release.store import Store, object_name

# An answer has at most 6,291,556 bytes as JSON, and its body is base64 there. The rest is for headers.
MOST_BYTES = 4_700_000
# Of an address that the reader is sent to: no longer than a revoked key may work.
ADDRESS_SECONDS = 10

_OURS = b"outings-"
_POINTER = POINTERS["own"]
# Of the answer whose place another one takes.
_ENTITY = frozenset({b"content-type", b"content-length", b"content-encoding", b"cache-control", b"etag"})
# Base64 makes four thirds of any body. Texts would be quoted, by which some grow to several times their size.
_NO_TEXT = ["none/none"]


class FunctionError(Exception):
    """The configuration is none for a function; the text says why."""


class Function:
    """`edge` must know the front of this `secret`. `clock`: seconds since 1970; what is frozen has no other clock."""

    def __init__(
        self, edge: Edge, *, store: FunctionStore, secret: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._edge = edge
        self._store = store
        front = render_front(secret, follows=(OBJECTS, EXPORTS), least=MOST_BYTES, pointer="own")
        self._front: Header = (FRONT, front.encode())
        self._clock = clock
        self._last_look = 0.0
        self._adapter = Mangum(cast("Any", self._answer), lifespan="off", text_mime_types=_NO_TEXT)

    def __call__(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Answers an event of a function's URL or of API Gateway's HTTP API."""
        self.look()
        try:
            answer: dict[str, Any] = self._adapter(event, context)
            return answer
        finally:
            self._edge.write_usage()

    def look(self) -> None:
        """For new keys and a new release, if that is due."""
        now = self._clock()
        if not 0 <= now - self._last_look < POLL_SECONDS:
            self._edge.poll()
            self._last_look = now

    async def _answer(self, scope: Scope, _: Receive, send: Send) -> None:
        sent = [(name, value) for name, value in scope["headers"] if not name.startswith(_OURS)]
        response = await self._edge.respond(read_scope({**scope, "headers": [*sent, self._front]}))
        await send_response(send, self._fit(response, accepted=dict(sent).get(b"accept-encoding", b"")))

    def _fit(self, response: Response, *, accepted: bytes) -> Response:
        """Return the response, or what stands in for it if it is too large."""
        headers = split_lines(response.head)
        values = dict(headers)
        address = values.get(_POINTER)
        if address is None:
            return response if response.size <= MOST_BYTES else refuse(headers)
        coding = values[CODING]
        if coding != b"identity" and choose_coding(accepted, (coding,)) != coding:
            return refuse(headers)
        name = object_name(address.rpartition(b"/")[2].decode())
        location = self._store.sign_address(
            name,
            media=values[b"content-type"].decode(),
            coding="" if coding == b"identity" else coding.decode(),
            seconds=ADDRESS_SECONDS,
        )
        head = [(b"location", location.encode()), (b"cache-control", b"private, no-store"), (b"content-length", b"0")]
        return Response(status=307, head=encode_lines((*list_common(headers), *head)))


def list_common(headers: Iterable[Header]) -> Iterable[Header]:
    """Yield the headers that are about the request, not the body."""
    return (header for header in headers if header[0] not in _ENTITY and not header[0].startswith(_OURS))


def refuse(headers: Iterable[Header]) -> Response:
    """Return 400 in place of an answer with these headers."""
    error = bad_request(
        reason="out_of_range",
        message=f"This server sends at most {MOST_BYTES} bytes: ask for less, or for an export with "
        "Accept-Encoding: gzip, as which it comes from where it is stored.",
        max=MOST_BYTES,
    )
    body = encode_error(error, dict(headers).get(b"x-request-id", b"").decode())
    head = [
        (b"content-type", b"application/json"), (b"cache-control", b"no-store"),
        (b"content-length", b"%d" % len(body)),
    ]  # fmt: skip
    return Response(status=error.status, head=encode_lines((*list_common(headers), *head)), body=body)


def open_function(config: Path, environ: Mapping[str, str] = os.environ) -> Function:
    """Open the function that the runtime calls with each event. Raises FunctionError."""
    configuration = read_configuration(config, environ)
    if configuration.edge.rate_storage == LOCAL:
        raise FunctionError(
            f"[edge] rate_storage is {LOCAL!r}: each copy of a function would count by itself; name a Redis"
        )
    url = configuration.store.url
    if not url.removeprefix("s3://").strip("/") or not url.startswith("s3://"):
        raise FunctionError(f"[store] url is {url!r}: a function has no folder that lasts; name a bucket, s3://…")
    store = FunctionStore(configuration.store)
    # Of this process alone: no reader of a function is a front.
    secret = secrets.token_hex(32)
    os.environ["OUTINGS_EDGE_FRONT_SECRET"] = secret
    made = Function(make_served_edge(config, access_log=True, store=cast("Store", store)), store=store, secret=secret)
    made.look()
    return made
