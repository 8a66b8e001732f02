"""A request to an ASGI application with no client between that might tidy it up."""

import asyncio
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import brotli
import zstandard
from prometheus_client.parser import text_string_to_metric_families
from starlette.types import ASGIApp

from tests.contract.conformance import check_response


@dataclass(frozen=True)
class Response:
    """Header names in lower case; of a name sent twice, both values in order."""

    status: int
    headers: dict[str, str]
    body: bytes

    def read_body(self) -> bytes:
        match self.headers.get("content-encoding") if self.body else None:
            case None:
                return self.body
            case "gzip":
                return gzip.decompress(self.body)
            case "br":
                return brotli.decompress(self.body)
            case "zstd":
                return zstandard.ZstdDecompressor().decompress(self.body)
            case coding:
                raise AssertionError(f"nobody asked for {coding}")

    def read_json(self) -> Any:
        return json.loads(self.read_body())

    @property
    def error(self) -> Any:
        return self.read_json()["error"]


def ask(
    app: ASGIApp,
    target: str,
    *,
    key: str | None = None,
    method: str = "GET",
    body: bytes = b"",
    client: str | None = None,
    **headers: str,
) -> Response:
    """`headers` by name, underscores for hyphens; `client`: its address, over a Unix socket by default. Checks that the
    response is as the contract declares it."""
    raw = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    if key is not None:
        raw.append((b"x-api-key", key.encode("latin-1")))
    got = asyncio.run(_ask(app, target.encode("latin-1"), method=method, body=body, headers=raw, client=client))
    check_response(target, status=got.status, headers=got.headers, body=got.read_body(), method=method)
    return got


def ask_together(app: ASGIApp, targets: Sequence[str], *, key: str) -> list[Response]:
    """All at once, on one event loop."""

    async def gather() -> list[Response]:
        headers = [(b"x-api-key", key.encode())]
        requested = [_ask(app, target.encode(), method="GET", body=b"", headers=headers) for target in targets]
        return list(await asyncio.gather(*requested))

    return asyncio.run(gather())


async def send_request(app: ASGIApp, target: str, *, key: str) -> Response:
    """Send a request on the running event loop, beside others."""
    return await _ask(app, target.encode(), method="GET", body=b"", headers=[(b"x-api-key", key.encode())])


async def _ask(
    app: ASGIApp,
    target: bytes,
    *,
    method: str,
    body: bytes,
    headers: list[tuple[bytes, bytes]],
    client: str | None = None,
) -> Response:
    raw_path, _, query = target.partition(b"?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": raw_path.decode("latin-1"),
        "raw_path": raw_path,
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": None if client is None else (client, 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start, *rest = sent
    assert start["type"] == "http.response.start"
    assert all(message["type"] == "http.response.body" for message in rest)
    assert not rest[-1].get("more_body")
    read: dict[str, str] = {}
    for name, value in start["headers"]:
        assert name == name.lower()
        read[name.decode()] = f"{read[name.decode()]}, {value.decode()}" if name.decode() in read else value.decode()
    return Response(start["status"], read, b"".join(message.get("body", b"") for message in rest))


def read_metrics(app: ASGIApp) -> Mapping[str, float]:
    """Return metrics by the value of their one label, or by name if they have none."""
    got = ask(app, "/metrics")
    assert got.status == 200
    assert got.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    samples = [sample for family in text_string_to_metric_families(got.body.decode()) for sample in family.samples]
    return {next(iter(sample.labels.values()), sample.name): sample.value for sample in samples}
