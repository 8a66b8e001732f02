"""Ages in a query filter, and raise listings that cover them."""

from pathlib import Path
from typing import Any

import pytest

from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import Document, find, name_places, open_listings, score, search

# Name → the ages that it states.
AGES: dict[str, tuple[int | None, int | None]] = {
    "Art 0-1": (0, 1), "Art 1-3": (1, 3), "Art 2-4": (2, 4), "Art 3-5": (3, 5), "Art 5-8": (5, 8), "Art 6+": (6, None),
    "Art to 12": (None, 12), "Art 13-18": (13, 18), "Art of no age": (None, None), "Art 0-99": (0, 99),
}  # fmt: skip


def make_place(number: int, name: str) -> Document:
    low, high = AGES[name]
    return documents.make_place(make_uuid(number), name=name, ages=documents.make_ages(min=low, max=high))


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    places = [make_place(number, name) for number, name in enumerate(AGES, 1)]
    mentioned = documents.make_place(make_uuid(50), name="Ages mentioned", description="Fun, and art.")
    return open_listings(tmp_path_factory.mktemp("harbor"), *places, mentioned)


# The phrase → lowest and highest age.
PHRASES: list[tuple[str, int, int | None]] = [
    ("5 year olds", 5, 5), ("ages 3-5", 3, 5), ("toddlers", 1, 3), ("baby", 0, 1), ("teens", 13, 18),
    ("for my 18 month old", 1, 1), ("5-year-old", 5, 5), ("8+", 8, None),
]  # fmt: skip


def cover(name: str, low: int, high: int | None) -> bool:
    least, most = AGES[name]
    if least is most is None:
        return False
    return (least is None or least <= low) and (most is None or (high is not None and most >= high))


def meet(name: str, low: int, high: int | None) -> bool:
    least, most = AGES[name]
    return (most is None or most >= low) and (least is None or high is None or least <= high)


@pytest.mark.parametrize(("phrase", "low", "high"), PHRASES)
def test_ages_that_cover_the_phrase_come_first_then_others_and_those_that_exclude_it_are_out(
    harbor: Release, phrase: str, low: int, high: int | None
) -> None:
    results = [name for name in find(harbor, f"art for {phrase}") if name in AGES]
    covering = [name for name in AGES if cover(name, low, high)]
    assert set(results) == {name for name in AGES if meet(name, low, high)}
    assert set(results[: len(covering)]) == set(covering)
    assert "Art of no age" in results[len(covering) :]


@pytest.mark.parametrize(("phrase", "low", "high"), PHRASES)
def test_the_age_is_echoed_with_its_words(harbor: Release, phrase: str, low: int, high: int | None) -> None:
    meta = search(harbor, f"art {phrase}")["meta"]
    age = meta["interpreted"]["age"]
    assert (age["min"], age["max"], age["overridden_by"]) == (low, high, None)
    assert age["from"] in phrase
    assert meta["ignored_words"] == []


def test_without_an_age_nothing_is_interpreted(harbor: Release) -> None:
    assert search(harbor, "art")["meta"]["interpreted"] == {"age": None, "filters": [], "beginning": None}


def test_the_phrase_is_no_word_and_changes_no_score(harbor: Release) -> None:
    plain, aged = score(harbor, "art"), score(harbor, "art 5 year olds")
    assert aged == {name: plain[name] for name in aged}


def test_a_level_is_above_ages(harbor: Release) -> None:
    """One with both words and of no stated age, before those that cover it and have one word."""
    results = find(harbor, "art mentioned, 5 year olds")
    assert next(iter(results.items())) == ("Ages mentioned", "all_terms")
    assert {*results.values()} == {"all_terms", "partial"}


@pytest.mark.parametrize(
    "params", [{"age": "2"}, {"audience": "all"}, {"audience": "families"}, {"age": "2", "audience": "all"}]
)
def test_an_explicit_age_or_audience_wins_and_is_named(harbor: Release, params: dict[str, str]) -> None:
    body = search(harbor, "art 5 year olds", params)
    assert body["data"] == search(harbor, "art", params)["data"]
    age = body["meta"]["interpreted"]["age"]
    assert (age["min"], age["max"]) == (5, 5)
    assert age["overridden_by"] in params
    assert age["overridden_by"] == "age" or "age" not in params


def test_an_explicit_age_filters_as_in_every_list(harbor: Release) -> None:
    names = {"Art 1-3", "Art 2-4", "Art to 12", "Art of no age", "Art 0-99", "Ages mentioned"}
    assert find(harbor, "art", {"age": "2"}).keys() == names


def test_a_query_of_only_an_age_finds_every_listing_that_fits(harbor: Release) -> None:
    body = search(harbor, "2 year olds")
    shown = {item["name"] for item in body["data"]}
    assert shown == {"Ages mentioned", *(name for name in AGES if meet(name, 2, 2))}
    assert {item["match"] for item in body["data"]} == {"all_terms"}
    assert body["meta"]["match_counts"] == {"all_terms": len(shown), "related": 0, "partial": 0}


@pytest.mark.parametrize("q", ["things for toddlers", "toddler activities", "toddlers", "for my kids, ages 1 to 3"])
def test_fillers_kinds_and_audience_words_beside_an_age_decide_nothing(harbor: Release, q: str) -> None:
    assert find(harbor, q) == find(harbor, "ages 1-3")


def make_section(number: int, low: int, high: int) -> Document:
    return documents.make_section(make_uuid(number), ages={"min": low, "max": high, "text": None})


def test_of_a_class_one_section_must_fit(tmp_path_factory: pytest.TempPathFactory) -> None:
    def make_class(number: int, name: str, **members: Any) -> Document:
        return documents.make_class(make_uuid(number), name=name, **members)

    release = open_listings(
        tmp_path_factory.mktemp("classes"),
        make_class(1, "Art A", sections=[make_section(11, 2, 3), make_section(12, 8, 9)]),
        make_class(2, "Art B", sections=[make_section(21, 4, 6)]),
        make_class(3, "Art C", ages=documents.make_ages(min=8, max=9)),
        make_class(4, "Art D"),
    )
    assert find(release, "art 5 year olds").keys() == {"Art B", "Art D"}
    assert find(release, "art 8 year olds").keys() == {"Art A", "Art C", "Art D"}


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Release:
    named = {
        "Ballet 1-2": (9, 12), "Ballet": (0, 3), "Pre-ballet 3-5": (3, 5), "Tap 3-5": (6, 8), "Jazz 4-6": (None, None),
        "Jazz": (4, 6), "Softball 12U": (10, 12), "Softball": (8, 10),
    }  # fmt: skip
    return open_listings(
        tmp_path_factory.mktemp("studio"),
        *(
            documents.make_place(make_uuid(number), name=name, ages=documents.make_ages(min=low, max=high))
            for number, (name, (low, high)) in enumerate(named.items(), 1)
        ),
    )


def test_with_an_age_alone_what_names_the_age_and_the_time_comes_first(tmp_path: Path) -> None:
    names = ("Swim", "Teen room", "Art", "Teen night")
    release = open_listings(tmp_path, *name_places(*names))
    body = search(release, "friday night teens")
    assert body["meta"]["interpreted"]["age"]["min"] == 13
    assert [item["name"] for item in body["data"]] == ["Teen night", "Teen room", "Swim", "Art"]
    assert [item["score"] for item in body["data"]] == [0.983, 0.967, 0.95, 0.95]
    assert [item["score"] for item in search(release, "13 year olds")["data"]] == [1.0] * 4


def test_a_school_is_a_word_where_a_listing_has_it_with_the_others_and_by_default(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_places("Preschool judo", "Judo"))
    for q, params in (("preschool judo", {"match": "auto"}), ("kindergarten judo", {})):
        assert search(release, q, params)["meta"]["interpreted"]["age"] is None
    assert next(iter(find(release, "preschool judo", {"match": "auto"}))) == "Preschool judo"


def test_in_auto_seven_and_up_is_asked_for_who_is_seven(tmp_path: Path) -> None:
    listings = [documents.make_class(make_uuid(number), name=f"Clay {number}") for number in range(1, 5)]
    stated = ({"min": 18}, {"min": 8, "max": 9}, {"min": 7, "max": 11}, {"min": 5})
    for listing, ages in zip(listings, stated, strict=True):
        listing["ages"] = documents.make_ages(**ages)
    release = open_listings(tmp_path, *listings)
    for q in ("clay 7+", "clay 7 and up"):
        assert list(find(release, q, {"match": "auto"})) == ["Clay 3", "Clay 4", "Clay 1", "Clay 2"]
        assert list(find(release, q)) == ["Clay 4", "Clay 1", "Clay 2", "Clay 3"]


@pytest.mark.parametrize(
    ("q", "first"),
    [
        ("clay teens", ["Clay 12-17", "Clay 13-18"]),
        ("clay ages 3-5", ["Clay 2-4", "Clay 3-5"]),
        ("clay for a 3 and 5 year old", ["Clay 3-5"]),
        ("clay ages 2-3", ["Clay 2-4"]),
    ],
)
def test_in_auto_what_covers_more_than_half_of_the_years_fits_an_age_unless_several_children_come(
    tmp_path: Path, q: str, first: list[str]
) -> None:
    stated = [(16, 99), (2, 4), (3, 5), (12, 17), (13, 18), (5, 8)]
    listings = [documents.make_class(make_uuid(number), name="Clay") for number in range(1, len(stated) + 2)]
    for listing, (low, high) in zip(listings[1:], stated, strict=True):
        listing |= {"name": f"Clay {low}-{high}", "ages": documents.make_ages(min=low, max=high)}
    listings[0]["audience"] = "families"
    results = list(find(open_listings(tmp_path, *listings), q, {"match": "auto"}))
    assert sorted(results[: len(first)]) == first


def test_in_auto_what_only_mentions_a_subject_comes_behind_what_is_called_so_whatever_its_ages(tmp_path: Path) -> None:
    listings = [documents.make_class(make_uuid(number), name=name) for number, name in enumerate(["Archery", "Art"], 1)]
    listings[0] |= {"description": "The art of the bow.", "ages": documents.make_ages(min=12, max=18)}
    release = open_listings(tmp_path, *listings)
    assert list(find(release, "art for teens", {"match": "auto"})) == ["Art", "Archery"]
    assert list(find(release, "art for teens")) == ["Archery", "Art"]
