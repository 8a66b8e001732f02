"""The folder that `outings site` writes, below a path of a plain file server: it needs no server of ours."""

import functools
import http.server
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
from tests.pages.accessibility import find_outside, find_small_targets, find_violations
from tests.pages.conftest import Demo, Pages, Scheme
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


@pytest.fixture
def below(demo: Demo, tmp_path: Path, pages: Pages) -> Iterator[str]:
    """Show the demo's tree below a path of a plain file server, and return its address."""
    (tmp_path / "below").symlink_to(demo.folder / "var/var/public")
    handler = functools.partial(QuietHandler, directory=str(tmp_path))
    with run_server(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as pages.url:
        yield f"{pages.url}/below/"


def test_the_requests_for_developers_work_as_they_are_shown(pages: Pages, below: str) -> None:
    page = pages.open(below)
    assert page.locator("pre").count() == 0  # nor on the page of a city
    page.get_by_role("link", name="Everything in Seattle").click()
    page.wait_for_url(f"{below}cities/seattle/")
    assert page.locator("pre").count() == 0
    page.get_by_role("link", name="For developers").click()
    page.wait_for_url(f"{below}developers/")
    shown = set(re.findall(r"""["'](http.*?)["']""", "\n".join(page.locator("pre").all_inner_texts())))
    assert len(shown) >= 5
    for address in shown:
        assert address.startswith(below)
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            assert answer.read()
    links = page.locator("main a").evaluate_all("links => links.map(link => link.href)")
    for address in links:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            assert answer.status == 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 820, 1440])
def test_the_pages_of_a_tree_are_accessible_and_fit(pages: Pages, below: str, width: int, scheme: Scheme) -> None:
    page = pages.open(below, width=width, scheme=scheme)
    slugs = page.locator(".listings a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    lists = ["seattle/events/", "seattle/classes/", "seattle/organizations/", "seattle/neighborhoods/fremont/"]
    for path in ("", "cities/seattle/", *lists, slugs[0], "developers/", "cities/seattle/numbers/"):
        page.goto(below + path, wait_until="networkidle")
        assert find_violations(page) == [], path
        assert find_outside(page) == [], path
        assert width > 390 or find_small_targets(page) == [], path


def test_what_is_over_by_now_is_folded_away(pages: Pages, below: str) -> None:
    page = pages.open(f"{below}cities/seattle/")
    assert page.locator("#lists section").count() > 2
    later = "const now = Date.now() + 3 * 86_400_000; Date = class extends Date { constructor(...all) "
    page.add_init_script(later + "{ super(...(all.length ? all : [now])); } }")
    page.reload(wait_until="networkidle")
    first = page.locator("#lists section").first
    assert first.locator("> ol").count() == 0
    assert re.fullmatch(r"Earlier today: \d+", first.locator("summary").inner_text())
    first.locator("summary").click()
    assert first.locator("details a").first.is_visible()


def test_rows_that_say_the_same_are_one_row_with_the_others_folded_into_it(pages: Pages, below: str) -> None:
    with urllib.request.urlopen(f"{below}seattle/places/", timeout=PATIENCE) as answer:
        text = answer.read().decode()
    (row, *_), rows = re.findall("<li><div>\n<h2>.*?</div></li>", text, flags=re.DOTALL), text.count("<h2>")
    page = pages.open(below)
    page.route("**/places/", lambda route: route.fulfill(body=text.replace(row, row * 3), content_type="text/html"))
    page.goto(f"{below}seattle/places/", wait_until="networkidle")
    assert page.locator("#lists h2").count() == rows + 2
    assert page.locator("#lists h2:visible").count() == rows
    page.get_by_text("2 more with this name").click()
    assert page.locator("#lists h2:visible").count() == rows + 2
    assert find_violations(page) == []


def test_the_explorer_of_a_static_tree_filters_and_searches_without_a_server(
    pages: Pages, demo: Demo, below: str
) -> None:
    page = pages.open(f"{below}explore/?metro=seattle&type=events", width=390)
    page.wait_for_function(SHOWN)
    total = read_total(page)
    assert total == ask(demo, "seattle/events", EXPANDED)["facets"]["total"] > 0
    page.goto(f"{below}explore/?metro=seattle&type=events&free=true&weekday=saturday,sunday")
    page.wait_for_function(SHOWN)
    assert 0 < read_total(page) < total
    assert {fact.strip() for fact in page.locator(".badge.free").all_inner_texts()} == {"Free"}
    page.goto(f"{below}explore/?metro=seattle&view=map&type=places")
    page.locator(".map[data-points]").wait_for()
    assert int(page.locator(".map").get_attribute("data-points") or 0) > 0
    page.goto(f"{below}explore/?metro=seattle&view=calendar")
    page.locator(".calendar td button").first.wait_for()
    name = ask(demo, "seattle/places", {"limit": "1"})["data"][0]["name"]
    page.goto(f"{below}explore/?metro=seattle&q={quote(name)}")
    page.locator("#matches li").first.wait_for()
    assert page.locator("#matches li h3").first.inner_text() == name
