"""Words with a role, misspelled: `match=auto` reads them as those that are meant."""

from pathlib import Path

import pytest

from outings.release.snapshot import Release
from tests.answers.search.searching import find, name_places, open_listings, search

AUTO = {"match": "auto"}
NAMES = ["Dance", "Piano for kids", "Piano", "Art", "Swim lessons", "Kite Day"]


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    listings = name_places(*NAMES)
    listings[3]["description"] = "Clases de arte."
    return open_listings(tmp_path_factory.mktemp("harbor"), *listings)


@pytest.mark.parametrize(
    ("q", "meant"),
    [
        ("dance clases", "dance classes"),
        ("swim lesons", "swim lessons"),
        ("swim lesosn", "swim lessons"),
        ("dance clas for art", "dance class for art"),
        ("art workshp", "art workshop"),
        ("kdis piano", "kids piano"),
        ("piano for kidds", "piano for kids"),
        ("saterday dance", "saturday dance"),
        ("tommorow dance", "tomorrow dance"),
        ("todler dance", "toddler dance"),
        ("preschol dance", "preschool dance"),
    ],
)
def test_a_misspelled_kind_time_age_or_child_is_what_it_stands_for(harbor: Release, q: str, meant: str) -> None:
    misspelled, spelled = (search(harbor, each, AUTO) for each in (q, meant))
    for member in ("name", "match", "score"):
        assert [item[member] for item in misspelled["data"]] == [item[member] for item in spelled["data"]]
    assert misspelled["meta"]["match_counts"] == spelled["meta"]["match_counts"]


def test_meta_shows_it_as_written(harbor: Release) -> None:
    assert search(harbor, "Kdis piano", AUTO)["meta"]["ignored_words"] == ["Kdis"]
    assert search(harbor, "saterday dance", AUTO)["meta"]["ignored_words"] == ["saterday"]
    assert search(harbor, "dance, Todlers!", AUTO)["meta"]["interpreted"]["age"]["from"] == "Todlers"


@pytest.mark.parametrize(
    "q",
    [
        # Short words with another letter are other words.
        "plane dance",
        "dance staff",
        # Nearer to a word of a name.
        "kits dance",
        # Nothing would be left to look for.
        "workshp",
    ],
)
def test_what_may_be_another_word_stays_one(harbor: Release, q: str) -> None:
    meta = search(harbor, q, AUTO)["meta"]
    assert meta["ignored_words"] == []
    assert meta["match_counts"]["all_terms"] == 0


def test_a_word_of_a_name_was_meant(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_places("Dance", "Clases de dance"))
    assert find(release, "dance clases", AUTO) == {"Clases de dance": "all_terms", "Dance": "partial"}


def test_by_default_it_is_a_word(harbor: Release) -> None:
    assert find(harbor, "saterday dance", {"match": "all_terms"}) == {}
