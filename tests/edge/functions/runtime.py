"""A function as AWS runs it: the runtime's own interface client in a process of its own, over a double of the service's
side (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html)."""

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

ROOT = Path(__file__).parents[3]
PATIENCE = 120.0
# What the service takes of an answer.
MOST_BYTES = 6_291_556
_PATH = "/2018-06-01/runtime"


@dataclass(frozen=True)
class Answer:
    """An answer as a reader gets it. Names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class RuntimeService(ThreadingHTTPServer):
    """Hands out events one after the other, and takes an answer for each."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _RequestHandler)
        self.events: Queue[bytes] = Queue()
        self.answers: Queue[bytes] = Queue()


class _RequestHandler(BaseHTTPRequestHandler):
    server: RuntimeService
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        assert self.path == f"{_PATH}/invocation/next"
        event = self.server.events.get()
        self.send_response(200)
        self.send_header("Lambda-Runtime-Aws-Request-Id", "1")
        self.send_header("Lambda-Runtime-Deadline-Ms", "4102444800000")
        self.send_header("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:1:function:outings")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(event)))
        self.end_headers()
        self.wfile.write(event)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        has_room = len(body) <= MOST_BYTES
        self.send_response(202 if has_room else 413)
        self.send_header("Content-Length", "0")
        self.end_headers()
        is_answer = self.path == f"{_PATH}/invocation/1/response"
        self.server.answers.put(body if has_room and is_answer else b"refused: " + body[:2_000])

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class FunctionProcess:
    """`build/lambda/handler.py` beside this configuration."""

    def __init__(self, folder: Path, configuration: str) -> None:
        folder.mkdir()
        (folder / "handler.py").write_text((ROOT / "build/lambda/handler.py").read_text())
        (folder / "outings.toml").write_text(configuration)
        self.log = folder / "log"
        self._service = RuntimeService()
        threading.Thread(target=self._service.serve_forever, daemon=True).start()
        environ = {
            **os.environ, "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{self._service.server_port}", "PYTHONPATH": str(ROOT),
            "OUTINGS_EDGE_CACHE": str(folder / "cache"),
        }  # fmt: skip
        with self.log.open("w") as lines:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "awslambdaric", "handler.handle"],
                cwd=folder, env=environ, stdout=lines, stderr=lines,
            )  # fmt: skip

    def ask(self, target: str, *, method: str = "GET", headers: Mapping[str, str] = {}) -> Answer:
        """Send a request as a function's URL passes it on."""
        path, _, query = target.partition("?")
        self._service.events.put(json.dumps(make_event(path, query, method=method, headers=headers)).encode())
        text = self._service.answers.get(timeout=PATIENCE)
        assert not text.startswith(b"refused"), text
        answer: dict[str, Any] = json.loads(text)
        assert "statusCode" in answer, answer
        body = answer["body"].encode()
        return Answer(
            status=answer["statusCode"],
            headers=answer["headers"],
            body=base64.b64decode(body) if answer["isBase64Encoded"] else body,
        )

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._service.shutdown()
        self._service.server_close()


def make_event(path: str, query: str, *, method: str, headers: Mapping[str, str]) -> dict[str, Any]:
    http = {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "203.0.113.7", "userAgent": "test"}
    return {
        "version": "2.0", "routeKey": "$default", "rawPath": path, "rawQueryString": query,
        "headers": {"host": "function.example", **{name.lower(): value for name, value in headers.items()}},
        "requestContext": {"http": http, "requestId": "1", "stage": "$default", "timeEpoch": 0},
        "isBase64Encoded": False,
    }  # fmt: skip
