"""A last word that no listing has is the beginning of one, and the answer says so."""

from pathlib import Path
from string import ascii_lowercase

import pytest

from outings.answers.search.index import open_search
from outings.answers.snapshot.reader import open_snapshot
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import Document, find, name_places, open_listings, score, search

NAMES = (
    "Youth pottery", "Potters of today", "Swimming", "After school club", "Homeschool gym", "Fall walks", "Scherzo",
)  # fmt: skip


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    places = [documents.make_place(make_uuid(number), name=name) for number, name in enumerate(NAMES, 1)]
    clay = documents.make_place(make_uuid(50), name="Clay", description="Some pottery, and a schedule.")
    return open_listings(tmp_path_factory.mktemp("harbor"), *places, clay)


def read_beginning(body: Document) -> object:
    return body["meta"]["interpreted"]["beginning"]


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("potte", {"Youth pottery", "Potters of today", "Clay"}),
        ("swimmi", {"Swimming"}),
        ("homesch", {"Homeschool gym"}),
        ("scho", {"After school club"}),
        ("sch", {"After school club", "Clay", "Scherzo"}),
    ],
)
def test_a_last_word_that_nothing_has_finds_what_begins_so(harbor: Release, q: str, names: set[str]) -> None:
    assert find(harbor, q).keys() == names
    assert read_beginning(search(harbor, q)) == q


def test_the_words_before_it_are_whole(harbor: Release) -> None:
    assert find(harbor, "after sch", {"match": "all_terms"}) == {"After school club": "all_terms"}
    body = search(harbor, "potte club")
    assert read_beginning(body) is None
    assert "Youth pottery" not in {item["name"] for item in body["data"]}


def test_a_beginning_scores_less_than_the_word(harbor: Release) -> None:
    assert score(harbor, "swimmi")["Swimming"] == 0.85 * score(harbor, "swimming")["Swimming"]
    assert score(harbor, "homesch gym")["Homeschool gym"] < score(harbor, "homeschool gym")["Homeschool gym"]


@pytest.mark.parametrize("q", ["swim", "swims", "school", "pottery", "fall", "gym", "storytime", "zebra", "club"])
def test_a_word_that_a_listing_has_or_that_begins_none_is_no_beginning(harbor: Release, q: str) -> None:
    assert read_beginning(search(harbor, q)) is None


@pytest.mark.parametrize("q", [*ascii_lowercase, "sc", "s w", "5", "sch00", "20", "sch 5"])
def test_one_letter_or_two_and_numbers_begin_nothing(harbor: Release, q: str) -> None:
    assert read_beginning(search(harbor, f"gym {q}")) is None


@pytest.fixture(scope="module")
def courts(tmp_path_factory: pytest.TempPathFactory) -> Release:
    text = "Serves, the volley, and an exhibit of museums."
    tennis = documents.make_place(make_uuid(1), name="Tennis", description=text)
    others = [documents.make_place(make_uuid(2), name="Volleyball"), documents.make_place(make_uuid(3), name="Fair")]
    return open_listings(tmp_path_factory.mktemp("courts"), tennis, *others)


def test_in_auto_what_one_does_was_meant_and_no_name_that_begins_so(tmp_path: Path) -> None:
    names = ("Clintonville basketball", "Basketball clinic", "Springfield playground", "Playground spray shower")
    release = open_listings(tmp_path, *name_places(*names))
    assert find(release, "basketball cli", {"match": "auto"}) == {
        "Basketball clinic": "all_terms", "Clintonville basketball": "partial",
    }  # fmt: skip
    assert next(iter(find(release, "playground sprin", {"match": "auto"}).items())) == (
        "Playground spray shower",
        "related",
    )
    # Nothing that one does begins so, and by default all words are alike.
    assert find(release, "basketball clin", {"match": "auto"})["Basketball clinic"] == "all_terms"
    assert find(release, "playground springf", {"match": "auto"})["Springfield playground"] == "all_terms"
    assert find(release, "basketball cli")["Clintonville basketball"] == "all_terms"


def test_in_auto_a_word_that_names_have_only_longer_is_its_beginning_too(courts: Release) -> None:
    assert find(courts, "volley", {"match": "auto"}) == {"Volleyball": "all_terms", "Tennis": "all_terms"}
    assert read_beginning(search(courts, "volley", {"match": "auto"})) == "volley"
    assert find(courts, "volley") == {"Tennis": "all_terms"}


@pytest.mark.parametrize("q", ["museums", "volleyball", "tennis", "serves", "voll"])
def test_in_auto_a_word_of_a_name_or_that_begins_none_is_whole(courts: Release, q: str) -> None:
    assert read_beginning(search(courts, q, {"match": "auto"})) == ("voll" if q == "voll" else None)


def test_it_is_said_as_written(harbor: Release) -> None:
    assert read_beginning(search(harbor, "youth PÖTTE!")) == "PÖTTE"


@pytest.mark.parametrize(
    ("q", "finished"), [("gym les", "gym lessons"), ("gym satur", "gym saturday"), ("gym famili", "gym families")]
)
def test_what_becomes_a_word_that_decides_nothing_decides_nothing(harbor: Release, q: str, finished: str) -> None:
    body = search(harbor, q)
    assert [item["id"] for item in body["data"]] == [item["id"] for item in search(harbor, finished)["data"]]
    assert read_beginning(body) == q.split()[-1]


def test_a_word_that_only_narrows_is_dropped_beside_a_beginning(harbor: Release) -> None:
    body = search(harbor, "private homesch", {"match": "auto"})
    assert [item["name"] for item in body["data"] if item["match"] == "all_terms"] == ["Homeschool gym"]
    assert (body["meta"]["relaxed"], read_beginning(body)) == (["private"], "homesch")


def test_alone_it_is_no_kind(harbor: Release) -> None:
    body = search(harbor, "les")
    assert (body["data"], read_beginning(body)) == ([], None)


def test_a_text_around_it_is_the_snippet(harbor: Release) -> None:
    assert next(item["snippet"] for item in search(harbor, "potte")["data"] if item["name"] == "Clay")


def test_what_begins_so_is_one_run_of_the_index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """However many words there are, a beginning is one look-up and one pass over what has them."""
    places = [documents.make_place(make_uuid(number), name=f"zoo {write_letters(number)}") for number in range(1, 500)]
    release = open_listings(tmp_path_factory.mktemp("many"), *places)
    assert len(open_snapshot(release.metros["harbor"]).open_index(open_search).list_begun("bbc")) == 10
    assert search(release, "zoo bbc")["meta"]["match_counts"] == {"all_terms": 10, "related": 0, "partial": 489}


def write_letters(number: int) -> str:
    return "".join("bcdfghjklm"[int(digit)] for digit in f"{number:04}")
