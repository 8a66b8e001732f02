"""The numbers beside the explorer's filters and kinds are those of the API."""

import re
from datetime import date
from random import Random

import pytest

from tests.pages.conftest import Demo, Pages
from tests.pages.explorer import (
    FACETS,
    METRO,
    Params,
    ask,
    count,
    draw_filters,
    explore,
    read_counts,
    read_kind,
    read_total,
    settle,
)

pytestmark = pytest.mark.browser

ROUNDS = 30


def test_the_counts_are_those_of_the_api_for_any_filters(pages: Pages, demo: Demo) -> None:
    random = Random(22)
    today = date.fromisoformat(ask(demo, f"{METRO}/events", {"limit": "1"})["meta"]["window"]["from"])
    for _ in range(ROUNDS):
        kind = random.choice(list(FACETS))
        sent = draw_filters(random, kind, today)
        own = {"facets": FACETS[kind], "limit": "0"} | ({"occurrences": "expand"} if kind == "events" else {})
        facets = ask(demo, f"{METRO}/{kind}", {**sent, **own})["facets"]
        page = explore(pages, {"type": kind, **sent})
        settle(page)
        assert read_total(page) == facets["total"], sent
        assert read_counts(page, "category") == count(facets, "category"), sent
        if kind == "events":
            once = ask(demo, f"{METRO}/{kind}", {**sent, "facets": "category", "limit": "0"})["facets"]["total"]
            status = page.locator("#status").text_content() or ""
            numbers = re.findall(r"\d+", status)
            assert numbers == list(dict.fromkeys([str(once), str(facets["total"])])), status
        if kind != "places":
            assert read_counts(page, "weekday") == count(facets, "weekday"), sent
            free = page.locator("#price option[value=free]").text_content() or ""
            assert re.findall(r"\d+", free) == [str(count(facets, "price_band")["free"])], sent


def test_home_city_and_explorer_have_the_same_number_for_the_same_words(pages: Pages, demo: Demo) -> None:
    counts = {metro["slug"]: metro["counts"] for metro in ask(demo, "metros", {})["data"]}[METRO]
    read = "all => all.map(cell => [cell.dataset.count, Number(cell.textContent.replace(',', ''))])"
    home = pages.open("/")
    row = home.get_by_role("row").filter(has=home.locator(f"a[href='cities/{METRO}/']"))
    assert dict(row.locator("[data-count]").evaluate_all(read)) == counts
    city = pages.open(f"/cities/{METRO}/")
    assert dict(city.locator("[data-count]").evaluate_all(read)) == counts
    page = explore(pages, {"type": "all"})
    settle(page)
    assert {kind: int(read_kind(page, kind).replace(",", "")) for kind in counts} == counts
    headings = [heading.inner_text() for heading in page.locator(".kind-title").all()]
    words = [heading.inner_text() for heading in city.locator("tr:has([data-count]) th").all()]
    numbers = [f"{word} {counts[kind]:,}" for word, kind in zip(words, counts, strict=True) if counts[kind]]
    assert headings == numbers


@pytest.mark.parametrize("sent", [{}, {"q": "swim"}, {"q": "park", "age": "4", "weekday": "saturday"}])
def test_each_type_shows_the_count_of_its_own_list(pages: Pages, demo: Demo, sent: Params) -> None:
    page = explore(pages, sent)
    settle(page)
    for kind in FACETS:
        # Places have no dates: a filter by weekday is dropped with them.
        taken = {name: value for name, value in sent.items() if kind != "places" or name != "weekday"}
        answer = ask(demo, f"{METRO}/{kind}", {**taken, "facets": "category", "limit": "0"})
        assert read_kind(page, kind) == str(answer["facets"]["total"]), kind


def test_the_counts_of_types_are_requested_once(pages: Pages) -> None:
    page = explore(pages, {"q": "park"})
    settle(page)
    shown = {kind: read_kind(page, kind) for kind in FACETS}
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.get_by_role("radio", name="Classes").click()
    settle(page)
    assert {kind: read_kind(page, kind) for kind in FACETS} == shown
    assert any("/classes?" in url for url in sent)
    assert [url for url in sent if "limit=0" in url] == []


def test_types_without_a_request_show_no_count_once_there_are_filters(pages: Pages) -> None:
    page = explore(pages, {"type": "classes", "age": "4"})
    assert [read_kind(page, kind) for kind in ("events", "camps", "places")] == ["", "", ""]
    assert read_kind(page, "classes") == str(read_total(page))


def test_a_kind_that_can_not_be_counted_has_no_number(pages: Pages) -> None:
    page = explore(pages)
    page.route("**/v1/*/camps?*", lambda route: route.abort())
    page.goto(f"{page.url}&q=swim")
    settle(page)
    assert read_kind(page, "camps") == ""
    assert read_kind(page, "classes").isdigit()
    pages.errors.clear()  # the browser's own, of the request that was cut
