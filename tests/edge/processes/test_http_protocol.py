"""What a connection reads and writes, and when."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from itertools import pairwise

import pytest

from tests.edge.conftest import Service
from tests.edge.processes.connections import Connection, connect_protocol
from tests.edge.processes.serving import PATIENCE, Server, start_server, stop_server
from tests.edge.publishing import NOW, make_world, publish_worlds

LIST = "/v1/harbor/events?from=2026-08-10"


def count_answers(service: Service, request: bytes) -> list[int]:
    """Return how many answers are written as the request is read, and in each of the next turns of the event loop."""

    async def feed() -> list[int]:
        wire, transport = connect_protocol(service)
        wire.data_received(request)
        counts = [transport.written.count(b"HTTP/1.1 200 OK")]
        for _ in range(5):
            await asyncio.sleep(0)
            counts.append(transport.written.count(b"HTTP/1.1 200 OK"))
        await asyncio.gather(*wire.tasks)
        wire.connection_lost(None)
        return [counts[0], *(after - before for before, after in pairwise(counts))]

    return asyncio.run(feed())


def list_writes(service: Service, head: bytes) -> list[bytes]:
    """List the bytes of each system call that answers a request."""

    async def feed() -> list[bytes]:
        wire, transport = connect_protocol(service)
        wire.data_received(head + b"Host: a\r\nX-API-Key: %b\r\n\r\n" % service.keys["all"].encode())
        await asyncio.gather(*wire.tasks)
        wire.connection_lost(None)
        return [piece for piece in transport.writes if piece]

    return asyncio.run(feed())


@pytest.mark.parametrize("target", [b"/v1/harbor/events", b"/v1/harbor/export/events.jsonl", b"/v1/nowhere", b"/"])
def test_no_server_that_dies_has_sent_a_head_without_a_body(make_own: Callable[..., Service], target: bytes) -> None:
    """A front that has a head asks no other server."""
    service = make_own()
    for _ in ("made", "from memory"):
        for ending in (b"", b"Connection: close\r\n"):
            first, *_rest = list_writes(service, b"GET %b HTTP/1.1\r\n%b" % (target, ending))
            head, _, body = first.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 ")
            assert body


def test_an_answer_without_a_body_is_one_write(make_own: Callable[..., Service]) -> None:
    service = make_own()
    [head] = list_writes(service, b"HEAD /v1/harbor/events HTTP/1.1\r\n")
    etag = next(line for line in head.splitlines() if line.startswith(b"etag"))
    for _ in ("made", "from memory"):
        request = b"GET /v1/harbor/events HTTP/1.1\r\nIf-None-Match: %b\r\n" % etag.partition(b" ")[2]
        [matched] = list_writes(service, request)
        assert matched.startswith(b"HTTP/1.1 304 ")
        assert matched.endswith(b"\r\n\r\n")


def test_an_export_without_rows_is_an_empty_file_of_200(make_own: Callable[..., Service]) -> None:
    service = make_own()
    world = make_world("harbor", timezone="America/New_York", events=0)
    publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=1))
    service.edge.poll()
    for _ in ("fetched", "from memory"):
        [head] = list_writes(service, b"GET /v1/harbor/export/events.jsonl HTTP/1.1\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert b"\r\ncontent-length: 0\r\n" in head
        assert head.endswith(b"\r\n\r\n")


def test_of_what_came_together_one_request_is_answered_in_a_turn(make_own: Callable[..., Service]) -> None:
    service = make_own()
    key = service.keys["all"].encode()
    requests = [
        b"GET /v1/harbor/events?max_price=%d HTTP/1.1\r\nHost: a\r\nX-API-Key: %b\r\n\r\n" % (price, key)
        for price in range(6)
    ]
    assert sum(count_answers(service, requests[0])) == 1
    for _ in ("made", "from memory"):
        counts = count_answers(service, b"".join(requests))
        assert max(counts) == 1
        assert sum(counts) > 1


def test_a_cached_answer_is_written_as_its_request_is_read(make_own: Callable[..., Service]) -> None:
    service = make_own()
    request = b"GET /v1/harbor/events HTTP/1.1\r\nHost: a\r\nX-API-Key: %b\r\n\r\n" % service.keys["all"].encode()
    count_answers(service, request)
    assert count_answers(service, request)[0] == 1


@pytest.mark.parametrize("sent", [b"", b"GET /v1/harbor/events HTTP/1.1\r\nX-API"])
def test_a_head_that_takes_too_long_ends_its_connection(
    make_own: Callable[..., Service], monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr("edge.serving.http_protocol.HEAD_SECONDS", 0.01)
    service = make_own()

    async def wait() -> bool:
        wire, transport = connect_protocol(service)
        wire.data_received(sent)
        return await asyncio.wait_for(transport.closed.wait(), PATIENCE)

    assert asyncio.run(wait())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = start_server(tmp_path_factory.mktemp("wire"))
    yield started
    stop_server(started)


@pytest.fixture
def connection(server: Server) -> Iterator[Connection]:
    with contextlib.closing(Connection(server)) as opened:
        yield opened


def number_targets(count: int, *, beginning: int) -> list[str]:
    """Requests that no other test sends."""
    return [f"{LIST}&min_confidence=0.{number}" for number in range(beginning, beginning + count)]


@pytest.mark.long
@pytest.mark.parametrize("headers", [{}, {"Accept_Encoding": "gzip"}, {"Accept_Encoding": "zstd", "X_Trace_Id": "own"}])
def test_an_answer_from_memory_is_the_first_one(connection: Connection, headers: Mapping[str, str]) -> None:
    [target] = number_targets(1, beginning=5000 + len(headers))
    first, second, third = (connection.ask(target, **headers) for _ in range(3))
    for later in (second, third):
        assert (later.status, later.list_kept(), later.body) == (first.status, first.list_kept(), first.body)
    tag = dict(first.headers)["etag"]
    matched = connection.ask(target, **headers, If_None_Match=tag)
    assert (matched.status, matched.body) == (304, b"")
    assert dict(matched.headers)["etag"] == tag
    assert {"content-length", "content-type"}.isdisjoint(dict(matched.headers))


def test_answers_come_in_the_order_of_the_requests(connection: Connection) -> None:
    known, *fresh = number_targets(4, beginning=5100)
    bodies = {known: connection.ask(known).body}
    targets = [known, fresh[0], known, fresh[1], fresh[2], known, known]
    connection.send(b"".join(connection.write_head(target, X_Trace_Id=str(at)) for at, target in enumerate(targets)))
    for at, target in enumerate(targets):
        got = connection.read()
        assert (got.status, dict(got.headers)["x-trace-id"]) == (200, str(at))
        assert bodies.setdefault(target, got.body) == got.body
    assert len(set(bodies.values())) == 4


def test_a_request_may_come_byte_by_byte(connection: Connection) -> None:
    [target] = number_targets(1, beginning=5200)
    first = connection.ask(target)
    for byte in connection.write_head(target):
        connection.send(bytes([byte]))
    assert connection.read().body == first.body


def test_a_body_that_nobody_reads_is_not_taken_for_a_request(connection: Connection) -> None:
    [target] = number_targets(1, beginning=5300)
    first = connection.ask(target)
    body = b"GET /v1/harbor/places HTTP/1.1\r\n\r\n"
    for _ in range(2):
        connection.send(connection.write_head(target, Content_Length=str(len(body))) + body)
        assert connection.read().body == first.body
    assert connection.ask(target).body == first.body


@pytest.mark.parametrize("last", [{"version": "1.0"}, {"Connection": "close"}])
def test_a_connection_ends_when_its_client_says_so(connection: Connection, last: Mapping[str, str]) -> None:
    [target] = number_targets(1, beginning=5400)
    first = connection.ask(target)
    connection.send(connection.write_head(target, **last))
    assert connection.read().body == first.body
    assert connection.is_at_end()


def test_a_head_and_a_wrong_key_are_not_answered_with_what_is_held(connection: Connection) -> None:
    [target] = number_targets(1, beginning=5500)
    first = connection.ask(target)
    connection.send(connection.write_head(target, method="HEAD"))
    got = connection.read(method="HEAD")
    assert (got.status, got.list_kept()) == (200, first.list_kept())
    refused = connection.ask(target, X_API_Key="another")
    assert refused.status == 401
    assert connection.ask(target).body == first.body


def test_a_client_that_reads_late_gets_every_answer(connection: Connection) -> None:
    [target] = number_targets(1, beginning=5600)
    first = connection.ask(target)
    count = 2_000_000 // max(len(first.body), 1)
    for _ in range(count):
        connection.send(connection.write_head(target))
    assert all(connection.read().body == first.body for _ in range(count))


@pytest.mark.parametrize(
    "request_line", ["GET /v1/harbor/search?q=caf\u00e9 HTTP/1.1", "GET /v1/metros HTTP/9.9", "G\u00cbT / HTTP/1.1"]
)
def test_what_is_no_http_is_refused_in_the_contracts_words(connection: Connection, request_line: str) -> None:
    connection.send(f"{request_line}\r\nHost: a\r\n\r\n".encode())
    got = connection.read()
    error, headers = json.loads(got.body)["error"], dict(got.headers)
    assert (got.status, error["code"], error["details"]) == (400, "bad_request", {"reason": "invalid_value"})
    assert error["request_id"] == headers["x-request-id"] == headers["x-trace-id"]
    assert (headers["content-type"], headers["cache-control"]) == ("application/json", "no-store")
    assert headers["access-control-allow-origin"] == "*"
    assert connection.is_at_end()


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("GET /healthz HTTP/1.1\r\n", 400),
        ("GET http://a/healthz HTTP/1.1\r\n", 400),
        ("BREW /healthz HTTP/1.1\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost:\r\n", 200),
        ("GET /healthz HTTP/1.0\r\n", 200),
    ],
)
def test_a_request_of_http_1_1_has_one_host(connection: Connection, head: str, status: int) -> None:
    connection.send(f"{head}\r\n".encode())
    got = connection.read()
    assert got.status == status
    if status == 400:
        assert "exactly one Host" in json.loads(got.body)["error"]["message"]
        assert connection.is_at_end()


@pytest.mark.parametrize("blanks", [("", " "), ("\t", "\t "), ("  ", "  ")])
def test_blanks_round_a_key_are_no_part_of_it(connection: Connection, server: Server, blanks: tuple[str, str]) -> None:
    before, behind = blanks
    connection.send(
        f"GET {LIST} HTTP/1.1\r\nHost: a\r\nX-API-Key:{before}{server.keys['all']}{behind}\r\n\r\n".encode()
    )
    assert connection.read().status == 200


@pytest.mark.parametrize("method", ["FOO", "get", "VERSION-CONTROL", "PROPFIND", "BREW"])
def test_a_method_that_nobody_knows_is_not_allowed_either(connection: Connection, method: str) -> None:
    """The answer has the limits of the key as any other, and the connection stays open."""
    for target in ("/v1/metros", "/v1/nowhere"):
        connection.send(connection.write_head(target, method=method))
        raw = connection.read()
        assert (raw.status, json.loads(raw.body)["error"]["code"]) == (405, "method_not_allowed")
        assert json.loads(raw.body)["error"]["details"]["allow"] == ["GET", "HEAD", "OPTIONS"]
        headers = dict(raw.headers)
        assert headers["allow"] == "GET, HEAD, OPTIONS"
        assert {"x-ratelimit-remaining", "ratelimit-remaining", "retry-after"} & headers.keys() == {
            "x-ratelimit-remaining", "ratelimit-remaining",
        }  # fmt: skip
    assert connection.ask("/v1/metros").status == 200


def test_what_is_no_http_at_all_is_no_method_either(connection: Connection) -> None:
    connection.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
    assert connection.read().status == 400
