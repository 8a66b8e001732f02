"""The explorer: it shows what the API answers, whatever is chosen, and its address says all of it."""

import csv
import itertools
import json
import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from tests.pages.accessibility import find_violations
from tests.pages.conftest import Demo, Pages
from tests.pages.explorer import (
    METRO,
    SHOWN,
    Params,
    ask,
    explore,
    list_days,
    open_listing,
    read_kind,
    read_total,
    settle,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("sent", [{}, {"category": "music_movement"}, {"free": "true", "age": "4"}])
def test_list_map_and_calendar_agree(pages: Pages, demo: Demo, sent: Params) -> None:
    page = explore(pages, sent)
    dates = read_total(page)
    page.get_by_role("button", name="Calendar").click()
    settle(page)
    days = dict(list_days(page))
    listed = list(days.values())[:31]  # the list's window: today and 30 days
    assert sum(listed) == dates
    busiest = max(days, key=lambda day: days[day])
    page.locator(f"[data-date='{busiest}']").click()
    settle(page)
    assert read_total(page) == days[busiest]
    page.get_by_role("button", name="Map").click()
    settle(page)
    rows = ask(demo, f"{METRO}/events", {**sent, "from": busiest, "to": busiest, "limit": "200"})["data"]
    assert read_total(page) == len(rows)
    placed = [row for row in rows if row["location"]["lat"] is not None]
    assert page.locator(".map").get_attribute("data-points") == str(len(placed))


EDGES = """elements => elements.map((node) => {
  const { left, top, right, bottom } = node.getBoundingClientRect();
  return { name: node.textContent, left, top, right, bottom };
})"""


def is_over(one: dict[str, float], other: dict[str, float]) -> bool:
    across = one["left"] < other["right"] and other["left"] < one["right"]
    return across and one["top"] < other["bottom"] and other["top"] < one["bottom"]


@pytest.mark.parametrize("width", [320, 1440])
def test_a_map_outlines_neighborhoods_and_no_name_is_covered_or_cut_off(pages: Pages, demo: Demo, width: int) -> None:
    page = explore(pages, {"view": "map"}, width=width)
    page.get_by_role("button", name="Zoom in").click()
    there = {
        neighborhood["name"]
        for neighborhood in ask(demo, f"{METRO}/neighborhoods", {"limit": "200"})["data"]
        if neighborhood["bounds"]
    }
    assert page.locator("path.area").count() == len(there)
    drawn = page.locator(".leaflet-names-pane span:not([hidden])").evaluate_all(EDGES)
    assert set() < {outline["name"] for outline in drawn} <= there
    (edge,) = page.locator(".map").evaluate_all(EDGES)
    for name in drawn:
        assert edge["left"] <= name["left"] <= name["right"] <= edge["right"], name
        assert edge["top"] <= name["top"] <= name["bottom"] <= edge["bottom"], name
    points = page.locator(".map .place").evaluate_all(EDGES)
    for name, other in itertools.combinations([*drawn, *points], 2):
        assert name in points or not is_over(name, other), (name, other)


def test_a_tap_on_a_place_shows_a_card_of_its_listings_and_the_list_goes_with_the_map(pages: Pages) -> None:
    page = explore(pages, {"view": "map"}, width=390)
    badges = page.locator(".place.many")
    all_of_them = page.locator(".names a").count()
    card = page.get_by_role("region", name="What is here")
    while not card.is_visible():  # what is not in one place is told apart by coming nearer
        badge = badges.first
        count = int((badge.text_content() or "").replace(",", ""))
        badge.click()
    page.locator(".card .facts").first.wait_for()
    assert card.locator("li a").count() == min(count, 20)
    assert page.locator(".place.marked").text_content() == str(count)
    assert find_violations(page) == []
    card.get_by_role("button", name="Close").click()
    assert page.locator(".place.marked").count() == 0
    page.locator(".names .facts").first.wait_for()
    assert page.locator(".names a").count() < all_of_them or count >= all_of_them
    page.locator(".names a").first.focus()
    page.locator(".place.marked").wait_for()


def test_a_map_of_many_counts_all_and_shows_each_when_it_comes_near(pages: Pages, demo: Demo) -> None:
    page = pages.open("about:blank")
    located = sum(cell["count"] for cell in ask(demo, f"{METRO}/events/density", {})["data"])

    def answer(route: "Route") -> None:
        body = route.fetch().json()
        body["facets"]["total"] += 100_000  # more than the page would read
        route.fulfill(json=body)

    page.route("**/events?facets=**", answer)
    page.goto(f"{pages.url}/explore/?{urlencode({'metro': METRO, 'type': 'events', 'view': 'map'})}")
    settle(page)
    shown = page.locator(".map")
    assert shown.get_attribute("data-counted") == str(located)
    assert page.get_by_text("The map counts all").is_visible()
    assert "/events/density" in (page.locator("#request-curl").text_content() or "")
    page.locator(".map:not([data-points='0'])").wait_for()  # as few as the sample has are read at once
    assert shown.get_attribute("data-points") == str(located)
    assert page.locator(".names a").count() == 20
    page.get_by_title("Zoom in").click(click_count=3)
    page.wait_for_function("all => Number(document.querySelector('.map').dataset.points) < all", arg=located)
    assert find_violations(page) == []


def test_a_map_that_can_come_no_nearer_shows_the_first_of_what_is_there(pages: Pages, demo: Demo) -> None:
    page = pages.open("about:blank")
    cell = ask(demo, f"{METRO}/events/density", {})["data"][0]

    def crowd(route: "Route") -> None:
        body = route.fetch().json()
        body["data"] = [{**cell, "count": 100_000}]
        route.fulfill(json=body)

    def lengthen(route: "Route") -> None:
        body = route.fetch().json()
        body["facets"]["total"] = 100_000
        route.fulfill(json=body)

    def continue_for_ever(route: "Route") -> None:
        body = route.fetch(url=route.request.url.partition("&cursor=")[0]).json()
        body["meta"]["next_cursor"] = "more"
        body["data"] *= 200
        route.fulfill(json=body)

    page.route("**/events/density", crowd)
    page.route("**/events?facets=**", lengthen)
    page.route("**/events?limit=200&**radius_m=**", continue_for_ever)
    page.goto(f"{pages.url}/explore/?{urlencode({'metro': METRO, 'type': 'events', 'view': 'map'})}")
    settle(page)
    assert page.get_by_role("heading", name="First in the list").is_visible()
    for _ in range(3):
        page.get_by_title("Zoom in").click()
    page.get_by_text("There are more here than the map shows").wait_for()
    assert int(page.locator(".map").get_attribute("data-points") or "0") >= 200


def test_the_calendar_says_that_it_does_not_search(pages: Pages) -> None:
    page = explore(pages, {"q": "swim", "view": "calendar"})
    assert page.get_by_text("with and without “swim”").is_visible()
    assert find_violations(page) == []
    assert explore(pages, {"view": "calendar"}).locator("#calendar-without-q").count() == 0


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


def test_a_listing_is_shown_with_its_history_to_readers_with_a_key_of_their_own(pages: Pages, demo: Demo) -> None:
    page = open_listing(pages, demo, "places")
    page.locator("#history li").first.wait_for()
    assert find_violations(page) == []
    page.get_by_role("button", name="Back to the results").click()
    page.locator(".listings").wait_for()
    assert "listing=" not in page.url


def test_letters_are_completed_by_keyboard_at_most_thrice_a_second(pages: Pages) -> None:
    page = explore(pages)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if "/suggest?" in request.url else None)
    page.get_by_label("Search").press_sequentially("ballard", delay=30)
    page.get_by_role("option", name="Ballard neighborhood").wait_for()
    assert 0 < len(requests) <= 3
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
    match = re.search(r'X-API-Key: (\S+)" \\\n  "([^"]+)"', command)
    assert match is not None
    assert match[1] == demo.visitors_key
    with urlopen(Request(match[2], headers={"X-API-Key": match[1]})) as answer:
        body = json.load(answer)
    assert body["facets"]["total"] == read_total(page)
    # The page puts them in its own order.
    names = page.locator(".listings a").all_text_contents()
    assert len(names) == 20
    assert Counter(names) <= Counter(item["name"] for item in body["data"])


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
    page.locator("details").evaluate_all("all => all.forEach(node => { node.open = true; })")
    assert find_violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_nothing_found_names_the_filter_to_drop_and_what_that_finds(pages: Pages) -> None:
    page = explore(pages, {"q": "zzzzzz", "free": "true"})
    assert page.get_by_text("Nothing matches all of these filters").is_visible()
    without = page.get_by_role("button", name="Without “zzzzzz”")
    without.wait_for()
    assert find_violations(page) == []
    match = re.search(r": (\d[\d,]*) events", without.text_content() or "")
    assert match is not None
    without.click()
    settle(page)
    assert re.search(r"\b" + match[1] + r" events\b", page.locator("#status").text_content() or "")
    assert "free=true" in page.url


def test_a_last_date_before_the_first_can_not_be_chosen(pages: Pages) -> None:
    page = explore(pages, {"from": "2030-03-10", "to": "2030-03-12"})
    assert page.get_by_label("To", exact=True).get_attribute("min") == "2030-03-10"
    page.get_by_label("From", exact=True).fill("2030-04-01")
    settle(page)
    assert page.get_by_label("To", exact=True).input_value() == "2030-04-01"


def test_pages_without_a_kind_show_every_kind_with_its_number(pages: Pages, demo: Demo) -> None:
    page = explore(pages, {"type": "all", "category": "music_movement"})
    kinds = [section.get_attribute("data-kind") or "" for section in page.locator("#view section").all()]
    assert len(kinds) > 1
    for kind in kinds:
        answer = ask(demo, f"{METRO}/{kind}", {"category": "music_movement", "facets": "category", "limit": "0"})
        assert read_kind(page, kind) == f"{answer['facets']['total']:,}"
    page.locator("#view section").first.get_by_role("button", name="Show all").click()
    settle(page)
    assert f"type={kinds[0]}" in page.url


@pytest.mark.parametrize(
    ("status", "message"),
    [(429, "Too many requests"), (503, "out of order"), (0, "can't be reached")],
)
def test_a_failure_is_said_and_can_be_tried_again(pages: Pages, status: int, message: str) -> None:
    page = pages.open("about:blank")
    answers = page_of_failure(page, status)
    page.goto(f"{pages.url}/explore/?metro={METRO}&type=events")
    if status == 503:
        page.get_by_role("alert").get_by_text("Details").click()
    page.get_by_role("alert").get_by_text(message).wait_for()
    assert find_violations(page) == []
    answers.clear()
    page.get_by_role("button", name="Try again").click()
    settle(page)
    assert read_total(page) > 0
    pages.errors.clear()  # the browser's own, of the answers above


def test_where_the_server_does_not_answer_at_all_nothing_is_offered_that_needs_it(pages: Pages) -> None:
    page = pages.open("about:blank", width=390)
    page.route("**/v1/**", lambda route: route.abort())
    page.goto(f"{pages.url}/explore/?metro={METRO}")
    page.get_by_role("alert").get_by_text("can't be reached").wait_for()
    shown = page.locator("#explorer").get_by_role("button").or_(page.locator("#explorer :is(select, input, summary)"))
    assert [control.inner_text() for control in shown.all() if control.is_visible()] == ["Try again"]
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    settle(page)
    assert read_total(page) > 0
    assert page.locator("#request summary").is_visible()
    pages.errors.clear()  # the browser's own, of the answers above


def test_without_script_the_page_leads_to_the_cities(chromium: "Browser", demo: Demo) -> None:
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(f"{demo.url}/explore/")
    page.get_by_role("link", name="Choose a city").click()
    page.get_by_role("link", name="Seattle in numbers").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Seattle"
    page.context.close()


def test_a_visitor_who_was_too_quick_waits_and_is_told_nothing(pages: Pages) -> None:
    page = pages.open("about:blank")
    answers = page_of_failure(page, 429, wait="1")
    with page.expect_response(lambda response: response.status == 429):
        page.goto(f"{pages.url}/explore/?metro={METRO}&type=events")
    answers.clear()
    page.wait_for_function(SHOWN)
    assert read_total(page) > 0
    assert page.get_by_role("alert").count() == 0
    pages.errors.clear()  # the browser's own, of the answers above


def page_of_failure(page: "Page", status: int, wait: str = "17") -> list[int]:
    """Lists fail so long as the list that is returned has something."""
    left = [status]

    def answer(route: "Route") -> None:
        if not left:
            route.continue_()
        elif status == 0:
            route.abort()
        else:
            error = {"error": {"code": "failed", "message": "The list is out of order.", "request_id": "1"}}
            route.fulfill(status=status, json=error, headers={"Retry-After": wait})

    page.route("**/v1/*/events?**", answer)
    return left


def test_a_key_that_is_refused_is_asked_for_again_and_kept_in_this_tab_alone(pages: Pages, demo: Demo) -> None:
    page = pages.open("about:blank")
    page.goto(f"{pages.url}/explore/?metro={METRO}&type=events")
    settle(page)
    page.evaluate("() => sessionStorage.setItem('outings-key', 'wrong')")
    page.reload()
    page.get_by_text("This key is not valid").wait_for()
    assert find_violations(page) == []
    page.get_by_role("textbox", name="Key").fill(demo.key)
    page.get_by_role("button", name="Use this key").click()
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
        for place, item in enumerate(body["data"]):
            item["name"] = names[place % len(names)]
        route.fulfill(json=body)

    page.route("**/v1/*/events?**", answer)
    page.goto(f"{pages.url}/explore/?metro={METRO}&type=events")
    settle(page)
    shown = {link.text_content() for link in page.locator(".listings a").all()}
    assert shown >= set(names)
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert find_violations(page) == []


def test_an_expert_sends_a_condition_whose_columns_are_completed(pages: Pages, demo: Demo) -> None:
    page = explore(pages, {"type": "places"})
    page.locator("#expert > summary").click()
    field = page.get_by_label("Condition in SQL")
    field.press_sequentially("type_hint = 'library' AND hours.s")
    options = page.locator("#columns option").evaluate_all("all => all.map((node) => node.value)")
    assert options == [f"type_hint = 'library' AND hours.{day}" for day in ("saturday", "sunday")]
    where = "type_hint = 'library' AND hours.sunday IS NOT NULL"
    field.fill(where)
    field.press("Enter")
    settle(page)
    expected = ask(demo, f"{METRO}/places", {"where": where, "limit": "0", "facets": "category"})["facets"]["total"]
    assert 0 < expected == read_total(page)
    page.get_by_role("button", name="Map").click()
    settle(page)
    assert read_total(page) == expected
    field.fill("prize = 1")
    field.press("Enter")
    page.get_by_text("where has no column 'prize'").wait_for()
    assert find_violations(page) == []
    pages.errors.clear()  # Chromium's line on the refusal


def test_a_key_without_the_grant_is_reported_so_when_it_sends_a_condition(pages: Pages) -> None:
    page = explore(pages, {"type": "places"})
    message = "where is not in the plan of this key."
    error = {"error": {"code": "feature_not_in_plan", "message": message, "request_id": "x"}}
    page.route("**/v1/**where=**", lambda route: route.fulfill(status=403, json=error))
    page.locator("#expert > summary").click()
    field = page.get_by_label("Condition in SQL")
    field.fill("price.max < 5")
    field.press("Enter")
    page.get_by_text(message).wait_for()
    pages.errors.clear()  # Chromium's line on the refusal
