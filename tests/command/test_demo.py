"""The first minutes of a newcomer: `outings demo`, and every request of the README, as printed."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from command import main
from tests.command.demo import PATIENCE, start_demo, stop_demo

pytestmark = pytest.mark.xdist_group("demo")  # one worker starts the demo

ROOT = Path(__file__).parents[2]
README_REQUESTS = re.findall(r"^curl .*$", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
PRINTED_BASE = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    folder = tmp_path_factory.mktemp("demo")
    process, printed = start_demo(folder)
    key = re.search(r"^export KEY=(\S+)$", printed, flags=re.MULTILINE)
    base_url = re.search(r"http://127\.0\.0\.1:\d+", printed)
    assert key is not None
    assert base_url is not None
    yield SimpleNamespace(folder=folder, printed=printed, key=key[1], base_url=base_url[0])
    stop_demo(process)


def run_request(line: str, demo: SimpleNamespace) -> dict[str, object]:
    """The parsed body; a status of 400 and more fails."""
    done = subprocess.run(
        ["bash", "-c", line.replace(PRINTED_BASE, demo.base_url).replace("curl ", "curl -sS --fail-with-body ", 1)],
        env={**os.environ, "KEY": demo.key}, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    body: dict[str, object] = json.loads(done.stdout)
    return body


def test_the_readme_has_requests_to_try() -> None:
    assert len(README_REQUESTS) >= 3


@pytest.mark.parametrize("line", README_REQUESTS)
def test_every_request_of_the_readme_works_as_printed(line: str, demo: SimpleNamespace) -> None:
    assert run_request(line, demo)["data"]


def test_the_demo_names_its_static_files(demo: SimpleNamespace) -> None:
    [named] = re.findall(r"is also in (\S+), as plain files", demo.printed)
    index = json.loads((demo.folder / named / "v1/index.json").read_bytes())
    assert index["metros"].keys() == {"new-york", "seattle"}


def test_every_request_that_the_demo_prints_works(demo: SimpleNamespace) -> None:
    lines = re.findall(r"^curl .*$", demo.printed, flags=re.MULTILINE)
    assert len(lines) == 3
    assert all(run_request(line, demo)["data"] for line in lines)


def test_a_calendar_can_be_subscribed_to_without_a_header(demo: SimpleNamespace) -> None:
    answer = run_request(f'curl -H "X-API-Key: $KEY" "{demo.base_url}/v1/seattle/events.ics/address?free=true"', demo)
    assert isinstance(answer["data"], dict)
    with urlopen(demo.base_url + answer["data"]["url"], timeout=PATIENCE) as calendar:
        assert calendar.headers["Content-Type"] == "text/calendar; charset=utf-8"
        assert b"\r\nBEGIN:VEVENT\r\n" in calendar.read()


def test_a_second_run_prints_the_same_key(demo: SimpleNamespace) -> None:
    process, printed = start_demo(demo.folder)
    stop_demo(process)
    assert f"export KEY={demo.key}\n" in printed


@pytest.mark.parametrize("name", ["key.txt", "calendar.txt"])
def test_the_key_and_the_secret_are_their_owner_s_alone(demo: SimpleNamespace, name: str) -> None:
    assert (demo.folder / "var" / name).stat().st_mode & 0o077 == 0


def test_the_demo_does_not_write_over_an_operator_s_configuration(tmp_path: Path) -> None:
    theirs = tmp_path / "outings.toml"
    theirs.write_text("[store]\n")
    result = CliRunner().invoke(main, ["demo", "-c", str(theirs)])
    assert result.exit_code == 2
    assert "was not made by this command" in result.stderr
    assert theirs.read_text() == "[store]\n"
