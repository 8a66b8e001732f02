"""The home page has what is on this weekend, and its request works as pasted and from there."""

import html
import json
import re
import subprocess
from datetime import date
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from tests.command.demo import PATIENCE
from tests.pages.accessibility import find_violations
from tests.pages.conftest import Demo, Pages
from tests.pages.explorer import settle

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_request_on_the_home_page_is_answered_as_it_is(demo: Demo) -> None:
    with urlopen(demo.url, timeout=PATIENCE) as answer:
        page = answer.read().decode()
    (request, *_) = re.findall(r"<pre.*?><code.*?>(.*?)</code>", page, flags=re.DOTALL)
    line = html.unescape(re.sub(r"<.*?>", "", request)).replace("http://127.0.0.1:8000", demo.url)
    line = line.replace("curl", "curl -sS --fail", 1)
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=PATIENCE, check=True)
    members = {"id", "type", "name", "starts_local", "ages"}
    assert [set(item) for item in json.loads(done.stdout)["data"]] == [members, members]


@pytest.mark.browser
def test_the_home_page_has_the_weekend_of_each_city_and_searches_it(pages: Pages) -> None:
    page = pages.open("/", width=390, height=844)
    for metro in ("seattle", "new-york"):
        page.locator(f"[data-metro={metro}] .listings a").first.wait_for()
    assert find_violations(page) == []
    first = page.locator("[data-metro]").first.get_attribute("data-metro")
    assert page.get_by_label("City").input_value() == first
    page.get_by_label("City").select_option("Seattle")
    page.get_by_label("What are you looking for?").fill("free storytime")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**/explore/?**free=true**")
    settle(page)
    assert page.get_by_role("button", name="Remove filter: Free").is_visible()
    assert page.get_by_role("button", name="Remove filter: “storytime”").is_visible()


@pytest.mark.browser
@pytest.mark.parametrize("path", ["/", "/explore/"])
def test_the_first_listings_come_without_a_request_for_the_cities(pages: Pages, path: str) -> None:
    page = pages.open("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition("?")[0]))
    page.goto(pages.url + path)
    page.locator(".listings a").first.wait_for()
    assert pages.url + "/v1/seattle/events" in asked or pages.url + "/v1/new-york/events" in asked
    assert pages.url + "/v1/metros" not in asked


@pytest.mark.browser
def test_a_city_with_nothing_this_weekend_says_so_and_shows_places(pages: Pages) -> None:
    page = pages.open("about:blank", width=390)
    nothing = {"data": [], "facets": {"total": 0}}
    page.route(re.compile(r"/v1/seattle/(events|classes|camps)\?"), lambda route: route.fulfill(json=nothing))
    page.goto(pages.url)
    section = page.locator("[data-metro=seattle]")
    section.get_by_text("Nothing is listed for this weekend.").wait_for()
    assert "/seattle/places/" in (section.locator(".listings a").first.get_attribute("href") or "")


@pytest.mark.browser
def test_without_script_the_home_page_says_what_is_missing_and_leaves_no_hole(demo: Demo, chromium: "Browser") -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(demo.url)
    assert page.locator("noscript p").is_visible()
    assert not any(page.locator(part).is_visible() for part in (".home-search", ".weekends"))
    context.close()


@pytest.mark.browser
def test_the_sample_answer_is_of_these_days_and_an_answer_that_was_sent_for_is_coloured(pages: Pages) -> None:
    page = pages.open("/")
    answer = page.locator("#answer")
    dates = re.findall(r'"starts_local": "([0-9-]{10})', answer.inner_text())
    assert all(abs((date.fromisoformat(day) - date.today()).days) < 10 for day in dates)
    page.get_by_role("button", name="Send it from here").click()
    page.locator("#sent", has_text="200 in").wait_for()
    assert json.loads(answer.inner_text())["data"]
    classes = answer.locator("span").evaluate_all("all => [...new Set(all.map(node => node.className))].sort()")
    assert classes == ["code-name", "code-number", "code-string"]


@pytest.mark.browser
def test_the_page_of_a_city_has_its_weekend_above_its_numbers(pages: Pages) -> None:
    page = pages.open("/cities/seattle/", width=390, height=844)
    first = page.locator("[data-metro=seattle] .listings a").first
    first.wait_for()
    assert find_violations(page) == []
    first.click()
    page.wait_for_url("**/seattle/*/*")
    assert page.get_by_role("heading", level=1).is_visible()
