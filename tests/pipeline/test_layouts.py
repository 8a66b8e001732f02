"""This program and one with another layout, over one store: each refuses what the other wrote, and says so."""

import contextlib
import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from command.sample_cities import write_world
from outings.configuration import read_configuration
from outings.release.manifest import LAYOUT
from outings.release.pointer import list_releases
from outings.release.store import open_store
from tests.pipeline.programs import ROOT, Edit, copy_program, point_at, run_program

TODAY = date(2026, 8, 10)
PATIENCE = 60.0
RAISED = Edit("outings/release/manifest.py", f"\nLAYOUT = {LAYOUT}\n", f"\nLAYOUT = {LAYOUT + 1}\n")
# A program that reads the layout before its own too, and so can build on it.
READS_BOTH = Edit("outings/release/snapshot.py", "if manifest.layout != LAYOUT:", "if manifest.layout > LAYOUT:")

pytestmark = pytest.mark.long


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_world(tmp_path / "outings.toml", today=TODAY, size=40)


def build(program: Path, config: Path) -> None:
    run_program(program, "build", "-c", str(config), "--as-of", TODAY.isoformat(), "--workers", "1")


def name_current(config: Path) -> str:
    return next(list_releases(open_store(read_configuration(config, {}).store.url))).id


class Server:
    """A server of this program, over the store of a configuration, with a key of its own making."""

    def __init__(self, program: Path, config: Path) -> None:
        made = run_program(program, "keys", "create", "--plan", "partner", "-c", str(config), "--json")
        self.key = json.loads(made.stdout)["key"]
        self.log = config.parent / "log"
        with self.log.open("w") as lines:
            words = ["serve", "-c", str(config), "--port", "0", "--workers", "1"]
            self.process = subprocess.Popen(
                [sys.executable, "-m", "command", *words],
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
def server(config: Path) -> Iterator[Server]:
    build(ROOT, config)
    server = Server(ROOT, config)
    yield server
    server.process.terminate()
    server.process.wait(PATIENCE)


def test_a_server_refuses_a_newer_layout_in_one_line_and_serves_what_it_has(
    server: Server, config: Path, tmp_path: Path
) -> None:
    server.wait_for(server.is_serving)
    before = name_current(config)
    build(copy_program(tmp_path / "newer", (RAISED, READS_BOTH)), config)
    server.wait_for(lambda: "release_refused" in server.log.read_text())
    (line,) = [line for line in server.log.read_text().splitlines() if "release_refused" in line]
    assert f"tables of layout {LAYOUT + 1}; this program reads {LAYOUT}" in line
    assert "Traceback" not in server.log.read_text()
    assert server.is_serving(before)
    assert server.get("/v1/seattle/classes?openings=true").status == 200


def test_a_build_refuses_an_older_layout_in_one_line_and_publishes_nothing(config: Path, tmp_path: Path) -> None:
    build(ROOT, config)
    before = name_current(config)
    with pytest.raises(AssertionError) as failure:
        build(copy_program(tmp_path / "newer", (RAISED,)), config)
    (line,) = [line for line in str(failure.value).splitlines() if "layout" in line]
    assert f"tables of layout {LAYOUT}; this program reads {LAYOUT + 1}" in line
    assert "Traceback" not in str(failure.value)
    assert name_current(config) == before
