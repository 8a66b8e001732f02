"""An older program and this one, over one store: each reads what the other wrote, or refuses it and says so."""

import contextlib
import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from command.sample_cities import write_world
from outings.answers.routes import answer
from outings.configuration import read_configuration
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.release.pointer import list_releases
from outings.release.snapshot import Release, open_release
from outings.release.store import open_store
from pipeline.building import build_release
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.plan import Build
from tests.pipeline.programs import OLDER, ROOT, Edit, copy_program, export_program, name_command, point_at, run_program

TODAY = date(2026, 8, 10)
NOON = datetime(2026, 8, 10, 19, tzinfo=UTC)
REQUESTS = (
    "/v1/seattle/events", "/v1/seattle/events?occurrences=expand&weekday=saturday", "/v1/seattle/events?q=story",
    "/v1/seattle/events?team=mariners,kraken,storm", "/v1/seattle/events?indoor=true&age=4&facets=category,age_band",
    "/v1/seattle/events?lat=47.6&lng=-122.3&radius_m=9000&free=true", "/v1/seattle/events?start_after=15:00",
    "/v1/seattle/events/calendar?from=2026-08-10&to=2026-09-09", "/v1/seattle/classes?openings=true",
    "/v1/seattle/classes?enrollment_type=drop_in,registration&weekday=monday", "/v1/seattle/classes?max_price=20",
    "/v1/seattle/camps?year=2026", "/v1/seattle/camps?overnight=false&free=false",
    "/v1/seattle/places?has_classes=true",
    "/v1/seattle/places?type_hint=museum,park&sensory=true", "/v1/seattle/search?q=swim+lessons&sort=soonest",
    "/v1/seattle/nearby?lat=47.6&lng=-122.3", "/v1/seattle/organizations?q=studio", "/v1/seattle/neighborhoods",
    "/v1/seattle/around?lat=47.6&lng=-122.3", "/v1/seattle/coverage", "/v1/metros",
)  # fmt: skip
PATIENCE = 60.0

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_program(tmp_path_factory.mktemp("older"), OLDER)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return the configuration without settings of pages and of confidence, which the older program does not know."""
    path = write_world(tmp_path / "outings.toml", today=TODAY, size=40)
    before, site, following = path.read_text().partition("[site]\n")
    assert site
    known = before + following[following.index("[[") :]
    path.write_text(known.replace('confidence = "computed"\n', ""))
    return path


def build(program: Path, config: Path) -> None:
    run_program(program, "build", "-c", str(config), "--as-of", TODAY.isoformat(), "--workers", "1")


def open_current(config: Path) -> Release:
    configuration = read_configuration(config, {})
    store = open_store(configuration.store.url)
    return open_release(store, next(list_releases(store)), cache=config.parent / "cache")


def ask(release: Release, request: str) -> Any:
    """The body, without what names the release that answers."""
    path, _, words = request.partition("?")
    match = match_route(path)
    assert match is not None
    query = parse_query(match, words.encode(), vocabulary=release.metros["seattle"].vocabulary)
    dates = dict.fromkeys(release.metros, TODAY)
    made = answer(query, release=release, dates=dates, entitlement=Entitlement(), minute=NOON)
    body = json.loads(b"".join(made.parts))
    body.get("meta", {}).pop("next_cursor", None)
    if path.endswith("/coverage"):
        body["data"].pop("release")
    return body


def test_a_release_of_an_older_program_is_answered_as_one_of_this(older: Path, config: Path, tmp_path: Path) -> None:
    build(older, config)
    theirs = open_current(config)
    unmapped = replace(
        theirs, metros={slug: replace(metro, hash=metro.hash[::-1], mapped={}) for slug, metro in theirs.metros.items()}
    )
    ours = build_here(write_world(tmp_path / "again" / "outings.toml", today=TODAY, size=40))
    for request in REQUESTS:
        expected = ask(ours, request)
        assert ask(theirs, request) == expected, request
        assert ask(unmapped, request) == expected, request


def build_here(config: Path) -> Release:
    configuration = read_configuration(config, {})
    request = Build(configuration=configuration, as_of=AsOf(day=TODAY))
    build_release(request, store=open_store(configuration.store.url), executor=InlineExecutor())
    return open_current(config)


class Server:
    """An older program's, over the store of a configuration, with a key of its own making."""

    def __init__(self, program: Path, config: Path) -> None:
        made = run_program(program, "keys", "create", "--plan", "partner", "-c", str(config), "--json")
        self.key = json.loads(made.stdout)["key"]
        self.log = config.parent / "log"
        with self.log.open("w") as lines:
            words = ["serve", "-c", str(config), "--port", "0", "--workers", "1"]
            self.process = subprocess.Popen(
                [sys.executable, "-m", name_command(program), *words],
                env=point_at(program), cwd=program, stderr=lines,
            )  # fmt: skip
        self.wait_for(lambda: "127.0.0.1:" in self.log.read_text())
        self.port = int(self.log.read_text().partition("127.0.0.1:")[2].partition(",")[0])

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < until, self.log.read_text()
            time.sleep(0.1)

    def get(self, target: str) -> http.client.HTTPResponse:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request("GET", target, headers={"X-API-Key": self.key})
            response = connection.getresponse()
            response.read()
            return response

    def is_serving(self, release: str | None = None) -> bool:
        with contextlib.suppress(OSError):
            response = self.get("/v1/metros")
            return response.status == 200 and release in (None, response.headers["x-release"])
        return False


@pytest.fixture
def server(older: Path, config: Path) -> Iterator[Server]:
    build(older, config)
    server = Server(older, config)
    yield server
    server.process.terminate()
    server.process.wait(PATIENCE)


def test_an_older_program_serves_what_this_one_published(server: Server, config: Path) -> None:
    server.wait_for(server.is_serving)
    build(ROOT, config)
    server.wait_for(lambda: server.is_serving(open_current(config).id))
    for request in REQUESTS[:6]:
        assert server.get(request).status == 200, request


def test_an_older_program_refuses_a_newer_layout_in_one_line_and_serves_what_it_has(
    server: Server, config: Path, tmp_path: Path
) -> None:
    server.wait_for(server.is_serving)
    before = open_current(config).id
    # One that knows the layout before too, as it must to build on what there is.
    edits = (
        Edit("outings/release/manifest.py", "\nLAYOUT = 1\n", "\nLAYOUT = 2\n"),
        Edit("outings/release/snapshot.py", "if manifest.layout != LAYOUT:", "if manifest.layout > LAYOUT:"),
    )
    build(copy_program(tmp_path / "newer", edits), config)
    server.wait_for(lambda: "release_refused" in server.log.read_text())
    (line,) = [line for line in server.log.read_text().splitlines() if "release_refused" in line]
    assert "tables of layout 2; this program reads 1" in line
    assert "Traceback" not in server.log.read_text()
    assert server.is_serving(before)
    assert server.get("/v1/seattle/classes?openings=true").status == 200
