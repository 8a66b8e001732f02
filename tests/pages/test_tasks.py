"""Tasks of a parent in the explorer, on a telephone, with the files of two cities: each takes at most four taps, and
the right listing comes first. Collected only if CITY_DATA is set."""

import os
import re
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest

from tests.pages.accessibility import find_violations
from tests.pages.conftest import Pages
from tests.pages.explorer import SHOWN
from tests.pages.phone import MOST_TAPS, Phone
from tests.pages.real_cities import serve_cities

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not os.environ.get("CITY_DATA"), reason="CITY_DATA names no folder of city exports"),
]

# A day of the winter in which Seattle's classes are, and of the summer of New York's events.
WINTER, SUMMER = (
    datetime.fromisoformat(instant) for instant in ("2025-01-06T18:00:00+00:00", "2026-08-10T14:00:00+00:00")
)


@pytest.fixture(scope="module")
def seattle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve_cities(tmp_path_factory.mktemp("winter"), now=WINTER) as url:
        yield url


@pytest.fixture(scope="module")
def new_york(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve_cities(tmp_path_factory.mktemp("summer"), now=SUMMER) as url:
        yield url


OUTLINED = """() => {
    const element = document.activeElement;
    // Chromium draws the focus of a date field's button itself.
    return element !== document.body && (element.type === "date" || getComputedStyle(element).outlineStyle !== "none");
}"""
# From the top of the page to the last filter, and from the search to the first result.
MOST_STEPS, STEPS_TO_RESULT = 60, 3


class Keyboard:
    """A page that is used by keyboard alone."""

    def __init__(self, page: "Page", url: str, *, now: datetime) -> None:
        self.page = page
        page.clock.set_fixed_time(now)
        page.goto(url)
        page.wait_for_function(SHOWN)

    def reach(self, target: "Locator", *, key: str = "Tab", most: int = MOST_STEPS) -> None:
        """Press `key` until the target has the focus. What has the focus on the way has an outline."""
        target.wait_for()
        for _ in range(most):
            self.page.keyboard.press(key)
            assert self.page.evaluate(OUTLINED), self.page.evaluate(
                "() => document.activeElement.outerHTML.slice(0, 200)"
            )
            if target.evaluate("element => element === document.activeElement"):
                return
        pytest.fail(f"{most} times {key} did not reach {target}")

    def press(self, target: "Locator", *, key: str = "Enter", most: int = MOST_STEPS) -> None:
        self.reach(target, most=most)
        self.page.keyboard.press(key)

    def ask(self, line: str) -> None:
        self.reach(self.page.get_by_role("combobox", name="Search"))
        self.page.keyboard.type(line)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(lambda url: len(url.split("&")) > 1)
        self.settle()

    def settle(self) -> None:
        self.page.wait_for_load_state("networkidle")
        self.page.wait_for_function(SHOWN)

    def open_first(self) -> str:
        """Open the first result and return the address of its page."""
        first = self.page.locator("#view .listings > li a").first
        address = urljoin(self.page.url, first.get_attribute("href"))
        self.press(first, most=STEPS_TO_RESULT)
        self.page.wait_for_url(address)
        return address


def open_phone(browser: "Browser", url: str, *, metro: str, now: datetime) -> tuple[Pages, Phone]:
    pages = Pages(browser, url)
    page = pages.open("about:blank", width=390, height=844)
    return pages, Phone(page, f"{url}/explore/?metro={metro}", now=now, errors=pages.errors)


@pytest.fixture
def winter_phone(chromium: "Browser", seattle: str) -> Iterator[Phone]:
    pages, phone = open_phone(chromium, seattle, metro="seattle", now=WINTER)
    yield phone
    pages.close()
    assert pages.outside == pages.errors == []


@pytest.fixture
def summer_phone(chromium: "Browser", new_york: str) -> Iterator[Phone]:
    pages, phone = open_phone(chromium, new_york, metro="new-york", now=SUMMER)
    yield phone
    pages.close()
    assert pages.outside == pages.errors == []


def test_something_free_near_ballard_for_a_4_year_old_on_saturday(winter_phone: Phone) -> None:
    winter_phone.ask("4-year-old this Saturday near Ballard free")
    assert winter_phone.list_chips() == ["Sat 11 Jan", "near Ballard", "Age 4", "Free"]
    first = winter_phone.read_first()
    assert "Drop-In: Tot Room" in first
    assert re.search(r"Sat 11 Jan, 10:00.am", first)  # the meeting, not the term
    assert re.search(r"\d mi\b", first)
    assert "Free" in first
    # Tot Gym meets there on other days alone.
    assert "Tot Gym" not in (winter_phone.page.locator("#view").text_content() or "")


def test_the_same_by_the_filters_of_the_sheet(winter_phone: Phone) -> None:
    page = winter_phone.page
    for name in ("Free", "Preschool, 4"):
        page.locator("#quick").get_by_role("button", name=name).click()
        winter_phone.settle()
    page.get_by_role("button", name="Filters").click()
    page.get_by_label("From", exact=True).fill("2025-01-11")
    page.get_by_label("To", exact=True).fill("2025-01-11")
    page.get_by_label("Near", exact=True).fill("Nowhereville")
    page.get_by_label("Near", exact=True).press("Enter")
    page.locator("#near-note", has_text="is no address, ZIP or place").wait_for()
    page.get_by_label("Near", exact=True).fill("Ballard")
    page.get_by_label("Near", exact=True).press("Enter")
    page.locator("[data-chip=near]").wait_for(state="attached")
    winter_phone.settle()
    page.get_by_role("button", name=re.compile(r"Show \d+ result")).click()
    assert "Drop-In: Tot Room" in winter_phone.read_first()
    refused = [error for error in winter_phone.errors if "400" in error]  # of the address that there is not
    assert refused == winter_phone.errors
    winter_phone.errors.clear()


def test_near_me_asks_where_the_visitor_is(winter_phone: Phone) -> None:
    page = winter_phone.page
    page.context.grant_permissions(["geolocation"])
    page.context.set_geolocation({"latitude": 47.6768, "longitude": -122.3853})
    page.locator("#quick").get_by_role("button", name="Near me").click()
    winter_phone.taps += 1
    page.locator("[data-chip=near]").wait_for()
    winter_phone.settle()
    assert re.search(r"0\.\d mi", winter_phone.read_first())


def test_camps_for_an_8_year_old_in_february(winter_phone: Phone) -> None:
    winter_phone.ask("camps for an 8-year-old in July")
    offer = winter_phone.page.get_by_role("button", name="2 camps in February")
    offer.wait_for()
    assert find_violations(winter_phone.page) == []
    offer.click()
    winter_phone.taps += 1
    winter_phone.settle()
    assert winter_phone.list_chips() == ["Sat 1 Feb – Fri 28 Feb", "Age 8"]
    assert winter_phone.page.get_by_role("radio", name="Camps").is_checked()
    assert "Nature Camp - Mid-winter Break" in winter_phone.read_first()


def test_a_rainy_weekend_in_new_york(summer_phone: Phone) -> None:
    summer_phone.ask("rainy day, indoors, this weekend, New York")
    first = summer_phone.read_first()
    assert re.search(r"(Sat 15 Aug|Sun 16 Aug)", first)
    assert "indoor" in first
    # The export says of nothing whether it is indoors.
    assert "No listing here states" in (summer_phone.page.locator("#line-note").text_content() or "")


def test_swimming_lessons_with_open_places(winter_phone: Phone) -> None:
    winter_phone.ask("swimming lessons with open places")
    assert winter_phone.list_chips() == ["With open spots", "“swimming lessons”"]
    assert "Learn To Swim" in winter_phone.read_first()


def test_a_listing_is_shared_opened_without_script_and_put_into_a_calendar(winter_phone: Phone) -> None:
    page = winter_phone.page
    winter_phone.ask("4-year-old this Saturday near Ballard free")
    page.get_by_role("link", name="Drop-In: Tot Room").click()
    page.wait_for_url("**/seattle/classes/drop-in-tot-room*")
    assert winter_phone.taps + 1 <= MOST_TAPS
    assert page.get_by_role("button", name="Share").is_visible()
    assert find_violations(page) == []
    browser = page.context.browser
    assert browser is not None
    plain = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    sent = plain.new_page()
    sent.goto(page.url)
    assert sent.get_by_role("heading", name="Drop-In: Tot Room").is_visible()
    assert sent.get_by_text("6020 - 28th Ave NW").is_visible()
    assert sent.evaluate("() => document.documentElement.scrollWidth") <= 390
    calendar = sent.get_by_role("link", name="Add to calendar").get_attribute("href") or ""
    answer = plain.request.get(urljoin(page.url, calendar))
    assert answer.headers["content-type"].startswith("text/calendar")
    assert "SUMMARY:Drop-In: Tot Room" in answer.text()
    plain.close()


def open_keyboard(browser: "Browser", url: str, *, metro: str, now: datetime) -> tuple[Pages, Keyboard]:
    pages = Pages(browser, url)
    return pages, Keyboard(pages.open("about:blank"), f"{url}/explore/?metro={metro}", now=now)


@pytest.fixture
def winter_keyboard(chromium: "Browser", seattle: str) -> Iterator[Keyboard]:
    pages, keyboard = open_keyboard(chromium, seattle, metro="seattle", now=WINTER)
    yield keyboard
    pages.close()
    assert pages.outside == pages.errors == []


@pytest.fixture
def summer_keyboard(chromium: "Browser", new_york: str) -> Iterator[Keyboard]:
    pages, keyboard = open_keyboard(chromium, new_york, metro="new-york", now=SUMMER)
    yield keyboard
    pages.close()
    assert pages.outside == pages.errors == []


def test_a_keyboard_finds_and_shares_a_listing_and_puts_it_into_a_calendar(winter_keyboard: Keyboard) -> None:
    page = winter_keyboard.page
    page.context.grant_permissions(["clipboard-write", "clipboard-read"])
    winter_keyboard.ask("4-year-old this Saturday near Ballard free")
    assert "/seattle/classes/drop-in-tot-room" in winter_keyboard.open_first()
    with page.expect_download() as download:
        winter_keyboard.press(page.get_by_role("link", name="Add to calendar"))
    assert download.value.suggested_filename.endswith(".ics")
    winter_keyboard.press(page.get_by_role("button", name="Share"))
    page.locator("#share-note", has_text=re.compile(r"\S")).wait_for()
    assert page.evaluate("() => navigator.clipboard.readText()") == page.url


def test_a_keyboard_chooses_in_the_filters_and_takes_a_chip_away(winter_keyboard: Keyboard) -> None:
    page = winter_keyboard.page
    winter_keyboard.press(page.locator("#quick").get_by_role("button", name="Free"), key="Space")
    winter_keyboard.settle()
    winter_keyboard.reach(page.get_by_label("Near", exact=True))
    page.keyboard.type("Ballard")
    page.keyboard.press("Enter")
    chip = page.locator("[data-chip=near]")
    chip.wait_for()
    winter_keyboard.settle()
    winter_keyboard.reach(chip.locator("xpath=descendant-or-self::button"), key="Shift+Tab")
    page.keyboard.press("Enter")
    chip.wait_for(state="detached")
    winter_keyboard.settle()
    assert page.evaluate("() => document.activeElement.closest('#chips') !== null")
    winter_keyboard.reach(page.get_by_role("link", name="Skip to the results"), key="Shift+Tab")
    page.keyboard.press("Enter")


def test_a_keyboard_finds_the_month_that_has_camps(winter_keyboard: Keyboard) -> None:
    winter_keyboard.ask("camps for an 8-year-old in July")
    winter_keyboard.press(winter_keyboard.page.get_by_role("button", name="2 camps in February"))
    winter_keyboard.settle()
    assert "nature-camp-mid-winter-break" in winter_keyboard.open_first()


def test_a_keyboard_finds_a_rainy_weekend(summer_keyboard: Keyboard) -> None:
    summer_keyboard.ask("rainy day, indoors, this weekend, New York")
    assert "/new-york/events/" in summer_keyboard.open_first()


def test_a_keyboard_finds_swimming_lessons_with_open_places(winter_keyboard: Keyboard) -> None:
    winter_keyboard.ask("swimming lessons with open places")
    assert "learn-to-swim" in winter_keyboard.open_first()
