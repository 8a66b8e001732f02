"""The layout of the explorer: the most important things come first, also on a telephone and on paper."""

import re

import pytest

from tests.pages.accessibility import find_violations
from tests.pages.conftest import Demo, Pages
from tests.pages.explorer import explore, open_listing, read_total, settle

pytestmark = pytest.mark.browser

TELEPHONE = {"width": 360, "height": 640}
BESIDE = ("#side", "#quick", ".combo", "#kinds", "#views", ".paging", "#request")


def test_a_telephone_shows_the_city_and_the_first_listing_at_once(pages: Pages) -> None:
    page = explore(pages, **TELEPHONE)
    city = page.get_by_label("City")
    assert city.locator("option:checked").inner_text() == "Seattle"
    for element in (city, page.locator(".listings a").first):
        box = element.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < TELEPHONE["height"]


def test_what_follows_the_listings_is_below_the_screen_before_they_come(pages: Pages) -> None:
    page = pages.open("about:blank", width=390, height=900)
    page.route("**/v1/seattle/events?**", lambda _: None)  # they wait for an answer
    page.goto(f"{pages.url}/explore/?metro=seattle&type=events")
    for following in ("#request", ".foot"):
        page.locator(following).wait_for()
        box = page.locator(following).bounding_box()
        assert box is not None
        assert box["y"] >= 900
    page.unroute_all()
    page.locator(".listings a").first.wait_for()


def test_a_listing_on_a_telephone_is_alone_and_links_back(pages: Pages, demo: Demo) -> None:
    page = open_listing(pages, demo, "events", **TELEPHONE)
    box = page.locator("#listing-name").bounding_box()
    assert box is not None
    assert box["y"] < TELEPHONE["height"] / 2
    assert not any(page.locator(selector).is_visible() for selector in ("#quick", "#search", "#views"))
    assert find_violations(page) == []
    page.get_by_role("button", name="Back to the results").click()
    page.locator(".listings a").first.wait_for()
    assert all(page.locator(selector).is_visible() for selector in ("#quick", "#search", "#views"))


def test_a_wide_page_shows_all_filters_below_the_search_beside_the_listings(pages: Pages) -> None:
    page = explore(pages)
    names = ("#search", "#filters", ".listings >> nth=0")
    search, filters, listings = (page.locator(selector).bounding_box() for selector in names)
    assert search is not None
    assert filters is not None
    assert listings is not None
    assert search["y"] + search["height"] < filters["y"]
    assert filters["x"] + filters["width"] < listings["x"]
    assert abs(filters["y"] - listings["y"]) < 200


def test_a_telephone_has_the_filters_in_a_sheet_that_says_how_many_there_are(pages: Pages) -> None:
    page = explore(pages, **TELEPHONE)
    page.get_by_role("button", name="Filters").click()
    page.get_by_label("Price").select_option("free")
    settle(page)
    assert find_violations(page) == []
    for control in page.locator("#sheet :is(button, select, .choices label)").all():
        box = control.bounding_box()
        assert box is None or box["height"] >= 44
    page.get_by_role("button", name=f"Show {read_total(page):,} results").click()
    assert not page.locator("#filters").is_visible()
    assert page.get_by_role("button", name="Remove filter: Free").is_visible()


@pytest.mark.parametrize("width", [360, 1440])
def test_paper_has_the_city_and_what_was_found_alone(pages: Pages, width: int) -> None:
    page = explore(pages, width=width)
    page.emulate_media(media="print")
    assert not any(page.locator(selector).is_visible() for selector in BESIDE)
    assert all(page.locator(selector).is_visible() for selector in ("#metro", "#status", ".listings >> nth=0"))


def test_the_first_date_of_the_calendar_names_its_month(pages: Pages) -> None:
    page = explore(pages, {"view": "calendar"})
    assert re.fullmatch(r"\d{1,2} [A-Z][a-z]{2}", page.locator(".day .date").first.inner_text())


def test_back_from_the_page_of_a_listing_leads_to_where_it_was_in_the_list(pages: Pages) -> None:
    page = explore(pages, **TELEPHONE)
    link = page.locator(".listings a").nth(12)
    link.scroll_into_view_if_needed()
    left = page.evaluate("() => scrollY")
    assert left > TELEPHONE["height"]
    name = link.text_content() or ""
    link.click()
    page.wait_for_url("**/seattle/events/*")
    page.get_by_role("heading", name=name, exact=True).wait_for()
    page.go_back()
    page.wait_for_function("left => scrollY === left", arg=left)
    assert page.evaluate("() => document.activeElement.textContent") == name
    page.reload()
    page.wait_for_function("left => scrollY === left", arg=left)


def test_a_wide_page_has_the_map_beside_the_list_and_a_narrow_one_below_it(pages: Pages) -> None:
    page = explore(pages, width=900)
    page.mouse.move(450, 450)
    page.locator("#beside .map[data-points]").wait_for()
    rows, chart = (page.locator(selector).bounding_box() for selector in ("#view", "#beside .map"))
    assert rows is not None
    assert chart is not None
    assert rows["x"] + rows["width"] <= chart["x"]
    assert chart["y"] < 900
    page.set_viewport_size({"width": 760, "height": 900})
    rows, chart = (page.locator(selector).bounding_box() for selector in ("#view", "#beside .map"))
    assert rows is not None
    assert chart is not None
    assert rows["y"] + rows["height"] <= chart["y"]


def test_quick_chips_are_tall_and_the_rest_is_one_tap_away_on_a_telephone(pages: Pages) -> None:
    page = explore(pages, **TELEPHONE)
    quick = page.locator("#quick")
    assert not quick.get_by_role("button", name="Near me").is_visible()
    quick.get_by_role("button", name="More").click()
    for chip in quick.get_by_role("button").all():
        box = chip.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["x"] + box["width"] <= TELEPHONE["width"]
