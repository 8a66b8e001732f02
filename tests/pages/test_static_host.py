"""The folder that `outings site` writes, below a path of a plain file server: it needs no server of ours."""

import functools
import http.server
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.command.demo import PATIENCE
from tests.loopback import run_server
from tests.pages.conftest import Demo, Pages
from tests.pages.explorer import SHOWN, ask, read_total
from tests.pages.file_host import QuietHandler

pytestmark = pytest.mark.browser

EXPANDED = {"occurrences": "expand", "facets": "category", "limit": "1"}


@pytest.fixture
def host(demo: Demo, tmp_path: Path) -> Iterator[str]:
    """Start a static host, and return its address. It serves `below/` and sends no header of ours."""
    words = [sys.executable, "-m", "command", "site", str(tmp_path / "below"), "-c", "var/outings.toml"]
    subprocess.run(words, cwd=demo.folder, check=True, capture_output=True, timeout=PATIENCE)
    handler = functools.partial(QuietHandler, directory=str(tmp_path))
    with run_server(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as url:
        yield f"{url}/below/"


def test_pages_work_below_a_path_of_any_host(pages: Pages, host: str) -> None:
    pages.url = host.removesuffix("/below/")
    page = pages.open(host)
    assert page.locator("h1").count() == 1
    # What is on this weekend is asked of the API, which a host of files has not: the page says so.
    page.get_by_text("This can't be loaded now.").first.wait_for()
    assert {"404" in error for error in pages.errors} == {True}
    pages.errors.clear()
    page.get_by_role("link", name="Seattle in numbers").click()
    page.wait_for_url(f"{host}cities/seattle/")
    page.get_by_role("link", name="Guides").click()
    page.wait_for_url(f"{host}guides/")
    page.locator(".brand").click()
    page.wait_for_url(host)
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(253, 253, 252)"
    page.wait_for_load_state("networkidle")
    assert {"404" in error for error in pages.errors} <= {True}
    pages.errors.clear()


def test_the_request_of_a_static_tree_below_a_path_works_as_it_is_shown(
    pages: Pages, demo: Demo, tmp_path: Path
) -> None:
    (tmp_path / "below").symlink_to(demo.folder / "var/var/public")
    handler = functools.partial(QuietHandler, directory=str(tmp_path))
    with run_server(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as pages.url:
        page = pages.open(f"{pages.url}/below/")
        shown = re.findall(r'"(http.*?)"', page.locator("pre").inner_text())
        assert shown == [f"{pages.url}/below/v1/new-york/events.json"]
        page.get_by_role("link", name="Seattle").click()
        address = page.get_by_role("link", name="coverage.json").evaluate("link => link.href")
        for named in (*shown, address):
            with urllib.request.urlopen(named, timeout=PATIENCE) as answer:
                assert json.load(answer)["data"]


def test_the_explorer_of_a_static_tree_filters_and_searches_without_a_server(
    pages: Pages, demo: Demo, tmp_path: Path
) -> None:
    (tmp_path / "below").symlink_to(demo.folder / "var/var/public")
    handler = functools.partial(QuietHandler, directory=str(tmp_path))
    with run_server(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as pages.url:
        page = pages.open(f"{pages.url}/below/explore/?metro=seattle&type=events", width=390)
        page.wait_for_function(SHOWN)
        total = read_total(page)
        assert total == ask(demo, "seattle/events", EXPANDED)["facets"]["total"] > 0
        page.goto(f"{pages.url}/below/explore/?metro=seattle&type=events&free=true&weekday=saturday,sunday")
        page.wait_for_function(SHOWN)
        assert 0 < read_total(page) < total
        assert {fact.strip() for fact in page.locator(".badge.free").all_inner_texts()} == {"Free"}
        page.goto(f"{pages.url}/below/explore/?metro=seattle&view=map&type=places")
        page.locator(".map[data-points]").wait_for()
        assert int(page.locator(".map").get_attribute("data-points") or 0) > 0
        page.goto(f"{pages.url}/below/explore/?metro=seattle&view=calendar")
        page.locator(".calendar td button").first.wait_for()
        name = ask(demo, "seattle/places", {"limit": "1"})["data"][0]["name"]
        page.goto(f"{pages.url}/below/explore/?metro=seattle&q={quote(name)}")
        page.locator("#matches li").first.wait_for()
        assert page.locator("#matches li h3").first.inner_text() == name
