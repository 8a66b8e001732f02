"""The API as a function of AWS Lambda: one request at a time, and between two of them nothing runs.

So a request first does the background work of a server: it polls for new keys and a new release if the last poll is
some time ago. A file that is too large for a function's response is in the store, and the reader is redirected there.
"""

import asyncio
import os
import string
import time
from base64 import b64encode
from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import msgspec
from msgspec import Struct
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import S3Store as ObjectStore

from edge.app import POLL_SECONDS, Edge
from edge.bodies import IDENTITY, measure_file
from edge.limits.limiter import LOCAL
from edge.request_headers import Request, make_request_id, read_request
from edge.response_headers import Response, encode_lines, make_refusal, split_lines
from edge.serving.worker import make_served_edge
from outings.answers.plan import AnswerPlan
from outings.configuration import read_configuration
from outings.configuration.tables import StoreTable
from outings.contract.envelope import encode_error
from outings.contract.errors import ApiError, bad_request
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
# How long a signed address of the store is valid.
ADDRESS_SECONDS = 60

# Headers that describe a body, which a redirect or an error does not have.
_ENTITY = frozenset({b"content-type", b"content-length", b"content-encoding", b"cache-control", b"etag", b"link"})
_NO_REQUEST = bad_request(
    reason="invalid_value",
    message="This event is no request; allowed: those of a function's URL, and of an HTTP API with payload 2.0.",
)


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

    def locate_file(self, plan: AnswerPlan, coding: bytes) -> bytes | None:
        """Return a signed address of a file that is too large for a function's response, or None if it is not. Raises
        ApiError if the reader does not accept the coding in which the file is stored."""
        assert plan.file is not None
        export = plan.file.export
        if measure_file(export, coding) <= MOST_BYTES:
            return None
        if export.coding.encode() not in (coding, IDENTITY):
            raise make_too_large()
        name = object_name(export.object)
        address = self._others.sign_address(name, media=plan.media, coding=export.coding, seconds=ADDRESS_SECONDS)
        return cast("str", address).encode()

    def _read(self, name: str) -> VersionedBytes:
        try:
            reply = self._objects.get(name)
            return VersionedBytes(bytes(reply.bytes()), reply.meta["e_tag"] or "")
        except NotFoundError:
            raise NotFound(store=str(self), operation="get", name=name, cause="it does not exist") from None
        except BaseError as error:
            cause = str(error).partition("\n")[0]
            raise StoreError(store=str(self), operation="get", name=name, cause=cause) from error


class _Http(Struct, rename="camel"):
    method: str
    source_ip: str | None = None


class _RequestContext(Struct):
    http: _Http


class HttpEvent(Struct, rename="camel"):
    """A request as a function's URL or API Gateway's HTTP API sends it (payload 2.0). `raw_path` is percent-encoded."""

    raw_path: str
    request_context: _RequestContext
    raw_query_string: str = ""
    headers: dict[str, str] = {}

    def read_request(self) -> Request:
        headers = [(name.lower(), value) for name, value in self.headers.items()]
        return read_request(
            method=self.request_context.http.method,
            path=quote(self.raw_path, safe=string.punctuation, errors="replace"),
            query_string=self.raw_query_string.encode(errors="replace"),
            headers=[(name.encode(errors="replace"), value.encode(errors="replace")) for name, value in headers],
            client=self.request_context.http.source_ip,
        )


class Function:
    """The entry point that the runtime calls."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge
        self._polled_at = 0.0
        self._runner = asyncio.Runner()

    def __call__(self, event: Any, _: object) -> dict[str, Any]:
        """Answer an event from a function URL or API Gateway's HTTP API, and write the usage. Other events get 400."""
        self.poll()
        try:
            request = msgspec.convert(event, HttpEvent).read_request()
        except msgspec.ValidationError:
            headers, body = make_refusal(_NO_REQUEST, make_request_id())
            return encode_response(Response(status=_NO_REQUEST.status, head=encode_lines(headers), body=body))
        try:
            response = self._runner.run(self._edge.respond(request))
        finally:
            self._edge.write_usage()
        return encode_response(response if response.size <= MOST_BYTES else refuse(response))

    def poll(self) -> None:
        """Poll for new keys and a new release, if the last poll is long enough ago."""
        now = time.time()
        if not 0 <= now - self._polled_at < POLL_SECONDS:
            self._edge.poll()
            self._polled_at = now

    def close(self) -> None:
        """Close the event loop. The runtime never does; it ends the process."""
        self._runner.close()


def encode_response(response: Response) -> dict[str, Any]:
    """Encode a response as the runtime takes it. The body is base64, which makes it a third longer.
    Quoted as text, some would be several times as long."""
    body = b"".join(response.pieces) if response.pieces is not None else response.body
    return {
        "statusCode": response.status,
        "headers": {name.decode(): value.decode("latin-1") for name, value in split_lines(response.head)},
        "body": b64encode(body).decode(),
        "isBase64Encoded": True,
    }


def refuse(response: Response) -> Response:
    """Return 400 in place of a response that is too large, with its ids and limits."""
    headers = split_lines(response.head)
    error = make_too_large()
    body = encode_error(error, dict(headers).get(b"x-request-id", b"").decode())
    head = [
        *(header for header in headers if header[0] not in _ENTITY),
        (b"content-type", b"application/json"), (b"cache-control", b"no-store"),
        (b"content-length", b"%d" % len(body)),
    ]  # fmt: skip
    return Response(status=error.status, head=encode_lines(head), body=body)


def make_too_large() -> ApiError:
    return bad_request(
        reason="out_of_range",
        message=f"The answer is longer than {MOST_BYTES} bytes: ask for less, or for an export with "
        "Accept-Encoding: gzip, which is sent from the store.",
        max=MOST_BYTES,
    )


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
    edge = make_served_edge(config, access_log=True, store=cast("Store", store), locate_file=store.locate_file)
    made = Function(edge)
    made.poll()
    return made
