"""Cursors of searches: what they are bound to, and when they expire."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from outings.contract.cursor import Cursor, encode_cursor
from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers.asking import parse
from tests.answers.generated import TODAY
from tests.answers.search.searching import EVERY, PATH, follow_pages, name_places, open_listings, refuse, search
from tests.answers.worlds import STAMP, World, open_world

NAMES = [f"Zoo {number}" for number in range(7)]


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_listings(tmp_path_factory.mktemp("harbor"), *name_places(*NAMES))


def name_hash(release: Release) -> str:
    return release.metros["harbor"].hash


def begin(release: Release, params: dict[str, str] | None = None) -> str:
    cursor = search(release, "zoo", {"limit": "3", **(params or {})})["meta"]["next_cursor"]
    assert isinstance(cursor, str)
    assert len(cursor) <= 2000
    return cursor


def test_paging_gives_each_result_once_and_ends(harbor: Release) -> None:
    pages = follow_pages(harbor, "zoo", {"limit": "3"})
    assert [[item["name"] for item in page] for page in pages] == [NAMES[:3], NAMES[3:6], NAMES[6:]]
    assert [len(page) for page in follow_pages(harbor, "zoo", {"limit": "7"})] == [7]


def test_meta_is_of_the_whole_set_on_every_page(harbor: Release) -> None:
    first = search(harbor, "zoo", {"limit": "3"})["meta"]
    second = search(harbor, "zoo", {"limit": "3", "cursor": first["next_cursor"]})["meta"]
    moving = ("count", "has_more", "next_cursor")
    assert {name: first[name] for name in first if name not in moving} == {
        name: second[name] for name in second if name not in moving
    }
    assert (first["count_estimate"], first["match_counts"]["all_terms"]) == (7, 7)


OTHERS = [
    {"sort": "newest"}, {"limit": "4"}, {"match": "all_terms"}, {"age": "3"}, {"types": "places"}, {"audience": "all"},
    {"min_confidence": "0.5"}, {"neighborhood": "old town"},
]  # fmt: skip


@pytest.mark.parametrize("other", OTHERS, ids=["&".join(other) for other in OTHERS])
def test_a_cursor_is_bound_to_its_order_and_all_else(harbor: Release, other: dict[str, str]) -> None:
    error = refuse(harbor, "zoo", {"limit": "3", **other, "cursor": begin(harbor)})
    assert (error.status, error.code, error.details["reason"]) == (400, "bad_request", "cursor_mismatch")


def test_a_cursor_is_bound_to_its_words(harbor: Release) -> None:
    assert refuse(harbor, "zoos", {"limit": "3", "cursor": begin(harbor)}).details["reason"] == "cursor_mismatch"


def test_defaults_that_are_no_filters_may_be_written_out(harbor: Release) -> None:
    given = search(harbor, "zoo", {"limit": "3", "cursor": begin(harbor), "sort": "relevance"})
    assert [item["name"] for item in given["data"]] == NAMES[3:6]


def test_a_cursor_whose_snapshot_is_gone_has_expired(harbor: Release, tmp_path: Path) -> None:
    world = World(listings=name_places(*NAMES))
    newer = open_world(world, tmp_path / "newer", stamp=STAMP + timedelta(hours=1))
    then = replace(harbor, metros={"harbor": newer})
    error = refuse(then, "zoo", {"limit": "3", "cursor": begin(harbor)})
    assert (error.status, error.code, error.details["reason"]) == (400, "bad_request", "cursor_expired")
    assert error.details["param"] == "cursor"


def test_a_cursor_goes_on_in_the_same_snapshot_of_another_release(harbor: Release) -> None:
    later = replace(harbor, id="2-00000000", sequence=2)
    given = search(later, "zoo", {"limit": "3", "cursor": begin(harbor)})
    assert [item["name"] for item in given["data"]] == NAMES[3:6]


def test_a_cursor_of_another_ranking_has_expired(harbor: Release) -> None:
    query = parse(PATH, {"q": "zoo", **EVERY, "limit": "3", "cursor": begin(harbor)})
    assert query.cursor is not None
    ranking, *rest = query.cursor.position
    assert ranking == search(harbor, "zoo")["meta"]["ranking"] == "lexical"
    other = encode_cursor(
        replace(query.cursor, position=("hybrid", *rest)), query.unpaged_text, snapshot=name_hash(harbor)
    )
    assert refuse(harbor, "zoo", {"limit": "3", "cursor": other}).details["reason"] == "cursor_expired"


POSITIONS: list[tuple[str | int | None, ...]] = [
    (), (3,), ("lexical",), ("lexical", "3"), ("lexical", None), ("lexical", -1), ("lexical", 0), (3, "lexical"),
    ("lexical", 3, 3), (None, 3), ("lexical", 1 << 40), ("lexical", True),
]  # fmt: skip


@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_a_cursor_of_any_other_shape_is_malformed(harbor: Release, position: tuple[str | int | None, ...]) -> None:
    params = {"q": "zoo", **EVERY, "limit": "3"}
    query = parse(PATH, {**params, "cursor": begin(harbor)})
    assert query.cursor is not None
    cursor = encode_cursor(
        Cursor(route="search", release=query.cursor.release, date=TODAY, position=position), query.unpaged_text,
        snapshot=name_hash(harbor),
    )  # fmt: skip
    error = refuse(harbor, "zoo", {"limit": "3", "cursor": cursor})
    assert (error.status, error.details["reason"]) == (400, "cursor_malformed")


def test_a_position_past_the_end_is_an_empty_page(harbor: Release) -> None:
    query = parse(PATH, {"q": "zoo", **EVERY, "limit": "3", "cursor": begin(harbor)})
    assert query.cursor is not None
    cursor = encode_cursor(
        replace(query.cursor, position=("lexical", 700)), query.unpaged_text, snapshot=name_hash(harbor)
    )
    body = search(harbor, "zoo", {"limit": "3", "cursor": cursor})
    assert (body["data"], body["meta"]["has_more"], body["meta"]["next_cursor"]) == ([], False, None)


@pytest.mark.parametrize("text", ["x", "AAAA", "zoo:20", "3", "e30", "a" * 2000])
def test_what_is_no_cursor_is_malformed(harbor: Release, text: str) -> None:
    assert refuse(harbor, "zoo", {"cursor": text}).details["reason"] == "cursor_malformed"


def test_a_cursor_of_more_than_2000_characters_is_refused(harbor: Release) -> None:
    assert refuse(harbor, "zoo", {"cursor": "a" * 2001}).status == 400


def test_a_cursor_of_a_list_is_none_of_a_search(harbor: Release) -> None:
    query = parse(PATH, {"q": "zoo", **EVERY, "limit": "3"})
    cursor = Cursor(route="places.list", release="2026-07-01T12:00:00Z", date=TODAY, position=("zoo 3", "id"))
    error = refuse(
        harbor,
        "zoo",
        {"limit": "3", "cursor": encode_cursor(cursor, query.unpaged_text, snapshot=name_hash(harbor))},
    )
    assert error.details["reason"] == "cursor_malformed"


def test_a_cut_or_changed_cursor_is_malformed(harbor: Release) -> None:
    cursor = begin(harbor)
    for other in (cursor[:-1], cursor[1:], cursor + "A", cursor[:20] + "A" + cursor[21:]):
        if other != cursor:
            assert refuse(harbor, "zoo", {"limit": "3", "cursor": other}).details["reason"] == "cursor_malformed"


def test_a_cursor_is_bound_to_its_metro(harbor: Release) -> None:
    with pytest.raises(ApiError) as refused:
        parse("/v1/hills/search", {"q": "zoo", **EVERY, "limit": "3", "cursor": begin(harbor)})
    assert refused.value.details["reason"] == "cursor_mismatch"
