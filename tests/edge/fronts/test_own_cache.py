"""The cache behind a reader's own key, as the guide for many readers has it."""

import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.edge.fronts.fronting import start_configuration
from tests.loopback import run_server
from tests.pages.guides.reader import read_blocks
from tests.ports import find_free_port

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("fronts")]

BODY = b'{"data": []}' * 100


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """The address of the guide's nginx, and what it asks of the API: targets, each with its key."""
    requests: list[tuple[str, str | None]] = []

    class Api(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append((self.path, self.headers["X-API-Key"]))
            is_refused = self.path.startswith("/v1/refused")
            self.send_response(429 if is_refused else 200)
            self.send_header("Cache-Control", "private, max-age=60")
            self.send_header("Vary", "X-API-Key")
            self.send_header("ETag", 'W/"a"')
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            self.wfile.write(BODY)

        def log_message(self, *args: object) -> None: ...

    [block] = [
        block for block in read_blocks((ROOT / "docs/guides/volume.md").read_text()) if "proxy_cache" in block.code
    ]
    port = find_free_port()
    with run_server(ThreadingHTTPServer(("127.0.0.1", 0), Api)) as url:
        text = "\n".join(block.code.splitlines()[1:-1]).replace("https://api.example.org", url)
        text = text.replace("127.0.0.1:8081", f"127.0.0.1:{port}").replace("/var/cache/nginx", str(tmp_path))
        (tmp_path / "outings.conf").write_text(f"access_log off;\n{text}\n")
        nginx = start_configuration(tmp_path, port)
        try:
            yield f"http://127.0.0.1:{port}", requests
        finally:
            nginx.process.terminate()
            nginx.process.wait(timeout=30)


def test_equal_requests_are_one_with_the_key_and_different_ones_are_not_mixed(
    cache: tuple[str, list[tuple[str, str | None]]],
) -> None:
    address, requests = cache

    def read(target: str) -> bytes:
        with urllib.request.urlopen(address + target, timeout=30) as reply:
            body: bytes = reply.read()
            return body

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(read, ["/v1/seattle/events?free=true"] * 40)) == {BODY}
    assert requests == [("/v1/seattle/events?free=true", "your key")]
    read("/v1/seattle/events?free=false")
    assert len(requests) == 2
    for _ in range(2):
        with pytest.raises(urllib.error.HTTPError, match="429"):
            read("/v1/refused")
    assert len(requests) == 4, "a refusal is no answer to keep"
