"""The explorer: it shows what the API answers, whatever is chosen, and its address says all of it."""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from tests.pages.accessibility import find_violations
from tests.pages.conftest import Demo, Pages

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.browser

Params = dict[str, str]

METRO = "seattle"
ROUNDS = 30
_DATED = "category,weekday,time_block,price_band"
FACETS = {"places": "category", "events": _DATED, "classes": _DATED, "camps": _DATED}
TIMES = {"": ("", ""), "morning": ("09:00", "12:00"), "evening": ("17:00", "")}
SHOWN = "() => document.querySelector('#view:not([aria-busy]) > *') !== null"


def ask(demo: Demo, path: str, params: Params) -> Any:
    request = Request(f"{demo.url}/v1/{path}?{urlencode(params)}", headers={"X-API-Key": demo.key})
    with urlopen(request) as answer:
        return json.load(answer)


def explore(pages: Pages, params: Mapping[str, str] = MappingProxyType({}), **view: Any) -> "Page":
    page = pages.open(f"/explore/?{urlencode({'metro': METRO, **params})}", **view)
    page.wait_for_function(SHOWN)
    return page


def settle(page: "Page") -> None:
    page.wait_for_load_state("networkidle")
    page.wait_for_function(SHOWN)


def read_total(page: "Page") -> int:
    return int(page.locator("#status").get_attribute("data-total") or "-1")


def read_counts(page: "Page", name: str) -> dict[str, int]:
    """Of the boxes of a filter: what is written beside each."""
    found: dict[str, str] = page.evaluate(
        "name => Object.fromEntries([...document.querySelectorAll(`#${name} label`)].map("
        "label => [label.querySelector('input').value, label.querySelector('.count').textContent]))",
        name,
    )
    return {value: int(text.replace(",", "")) for value, text in found.items()}


def count(facets: Any, name: str) -> dict[str, int]:
    return {each["value"]: each["count"] for each in facets.get(name, ()) if each["value"] != "unspecified"}


def draw_filters(random: Random, kind: str, first: date) -> Params:
    sent: Params = {}
    if random.random() < 0.5:
        words = ["music_movement", "sports_active_play", "arts_creative", "nature_outdoors", "museums_exhibits"]
        sent["category"] = ",".join(sorted(random.sample(words, random.randint(1, 3))))
    if random.random() < 0.3:
        sent["age"] = str(random.randint(0, 12))
    if random.random() < 0.2:
        sent["neighborhood"] = random.choice(["ballard", "fremont", "queen-anne"])
    if random.random() < 0.2:
        sent["q"] = random.choice(["family", "swim", "park"])
    if kind == "places":
        return sent
    if random.random() < 0.3:
        sent |= random.choice([{"free": "true"}, {"max_price": "20"}])
    if random.random() < 0.3:
        sent["weekday"] = ",".join(random.sample(["monday", "saturday", "sunday"], 2))
    after, before = TIMES[random.choice(list(TIMES))]
    sent |= {name: text for name, text in (("start_after", after), ("start_before", before)) if text}
    if random.random() < 0.3:
        start = first + timedelta(days=random.randint(0, 10))
        sent |= {"from": start.isoformat(), "to": (start + timedelta(days=random.randint(0, 25))).isoformat()}
    return sent


def test_the_counts_are_those_of_the_api_for_any_filters(pages: Pages, demo: Demo) -> None:
    random = Random(22)
    today = date.fromisoformat(ask(demo, f"{METRO}/events", {"limit": "1"})["meta"]["window"]["from"])
    page = explore(pages)
    for _ in range(ROUNDS):
        kind = random.choice(list(FACETS))
        sent = draw_filters(random, kind, today)
        own = {"facets": FACETS[kind], "limit": "0"} | ({"occurrences": "expand"} if kind == "events" else {})
        facets = ask(demo, f"{METRO}/{kind}", {**sent, **own})["facets"]
        page.goto(f"{pages.url}/explore/?{urlencode({'metro': METRO, 'type': kind, **sent})}")
        settle(page)
        assert read_total(page) == facets["total"], sent
        assert read_counts(page, "category") == count(facets, "category"), sent
        if kind == "events":
            once = ask(demo, f"{METRO}/{kind}", {**sent, "facets": "category", "limit": "0"})["facets"]["total"]
            status = page.locator("#status").text_content() or ""
            told = re.findall(r"\d+", status)
            assert told == list(dict.fromkeys([str(once), str(facets["total"])])), status
        if kind != "places":
            assert read_counts(page, "weekday") == count(facets, "weekday"), sent
            free = page.locator("#price option[value=free]").text_content() or ""
            assert re.findall(r"\d+", free) == [str(count(facets, "price_band")["free"])], sent


@pytest.mark.parametrize("sent", [{}, {"category": "music_movement"}, {"free": "true", "age": "4"}])
def test_list_map_and_calendar_agree(pages: Pages, demo: Demo, sent: Params) -> None:
    page = explore(pages, sent)
    dates = read_total(page)
    page.get_by_role("button", name="Calendar").click()
    settle(page)
    days = dict(list_days(page))
    listed = list(days.values())[:31]  # the list's window: today and 30 days
    assert sum(listed) == dates
    busiest = max(days, key=lambda each: days[each])
    page.locator(f"[data-date='{busiest}']").click()
    settle(page)
    assert read_total(page) == days[busiest]
    page.get_by_role("button", name="Map").click()
    settle(page)
    rows = ask(demo, f"{METRO}/events", {**sent, "from": busiest, "to": busiest, "limit": "200"})["data"]
    assert read_total(page) == len(rows)
    placed = [row for row in rows if row["location"]["lat"] is not None]
    assert page.locator(".map").get_attribute("data-points") == str(len(placed))


def list_days(page: "Page") -> Iterator[tuple[str, int]]:
    for day in page.locator("[data-date]").all():
        yield day.get_attribute("data-date") or "", int(day.get_attribute("data-count") or "-1")


def test_back_reload_and_a_sent_address_restore_what_was_chosen(pages: Pages) -> None:
    page = explore(pages)
    all_of_them = read_total(page)
    page.get_by_label("Price").select_option("free")
    settle(page)
    free = read_total(page)
    page.locator("#category input").first.check()
    settle(page)
    narrowed, address = read_total(page), page.url
    assert "free=true" in address
    assert "category=" in address
    page.reload()
    settle(page)
    assert read_total(page) == narrowed
    assert page.locator("#category input").first.is_checked()
    other = pages.open(address)
    other.wait_for_function(SHOWN)
    assert read_total(other) == narrowed
    page.go_back()
    settle(page)
    assert (read_total(page), page.get_by_label("Price").input_value()) == (free, "free")
    assert not page.locator("#category input").first.is_checked()
    page.go_back()
    settle(page)
    assert read_total(page) == all_of_them


def test_a_listing_has_a_page_of_its_own_with_its_history(pages: Pages) -> None:
    page = explore(pages, {"type": "places"})
    link = page.locator(".listings a").first
    name = link.text_content()
    link.click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    page.locator("#history li").first.wait_for()
    assert "listing=" in page.url
    assert find_violations(page) == []
    page.get_by_role("button", name="Back to the results").click()
    page.locator(".listings").wait_for()
    assert "listing=" not in page.url


def test_letters_are_completed_by_keyboard_at_most_thrice_a_second(pages: Pages) -> None:
    page = explore(pages)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/suggest?" in request.url else None)
    page.get_by_label("Search").press_sequentially("ballard", delay=30)
    page.get_by_role("option", name="Ballard neighborhood").wait_for()
    assert 0 < len(asked) <= 3
    assert find_violations(page) == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    assert "neighborhood=ballard" in page.url
    assert page.get_by_label("Neighborhood").input_value() == "ballard"


def test_letters_that_are_answered_late_do_not_keep_back_what_was_typed_after_them(pages: Pages) -> None:
    page = explore(pages)
    page.route("**/suggest?q=b", lambda _: None)  # is never answered
    search = page.get_by_label("Search")
    with page.expect_request("**/suggest?q=b"):
        search.press_sequentially("b")
    search.press_sequentially("allard")
    page.get_by_role("option", name="Ballard neighborhood").wait_for()


def test_the_request_that_is_shown_gives_what_is_shown(pages: Pages, demo: Demo) -> None:
    page = explore(pages, {"free": "true"})
    page.get_by_text("The request behind this").click()
    command = page.locator("#request-curl").text_content() or ""
    found = re.search(r'X-API-Key: (\S+)" \\\n  "([^"]+)"', command)
    assert found is not None
    assert found[1] == demo.visitors_key
    with urlopen(Request(found[2], headers={"X-API-Key": found[1]})) as answer:
        body = json.load(answer)
    assert body["facets"]["total"] == read_total(page)
    names = [each.text_content() for each in page.locator(".listings a").all()]
    assert names == [item["name"] for item in body["data"]]


def test_what_is_shown_is_saved_as_csv_and_subscribed_to(pages: Pages, demo: Demo) -> None:
    page = explore(pages, {"free": "true"})
    page.get_by_text("The request behind this").click()
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save as CSV").click()
    rows = list(csv.DictReader(saving.value.path().read_text().splitlines()))
    assert [row["id"] for row in rows] == [
        item["id"] for item in ask(demo, f"{METRO}/events", {"free": "true", "limit": "200"})["data"]
    ]
    page.get_by_role("button", name="Address for a calendar program").click()
    page.locator("#request-note", has_text="signature=").wait_for()
    with urlopen(page.locator("#request-note").text_content() or "") as answer:
        assert answer.read().startswith(b"BEGIN:VCALENDAR")
    link = page.get_by_role("link", name="Subscribe").get_attribute("href") or ""
    assert link.partition(":")[0] == "webcal"
    assert link.partition(":")[2] == (page.locator("#request-note").text_content() or "").partition(":")[2]
    assert find_violations(page) == []


@pytest.mark.parametrize("view", ["list", "map", "calendar"])
@pytest.mark.parametrize("width", [320, 1440])
def test_a_view_is_accessible_and_fits(pages: Pages, view: str, width: int) -> None:
    page = explore(pages, {"view": view}, width=width)
    page.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")
    assert find_violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_nothing_found_is_said(pages: Pages) -> None:
    page = explore(pages, {"q": "zzzzzz"})
    assert page.get_by_text("Nothing fits all of these filters").is_visible()
    assert find_violations(page) == []


@pytest.mark.parametrize(
    ("status", "said"),
    [(429, "Too many requests"), (503, "out of order"), (0, "can't be reached")],
)
def test_a_failure_is_said_and_can_be_tried_again(pages: Pages, status: int, said: str) -> None:
    page = pages.open("about:blank")
    answers = page_of_failure(page, status)
    page.goto(f"{pages.url}/explore/?metro={METRO}")
    page.get_by_role("alert").get_by_text(said).wait_for()
    assert find_violations(page) == []
    answers.clear()
    page.get_by_role("button", name="Try again").click()
    settle(page)
    assert read_total(page) > 0
    pages.errors.clear()  # the browser's own, of the answers above


def page_of_failure(page: "Page", status: int) -> list[int]:
    """Lists fail so long as the list that is returned has something."""
    left = [status]

    def answer(route: "Route") -> None:
        if not left:
            route.continue_()
        elif status == 0:
            route.abort()
        else:
            error = {"error": {"code": "failed", "message": "The list is out of order.", "request_id": "1"}}
            route.fulfill(status=status, json=error, headers={"Retry-After": "7"})

    page.route("**/v1/*/events?**", answer)
    return left


def test_a_key_that_is_refused_is_asked_for_again_and_kept_in_this_tab_alone(pages: Pages, demo: Demo) -> None:
    page = pages.open("about:blank")
    page.goto(f"{pages.url}/explore/?metro={METRO}")
    settle(page)
    page.evaluate("() => sessionStorage.setItem('outings-key', 'wrong')")
    page.reload()
    page.get_by_text("This key is not valid").wait_for()
    assert find_violations(page) == []
    page.get_by_role("textbox", name="Key").fill(demo.key)
    page.get_by_role("button", name="Use it").click()
    settle(page)
    assert read_total(page) > 0
    assert page.evaluate("() => localStorage.getItem('outings-key')") is None
    page.get_by_text("The request behind this").click()
    assert demo.key not in (page.locator("#request-curl").text_content() or "")
    pages.errors.clear()  # the browser's own, of the 401


def test_long_and_right_to_left_names_are_shown_as_text(pages: Pages) -> None:
    page = pages.open("about:blank", width=320)
    names = ["<img src=x onerror=alert(1)>", "שעת סיפור " * 8, "W" * 200]

    def answer(route: "Route") -> None:
        body = route.fetch().json()
        for item, name in zip(body["data"], names, strict=False):
            item["name"] = name
        route.fulfill(json=body)

    page.route("**/v1/*/events?**", answer)
    page.goto(f"{pages.url}/explore/?metro={METRO}")
    settle(page)
    shown = [each.text_content() for each in page.locator(".listings a").all()[:3]]
    assert shown == names
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert find_violations(page) == []
