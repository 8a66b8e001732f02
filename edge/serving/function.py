"""The API as a function of AWS Lambda: one request at a time, and between two of them nothing runs.

So a request first does the background work of a server: it polls for new keys and a new release if the last poll is
some time ago. A body that is too large for a function's response is in the store, and the reader is redirected there:
the function acts as a front of its own application (docs/front-protocol.md).
"""

import os
import secrets
import time
from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from mangum import Mangum
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import S3Store as ObjectStore
from starlette.types import Receive, Scope, Send

from edge.app import POLL_SECONDS, Edge
from edge.bodies import choose_coding
from edge.front_protocol import CODING, EXPORTS, FRONT, OBJECTS, POINTERS, render_front
from edge.limits.limiter import LOCAL
from edge.request_headers import Header, read_scope
from edge.response_headers import Response, encode_lines, send_response, split_lines
from edge.serving.worker import make_served_edge
from outings.configuration import read_configuration
from outings.configuration.tables import StoreTable
from outings.contract.envelope import encode_error
from outings.contract.errors import bad_request
from outings.release.store import (
    NotFound,
    Store,
    StoreError,
    VersionedBytes,
    object_name,
    open_configured_store,
)

# The most bytes of a body. A function's answer is JSON of at most 6,291,556 bytes, with the body in base64.
MOST_BYTES = 4_700_000
# How long a signed address of the store is valid: no longer than a revoked key may work.
ADDRESS_SECONDS = 10

_OURS = b"outings-"
_POINTER = POINTERS["own"]
# Headers that describe a body, which a redirect or an error does not have.
_ENTITY = frozenset({b"content-type", b"content-length", b"content-encoding", b"cache-control", b"etag"})
# Send every body as base64, which makes it a third longer. Quoted as text, some would be several times as long.
_NO_TEXT = ["none/none"]


class FunctionError(Exception):
    """An error: a function can't run with this configuration. The message says why."""


class FunctionStore:
    """A store that reads by obstore, with the credentials of the function's environment: boto3 takes 0.4 s of the
    processor to import and open, obstore 0.03 s. Other operations are those of `S3Store`, opened at the first of them.
    Thread-safe. Don't fork a process that has read."""

    def __init__(self, table: StoreTable) -> None:
        self._table = table
        bucket, _, prefix = table.url.removeprefix("s3://").partition("/")
        settings = {"prefix": prefix, "endpoint": table.endpoint_url, "region": table.region}
        self._objects = ObjectStore(
            bucket,
            **cast("Any", {name: value for name, value in settings.items() if value}),
            client_options={"allow_http": True, "connect_timeout": "5s", "timeout": "60s"},
            retry_config={"max_retries": 4, "retry_timeout": timedelta(seconds=60)},
        )

    def __str__(self) -> str:
        return self._table.url

    def __getattr__(self, name: str) -> Any:
        return getattr(self._others, name)

    @cached_property
    def _others(self) -> Any:
        return open_configured_store(self._table)

    def get(self, name: str) -> bytes:
        return self._read(name).data

    def read_versioned(self, name: str) -> VersionedBytes | None:
        try:
            return self._read(name)
        except NotFound:
            return None

    def _read(self, name: str) -> VersionedBytes:
        try:
            reply = self._objects.get(name)
            return VersionedBytes(bytes(reply.bytes()), reply.meta["e_tag"] or "")
        except NotFoundError:
            raise NotFound(store=str(self), operation="get", name=name, cause="it does not exist") from None
        except BaseError as error:
            cause = str(error).partition("\n")[0]
            raise StoreError(store=str(self), operation="get", name=name, cause=cause) from error


class Function:
    """The entry point that the runtime calls. `secret`: a secret of fronts that `edge` accepts."""

    def __init__(self, edge: Edge, *, store: FunctionStore, secret: str) -> None:
        self._edge = edge
        self._store = store
        front = render_front(secret, follows=(OBJECTS, EXPORTS), least=MOST_BYTES, pointer="own")
        self._front: Header = (FRONT, front.encode())
        self._polled_at = 0.0
        self._adapter = Mangum(cast("Any", self._answer), lifespan="off", text_mime_types=_NO_TEXT)

    def __call__(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Answer an event from a function URL or API Gateway's HTTP API, and write the usage."""
        self.poll()
        try:
            answer: dict[str, Any] = self._adapter(event, context)
            return answer
        finally:
            self._edge.write_usage()

    def poll(self) -> None:
        """Poll for new keys and a new release, if the last poll is long enough ago."""
        now = time.time()
        if not 0 <= now - self._polled_at < POLL_SECONDS:
            self._edge.poll()
            self._polled_at = now

    async def _answer(self, scope: Scope, _: Receive, send: Send) -> None:
        sent = [(name, value) for name, value in scope["headers"] if not name.startswith(_OURS)]
        response = await self._edge.respond(read_scope({**scope, "headers": [*sent, self._front]}))
        await send_response(send, self._fit(response, accepted=dict(sent).get(b"accept-encoding", b"")))

    def _fit(self, response: Response, *, accepted: bytes) -> Response:
        """Return the response; a redirect to the store if its body is stored there; or 400 if the body is too large."""
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
    """Yield the headers that belong to the request, such as ids and limits, and not to the body."""
    return (header for header in headers if header[0] not in _ENTITY and not header[0].startswith(_OURS))


def refuse(headers: Iterable[Header]) -> Response:
    """Return 400 for an answer that is too large, with the request's ids and limits from its `headers`."""
    error = bad_request(
        reason="out_of_range",
        message=f"The answer is longer than {MOST_BYTES} bytes: ask for less, or for an export with "
        "Accept-Encoding: gzip, which is sent from the store.",
        max=MOST_BYTES,
    )
    body = encode_error(error, dict(headers).get(b"x-request-id", b"").decode())
    head = [
        (b"content-type", b"application/json"), (b"cache-control", b"no-store"),
        (b"content-length", b"%d" % len(body)),
    ]  # fmt: skip
    return Response(status=error.status, head=encode_lines((*list_common(headers), *head)), body=body)


def open_function(config: Path, environ: Mapping[str, str] = os.environ) -> Function:
    """Read the configuration, and make the function that the runtime calls with each event. Raises FunctionError."""
    configuration = read_configuration(config, environ)
    if configuration.edge.rate_storage == LOCAL:
        raise FunctionError(
            f"[edge] rate_storage is {LOCAL!r}: each copy of a function would count by itself; name a Redis"
        )
    url = configuration.store.url
    if not url.removeprefix("s3://").strip("/") or not url.startswith("s3://"):
        raise FunctionError(f"[store] url is {url!r}: a function has no folder that lasts; name a bucket, s3://…")
    store = FunctionStore(configuration.store)
    # Only this process knows it: no reader of a function is a front.
    secret = secrets.token_hex(32)
    os.environ["OUTINGS_EDGE_FRONT_SECRET"] = secret
    made = Function(make_served_edge(config, access_log=True, store=cast("Store", store)), store=store, secret=secret)
    made.poll()
    return made
