"""`match=auto`: what has all words, and what has some of them behind it where that is little."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.generated import make_world, seeds
from tests.answers.search.searching import (
    EVERY,
    LEVELS,
    Document,
    find,
    follow_pages,
    name_places,
    open_listings,
    read_all,
    refuse,
    search,
)
from tests.answers.worlds import World, open_release

AUTO = {"match": "auto"}
FULL = {"match": "all_terms,related"}
WORDS = ("swim", "art", "pottery", "ceramics", "zebra")


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Four that have both words of "red kite", five of "blue kite"."""
    names = [*["Red kite"] * 4, *["Blue kite"] * 5, "Kite"]
    return open_listings(tmp_path_factory.mktemp("harbor"), *name_places(*names))


def list_matches(body: Document) -> list[str]:
    return [item["match"] for item in body["data"]]


def test_fewer_than_five_have_partial_ones_behind_them(harbor: Release) -> None:
    body = search(harbor, "red kite", AUTO)
    assert list_matches(body) == ["all_terms"] * 4 + ["partial"] * 6
    assert body["meta"]["match"] == LEVELS


def test_five_are_enough(harbor: Release) -> None:
    body = search(harbor, "blue kite", AUTO)
    assert list_matches(body) == ["all_terms"] * 5
    assert body["meta"]["match"] == ["all_terms", "related"]
    assert body["meta"]["match_counts"] == {"all_terms": 5, "related": 0, "partial": 5}


def test_related_ones_count_among_the_five(tmp_path: Path) -> None:
    listings = name_places("Pottery", *["Ceramics"] * 4, "Talk")
    listings[-1] |= {"description": "word " * 70 + "pottery"}
    body = search(open_listings(tmp_path, *listings), "pottery", AUTO)
    assert list_matches(body) == ["all_terms"] + ["related"] * 4
    assert body["meta"]["match_counts"]["partial"] == 1


def test_the_whole_answer_is_counted_and_not_the_page(harbor: Release) -> None:
    for limit in ("1", "2", "50"):
        assert search(harbor, "blue kite", {**AUTO, "limit": limit})["meta"]["match"] == ["all_terms", "related"]
        assert search(harbor, "red kite", {**AUTO, "limit": limit})["meta"]["match"] == LEVELS


def test_filters_come_before_the_count(harbor: Release) -> None:
    assert search(harbor, "blue kite", {**AUTO, "types": "events"})["meta"]["match"] == LEVELS


def test_a_program_of_several_classes_counts_once(tmp_path: Path) -> None:
    classes = [documents.make_class(make_uuid(number), name="Red kite") for number in range(11, 16)]
    programs = {item["id"]: "kites" for item in classes}
    release = open_release([World(listings=[*classes, *name_places("Kite")], programs=programs)], tmp_path)
    assert list_matches(search(release, "red kite", AUTO)) == ["all_terms", "partial"]


@pytest.fixture(scope="module")
def broad(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """1,010 have one word of a query, which are more than are counted, and some have both. A program has some of each,
    and a place is only named after a word."""
    names = [*["Kite"] * 1_004, *["Red kite"] * 3, "Red kite hill", *["Red house kite"] * 2]
    taught = ["Kite", *["Red kite"] * 3]
    classes = [documents.make_class(make_uuid(2_000 + number), name=name) for number, name in enumerate(taught)]
    programs = {item["id"]: "kites" for item in classes}
    world = World(listings=[*name_places(*names), *classes], programs=programs)
    return open_release([world], tmp_path_factory.mktemp("broad"))


@pytest.mark.parametrize("sort", ["relevance", "newest"])
@pytest.mark.parametrize("match", ["all_terms,related", "all_terms", "related"])
def test_what_fits_is_the_same_however_many_are_partial(broad: Release, match: str, sort: str) -> None:
    for q in ("red kite", "kite hill red", "red", "kite"):
        every = search(broad, q, {"sort": sort, "limit": "50"})
        body = search(broad, q, {"sort": sort, "limit": "50", "match": match})
        shown = [item for item in every["data"] if item["match"] in match.split(",")]
        assert body["data"][: len(shown)] == shown
        for member in ("match_counts", "capped"):
            assert body["meta"][member] == every["meta"][member]


def test_more_partial_ones_than_are_counted_are_behind_what_little_fits(broad: Release) -> None:
    assert list_matches(search(broad, "hill kite", AUTO))[:2] == ["all_terms", "partial"]
    body = search(broad, "red kite", AUTO)
    assert (list_matches(body), body["meta"]["capped"]) == (["all_terms"] * 7, True)
    assert body["meta"]["match_counts"] == {"all_terms": 7, "related": 0, "partial": 1000}


@pytest.mark.parametrize("sort", ["soonest", "newest", "nearest"])
def test_partial_ones_stay_behind_in_each_order(tmp_path: Path, sort: str) -> None:
    listings = name_places("Kite", "Red kite")
    listings[0] |= {"created_at": "2026-06-02T00:00:00Z"}
    listings[1] |= {"created_at": "2026-06-01T00:00:00Z"}
    listings[1]["location"] |= {"lat": 41.0, "lng": -74.0}
    release = open_listings(tmp_path, *listings)
    here = {"lat": "40", "lng": "-74"} if sort == "nearest" else {}
    assert list_matches(search(release, "red kite", {**AUTO, "sort": sort, **here})) == ["all_terms", "partial"]


def test_auto_stands_alone(harbor: Release) -> None:
    for other in ("auto,all_terms", "partial,auto", "auto,related,partial"):
        error = refuse(harbor, "kite", {"match": other})
        assert (error.status, error.code) == (400, "bad_request")
        assert error.details == {"param": "match", "reason": "contradictory"}


def test_what_is_not_sent_is_not_auto(harbor: Release) -> None:
    body = search(harbor, "red kite", FULL)
    assert list_matches(body) == ["all_terms"] * 4
    assert body["meta"]["match"] == ["all_terms", "related"]


def test_no_word_is_dropped_where_none_hides_another(harbor: Release) -> None:
    for params in (AUTO, EVERY, FULL):
        assert search(harbor, "red kite", params)["meta"]["relaxed"] == []


@given(seed=seeds, limit=st.integers(min_value=1, max_value=12), count=st.integers(min_value=2, max_value=3))
def test_auto_is_one_of_two_answers_and_its_pages_give_each_result_once(
    tmp_path_factory: pytest.TempPathFactory, seed: int, limit: int, count: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=40)
    for number, listing in enumerate(world.listings):
        most = 1 if listing["type"] == "place" else 3  # of a place's name the last word counts most
        listing["name"] = " and ".join(random.sample(WORDS, random.randint(1, most)))  # not side by side, as notions
        listing["ages"] = documents.make_ages(min=number)  # no two of them are one thing
        listing["categories"] = []  # what only these say counts otherwise in `auto`
    release = open_release([world], tmp_path_factory.mktemp("world"))
    q, params = " ".join(random.sample(WORDS, count)), {"audience": "all", "min_confidence": "0"}
    full = read_all(release, q, {**params, **FULL})
    expected = full if len(full) >= 5 else read_all(release, q, {**params, **EVERY})
    expected.sort(key=lambda item: (item["match"] == "partial", -item["score"], item["id"]))
    pages = follow_pages(release, q, {**params, **AUTO, "limit": str(limit)})
    assert [item for page in pages for item in page] == [{**item, "repeats": 0, "repeat_ids": []} for item in expected]
    counts = [search(release, q, {**params, **match})["meta"]["match_counts"] for match in (AUTO, FULL, EVERY)]
    assert counts[0] == counts[1] == counts[2]


def test_what_a_typo_leads_to_comes_behind_the_word(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_places("Sumner concert", "Summer concert"))
    assert list(find(release, "summer concert", AUTO)) == ["Summer concert", "Sumner concert"]


def test_what_is_only_where_the_query_says_comes_behind_what_is_about_something_in_it(tmp_path: Path) -> None:
    """Though its ages cover the query's."""
    listings = name_places("Open room", "Gymnastics")
    listings[0]["ages"] = documents.make_ages(min=1, max=3)
    listings[0]["organization"] = {"id": None, "name": "Ballard", "slug": None}
    release = open_listings(tmp_path, *listings)
    assert list(find(release, "toddler gymnastics ballard", AUTO)) == ["Gymnastics", "Open room"]
