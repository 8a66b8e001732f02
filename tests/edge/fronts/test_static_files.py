"""Files of `[static]` have the same bytes on each kind of host, and what has no file goes on to the servers."""

import functools
import gzip
import http.server
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import boto3
import pytest
from click.testing import CliRunner

from command import main
from outings.configuration.tables import StaticTable
from outings.contract.routes import match_route
from outings.contract.static_files import name_media
from outings.release.s3 import S3Store
from outings.release.store import open_store
from pipeline.publish.static.hosts import FolderHost, Host, HostFile, S3Host
from pipeline.publish.static.publishing import publish_static
from tests.conftest import ROOT
from tests.contract.static_requests import parse_file
from tests.edge.fronts.fronting import Answer, ask, start_configuration, start_nginx
from tests.edge.fronts.workerd import PREFIX, start_workerd
from tests.edge.sample_edge import DAY, make_edge
from tests.ports import find_free_port
from tests.release.conftest import s3_endpoint

__all__ = ["s3_endpoint"]

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("fronts")]

REQUESTS = 2_000
KINDS = ("folder", "S3", "nginx", "workerd")


@dataclass
class Tree:
    """The tree of a sample release."""

    folder: Path

    @functools.cached_property
    def sample(self) -> Sequence[tuple[str, str]]:
        """Pages of requests in the index, with their files."""
        index = json.loads((self.folder / "v1/index.json").read_bytes())
        listed = [*index["requests"], *(request for metro in index["metros"].values() for request in metro["requests"])]
        files = [file for item in listed for file in item["files"]]
        return [(parse_file(file), file) for file in Random(1).sample(files, min(REQUESTS, len(files)))]

    @functools.cached_property
    def names(self) -> Mapping[str, str]:
        return dict(self.sample)

    def read_body(self, request: str) -> bytes:
        return (self.folder / self.names[request]).read_bytes()

    def describe(self, request: str, file: str) -> HostFile:
        """The file as a build gives it to a host."""
        match = match_route(request.partition("?")[0])
        assert match is not None, request
        return HostFile(file, (self.folder / file).read_bytes(), match.route.max_age, name_media(file))

    def fill(self, host: Host, *, most: int = REQUESTS) -> None:
        """The sample alone: all files would take a minute."""
        host.write(self.describe(request, file) for request, file in self.sample[:most])


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    """Publish a static tree, with a file beside it that is not public."""
    folder = tmp_path_factory.mktemp("static")
    edge = make_edge(folder)
    (folder / "secret.json").write_text("{}")

    publish_static(
        open_store(f"file:{folder}/var/store"), StaticTable(), host=FolderHost(folder / "tree"),
        cache=folder / "cache", read_date=lambda _: DAY,
    )  # fmt: skip
    yield Tree(folder / "tree")
    edge.close()


class _Echo(http.server.BaseHTTPRequestHandler):
    """A server that answers what it was asked."""

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.dumps({"method": self.command, "target": self.path, "headers": headers}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)

    do_HEAD = do_POST = do_OPTIONS = do_GET  # noqa: N815 the names that http.server calls

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serve(handler: Callable[..., http.server.BaseHTTPRequestHandler]) -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@contextmanager
def serve_nginx(tree: Tree, *, server: int | None = None) -> Iterator[int]:
    """`build/nginx/static.conf` with the operator's changes: the folder, and the line that passes the rest on."""
    folder, port = tree.folder.parent / f"nginx-{server}", find_free_port()
    folder.mkdir()
    text = (ROOT / "build/nginx/static.conf").read_text()
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{port}").replace("/srv/public", str(tree.folder))
    text = text.replace("/var/log/nginx/error.log", str(folder / "error.log"))
    if server is not None:
        [line] = [line for line in text.splitlines() if "in place of the next: " in line]
        passing = line.partition("in place of the next: ")[2].replace("127.0.0.1:8000", f"127.0.0.1:{server}")
        text = text.replace(f"{line}\n        return 404;", f"        {passing}")
        assert f":{server}" in text
    (folder / "outings.conf").write_text(text)
    nginx = start_configuration(folder, port)
    try:
        yield port
    finally:
        nginx.process.terminate()
        nginx.process.wait(timeout=30)


@contextmanager
def serve_worker(tree: Tree, *, server: int | None = None) -> Iterator[int]:
    """`build/cloudflare/worker.js` over a bucket."""
    worker = start_workerd([] if server is None else [f"127.0.0.1:{server}"], has_files=True)
    tree.fill(S3Host(worker.tree), most=REQUESTS if server is None else 50)
    try:
        yield worker.port
    finally:
        worker.stop()


@pytest.fixture(scope="module")
def hosts(tree: Tree, s3_endpoint: str) -> Iterator[Mapping[str, Callable[[str, str], Answer]]]:
    """Return how to request from each host a target or its file. None has a server of ours behind it."""
    with ExitStack() as running:
        folder = running.enter_context(serve(functools.partial(_Files, directory=str(tree.folder))))
        boto3.client("s3", endpoint_url=s3_endpoint).create_bucket(Bucket="open")
        tree.fill(S3Host(S3Store("open", PREFIX, endpoint_url=s3_endpoint)))
        nginx = running.enter_context(serve_nginx(tree))
        workerd = running.enter_context(serve_worker(tree))
        s3 = urlsplit(s3_endpoint).port
        assert s3 is not None
        yield {
            "folder": lambda _, file: ask(folder, f"/{file}"),
            "S3": lambda _, file: ask(s3, f"/open/{PREFIX}{file}"),
            "nginx": lambda request, _: ask(nginx, request),
            "workerd": lambda request, _: ask(workerd, request),
        }


def unpack(answer: Answer) -> bytes:
    return gzip.decompress(answer.body) if answer.find("content-encoding") == ["gzip"] else answer.body


@pytest.mark.parametrize("kind", KINDS)
def test_the_bytes_are_those_of_the_file(
    tree: Tree, hosts: Mapping[str, Callable[[str, str], Answer]], kind: str
) -> None:
    for request, file in tree.sample:
        answer = hosts[kind](request, file)
        assert answer.status == 200, request
        assert unpack(answer) == tree.read_body(request), request
        if kind != "folder":  # a plain host knows neither
            described = tree.describe(request, file)
            assert answer.find("content-type") == [described.media]
            assert answer.find("cache-control") == [described.cache_control], request
        if kind in ("nginx", "workerd"):
            assert answer.find("access-control-allow-origin") == ["*"]


@contextmanager
def serve_front(tree: Tree, *, server: int) -> Iterator[int]:
    """`outings front nginx --files`."""
    folder = tree.folder.parent / "front"
    nginx = start_nginx(folder, "--edge", f"127.0.0.1:{server}", "--files", str(tree.folder))
    try:
        yield nginx.port
    finally:
        nginx.stop()


def test_the_command_finds_files_as_the_configuration_without_servers_does() -> None:
    written = CliRunner().invoke(main, ["front", "nginx", "--edge", "a:1", "--files", "/srv/public"]).stdout
    by_hand = (ROOT / "build/nginx/static.conf").read_text()
    maps = [re.findall(r"^map .*?^}", text, re.M | re.S) for text in (by_hand, written)]
    assert len(maps[0]) == 3
    assert {*maps[0]} < {*maps[1]}


@pytest.fixture(scope="module", params=["nginx", "front", "workerd"])
def front(request: pytest.FixtureRequest, tree: Tree) -> Iterator[int]:
    """Files in front of a server that answers what it was asked."""
    start = {"nginx": serve_nginx, "front": serve_front, "workerd": serve_worker}[request.param]
    with serve(_Echo) as server, start(tree, server=server) as port:
        yield port


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/v1/seattle/events?q=pupp%65ts&limit=3"),
        ("GET", "/v1/seattle/nearby?lat=47.6&lng=-122.3"),
        ("GET", "/v1/boston/events"),
        ("GET", "/v1/seattle/events?cursor=AAAA"),
        ("GET", "/v1/seattle/events.ics?age=4"),
        ("GET", "/v1/seattle/events.ics?age=%34"),
        ("GET", "/v1/seattle/events?page=99"),
        ("GET", "/v1//events"),
        ("GET", "/v1/seattle/events/"),
        ("GET", "/v1/seattle/events?../../../../secret"),
        ("GET", "/v1/seattle/events?x=%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret"),
        ("OPTIONS", "/v1/seattle/events"),
        ("POST", "/v1/seattle/events?free=true"),
    ],
)
def test_what_has_no_file_reaches_the_servers_as_it_was_sent(front: int, method: str, target: str) -> None:
    answer = ask(front, target, method=method, headers={"X-API-Key": "some", "X-Forwarded-For": "1.2.3.4"})
    assert answer.status == 200
    echo = json.loads(answer.body)
    assert (echo["method"], echo["target"], echo["headers"]["x-api-key"]) == (method, target, "some")
    assert echo["headers"]["x-forwarded-for"] != "1.2.3.4"
    assert answer.find("cache-control") == []


def test_what_has_a_file_does_not_reach_them(tree: Tree, front: int) -> None:
    for request, _ in tree.sample[:50]:
        answer = ask(front, request, headers={"X-API-Key": "some", "Accept-Encoding": "gzip"})
        assert unpack(answer) == tree.read_body(request), request
        head = ask(front, request, method="HEAD")
        assert (head.status, head.body, head.find("etag") != []) == (200, b"", True)
        same = ask(front, request, headers={"If-None-Match": head.find("etag")[0]})
        assert (same.status, same.body) == (304, b"")


@pytest.mark.parametrize("kind", ["nginx", "workerd"])
@pytest.mark.parametrize(
    "target",
    [
        "/v1/boston/events",
        "/v1/seattle/events?category=zoo",
        "/v1/seattle/events?page=99",
        "/v1/seattle/events.ics?age=4",
        "/v1/seattle/events.ics?age=%34",
        "/v1/seattle/events?../../../../secret",
        "/v1/seattle/events?/../../../../secret",
        "/v1/seattle/events?x=%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret",
        "/v1/seattle/events/",
        "/v1/../../secret",
        "/..%2fsecret.json",
        "/healthz",
        "/metrics",
    ],
)
def test_without_servers_the_rest_is_not_found(
    hosts: Mapping[str, Callable[[str, str], Answer]], kind: str, target: str
) -> None:
    answer = hosts[kind](target, "")
    assert answer.status in (400, 404)
    if answer.status == 404:
        assert json.loads(answer.body)["error"]["code"] == "not_found"
        assert answer.find("access-control-allow-origin") == ["*"]


def test_a_worker_finds_a_request_in_any_order_and_a_file_by_its_name(
    tree: Tree, hosts: Mapping[str, Callable[[str, str], Answer]]
) -> None:
    request, file = next(value for value in tree.sample if "?from=" in value[0])
    path, _, query = request.partition("?")
    turned = f"{path}?{'&'.join(reversed(query.replace('-', '%2D').split('&')))}"
    for target in (request, turned, f"/{file}"):
        answer = hosts["workerd"](target, "")
        assert (answer.body, answer.find("content-encoding")) == (tree.read_body(request), [])
