"""Tasks of a parent on plain files, with the clock at three times of a weekend: each takes at most four taps from the
home page, and what comes first is right. Collected only if CITY_DATA is set."""

import functools
import http.server
import os
import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING

import pytest

from tests.examples.cities import copy_example, read_printed
from tests.loopback import run_server
from tests.pages.conftest import Pages
from tests.pages.explorer import SHOWN
from tests.pages.file_host import QuietHandler
from tests.pages.phone import Phone

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not os.environ.get("CITY_DATA"), reason="CITY_DATA names no folder of city exports"),
]

FRIDAY, SATURDAY, SUNDAY = (
    datetime.fromisoformat(f"{moment}-08:00")
    for moment in ("2025-01-10T19:35:00", "2025-01-11T10:00:00", "2025-01-12T21:00:00")
)
CLOCKS = pytest.mark.parametrize("now", [FRIDAY, SATURDAY, SUNDAY], ids=["friday", "saturday", "sunday"])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a file server over the tree of Seattle, as the night before Friday built it."""
    example = copy_example(tmp_path_factory.mktemp("files") / "example")
    config = example / "outings.toml"
    config.write_text(config.read_text().replace('var/public"\n', 'var/public"\nmetros = ["seattle"]\ndays = 1\n'))
    read_printed("build", "--metro", "seattle", "--as-of", "2025-01-10", example=example)
    handler = functools.partial(QuietHandler, directory=str(example / "var/public"))
    with run_server(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as url:
        yield url


@pytest.fixture
def pages(chromium: "Browser", files: str) -> Iterator[Pages]:
    opened = Pages(chromium, files)
    yield opened
    opened.close()
    assert opened.outside == opened.errors == []


def start(pages: Pages, now: datetime) -> Phone:
    """Open the home page on a telephone, and go from there to the explorer: one tap."""
    page = pages.open("about:blank", width=390, height=844)
    page.clock.set_fixed_time(now)
    page.goto(pages.url)
    page.get_by_role("link", name="Explore").first.click()
    page.wait_for_url("**/explore/**")
    page.wait_for_function(SHOWN)
    phone = Phone(page, page.url, now=now, errors=pages.errors)
    phone.taps = 1
    return phone


@CLOCKS
def test_what_is_over_is_folded_and_what_comes_first_can_still_be_joined(pages: Pages, now: datetime) -> None:
    phone = start(pages, now)
    first = phone.read_first()
    assert "Full" not in first
    heading = phone.page.locator("#view h2.date time").first.get_attribute("datetime")
    clock = re.search(r"[–,] ?(\d+):(\d+).(am|pm)", first)
    if heading == now.date().isoformat():
        assert clock is not None
        ends = int(clock[1]) % 12 + (12 if clock[3] == "pm" else 0), int(clock[2])
        assert ends > (now.hour, now.minute)
    else:
        assert date.fromisoformat(heading or "") > now.date()  # nothing is left of today
    assert phone.page.locator(".fold summary", has_text="Earlier today").count() == 1


@CLOCKS
def test_free_on_saturday_for_a_4_year_old_near_ballard(pages: Pages, now: datetime) -> None:
    phone = start(pages, now)
    phone.ask("free on Saturday for a 4-year-old near Ballard")
    day = "Sat 18 Jan" if now is SUNDAY else "Sat 11 Jan"
    assert phone.list_chips() == [day, "near Ballard", "Age 4", "Free"]
    first = phone.read_first()
    assert "Drop-In: Tot Room" in first
    assert day in first
    assert "0.1 mi" in first
    assert phone.page.get_by_label("Within").is_visible()


@CLOCKS
def test_a_swimming_class_for_a_7_year_old_that_begins_next_month(pages: Pages, now: datetime) -> None:
    phone = start(pages, now)
    phone.ask("swimming class for a 7-year-old under $100 that begins next month")
    assert phone.list_chips() == ["Sat 1 Feb – Fri 28 Feb", "Age 7", "up to $100", "“swimming”"]
    first = phone.read_first()
    assert "Swim" in first
    assert re.search(r"\d+\sFeb\s–", first.replace("\u2060", ""))
    assert "Full" not in first
    prices = [float(price) for price in re.findall(r"\$(\d+(?:\.\d+)?)", first)]
    assert prices
    assert max(prices) <= 100


@CLOCKS
def test_somewhere_indoors_that_is_open_now_and_the_way_there(pages: Pages, now: datetime) -> None:
    phone = start(pages, now)
    phone.ask("somewhere indoors that is open now")
    assert phone.list_chips() == ["Indoors", "Open now"]
    if now is SUNDAY:  # no community center is open at nine in the evening
        assert phone.page.locator("#view").get_by_role("button", name="Without Open now").is_visible()
        return
    first = phone.read_first()
    assert re.search(r"open until (9:00 pm|\d+:\d+.pm)", first)
    phone.page.locator("#view .listings a").first.click()
    phone.taps += 1
    phone.page.wait_for_url("**/seattle/places/**")
    phone.page.get_by_text("Open now", exact=True).wait_for()
    assert phone.page.get_by_role("link", name=re.compile("[Dd]irections")).first.is_visible()


@CLOCKS
def test_a_camp_for_a_9_year_old_in_winter(pages: Pages, now: datetime) -> None:
    phone = start(pages, now)
    phone.ask("winter camp for a 9-year-old")
    assert phone.list_chips()[1] == "Age 9"
    first = phone.read_first()
    assert "Nature Camp - Mid-winter Break" in first
    assert "Full" not in first


def test_an_address_that_is_wrong_says_so_and_shows_the_nearest_that_works(pages: Pages) -> None:
    page = pages.open("about:blank", width=390, height=844)
    page.clock.set_fixed_time(FRIDAY)
    for query, said in {
        "metro=seatle": "There is no city “seatle” here. This is Seattle.",
        "metro=seattle&from=2025-02-30": "There is no date “2025-02-30”. This is Fri 28 Feb.",
        "metro=seattle&age=abc": "“abc” can't be chosen here",
        "metro=seattle&from=2025-01-01&to=2025-01-03": "is over. This is what comes from today on.",
    }.items():
        page.goto(f"{pages.url}/explore/?{query}")
        page.wait_for_function(SHOWN)
        assert said in page.locator("#line-note").inner_text()
        assert page.locator("#view .listings > li").count() > 0
    page.goto(f"{pages.url}/explore/?metro=seattle&type=classes&listing=gone")
    page.get_by_text("This is not here any more.").wait_for()
    assert all("404" in error for error in pages.errors)  # of the listing that is not there
    pages.errors.clear()
