"""Tasks of a parent on plain files and on a server, in English and Spanish, with the clock at three times of a weekend:
each takes at most four taps from the home page, and what comes first is right. Collected only if CITY_DATA is set."""

import functools
import http.server
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.examples.cities import copy_example, read_printed
from tests.loopback import run_server
from tests.pages.conftest import Pages
from tests.pages.explorer import SHOWN
from tests.pages.file_host import QuietHandler
from tests.pages.phone import MOST_TAPS, Phone
from tests.pages.real_cities import serve_built

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not os.environ.get("CITY_DATA"), reason="CITY_DATA names no folder of city exports"),
]

FRIDAY, SATURDAY, SUNDAY = (
    datetime.fromisoformat(f"{moment}-08:00")
    for moment in ("2025-01-10T19:35:00", "2025-01-11T10:00:00", "2025-01-12T21:00:00")
)
SUMMER = datetime.fromisoformat("2026-08-14T19:35:00-04:00")
CLOCKS = pytest.mark.parametrize("now", [FRIDAY, SATURDAY, SUNDAY], ids=["friday", "saturday", "sunday"])


HOSTS = pytest.mark.parametrize("kind", ["files", "server"])


def ask_everywhere(english: str, spanish: str) -> pytest.MarkDecorator:
    """Ask in English on each host at each time, and in Spanish on each host on Friday."""
    lines = [(kind, now, english) for kind in ("files", "server") for now in (FRIDAY, SATURDAY, SUNDAY)]
    lines += [(kind, FRIDAY, spanish) for kind in ("files", "server")]
    ids = [f"{kind}-{now:%A}-{'english' if line is english else 'spanish'}" for kind, now, line in lines]
    return pytest.mark.parametrize(("kind", "now", "line"), lines, ids=ids)


@dataclass
class Hosts:
    """The pages of one build as plain files, and on servers whose clocks stand still."""

    example: Path
    running: ExitStack
    urls: dict[object, str] = field(default_factory=dict)

    def start(self, kind: str, now: datetime) -> str:
        key = kind if kind == "files" else now
        if key not in self.urls:
            handler = functools.partial(QuietHandler, directory=str(self.example / "var/public"))
            self.urls[key] = self.running.enter_context(
                run_server(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
                if kind == "files"
                else serve_built(self.example / "outings.toml", now=now)
            )
        return self.urls[key]


@contextmanager
def build_hosts(folder: Path, *, metro: str, day: str) -> Iterator[Hosts]:
    example = copy_example(folder / "example")
    config = example / "outings.toml"
    terms = ("--client", "visitors", "--plan", "partner", "--per-minute", "1000000000")
    key = read_printed("keys", "create", *terms, example=example)["key"]
    settings = config.read_text().replace('var/public"\n', f'var/public"\nmetros = ["{metro}"]\ndays = 1\n')
    config.write_text(f'{settings}\n[site]\nkey = "{key}"\n')
    read_printed("build", "--metro", metro, "--as-of", day, example=example)
    with ExitStack() as running:
        yield Hosts(example, running)


@pytest.fixture(scope="module")
def seattle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Seattle, as the night before Friday built it."""
    with build_hosts(tmp_path_factory.mktemp("seattle"), metro="seattle", day="2025-01-10") as hosts:
        yield hosts


@pytest.fixture(scope="module")
def new_york(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    with build_hosts(tmp_path_factory.mktemp("new-york"), metro="new-york", day="2026-08-14") as hosts:
        yield hosts


@pytest.fixture
def pages(chromium: "Browser") -> Iterator[Pages]:
    opened = Pages(chromium, "")
    yield opened
    opened.close()
    assert opened.outside == opened.errors == []


def start(pages: Pages, hosts: Hosts, kind: str, now: datetime) -> Phone:
    """Open the home page on a telephone, and go from there to the explorer: one tap."""
    pages.url = hosts.start(kind, now)
    page = pages.open("about:blank", width=390, height=844)
    page.clock.set_fixed_time(now)
    page.goto(pages.url)
    page.get_by_role("link", name="Explore").first.click()
    page.wait_for_url("**/explore/**")
    page.wait_for_function(SHOWN)
    phone = Phone(page, page.url, now=now, errors=pages.errors)
    phone.taps = 1
    return phone


@HOSTS
@CLOCKS
def test_what_is_over_is_folded_and_what_comes_first_can_still_be_joined(
    pages: Pages, seattle: Hosts, kind: str, now: datetime
) -> None:
    phone = start(pages, seattle, kind, now)
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


@ask_everywhere(
    "free on Saturday for a 4-year-old near Ballard", "gratis el sábado para un niño de 4 años cerca de Ballard"
)
def test_free_on_saturday_for_a_4_year_old_near_ballard(
    pages: Pages, seattle: Hosts, kind: str, now: datetime, line: str
) -> None:
    phone = start(pages, seattle, kind, now)
    phone.ask(line)
    day = "Sat 18 Jan" if now is SUNDAY else "Sat 11 Jan"
    assert phone.list_chips() == [day, "near Ballard", "Age 4", "Free"]
    first = phone.read_first()
    assert "Drop-In: Tot Room" in first
    assert day in first
    assert "0.1 mi" in first
    assert phone.page.get_by_label("Within").is_visible()


@ask_everywhere(
    "swimming class for a 7-year-old under $100 that begins next month",
    "clase de natación para un niño de 7 años por menos de $100 que empieza el próximo mes",
)
def test_a_swimming_class_for_a_7_year_old_that_begins_next_month(
    pages: Pages, seattle: Hosts, kind: str, now: datetime, line: str
) -> None:
    phone = start(pages, seattle, kind, now)
    phone.ask(line)
    assert phone.list_chips()[:3] == ["Sat 1 Feb – Fri 28 Feb", "Age 7", "up to $100"]
    first = phone.read_first()
    assert "Swim" in first
    assert re.search(r"\d+\sFeb\s–", first.replace("\u2060", ""))
    assert "Full" not in first
    prices = [float(price) for price in re.findall(r"\$(\d+(?:\.\d+)?)", first)]
    assert prices
    assert max(prices) <= 100


@ask_everywhere("somewhere indoors that is open now", "algún sitio cubierto que esté abierto ahora")
def test_somewhere_indoors_that_is_open_now_and_the_way_there(
    pages: Pages, seattle: Hosts, kind: str, now: datetime, line: str
) -> None:
    phone = start(pages, seattle, kind, now)
    phone.ask(line)
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


@ask_everywhere("winter camp for a 9-year-old", "campamento de invierno para un niño de 9 años")
def test_a_camp_for_a_9_year_old_in_winter(pages: Pages, seattle: Hosts, kind: str, now: datetime, line: str) -> None:
    phone = start(pages, seattle, kind, now)
    phone.ask(line)
    assert phone.list_chips()[1] == "Age 9"
    first = phone.read_first()
    assert "Nature Camp - Mid-winter Break" in first
    assert "Full" not in first


@pytest.mark.parametrize("line", ["story time at Bryant Park", "cuentacuentos en Bryant Park"])
@HOSTS
def test_story_time_goes_into_a_calendar_and_to_a_partner(pages: Pages, new_york: Hosts, kind: str, line: str) -> None:
    pages.url = new_york.start(kind, SUMMER)
    page = pages.open("about:blank", width=390, height=844)
    page.context.grant_permissions(["clipboard-write", "clipboard-read"])
    page.clock.set_fixed_time(SUMMER)
    page.goto(pages.url)
    taps = 2  # the field of the home page, and its button
    search = page.get_by_role("search")
    search.get_by_label("What are you looking for?").fill(line)
    search.get_by_role("button", name="Search").click()
    page.wait_for_url("**/explore/**")
    page.wait_for_function(SHOWN)
    first = page.locator("#view .listings > li").first
    first.locator("h3", has_text="StoryTime at Bryant Park Reading Room").wait_for()
    assert "Tue 18 Aug" in first.inner_text()
    first.get_by_role("link").first.click()
    page.wait_for_url("**/new-york/events/storytime-at-bryant-park**")
    taps += 1
    with page.expect_download() as download:
        page.get_by_role("link", name="Add to calendar").first.click()
    taps += 1
    assert taps <= MOST_TAPS
    calendar = download.value.path().read_text()
    assert "SUMMARY:StoryTime at Bryant Park Reading Room" in calendar
    assert "20260818T103000" in calendar
    page.get_by_role("button", name="Share").click()
    page.locator("#share-note", has_text=re.compile(r"\S")).wait_for()
    shared = page.evaluate("() => navigator.clipboard.readText()")
    assert shared == page.url
    plain = chromium_without_script(page)
    plain.goto(shared)
    assert plain.get_by_role("heading", name="StoryTime at Bryant Park Reading Room").is_visible()
    plain.context.close()


def chromium_without_script(page: "Page") -> "Page":
    """Return a page of the partner's telephone."""
    browser = page.context.browser
    assert browser is not None
    return browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844}).new_page()


def test_an_address_that_is_wrong_says_so_and_shows_the_nearest_that_works(pages: Pages, seattle: Hosts) -> None:
    pages.url = seattle.start("files", FRIDAY)
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
