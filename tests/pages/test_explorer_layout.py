"""The layout of the explorer: the most important things come first, also on a telephone and on paper."""

import re

import pytest

from tests.pages.accessibility import find_small_targets, find_violations
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


def test_on_a_telephone_the_controls_leave_most_of_the_screen_to_the_results(pages: Pages) -> None:
    page = explore(pages, {"free": "true", "age": "4"}, width=390, height=844)
    first = page.locator("#view").bounding_box()
    assert first is not None
    assert first["y"] <= 330
    assert find_small_targets(page) == []
    text = page.locator("#q").evaluate("""(input) => {
        const measure = document.createElement("canvas").getContext("2d");
        measure.font = getComputedStyle(input).font;
        return input.clientWidth - 16 - measure.measureText(input.placeholder).width;
    }""")
    assert text >= 0  # the example is not cut off


def test_choices_are_moved_sideways_on_a_telephone_and_the_page_is_not(pages: Pages) -> None:
    page = explore(pages, **TELEPHONE)
    last = page.locator("#quick").get_by_role("button", name="Near me")
    last.scroll_into_view_if_needed()
    box = last.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= TELEPHONE["width"]
    assert page.evaluate("() => document.documentElement.scrollWidth") == TELEPHONE["width"]


def test_a_choice_is_shown_once_and_keeps_the_focus(pages: Pages) -> None:
    page = explore(pages, {"type": "all"})
    page.locator("#quick").get_by_role("button", name="Free").click()
    settle(page)
    assert page.locator(".choose").get_by_role("button", name="Free").count() == 1
    assert page.evaluate("() => document.activeElement.dataset.chip") == "free"
    page.get_by_role("radio", name="Classes").check()
    settle(page)
    assert page.locator("#chips button").count() == 1  # the kind is chosen above the results already
    page.get_by_role("button", name="Remove filter: Free").click()
    settle(page)
    assert page.locator("#quick").get_by_role("button", name="Free").is_visible()


def test_the_map_is_there_without_a_movement_and_its_column_is_never_empty(pages: Pages) -> None:
    page = pages.open("about:blank", width=1440)
    page.add_init_script("""addEventListener("DOMContentLoaded", () => {
        const look = () => {
            const beside = document.getElementById("beside");
            window.wasEmpty ||= Boolean(beside && !beside.childElementCount && beside.offsetWidth > 400
                && getComputedStyle(beside.parentElement).gridTemplateColumns.includes(" "));
            requestAnimationFrame(look);
        };
        look();
    })""")
    page.goto(f"{pages.url}/explore/?metro=seattle")
    page.locator("#beside .map[data-points]").wait_for()
    assert page.evaluate("() => window.wasEmpty") is False


def test_all_filters_in_force_are_in_sight_on_a_telephone(pages: Pages) -> None:
    chosen = {"free": "true", "age": "4", "weekday": "saturday,sunday", "category": "music_movement"}
    page = explore(pages, {"type": "all", **chosen}, **TELEPHONE)
    boxes = [chip.bounding_box() for chip in page.locator("#chips button").all()]
    assert len(boxes) == len(chosen)
    assert all(box is not None and box["x"] >= 0 and box["x"] + box["width"] <= TELEPHONE["width"] for box in boxes)
