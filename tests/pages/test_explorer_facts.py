"""What the explorer says of a listing: when, until when, of what kind."""

from datetime import date

import pytest

from tests.pages.conftest import Demo, Pages
from tests.pages.explorer import METRO, ask, explore

pytestmark = pytest.mark.browser


def test_a_place_says_of_what_kind_it_is_and_not_when(pages: Pages) -> None:
    page = explore(pages, {"type": "places"})
    page.locator(".listings a").first.click()
    page.locator("#listing-name").wait_for()
    labels = page.locator(".facts-table dt").all_inner_texts()
    assert "Kind" in labels
    assert "When" not in labels


def write_clock(time: str) -> str:
    """As people in the sample cities write a time of day: `10:30:00` is `10:30 AM`."""
    hour, minute = int(time[:2]), time[3:5]
    return f"{(hour + 11) % 12 + 1}:{minute} {'AM' if hour < 12 else 'PM'}"


def test_an_event_and_a_class_say_until_when(pages: Pages, demo: Demo) -> None:
    compared = 0
    for kind in ("events", "classes"):
        page = explore(pages, {"type": kind})
        expand = {"occurrences": "expand"} if kind == "events" else {}
        items = ask(demo, f"{METRO}/{kind}", {"limit": "20", **expand})["data"]
        for item, shown in zip(items, page.locator(".listings > li").all_text_contents(), strict=True):
            if kind == "classes":
                end = item["schedule"]["end_time"]
            else:
                local = item["occurrence"]["ends_local"] if item["is_recurring"] else item["ends_local"]
                end = local.split("T")[1] if local and item["has_time"] else None
            if end:
                assert write_clock(end) in shown.replace("\u202f", " ")
                compared += 1
    assert compared > 20


def test_a_map_speaks_of_others_only_where_there_are_some(pages: Pages, demo: Demo) -> None:
    for sent in ({}, {"category": "music_movement"}):
        rows = ask(demo, f"{METRO}/places", {"limit": "200", **sent})["data"]
        placed = sum(row["location"]["lat"] is not None for row in rows)
        note = (
            explore(pages, {"type": "places", "view": "map", **sent}).locator("#view .note").first.text_content() or ""
        )
        assert ("others" in note) == (placed < len(rows)), note


def test_a_calendar_says_which_days_it_counts(pages: Pages, demo: Demo) -> None:
    page = explore(pages, {"view": "calendar"})
    shown = page.locator("#view .note").first.text_content() or ""
    days = page.locator("[data-date]").evaluate_all("all => all.map(each => each.dataset.date)")
    total = ask(demo, f"{METRO}/events/calendar", {"from": days[0], "to": days[-1]})["meta"]["total"]
    first, last = (f"{date.fromisoformat(day):%b} {date.fromisoformat(day).day}" for day in (days[0], days[-1]))
    assert f"from {first} to {last}" in shown
    assert f"{total:,} in all" in shown
