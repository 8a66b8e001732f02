"""`meta` of a search, and its counts."""

import pytest

from outings.contract.query import parse_query
from outings.contract.routes import match_route
from outings.contract.vocabulary import Vocabulary
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch, parse
from tests.answers.documents import make_uuid
from tests.answers.search.searching import EVERY, PATH, follow_pages, name_places, open_listings, search

MEMBERS = [
    "query", "applied_filters", "defaults_applied", "types", "ranking", "ignored_words", "interpreted", "match",
    "relaxed", "match_counts", "sort", "limit", "count", "count_estimate", "capped", "has_more", "next_cursor",
    "generated_at",
]  # fmt: skip
STAMP = "2026-01-01T00:00:00Z"
WINDOWS = {
    "events": {"from": "2026-08-10", "to": "2026-09-09", "min_confidence": 0.7},
    "classes": {"from": "2026-08-10", "to": None, "min_confidence": 0.7},
    "camps": {"from": "2026-08-10", "to": None, "min_confidence": 0.7},
    "places": {"from": None, "to": None, "min_confidence": 0.5},
}


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_listings(tmp_path_factory.mktemp("harbor"), *name_places(*(f"Zoo {n}" for n in range(25))))


def test_the_meta_of_a_plain_search_has_all_its_members(harbor: Release) -> None:
    body = fetch(harbor, PATH, {"q": "Zoo"})
    meta = body["meta"]
    assert list(body) == ["data", "meta"]
    assert set(MEMBERS) <= set(meta)
    assert meta.pop("next_cursor")
    assert meta == {
        "query": "Zoo", "applied_filters": {"audience": ["not_adults"], "by_type": WINDOWS},
        "defaults_applied": ["from", "to", "min_confidence", "audience"],
        "types": ["events", "classes", "camps", "places"], "ranking": "lexical", "ignored_words": [],
        "interpreted": {"age": None, "filters": [], "beginning": None}, "match": ["all_terms", "related"],
        "relaxed": [],
        "match_counts": {"all_terms": 25, "related": 0, "partial": 0}, "sort": "relevance", "limit": 20, "count": 20,
        "count_estimate": 25, "capped": False, "has_more": True, "generated_at": "2026-08-01T12:00:00Z",
    }  # fmt: skip


# What is sent → what of it is in effect, and what still comes from a default.
SENT = [
    ({"age": "4"}, {"age": 4}, ["from", "to", "min_confidence", "audience"]),
    ({"audience": "all", "min_confidence": "0.6"}, {"audience": ["all"], "min_confidence": 0.6}, ["from", "to"]),
    ({"from": "2026-09-01"}, {"from": "2026-09-01"}, ["to", "min_confidence", "audience"]),
    ({"category": "swim_water,arts_creative"}, {"category": ["arts_creative", "swim_water"]}, None),
    ({"lat": "40", "lng": "-74"}, {"lat": 40, "lng": -74, "radius_m": 5000}, None),
    ({"changed_since": STAMP}, {"changed_since": STAMP}, ["min_confidence", "audience"]),
    ({"free": "true", "weekday": "monday"}, {"free": True, "weekday": ["monday"]}, None),
    ({"types": "classes", "team": "kraken", "audience": "all"}, {"team": ["kraken"], "audience": ["all"]}, []),
]  # fmt: skip


@pytest.mark.parametrize(("params", "shown", "defaults"), SENT, ids=["&".join(case[0]) for case in SENT])
def test_filters_in_effect_are_echoed(
    harbor: Release, params: dict[str, str], shown: dict[str, object], defaults: list[str] | None
) -> None:
    meta = search(harbor, "zoo", params)["meta"]
    applied = meta["applied_filters"]
    assert {name: sorted(v) if isinstance(v := applied[name], list) else v for name in shown} == shown
    assert applied.keys() == {*shown, "audience", "by_type"}
    if defaults is not None:
        assert meta["defaults_applied"] == defaults


def test_by_type_has_what_holds_in_each_collection(harbor: Release) -> None:
    params = {"from": "2026-09-01", "min_confidence": "0.2", "types": "events,places"}
    meta = search(harbor, "zoo", params)["meta"]
    assert meta["types"] == ["events", "places"]
    assert meta["applied_filters"]["by_type"] == {
        "events": {"from": "2026-09-01", "to": "2026-10-01", "min_confidence": 0.2},
        "places": {"from": None, "to": None, "min_confidence": 0.2},
    }


def test_in_sync_mode_there_is_no_window(harbor: Release) -> None:
    meta = search(harbor, "zoo", {"changed_since": "2026-01-01T00:00:00Z"})["meta"]
    assert [(filters["from"], filters["to"]) for filters in meta["applied_filters"]["by_type"].values()] == [
        (None, None)
    ] * 4


@pytest.fixture(scope="module")
def broad(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Publish 1,001 listings, of which 1,000 match by name."""
    named = name_places(*["Zoo"] * 1000)
    return open_listings(
        tmp_path_factory.mktemp("broad"), *named, documents.make_place(make_uuid(5000), name="Farm and zoo")
    )


def test_counts_are_exact_up_to_1000(broad: Release) -> None:
    meta = search(broad, "farm", {"limit": "1"})["meta"]
    assert (meta["count_estimate"], meta["capped"]) == (1, False)
    meta = search(broad, "zoo farm", {"limit": "1"})["meta"]
    assert meta["match_counts"] == {"all_terms": 1, "related": 0, "partial": 1000}
    assert search(broad, "zoo farm", {"limit": "1", "match": "partial"})["meta"]["count_estimate"] == 1000


def test_counts_stop_at_1000_and_paging_goes_on_beyond(broad: Release) -> None:
    meta = search(broad, "zoo", {"limit": "1"})["meta"]
    assert (meta["count_estimate"], meta["capped"]) == (1000, True)
    assert meta["match_counts"] == {"all_terms": 1000, "related": 0, "partial": 0}
    ids = [item["id"] for page in follow_pages(broad, "zoo", {"limit": "50", "sort": "newest"}) for item in page]
    assert len(ids) == len({*ids}) == 1001


def test_the_same_search_however_it_is_written_is_one_answer(harbor: Release) -> None:
    written = [
        b"q=zoo&types=places,events&limit=20", b"limit=20&types=events&types=places&q=zoo",
        b"q=%7a%6f%6f&types=places,events",
        b"q=zoo&types=events,places&sort=relevance&match=related,all_terms",
    ]  # fmt: skip
    match = match_route(PATH)
    assert match is not None
    texts = {parse_query(match, text, vocabulary=Vocabulary()).text for text in written}
    assert len(texts) == 1


def test_the_etag_is_of_the_request_and_the_snapshot(harbor: Release) -> None:
    one, same, other = (
        ask(harbor, PATH, params) for params in ({"q": "zoo"}, {"q": "zoo", "limit": "20"}, {"q": "zoos"})
    )
    assert one.etag == same.etag != other.etag
    assert one.etag.startswith('W/"')
    assert one.max_age == 60
    assert parse(PATH, {"q": "zoo", **EVERY}).text != parse(PATH, {"q": "zoo"}).text
