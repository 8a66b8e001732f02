"""A search in the explorer: what fits the words best stands above the list, with what each listing says of itself."""

import pytest

from tests.pages.accessibility import find_violations
from tests.pages.conftest import Demo, Pages
from tests.pages.explorer import METRO, ask, explore, open_folds, settle

pytestmark = pytest.mark.browser


def test_the_list_has_what_a_search_finds_first_and_says_what_it_left_out(pages: Pages, demo: Demo) -> None:
    page = explore(pages, {"q": "underwater pottery", "type": "classes"})
    sent = {"q": "underwater pottery", "types": "classes", "match": "auto", "limit": "20"}
    answer = ask(demo, f"{METRO}/search", sent)
    open_folds(page)
    assert sorted(page.locator("#matches h3").all_text_contents()) == sorted(item["name"] for item in answer["data"])
    assert page.locator("#matches .note").all_text_contents() == [
        f"Nothing has all of the words. Left out: {', '.join(answer['meta']['relaxed'])}."
        for _ in answer["meta"]["relaxed"][:1]
    ]
    assert find_violations(page) == []
    for view in ({"q": "things to do"}, {"q": "pottery", "view": "map"}, {}):
        assert explore(pages, view).locator("#matches").count() == 0
    pages.errors.clear()  # the browser's own, of the search that has no word to look for


def test_what_a_search_finds_says_where_it_is_for_whom_and_at_what_price(pages: Pages, demo: Demo) -> None:
    page = explore(pages, {"q": "swim", "type": "classes"})
    sent = {"q": "swim", "types": "classes", "match": "auto", "limit": "20"}
    results = ask(demo, f"{METRO}/search", sent)["data"]
    assert len(results) > 4
    open_folds(page)
    rows = page.locator("#matches li:has(h3)")
    assert rows.count() == len(results)
    for item in results:
        shown = " ".join(rows.filter(has=page.locator(f"[data-listing='{item['id']}']")).all_text_contents())
        collection = "classes" if item["type"] == "class" else f"{item['type']}s"
        listing = ask(demo, f"{collection}/{item['id']}", {})["data"]
        # The section that comes next stands for its class.
        own = listing if len(listing.get("sections", ())) == 0 else {"ages": {"min": None}, "price": {"min": None}}
        facts = [listing["location"]["neighborhood"], own["ages"]["min"], own["price"]["min"]]
        assert [fact for fact in facts if fact is not None and str(fact).removesuffix(".0") not in shown] == []


def test_what_the_search_has_whole_is_not_listed_again(pages: Pages) -> None:
    page = explore(pages, {"q": "pottery level 3", "type": "classes"})
    open_folds(page)
    shown = page.locator("[data-listing]").evaluate_all("links => links.map(link => link.dataset.listing)")
    assert len(shown) == len(set(shown)) > 0


def test_where_no_listing_of_the_chosen_kind_fits_those_of_other_kinds_are_shown_as_such(pages: Pages) -> None:
    matches = {}
    for kind in ("classes", "camps", "places"):
        page = explore(pages, {"q": "pottery", "type": kind})
        kinds = {text.partition(" · ")[0] for text in page.locator("#matches .by").all_text_contents()}
        matches[kind] = page.locator("#matches-title").text_content(), kinds
    assert matches == {
        "classes": ("Best matches", {"class"}),
        "camps": ("Best matches of other kinds", {"class"}),
        "places": ("Best matches of other kinds", {"class"}),
    }


def test_what_a_search_finds_says_how_many_more_dates_it_has(pages: Pages, demo: Demo) -> None:
    answer = ask(demo, f"{METRO}/search", {"q": "pottery", "match": "auto", "limit": "20"})
    answer["data"] = [item for item in answer["data"] if item["type"] == "class"][:3]
    for item, repeats in zip(answer["data"], (39, 1, 0), strict=True):
        item["repeats"] = repeats
    page = explore(pages)
    page.route("**/search?*", lambda route: route.fulfill(json=answer))
    page.goto(f"{page.url}&q=pottery")
    settle(page)
    open_folds(page)
    facts = page.locator("#matches .by").all_text_contents()
    told = ("and 39 more dates", "and 1 more date", "more")
    assert [sum(text in fact for fact in facts) for text in told] == [1, 1, 2]
    assert len(facts) == 3
