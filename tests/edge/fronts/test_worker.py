"""build/cloudflare/worker.js in Cloudflare's own runtime. What every front_server keeps to is in `test_contract.py`."""

import gzip
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import brotli
import pytest
import zstandard

from edge.response_headers import EXPOSED, make_refusal
from outings.contract import errors
from tests.edge.fronts.conftest import Deployment
from tests.edge.fronts.fronting import Answer, ask
from tests.edge.fronts.workerd import Workerd, start_workerd
from tests.edge.publishing import make_id
from tests.ports import find_free_port

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("fronts")]

# What each answer has of its own, and whom it shows what: the worker has fewer headers to show.
OWN = ("date", "x-request-id", "x-trace-id", "access-control-expose-headers")


@pytest.fixture(scope="module")
def lonely() -> Iterator[Workerd]:
    """A worker whose server is away."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        made = start_workerd([f"127.0.0.1:{closed.getsockname()[1]}"])
        yield made
        made.stop()


def check_refusal(answer: Answer, error: errors.ApiError) -> None:
    """Check that a refusal has the server's form, and that the id in its body is that of its header."""
    [id_] = answer.find("x-request-id")
    headers, body = make_refusal(error, id_.encode())
    assert (answer.status, answer.body) == (error.status, body)
    assert answer.find("x-trace-id") == [id_]
    [exposed] = answer.find("access-control-expose-headers")
    assert set(exposed.split(", ")) < set(EXPOSED)
    expected = sorted((name.decode(), value.decode()) for name, value in headers)
    got = sorted((name.lower(), value) for name, value in answer.headers)
    assert [value for value in got if value[0] not in OWN] == [value for value in expected if value[0] not in OWN]


def test_without_a_server_it_says_when_to_come_back(lonely: Workerd) -> None:
    check_refusal(ask(lonely.port, "/v1/harbor/events"), errors.unavailable(5))


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_what_is_for_operators_is_not_passed_on(lonely: Workerd, path: str) -> None:
    check_refusal(ask(lonely.port, path), errors.not_found("There is no such route."))


def test_it_asks_the_next_server_if_one_is_away(deployment: Deployment) -> None:
    key = deployment.keys["all"]
    dead = [f"127.0.0.1:{find_free_port()}" for _ in range(2)]
    worker = start_workerd([*dead, deployment.edges[0].address])
    try:
        statuses = {ask(worker.port, "/v1/metros", headers={"X-API-Key": key}).status for _ in range(12)}
        assert statuses == {200}
    finally:
        worker.stop()


@contextmanager
def serve_once_a_connection() -> Iterator[int]:
    """A server that keeps a connection, and hangs up when a second request comes on it: so looks one whose time for an
    idle connection ended as the request was on its way."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer(connection: socket.socket) -> None:
            with connection:
                while b"\r\n\r\n" not in connection.recv(65_536):
                    pass
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
                connection.recv(65_536)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    Thread(target=answer, args=listener.accept()[:1], daemon=True).start()

        Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def test_a_connection_that_its_only_server_closed_meanwhile_costs_no_answer() -> None:
    with serve_once_a_connection() as port:
        worker = start_workerd([f"127.0.0.1:{port}"])
        try:
            assert [ask(worker.port, "/v1/metros").status for _ in range(4)] == [200] * 4
        finally:
            worker.stop()


@pytest.mark.parametrize("accepted", ["gzip", "gzip;q=0", "br, gzip", "*", "zstd", "identity"])
def test_behind_cloudflares_network_each_reader_gets_a_coding_that_it_takes(
    deployment: Deployment, workerd: Workerd, accepted: str
) -> None:
    """Cloudflare asks workers for gzip and Brotli whatever the reader takes, and may pack what is small."""
    headers = {"X-API-Key": deployment.keys["all"]}
    for target in ("/v1/lakeside/classes", f"/v1/events/{make_id('lakeside-event-1')}", "/v1/lakeside/events.ics"):
        plain = ask(deployment.edges[0].port, target, headers=headers)
        for _ in range(2):
            answer = ask(workerd.network, target, headers={**headers, "Accept-Encoding": accepted})
            assert (answer.status, answer.find("etag")) == (200, plain.find("etag"))
            assert decode(answer, accepted) == plain.body


def decode(answer: Answer, accepted: str) -> bytes:
    [coding] = answer.find("content-encoding") or ["identity"]
    assert coding == "identity" or (coding in accepted and f"{coding};q=0" not in accepted) or accepted == "*"
    if coding == "zstd":
        return zstandard.ZstdDecompressor().decompressobj().decompress(answer.body)
    return {"identity": bytes, "gzip": gzip.decompress, "br": brotli.decompress}[coding](answer.body)


def test_a_path_that_looks_like_an_address_is_a_path(deployment: Deployment, workerd: Workerd) -> None:
    """Otherwise the worker would send the reader's key to any address that a path names."""
    headers = {"X-API-Key": deployment.keys["all"]}
    for target in (f"//127.0.0.1:{find_free_port()}/v1/metros", "//a.example/v1/metros", "/v1//metros"):
        answers = [ask(port, target, headers=headers) for port in (workerd.port, deployment.edges[0].port)]
        assert [answer.status for answer in answers] == [404, 404], target
