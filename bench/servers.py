"""Start and end a server for a bench, with a port, a key and a first answer."""

import contextlib
import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

OUTINGS = (sys.executable, "-m", "command")

Headers = Sequence[tuple[str, str]]


class Response(Struct, frozen=True):
    """`headers` in lower case, without `Date`."""

    status: int
    headers: Headers
    body: bytes

    def get_header(self, name: str) -> str:
        return next(value for header, value in self.headers if header == name)


def ask(port: int, target: str, headers: Headers) -> Response:
    """SystemExit for any status but 200."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET", target, headers=dict(headers))
        response = connection.getresponse()
        body = response.read()
    if response.status != 200:
        raise SystemExit(f"{target} answered {response.status}: {body[:300]!r}")
    kept = [(name.lower(), value) for name, value in response.getheaders() if name.lower() != "date"]
    return Response(response.status, kept, body)


def make_key(config: Path, *, command: Sequence[str] = OUTINGS, cwd: Path | None = None) -> str:
    """Make a key whose limits no bench comes near. `cwd`: where the program lies, if it is another one."""
    words = [*command, "keys", "create", "--plan", "partner", "--per-minute", "1000000000", "--json", "-c", str(config)]
    made = subprocess.run(words, check=True, capture_output=True, cwd=cwd)
    key: str = json.loads(made.stdout)["key"]
    return key


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def run_process(
    words: Sequence[str], *, port: int, environ: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Iterator[int]:
    """Runs from when the port answers until the block ends; gives the process's number."""
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environ, cwd=cwd)
    try:
        until = time.monotonic() + 60
        while not _is_answering(port):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"{' '.join(map(str, words))} did not begin to serve")
            time.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def _is_answering(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
