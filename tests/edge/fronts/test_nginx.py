"""`outings front nginx`: what readers get through it is what servers answer, and a server may die."""

import http.client
import http.server
import json
import signal
import socket
import ssl
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from command import main
from tests.edge.fronts.conftest import Deployment, deploy, withdraw
from tests.edge.fronts.fronting import Answer, Readers, ask, start_nginx
from tests.edge.limits.conftest import RedisServer
from tests.edge.processes.serving import wait_until
from tests.loopback import run_server
from tests.ports import find_free_port

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("fronts")]

LIST = "/v1/harbor/events?from=2026-08-10"
CALENDAR = "/v1/harbor/events.ics?from=2026-08-10"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_what_is_for_operators_is_not_passed_on(deployment: Deployment, path: str) -> None:
    assert ask(deployment.edges[0].port, path).status == 200
    check_error(ask(deployment.nginx.port, path), status=404, code="not_found")


def check_error(answer: Answer, *, status: int, code: str) -> None:
    """Check that a refusal has the API's form, and that the id in its body is that of its header."""
    assert answer.status == status
    error = json.loads(answer.body)["error"]
    assert error["code"] == code
    assert answer.find("x-request-id") == [error["request_id"]]
    assert answer.find("content-type") == ["application/json"]
    assert answer.find("cache-control") == ["no-store"]


def test_what_it_refuses_itself_looks_like_the_apis_errors(deployment: Deployment) -> None:
    port = deployment.nginx.port
    check_error(ask(port, f"/v1/harbor/events?q={'a' * 40_000}"), status=400, code="bad_request")
    check_error(ask(port, LIST, headers={"X-Long": "a" * 40_000}), status=400, code="bad_request")
    check_error(ask(port, LIST, method="TRACE"), status=405, code="method_not_allowed")
    with socket.create_connection(("127.0.0.1", port), timeout=60) as asking:
        asking.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000000\r\n\r\n")
        assert b" 400 " in asking.recv(4096).splitlines()[0]


def test_without_a_server_nginx_says_when_to_come_back(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        front = start_nginx(tmp_path / "nginx", "--edge", f"127.0.0.1:{closed.getsockname()[1]}")
        try:
            answer = ask(front.port, LIST)
            check_error(answer, status=503, code="unavailable")
            assert answer.find("retry-after") == ["5"]
        finally:
            front.stop()


def test_no_log_has_a_query_string(deployment: Deployment) -> None:
    ask(deployment.nginx.port, "/v1/harbor/events?signature=sesame", headers={"X-API-Key": deployment.keys["all"]})
    wait_until(lambda: '"path":"/v1/harbor/events"' in deployment.nginx.log)
    assert all(json.loads(line)["request_id"] for line in deployment.nginx.log.splitlines())
    texts = [path.read_text() for path in deployment.nginx.folder.glob("*.log")]
    assert not any("sesame" in text or "?" in text for text in texts)


def test_whoever_makes_up_addresses_is_counted_by_its_own(tmp_path: Path) -> None:
    """The servers trust nginx, and nginx says whom it talks to."""
    told = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.append(self.headers.get_all("X-Forwarded-For"))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with run_server(http.server.HTTPServer(("127.0.0.1", 0), Server)) as url:
        front = start_nginx(tmp_path / "nginx", "--edge", url.removeprefix("http://"))
        try:
            assert ask(front.port, LIST, headers={"X-Forwarded-For": "10.1.2.3"}).status == 204
        finally:
            front.stop()
    assert told == [["127.0.0.1"]]


def read_used(deployment: Deployment) -> int:
    """Return how many requests of the month are counted, by a request that is not billed."""
    answer = ask(deployment.nginx.port, "/v1/nowhere", headers={"X-API-Key": deployment.keys["billed"]})
    return int(answer.find("x-quota-limit")[0]) - int(answer.find("x-quota-remaining")[0])


def count_retries(deployment: Deployment) -> int:
    """Requests that nginx sent to a second server."""
    return sum("," in json.loads(line)["tries"] for line in deployment.nginx.log.splitlines())


def test_no_request_fails_while_servers_die_restart_and_are_replaced(tmp_path: Path, own_redis: RedisServer) -> None:
    deployment = deploy(tmp_path, own_redis)
    first, second = deployment.edges
    try:
        used = read_used(deployment)
        with Readers(deployment.nginx.port, deployment.keys["billed"], [LIST, CALENDAR]) as readers:
            first.kill()
            readers.wait(200)
            first.start()
            readers.wait(100)
            second.stop()
            readers.wait(200)
            second.start()
            readers.wait(100)
            for edge in deployment.edges:
                assert edge.process is not None
                edge.process.send_signal(signal.SIGHUP)
                readers.wait(200)
            deployment.nginx.reload()
            readers.wait(200)
        assert readers.faults == []
        assert Counter(readers.statuses) == {200: len(readers.statuses)}
        counted = read_used(deployment) - used
        assert len(readers.statuses) <= counted <= len(readers.statuses) + count_retries(deployment)
    finally:
        withdraw(deployment)


def write_certificate(folder: Path, *, serial: int) -> None:
    """Self-signed, for loopback."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(serial)
        .not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=2))
    )  # fmt: skip
    signed = built.sign(key, hashes.SHA256())
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    (folder / "certificate.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))


def read_serial(port: int) -> int:
    return x509.load_pem_x509_certificate(ssl.get_server_certificate(("127.0.0.1", port)).encode()).serial_number


def test_a_new_certificate_is_taken_up_and_no_request_in_clear_is_answered(
    deployment: Deployment, tmp_path: Path
) -> None:
    write_certificate(tmp_path, serial=1)
    plain = find_free_port()
    front = start_nginx(
        tmp_path / "nginx", "--edge", deployment.edges[0].address, "--plain", f"127.0.0.1:{plain}",
        "--certificate", f"{tmp_path}/certificate.pem", "--certificate-key", f"{tmp_path}/key.pem",
    )  # fmt: skip
    try:
        context = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection("127.0.0.1", front.port, context=context, timeout=60)
        connection.request("GET", LIST, headers={"X-API-Key": deployment.keys["all"]})
        assert connection.getresponse().status == 200
        connection.close()
        assert ask(plain, LIST, headers={"X-API-Key": deployment.keys["all"]}).status == 426
        assert read_serial(front.port) == 1
        write_certificate(tmp_path, serial=2)
        front.reload()
        wait_until(lambda: read_serial(front.port) == 2)
    finally:
        front.stop()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--edge"),
        (["--edge", "10.0.0.5"], "--edge '10.0.0.5': allowed: a value such as 10.0.0.5:8000"),
        (["--edge", "a:1;"], "--edge 'a:1;'"),
        (["--edge", "a:1", "--name", "a b"], "--name 'a b'"),
        (["--edge", "a:1", "--certificate", "/a.pem"], "go together"),
        (["--edge", "a:1", "--certificate", "a.pem", "--certificate-key", "/b"], "--certificate 'a.pem'"),
        (["--edge", "a:1", "--listen", "x"], "--listen 'x'"),
    ],
)
def test_what_is_wrong_is_refused(words: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["front", "nginx", *words])
    assert result.exit_code == 2
    assert message in result.stderr


def test_two_servers_that_count_apart_are_told_of(tmp_path: Path) -> None:
    config = tmp_path / "outings.toml"
    config.write_text('[store]\nurl = "file:store"\n')
    words = ["front", "nginx", "--edge", "a:1", "--edge", "b:1", "-c", str(config)]
    assert "rate_storage is 'local'" in CliRunner().invoke(main, words).stderr
    config.write_text('[store]\nurl = "file:store"\n[edge]\nrate_storage = "redis://127.0.0.1:6379/0"\n')
    assert CliRunner().invoke(main, words).stderr == ""
