"""Facts of a listing in the explorer: when it begins and ends, and its kind."""

import re
from collections import defaultdict
from datetime import date
from typing import TYPE_CHECKING

import pytest

from tests.pages.accessibility import find_violations
from tests.pages.conftest import Demo, Pages
from tests.pages.explorer import METRO, ask, explore, open_listing, read_total, settle

if TYPE_CHECKING:
    from playwright.sync_api import Route

pytestmark = pytest.mark.browser


def test_a_place_says_of_what_kind_it_is_and_not_when(pages: Pages, demo: Demo) -> None:
    page = open_listing(pages, demo, "places")
    labels = page.locator(".facts-table dt").all_inner_texts()
    assert "Kind" in labels
    assert "When" not in labels


def write_clock(time: str) -> str:
    """Write a time as people in the sample cities do, on one line: `10:30:00` is `10:30 am`."""
    hour, minute = int(time[:2]), time[3:5]
    return f"{(hour + 11) % 12 + 1}:{minute}\N{NO-BREAK SPACE}{'am' if hour < 12 else 'pm'}"


def test_an_event_and_a_class_say_until_when(pages: Pages, demo: Demo) -> None:
    compared = 0
    for kind in ("events", "classes"):
        page = explore(pages, {"type": kind})
        expand = {"occurrences": "expand"} if kind == "events" else {}
        items = ask(demo, f"{METRO}/{kind}", {"limit": "20", **expand})["data"]
        lists = page.locator(".listings")
        rows = (lists.last if kind == "classes" else lists).locator("> li")  # classes: the last list goes by name
        shown_by_id = defaultdict(str)
        for row in rows.all():
            shown_by_id[row.locator("a").get_attribute("data-listing")] += row.text_content() or ""
        for item in items:
            shown = shown_by_id[item["id"]]
            if not shown:
                continue  # the page puts them in its own order
            if kind == "classes":
                # The section that comes next stands for its class.
                ends = {part["schedule"]["end_time"] for part in item["sections"] or [item]}
                end = ends.pop() if len(ends) == 1 else None
            else:
                local = item["occurrence"]["ends_local"] if item["is_recurring"] else item["ends_local"]
                end = local.split("T")[1] if local and item["has_time"] else None
            if end:
                assert write_clock(end) in shown.replace("\u202f", "\N{NO-BREAK SPACE}")
                compared += 1
    assert compared > 20


def test_a_row_says_that_a_class_is_full_or_nearly_so_and_no_year_of_this_year(pages: Pages, demo: Demo) -> None:
    items = ask(demo, f"{METRO}/classes", {"limit": "4"})
    numbers = (0, 1, 5, 6)
    for item, spots in zip(items["data"], numbers, strict=True):
        item["registration"] |= {"status": None, "spots_remaining": spots}
        item["term"] |= {"starts_on": f"{date.today().year}-03-02", "ends_on": f"{date.today().year}-03-30"}
    items["facets"] = {"total": len(numbers)}
    page = pages.open("about:blank")
    page.route("**/v1/seattle/classes?**", lambda route: route.fulfill(json=items))
    page.goto(f"{pages.url}/explore/?metro=seattle&type=classes")
    by_name = page.locator(".listings").last  # below what is on soon
    page.get_by_role("heading", name="All classes by name").wait_for()
    assert by_name.locator(".badge.spots").all_inner_texts() == ["Full", "1 spot left", "5 spots left"]
    assert all(re.search(r"2\s–\u2060\s30\sMar$", text) for text in by_name.locator(".time").all_inner_texts())


def test_a_map_speaks_of_others_only_where_there_are_some(pages: Pages, demo: Demo) -> None:
    for sent in ({}, {"category": "music_movement"}):
        rows = ask(demo, f"{METRO}/places", {"limit": "200", **sent})["data"]
        placed = sum(row["location"]["lat"] is not None for row in rows)
        note = (
            explore(pages, {"type": "places", "view": "map", **sent}).locator("#view .note").first.text_content() or ""
        )
        assert ("others" in note) == (placed < len(rows)), note


def test_a_map_of_all_kinds_has_every_listing_with_a_point(pages: Pages, demo: Demo) -> None:
    kinds = ("events", "classes", "camps", "places")
    bodies = [ask(demo, f"{METRO}/{kind}/density", {}) for kind in kinds]
    located = sum(cell["count"] for body in bodies for cell in body["data"])
    page = explore(pages, {"type": "all", "view": "map"})
    assert page.locator(".map").get_attribute("data-points") == str(located)
    assert read_total(page) == sum(body["meta"]["total"] for body in bodies)

    def lengthen(route: "Route") -> None:
        body = route.fetch().json()
        body["facets"]["total"] += 100_000  # more than the page would read
        route.fulfill(json=body)

    page.route("**/v1/seattle/events?facets=**", lengthen)
    page.reload()
    page.locator(f".map[data-counted='{located}']").wait_for()
    page.locator(f".map[data-points='{located}']").wait_for()  # as few as the sample has are read at once


def test_a_day_of_the_calendar_has_what_the_lists_of_that_day_have_and_shows_it_below(pages: Pages, demo: Demo) -> None:
    page = explore(pages, {"type": "all", "view": "calendar"})
    opened = page.locator("[data-date][aria-pressed=true]")
    assert int(opened.get_attribute("data-count") or "0") > 0
    assert page.locator(".listings a").count() > 0
    day = page.locator(
        f"[data-date='{opened.get_attribute('data-date')}'] >> xpath=../following::button[@data-date][1]"
    )
    chosen, count = (day.get_attribute(f"data-{name}") or "" for name in ("date", "count"))
    day.click()
    settle(page)
    assert page.evaluate("() => document.activeElement.dataset.date") == chosen
    own = {"from": chosen, "to": chosen, "facets": "category", "limit": "0"}
    kinds = {"events": {"occurrences": "expand"}, "classes": {"meets": "true"}, "camps": {"meets": "true"}}
    totals = {kind: ask(demo, f"{METRO}/{kind}", own | more)["facets"]["total"] for kind, more in kinds.items()}
    assert sum(totals.values()) == int(count) == read_total(page)
    shown = page.locator("[data-kind]").evaluate_all("all => all.map(node => [node.dataset.kind, node.dataset.total])")
    assert shown == [[kind, str(total)] for kind, total in totals.items() if total]
    assert find_violations(page) == []


@pytest.mark.parametrize("kind", ["all", "classes"])
def test_what_is_on_first_comes_first_under_its_date(pages: Pages, demo: Demo, kind: str) -> None:
    page = explore(pages, {"type": kind})
    dates = page.locator("#view h2.date time").evaluate_all("all => all.map(node => node.dateTime)")
    assert dates == sorted(set(dates))
    own = {"from": dates[0], "to": dates[0], "limit": "200"}
    windows = {"events": {"occurrences": "expand"}, "classes": {"meets": "true"}, "camps": {"meets": "true"}}
    answers = [ask(demo, f"{METRO}/{name}", own | more) for name, more in windows.items() if kind in ("all", name)]
    names = {row["name"] for answer in answers for row in answer["data"]}
    shown = page.locator("#view h2.date + .listings").first.locator("h3").all_inner_texts()
    assert shown
    assert set(shown) <= names
    if kind == "classes":
        assert page.get_by_role("heading", name="All classes by name").is_visible()


def test_the_calendar_turns_to_later_weeks_and_back(pages: Pages) -> None:
    page = explore(pages, {"type": "classes", "view": "calendar"})
    first, last = (page.locator("[data-date]").nth(at).get_attribute("data-date") or "" for at in (0, -1))
    page.get_by_role("button", name="Later").click()
    page.wait_for_function("last => document.querySelector('[data-date]').dataset.date > last", arg=last)
    page.get_by_role("button", name="Earlier").click()
    page.wait_for_function("first => document.querySelector('[data-date]').dataset.date === first", arg=first)
