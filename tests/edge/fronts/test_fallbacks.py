"""Fronts before a server that answers by a script: what happens when a body is not where its address said."""

import gzip
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.edge.fronts.conftest import SECRET
from tests.edge.fronts.fronting import Answer, Nginx, ask, start_nginx
from tests.edge.fronts.workerd import Workerd, start_workerd

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("fronts")]

BODY, LATER = b"the body of the first release " * 9, b"the body of the next release"
POINTER = {
    "ETag": 'W/"1"', "X-Release": "1", "X-RateLimit-Remaining": "7", "Content-Type": "text/calendar",
    "Outings-Cache-Control": "private, no-cache", "Outings-Coding": "gzip", "Vary": "X-API-Key",
}  # fmt: skip
FILL = {"ETag": 'W/"1"', "Content-Type": "text/calendar", "Content-Encoding": "gzip", "Cache-Control": "no-store"}
WHOLE = {
    "ETag": 'W/"2"', "X-Release": "2", "X-RateLimit-Remaining": "6", "Content-Type": "text/calendar",
    "Cache-Control": "private, no-cache",
}  # fmt: skip
REFUSAL = {"Content-Type": "application/json", "Cache-Control": "no-store", "X-Request-Id": "id"}


class ScriptedServer:
    """Answers by what a request says in `Outings-Fill`: `fill`, then `whole`. `fills` are those values, in order."""

    def __init__(self, fill: tuple[int, dict[str, str], bytes], whole: tuple[int, dict[str, str], bytes]) -> None:
        self.fills: list[str] = []
        self.address = "/.outings/answers/abc.gzip"
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                wanted = self.headers.get("Outings-Fill", "")
                script.fills.append(wanted)
                status, headers, body = whole if wanted == "any" else fill
                if not wanted:
                    name = "X-Accel-Redirect" if "pointer=accel" in self.headers["Outings-Front"] else "Outings-Body"
                    status, headers, body = 200, {**POINTER, name: script.address}, b""
                if not status:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 its own name
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 64  # a burst connects at once

        self.server = Server(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


Begin = Callable[..., tuple[ScriptedServer, Callable[..., Answer]]]


@pytest.fixture(params=["nginx", "workerd"])
def begin(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Begin]:
    closing: list[Callable[[], None]] = []

    def start(
        fill: tuple[int, dict[str, str], bytes], whole: tuple[int, dict[str, str], bytes] = (200, WHOLE, LATER)
    ) -> tuple[ScriptedServer, Callable[..., Answer]]:
        server = ScriptedServer(fill, whole)
        closing.append(server.close)
        address = f"127.0.0.1:{server.server.server_port}"
        front: Nginx | Workerd
        if request.param == "nginx":
            front = start_nginx(tmp_path / "nginx", "--edge", address, secret=SECRET)
        else:
            front = start_workerd([address], secret=SECRET)
        closing.append(front.stop)
        return server, lambda **sent: ask(front.port, "/v1/a", headers=sent)

    yield start
    for close in reversed(closing):
        close()


def read_own(answer: Answer, names: Sequence[str]) -> dict[str, str]:
    counts = Counter(name.lower() for name, _ in answer.headers)
    assert [name for name, count in counts.items() if count > 1] == []
    return {name: answer.find(name.lower())[0] for name in names if answer.find(name.lower())}


def test_a_body_is_fetched_once_and_every_reader_gets_the_headers_of_the_own_answer(begin: Begin) -> None:
    server, get = begin((200, FILL, gzip.compress(BODY)))
    for _ in range(3):
        packed = get(**{"Accept-Encoding": "gzip"})
        assert (packed.find("content-encoding"), gzip.decompress(packed.body)) == (["gzip"], BODY)
        plain = get(**{"Accept-Encoding": "identity"})
        assert (plain.find("content-encoding"), plain.body) == ([], BODY)
        for answer in (packed, plain):
            named = read_own(answer, ["ETag", "X-Release", "X-RateLimit-Remaining", "Cache-Control", "Vary"])
            assert named == {
                "ETag": 'W/"1"', "X-Release": "1", "X-RateLimit-Remaining": "7", "Cache-Control": "private, no-cache",
                "Vary": "X-API-Key",
            }  # fmt: skip
            assert [name for name, _ in answer.headers if name.lower().startswith("outings")] == []
    counts = Counter(server.fills)
    assert (counts[""], counts["any"]) == (6, 0)
    assert counts['W/"1"'] in (1, 2)  # the second reader may come before the body of the first is kept


@pytest.mark.parametrize("status", [0, 401, 412, 429, 500, 503])
def test_what_a_fill_does_not_bring_is_asked_for_whole_and_kept_nowhere(begin: Begin, status: int) -> None:
    server, get = begin((status, REFUSAL, b""))
    for _ in range(2):
        answer = get()
        assert (answer.status, answer.body) == (200, LATER)
        assert read_own(answer, list(WHOLE)) == WHOLE
    tries = 3 if status == 0 else 1  # a connection that broke off is tried again
    assert Counter(server.fills)["any"] == 2
    assert 2 <= Counter(server.fills)['W/"1"'] <= 2 * tries


def test_an_error_in_the_end_is_that_error_alone(begin: Begin) -> None:
    refusal = json.dumps({"error": {"code": "unavailable"}}).encode()
    _, get = begin((412, {}, b""), (503, {**REFUSAL, "Retry-After": "5"}, refusal))
    answer = get()
    assert (answer.status, answer.body) == (503, refusal)
    assert read_own(answer, ["Content-Type", "Cache-Control", "ETag", "Retry-After"]) == {
        "Content-Type": "application/json", "Cache-Control": "no-store", "Retry-After": "5",
    }  # fmt: skip
    _, get = begin((412, {}, b""), (0, {}, b""))
    broken = get()
    assert (broken.status, json.loads(broken.body)["error"]["code"]) == (503, "unavailable")
    assert broken.find("content-type") == ["application/json"]
    assert read_own(broken, ["ETag", "Cache-Control"]) == {"Cache-Control": "no-store"}


@pytest.mark.parametrize("begin", ["nginx"], indirect=True)
def test_a_burst_for_a_new_body_waits_for_no_lock(begin: Begin, tmp_path: Path) -> None:
    server, get = begin((200, FILL, gzip.compress(BODY)))
    answers: list[Answer] = []
    threads = [threading.Thread(target=lambda: answers.append(get())) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.body for answer in answers} == {BODY}
    assert len(server.fills) >= 21
    assert "proxy_cache_lock" not in (tmp_path / "nginx" / "outings.conf").read_text()
