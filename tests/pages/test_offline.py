"""The folder that `outings site --offline` writes, opened by its path: it counts as the API does, and asks nobody."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from math import floor
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest

from tests.command.demo import PATIENCE
from tests.command.selects import write_select
from tests.pages.accessibility import find_violations
from tests.pages.conftest import Demo, Pages
from tests.pages.explorer import (
    FACETS,
    METRO,
    SHOWN,
    Params,
    ask,
    count,
    draw_filters,
    list_days,
    read_counts,
    read_total,
)
from tests.pipeline.city import City, make_place

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

ROUNDS = 30
ONLY_FILES = ("file:", "data:", "blob:")
KINDS = {"events": "event", "classes": "class", "camps": "camp", "places": "place"}


def run(demo: Demo, *words: str) -> str:
    command = [sys.executable, "-m", "outings.command", *words, "-c", "var/outings.toml"]
    return subprocess.run(command, cwd=demo.folder, check=True, capture_output=True, timeout=PATIENCE, text=True).stdout


def query(demo: Demo, select: str, *words: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run(demo, "query", select, "--json", *words))["rows"]
    return rows


@pytest.fixture(scope="module")
def index(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the folder, which was taken away from the site that it was written with."""
    written = tmp_path_factory.mktemp("written")
    run(demo, "site", str(written / "pages"), "--offline", METRO)
    stick = written / "a stick"
    shutil.move(written / "pages/offline" / METRO, stick)
    return stick / "index.html"


@pytest.fixture
def offline(pages: Pages) -> Iterator[Pages]:
    """Whatever is asked of a server fails the test: of the API's too."""
    pages.url = "file:"
    yield pages
    assert all(url.startswith(ONLY_FILES) for url in pages.outside)


def explore(pages: Pages, index: Path, params: Params | None = None, **view: Any) -> "Page":
    page = pages.open("about:blank", **view)
    visit(page, index, params or {})
    return page


def visit(page: "Page", index: Path, params: Params) -> None:
    """Anew: another fragment alone would load nothing."""
    page.goto("about:blank")
    page.goto(f"{index.as_uri()}#{urlencode({'metro': METRO, **params})}")
    settle(page)


def settle(page: "Page") -> None:
    page.wait_for_function(SHOWN)


def list_ids(page: "Page") -> list[str]:
    links = [each.get_attribute("href") or "" for each in page.locator(".listings a").all()]
    return [re.findall(r"listing=([0-9a-f-]+)", link)[0] for link in links]


def draw(random: Random, kind: str, first: date, organizations: list[str]) -> Params:
    sent = draw_filters(random, kind, first)
    sent.pop("q", None)
    if random.random() < 0.15:
        sent["organization_id"] = random.choice(organizations)
    return sent


def test_it_counts_and_lists_what_the_api_and_a_query_do(offline: Pages, index: Path, demo: Demo) -> None:
    random, selects, counted = Random(61), [], []
    today = date.fromisoformat(ask(demo, f"{METRO}/events", {"limit": "1"})["meta"]["window"]["from"])
    organizations = [each["id"] for each in ask(demo, f"{METRO}/organizations", {"limit": "50"})["data"]]
    page = explore(offline, index)
    for _ in range(ROUNDS):
        kind = random.choice(list(FACETS))
        sent = draw(random, kind, today, organizations)
        own = {"facets": FACETS[kind], "limit": "20"} | ({"occurrences": "expand"} if kind == "events" else {})
        answer = ask(demo, f"{METRO}/{kind}", {**sent, **own})
        visit(page, index, {"type": kind, **sent})
        facets = answer["facets"]
        assert read_total(page) == facets["total"], sent
        assert list_ids(page) == [item["id"] for item in answer["data"]], sent
        assert read_counts(page, "category") == count(facets, "category"), sent
        if kind != "places":
            assert read_counts(page, "weekday") == count(facets, "weekday"), sent
            for name, facet in (("price", "price_band"), ("time", "time_block")):
                shown = page.locator(f"#{name} option").evaluate_all(
                    "all => Object.fromEntries(all.map(each => [each.value, each.textContent]))"
                )
                for value, number in count(facets, facet).items():
                    if value in shown:
                        assert re.findall(r"\((\d+)\)", shown[value]) in ([str(number)], []), (sent, value)
        selects.append(write_select(METRO, KINDS[kind], sent, today=today))
        counted.append(int(re.findall(r"\d+", page.locator("#status").text_content() or "")[0]))
    numbered = " UNION ALL ".join(f"SELECT {at} AS place, total FROM ({each})" for at, each in enumerate(selects))
    assert [row["total"] for row in query(demo, f"{numbered} ORDER BY place")] == counted
    assert len([total for total in counted if total]) > ROUNDS / 2


def test_the_list_the_map_and_the_calendar_are_those_of_the_api(offline: Pages, index: Path, demo: Demo) -> None:
    sent = {"free": "true"}
    page = explore(offline, index, {**sent, "page": "2"})
    rows = ask(demo, f"{METRO}/events", {**sent, "occurrences": "expand", "limit": "20", "page": "2"})["data"]
    assert list_ids(page) == [row["id"] for row in rows]
    visit(page, index, {**sent, "view": "calendar"})
    shown = dict(list_days(page))
    [first, *_, last] = shown
    days = ask(demo, f"{METRO}/events/calendar", {**sent, "from": first, "to": last})["data"]
    assert shown == {day["date"]: day["count"] for day in days}
    visit(page, index, {**sent, "view": "map"})
    rows = ask(demo, f"{METRO}/events", {**sent, "limit": "200"})["data"]
    placed = [row for row in rows if row["location"]["lat"] is not None]
    assert page.locator(".map").get_attribute("data-points") == str(len(placed))


def test_a_map_of_many_counts_all_in_squares_and_shows_each_when_it_comes_near(offline: Pages, tmp_path: Path) -> None:
    city = City(tmp_path)
    city.site = '[site]\nname = "Harbor"\n'
    points = [(round(47.5 + n * 0.61803 % 1 / 5, 6), round(-122.4 + n * 0.41421 % 1 / 5, 6)) for n in range(2100)]
    city.write([make_place(str(n), location={"lat": lat, "lng": lng}) for n, (lat, lng) in enumerate(points)])
    assert city.configuration.site is not None  # which writes the file
    for words in (["build", "--as-of", "2026-08-10"], ["site", "pages", "--offline", METRO]):
        command = [sys.executable, "-m", "outings.command", *words, "-c", "outings.toml"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    page = explore(offline, tmp_path / "pages/offline" / METRO / "index.html", {"type": "places", "view": "map"})
    assert page.locator(".map").get_attribute("data-counted") == "2100"
    squares = Counter((floor(lat * 200), floor(lng * 200)) for lat, lng in points)
    assert page.get_by_text(re.compile(rf"\b{max(squares.values())}\b")).first.is_visible()
    for _ in range(3):
        page.get_by_title("Zoom in").click()
    page.locator(".map:not([data-points='0'])").wait_for()
    assert 0 < int(page.locator(".map").get_attribute("data-points") or "0") < 600
    assert find_violations(page, preload=False) == []


def test_on_a_later_day_it_shows_what_the_api_will_show_then(offline: Pages, index: Path, demo: Demo) -> None:
    later = datetime.now(UTC).astimezone(ZoneInfo("America/Los_Angeles")) + timedelta(days=40)
    page = offline.open("about:blank")
    page.clock.set_fixed_time(later)
    select = f"SELECT type, id FROM listings WHERE metro = '{METRO}' AND position IS NOT NULL ORDER BY position"
    rows = query(demo, select, "--date", later.date().isoformat())
    for collection, kind in KINDS.items():
        visit(page, index, {"type": collection, "view": "map" if kind == "event" else "list"})
        ids = [row["id"] for row in rows if row["type"] == kind]
        assert read_total(page) == len(ids), kind
        if kind != "event":
            assert list_ids(page) == ids[:20], kind


def test_a_listing_opens_and_what_only_a_server_can_do_is_said(offline: Pages, index: Path, demo: Demo) -> None:
    page = explore(offline, index, {"type": "places"})
    name = page.locator(".listings a").first.text_content() or ""
    page.locator(".listings a").first.click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    page.get_by_text("The history is not in this folder").wait_for()
    assert find_violations(page, preload=False) == []
    page.go_back()
    settle(page)
    assert "listing=" not in page.url
    visit_failing(page, index, {"q": "swim"}, text="q needs the server")
    visit_failing(page, index, {"from": "2026-08-10", "to": "2026-08-01"}, text="The last date")
    visit_failing(page, index, {"age": "old"}, text="age can't be “old”")


def visit_failing(page: "Page", index: Path, params: Params, *, text: str) -> None:
    page.goto("about:blank")
    page.goto(f"{index.as_uri()}#{urlencode({'metro': METRO, **params})}")
    page.get_by_role("alert").get_by_text(text).wait_for()


def test_it_is_used_by_keyboard_and_back_restores_what_was_chosen(offline: Pages, index: Path) -> None:
    page = explore(offline, index)
    everything = read_total(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "content"
    page.locator("#category input").first.focus()
    page.keyboard.press("Space")
    page.wait_for_function("() => location.hash.includes('category=')")
    settle(page)
    narrowed = read_total(page)
    assert narrowed < everything
    page.reload()
    settle(page)
    assert read_total(page) == narrowed
    page.go_back()
    settle(page)
    assert read_total(page) == everything


@pytest.mark.parametrize("view", ["list", "map", "calendar"])
@pytest.mark.parametrize("width", [320, 1440])
def test_a_view_is_accessible_and_fits(offline: Pages, index: Path, view: str, width: int) -> None:
    page = explore(offline, index, {"view": view}, width=width)
    page.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")
    assert find_violations(page, preload=False) == []
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_a_page_without_the_files_beside_it_says_so(offline: Pages, index: Path, tmp_path: Path) -> None:
    alone = shutil.copy(index, tmp_path)
    page = offline.open(Path(alone).as_uri())
    assert page.get_by_text("the folder is not whole").is_visible()
    offline.errors.clear()  # the browser's own, of each file
    assert explore(offline, index).get_by_text("the folder is not whole").count() == 0


def test_the_page_may_ask_nobody_and_runs_no_other_script(offline: Pages, index: Path, demo: Demo) -> None:
    page = explore(offline, index)
    assert page.evaluate("url => fetch(url).then(() => 'asked', () => 'refused')", f"{demo.url}/livez") == "refused"
    ran = "() => { const own = document.createElement('script'); own.textContent = 'window.ran = 1';"
    assert page.evaluate(f"{ran} document.body.append(own); return window.ran ?? 0; }}") == 0
    offline.errors.clear()  # the browser's own, of both
