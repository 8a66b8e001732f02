"""Words that mean about the same: from a table that a snapshot carries."""

import pytest
from msgspec.structs import replace

from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import find, name_places, open_listings, score, search

FAR = "It is near the water, and there is room for everyone who comes by with a friend or two. " * 12
# Name → description.
LISTINGS = {
    "Pottery": None, "Ceramics": None, "The wheel": "Ceramics for all.", "Far into it": FAR + "Ceramics.",
    "Baking": None, "Cooking": None, "Ceramics and swim": None, "Swim and pottery": None, "Sailing": None,
}  # fmt: skip


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Publish listings with the related words that come with the program."""
    places = [
        documents.make_place(make_uuid(number), name=name, description=text)
        for number, (name, text) in enumerate(LISTINGS.items(), 1)
    ]
    return open_listings(tmp_path_factory.mktemp("harbor"), *places)


def test_a_listing_that_has_only_related_words_is_related(harbor: Release) -> None:
    results = find(harbor, "pottery")
    assert results.pop("Far into it") in ("partial", "related")
    assert results == {
        "Pottery": "all_terms", "Swim and pottery": "all_terms", "Ceramics": "related",
        "Ceramics and swim": "related", "The wheel": "related",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("q", "first", "second"),
    [("baking", "Baking", "Cooking"), ("cook", "Cooking", "Baking"), ("ceramics", "Ceramics", "Pottery")],
)
def test_all_terms_come_before_related_whichever_was_asked_for(
    harbor: Release, q: str, first: str, second: str
) -> None:
    results = find(harbor, q)
    assert (results[first], results[second]) == ("all_terms", "related")
    assert list(results).index(first) < list(results).index(second)


def test_one_related_word_beside_others_makes_it_related(harbor: Release) -> None:
    results = find(harbor, "swim pottery")
    assert (results["Swim and pottery"], results["Ceramics and swim"]) == ("all_terms", "related")
    assert results["Pottery"] == results["Ceramics"] == "partial"


def test_a_related_word_in_passing_is_partial(harbor: Release) -> None:
    assert find(harbor, "pottery")["Far into it"] == "partial"


def test_related_is_shown_by_default_and_partial_is_not(harbor: Release) -> None:
    body = search(harbor, "pottery", {"match": "all_terms,related"})
    assert [item["match"] for item in body["data"]] == ["all_terms"] * 2 + ["related"] * 3
    assert body["meta"]["match_counts"] == {"all_terms": 2, "related": 3, "partial": 1}


def test_a_related_word_has_less_score_in_the_same_place(harbor: Release) -> None:
    scores = score(harbor, "pottery")
    assert scores["Pottery"] > scores["Ceramics"] > scores["The wheel"] > 0


def test_relations_do_not_go_on_from_word_to_word(harbor: Release) -> None:
    own = replace(harbor.metros["harbor"], related=(("pottery", "baking"), ("baking", "sailing")), hash="f" * 64)
    results = find(replace(harbor, metros={"harbor": own}), "pottery")
    assert results == {"Pottery": "all_terms", "Swim and pottery": "all_terms", "Baking": "related"}


def test_an_operators_table_relates_phrases(harbor: Release) -> None:
    own = replace(harbor.metros["harbor"], related=(("mud pies", "ceramics"), ("sailing", "the wheel")), hash="e" * 64)
    release = replace(harbor, metros={"harbor": own})
    assert find(release, "mud pies")["Ceramics"] == "related"


PARK = ("Spray shower", "Ceramics", "Water color", "Yoga", "Read aloud")


@pytest.fixture(scope="module")
def park(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_listings(tmp_path_factory.mktemp("park"), *name_places(*PARK))


@pytest.mark.parametrize(
    ("q", "name"),
    [
        ("splashpad", "Spray shower"),
        ("splsh pad", "Spray shower"),
        ("storey time", "Read aloud"),
        ("spray grounds shower", "Spray shower"),
        ("potery", "Ceramics"),
        ("potte", "Ceramics"),
        ("pott", "Ceramics"),
        ("painting", "Water color"),
        ("paintng", "Water color"),
    ],
)
def test_in_auto_related_words_are_known_as_they_are_written(park: Release, q: str, name: str) -> None:
    assert name in find(park, q, {"match": "auto"})


@pytest.mark.parametrize("q", ["splashpad", "potery", "potte", "painting"])
def test_by_default_they_are_known_as_the_table_has_them(park: Release, q: str) -> None:
    assert find(park, q) == {}


@pytest.mark.parametrize("q", ["po", "yogs", "zottery", "yoga pott club"])
def test_two_letters_another_first_letters_typo_and_a_word_before_the_last_say_nothing(park: Release, q: str) -> None:
    assert "Ceramics" not in find(park, q, {"match": "auto"})
