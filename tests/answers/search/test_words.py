"""Words that do not decide: when, how much, for whom, where; and queries in which nothing is left."""

import pytest

from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_neighborhood, make_uuid
from tests.answers.search.searching import find, open_listings, refuse, search

NAMES = (
    "Pottery",
    "Saturday Pottery",
    "Cheap Pottery",
    "Family Pottery",
    "Harbor Pottery",
    "Family Day",
    "Free Kids Zone",
)


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A metro of the name Harbor; one event is free, the other is not."""
    places = [documents.make_place(make_uuid(number), name=name) for number, name in enumerate(NAMES, 1)]
    return open_listings(tmp_path_factory.mktemp("harbor"), *places)


# Beside "pottery" → `meta.ignored_words`.
IGNORED = [
    ("tonight", ["tonight"]), ("saturday", ["saturday"]), ("Saturday MORNING", ["Saturday", "MORNING"]),
    ("cheap", ["cheap"]), ("free tonight for kids", ["free", "tonight", "kids"]), ("family", ["family"]),
    ("parents", ["parents"]), ("in harbor", ["harbor"]), ("kids saturday cheap", ["kids", "saturday", "cheap"]),
]  # fmt: skip


@pytest.mark.parametrize(("words", "ignored"), IGNORED)
def test_time_price_audience_and_location_words_do_not_decide_and_are_named_in_order(
    harbor: Release, words: str, ignored: list[str]
) -> None:
    body = search(harbor, f"pottery {words}")
    assert body["meta"]["ignored_words"] == ignored
    assert {item["name"] for item in body["data"]} == {name for name in NAMES if "Pottery" in name}
    assert {item["match"] for item in body["data"]} == {"all_terms"}


def test_words_that_do_not_decide_are_no_filters(harbor: Release) -> None:
    plain, worded = (search(harbor, q)["meta"] for q in ("pottery", "pottery free saturday morning"))
    assert worded["applied_filters"] == plain["applied_filters"]
    assert worded["count"] == plain["count"]


@pytest.mark.parametrize("q", ["family", "for the family", "family tonight"])
def test_a_query_of_only_audience_words_is_searched_as_written(harbor: Release, q: str) -> None:
    assert find(harbor, q) == {"Family Day": "all_terms", "Family Pottery": "all_terms"}


def test_of_two_audience_words_alone_each_counts(harbor: Release) -> None:
    results = find(harbor, "family kids")
    assert results == {"Family Day": "partial", "Family Pottery": "partial", "Free Kids Zone": "partial"}


NOTHING = [
    "tonight", "this weekend", "free", "classes", "harbor", "in Harbor", "things to do in harbor", "harbor-city",
    "what is there to do", "the", "cheap classes tonight", "places", "!!!", "🎨", "-", '""', "near me", "how about",
]  # fmt: skip


@pytest.mark.parametrize("q", NOTHING)
def test_nothing_searchable_is_refused(harbor: Release, q: str) -> None:
    error = refuse(harbor, q)
    assert (error.status, error.code) == (400, "bad_request")
    assert (error.details["param"], error.details["reason"]) == ("q", "nothing_searchable")


def test_the_query_is_echoed_as_it_was_sent(harbor: Release) -> None:
    assert search(harbor, "  Póttery,  tonight! ")["meta"]["query"].strip() == "Póttery,  tonight!"


@pytest.fixture(scope="module")
def parted(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A metro with two neighborhoods, of which one has a place in it, and one that only its name tells."""
    hill = documents.make_location(neighborhood="Capitol Hill", neighborhood_slug="capitol-hill")
    return open_listings(
        tmp_path_factory.mktemp("parted"),
        documents.make_place(make_uuid(1), name="Pottery"),
        documents.make_place(make_uuid(2), name="Pottery", location=hill),
        documents.make_place(make_uuid(3), name="Capitol Hill Library"),
        documents.make_place(make_uuid(4), name="Hill of Beans"),
        neighborhoods=[make_neighborhood("capitol-hill", "Capitol Hill"), make_neighborhood("ballard", "Ballard")],
    )


def list_ids(release: Release, q: str) -> list[int]:
    return [int(item["id"][-12:], 16) for item in search(release, q)["data"]]


def test_a_neighborhood_beside_other_words_is_no_filter_and_is_named(parted: Release) -> None:
    """Listings that are known to be there come before those whose neighborhood is not stated."""
    assert list_ids(parted, "pottery capitol hill") == [2, 1]
    assert search(parted, "pottery in Capitol Hill")["meta"]["ignored_words"] == ["Capitol", "Hill"]
    assert list_ids(parted, "pottery ballard") == [1, 2]


@pytest.mark.parametrize("q", ["capitol hill", "things to do in capitol hill", "Capitol Hill tonight"])
def test_a_neighborhood_alone_is_nothing_to_search_for(parted: Release, q: str) -> None:
    assert refuse(parted, q).details["reason"] == "nothing_searchable"


def test_a_neighborhood_beside_an_audience_is_searched_as_written(parted: Release) -> None:
    assert list_ids(parted, "kids capitol hill")[0] == 3
    assert set(list_ids(parted, "kids capitol hill")) == {2, 3, 4}


def test_part_of_a_neighborhoods_name_is_a_word(parted: Release) -> None:
    assert set(list_ids(parted, "pottery hill")) == {1, 2, 3, 4}
