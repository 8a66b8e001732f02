"""Each page that the sample cities have, in three widths, light and dark: nothing fails, nothing is cut off, axe is
content."""

import json
from typing import TYPE_CHECKING

import pytest

from outings.pages.layout import SECTIONS
from tests.pages.accessibility import find_outside, find_sideways, find_small_targets, find_violations
from tests.pages.conftest import CHROMIUM, WIDTHS, Demo, Pages, Scheme
from tests.pages.explorer import ask

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

TABLET = 768  # Narrower pages are used by finger.
OF_REFERENCE = ["events", "objects", "headers"]
PATHS = [
    "/", *(f"/{section.path}" for section in SECTIONS if not section.needs_files),
    *(f"/reference/{name}/" for name in OF_REFERENCE),
    "/guides/errors/", "/cities/seattle/",
]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_accessible_and_fits(pages: Pages, path: str, width: int, scheme: Scheme) -> None:
    page = pages.open(path, width=width, scheme=scheme)
    assert find_violations(page) == []
    wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0, f"{wide} px stand out at the side"
    assert find_sideways(page) == []
    assert find_outside(page) == []
    assert width >= TABLET or find_small_targets(page) == []


def test_letters_of_twice_the_size_stay_within_each_page(demo: Demo, chromium: "Browser") -> None:
    arguments = ["--no-sandbox", "--blink-settings=defaultFontSize=32"]
    browser = chromium.browser_type.launch(executable_path=CHROMIUM, args=arguments)
    page = browser.new_page(viewport={"width": TABLET, "height": 900})
    item = ask(demo, "seattle/classes", {"limit": "1"})["data"][0]
    listing = f"/seattle/classes/{item['slug']}"
    for path in (*PATHS, listing):
        page.goto(demo.url + path, wait_until="networkidle")
        for width in (TABLET, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert find_outside(page) == [], (path, width)
    value = page.locator(".decide dd").first.bounding_box()
    assert value is not None
    assert value["width"] > 250  # no word is broken to fit
    page.goto(f"{demo.url}/explore/?metro=seattle&type=events", wait_until="networkidle")
    page.get_by_role("button", name="Filters").click()
    day = page.get_by_label("From", exact=True).bounding_box()
    assert day is not None
    assert day["width"] > 250  # nor a date
    browser.close()


@pytest.mark.parametrize("path", PATHS)
def test_the_first_view_weighs_little(pages: Pages, path: str) -> None:
    """Less than 100 kB, and with the explorer's first rows and map, which come by themselves, 150 kB."""
    page = pages.open("about:blank")
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto(pages.url + path, wait_until="networkidle")
    assert 0 < sum(sizes) < (150_000 if "explore" in path else 100_000)


def test_the_page_of_a_listing_weighs_less_than_40_kb(pages: Pages, demo: Demo) -> None:
    item = ask(demo, "seattle/events", {"limit": "1"})["data"][0]
    page = pages.open("about:blank", width=390)
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto(f"{pages.url}/seattle/events/{item['slug']}", wait_until="networkidle")
    assert 0 < sum(sizes) < 40_000
    assert find_violations(page) == []


@pytest.mark.parametrize("path", PATHS)
def test_every_link_of_a_page_is_reached_by_keyboard_from_the_first(pages: Pages, path: str) -> None:
    page = pages.open(path)
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.getAttribute('href')") == "#content"
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "content"


def test_at_an_address_without_a_page_one_leads_on_with_its_styles(pages: Pages) -> None:
    page = pages.open("/nowhere/at/all", width=320)
    assert page.get_by_role("heading", level=1).inner_text() == "There is no page at this address"
    assert find_violations(page) == []
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(253, 253, 252)"
    page.locator("main").get_by_role("link", name="Reference").click()
    page.wait_for_url(f"{pages.url}/reference/")
    assert [error for error in pages.errors if "404" not in error] == []
    pages.errors.clear()


def test_dark_is_kept_for_the_next_page(pages: Pages) -> None:
    page = pages.open("/")
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    switch = page.get_by_role("button", name="Colors: same as the device")
    switch.click()  # light, as it is
    page.get_by_role("button", name="Colors: light").click()
    assert page.evaluate(ground) != light
    page.reload()
    assert page.evaluate(ground) != light


def test_the_request_on_the_home_page_names_this_server_and_is_copied(pages: Pages) -> None:
    page = pages.open("/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".code-frame").first.hover()
    page.get_by_role("button", name="Copy").first.click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert f'"{pages.url}/v1/' in copied
    assert "127.0.0.1:8000" not in copied


def test_the_request_on_the_home_page_is_sent_from_there(pages: Pages) -> None:
    page = pages.open("/")
    page.get_by_role("button", name="Send it from here").click()
    page.get_by_role("status").get_by_text("200 in").wait_for()
    answer = json.loads(page.locator("#answer").text_content() or "")
    assert [event["type"] for event in answer["data"]] == ["event", "event"]
    assert find_violations(page) == []


@pytest.mark.parametrize("name", ["Find something to do", "First steps"])
def test_on_a_telephone_the_home_page_begins_with_a_search_and_leads_on(pages: Pages, name: str) -> None:
    page = pages.open("/", width=320, height=640)
    box = page.get_by_role("search").get_by_role("button").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 640
    page.locator("main").get_by_role("link", name=name).first.click()
    page.get_by_role("heading", level=1, name={"Find": "Explore"}.get(name.split()[0], "First")).wait_for()
