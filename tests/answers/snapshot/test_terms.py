"""`q`: what matches, by cases, and against a reader that knows no index."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.answers.snapshot.reader import TableContext
from outings.answers.snapshot.terms import PLACES, Terms
from outings.answers.snapshot.terms import WORDS as INDEX_WORDS
from outings.contract.languages.language import read_shipped_language
from outings.contract.text import SearchTerm, parse_text, split_words
from outings.release.cache import MappedFile
from outings.release.tables import FIELDS, TERMS, make_schema
from tests.answers.worlds import TODAY

Listing = dict[str, str]

CONTEXT = TableContext(today=TODAY, language=read_shipped_language("en"))


def index(listings: Sequence[Listing], folder: Path) -> Terms:
    rows = [
        (word, row, FIELDS.index(field), position)
        for row, listing in enumerate(listings)
        for field, text in listing.items()
        for position, word in enumerate(split_words(text))
    ]
    path = folder / "terms.parquet"
    pl.DataFrame(sorted(rows), schema=make_schema(TERMS), orient="row").write_parquet(path)
    words, places = (entry.make_again({"terms": MappedFile(path)}, CONTEXT) for entry in (INDEX_WORDS, PLACES))
    return Terms(words, places=places["places"], language=CONTEXT.language)


def find(listings: Sequence[Listing], text: str, folder: Path) -> list[int]:
    query = parse_text(text)
    assert query is not None
    return [int(row) for row in index(listings, folder).find_rows(query, size=len(listings))]


CASES = [
    pytest.param("swim", "Open Swim", True, id="a word"),
    pytest.param("SWIM", "open swim", True, id="any case"),
    pytest.param("cafe", "Café for babies", True, id="without accents"),
    pytest.param("swim pool", "Open Swim", False, id="every word must match"),
    pytest.param("swim", "Swimming lessons", True, id="a word's form"),
    pytest.param("childrens museum", "Children's Museum", True, id="an apostrophe joins"),
    pytest.param("mom & me", "Mom and Me", True, id="an ampersand is and"),
    pytest.param("drop-in", "Drop In Gym", True, id="a hyphen parts"),
    pytest.param("drop in", "Drop-In Gym", True, id="and is not needed"),
    pytest.param("dropin", "Drop-In Gym", True, id="written as one"),
    pytest.param("story time", "Storytime for toddlers", True, id="written as two"),
    pytest.param("storytime", "Story time for toddlers", True, id="two written as one"),
    pytest.param("storytime", "A story of our time", False, id="two that stand apart"),
    pytest.param("musum", "Museum", True, id="one typo in five letters"),
    pytest.param("musm", "Museum", False, id="two typos in a short word"),
    pytest.param("swin", "Swim", False, id="no typo in four letters"),
    pytest.param("basektbal", "Basketball", True, id="two typos in nine letters"),
    pytest.param("nuseum", "Museum", False, id="never in the first letter"),
    pytest.param("museum2", "Museum3", False, id="never in a digit"),
    pytest.param("2026", "Summer 2025", False, id="a number is exact"),
    pytest.param('"tai chi"', "Morning Tai Chi", True, id="a phrase"),
    pytest.param('"chi tai"', "Morning Tai Chi", False, id="a phrase keeps its order"),
    pytest.param('"museun"', "Museum", False, id="a phrase is as written"),
    pytest.param("swim -lessons", "Swim lessons", False, id="a leading minus"),
    pytest.param("swim -lessons", "Open swim", True, id="what it does not leave out"),
    pytest.param('-"open swim"', "Open swim", False, id="a minus before a phrase"),
    pytest.param('-"open swim"', "Swim, open to all", True, id="a phrase that is not there"),
    pytest.param("yoga OR pilates", "Pilates", True, id="either"),
    pytest.param("gym yoga OR pilates", "Pilates", False, id="either, and the rest"),
    pytest.param("yoga or pilates", "Pilates", True, id="either, in small letters"),
    pytest.param('yoga "or" pilates', "Pilates", False, id="a quoted or is a word"),
    pytest.param("the storytime", "Storytime", True, id="a filler beside other words"),
    pytest.param('"the" storytime', "Storytime", False, id="a quoted filler is a word"),
    pytest.param("the or storytime", "Storytime", True, id="a filler is no alternative"),
    pytest.param("things-to-do pottery", "Pottery", True, id="several fillers joined by signs"),
    pytest.param("in doors", "Indoors", True, id="a filler that is a part of a word"),
    pytest.param("storytime -the", "The Storytime", False, id="a filler is left out all the same"),
    pytest.param("the", "The Storytime", True, id="a filler alone is a word"),
    pytest.param("the", "Storytime", False, id="and has to be there"),
]


@pytest.mark.parametrize(("text", "name", "matches"), CASES)
def test_q_matches_a_name(text: str, name: str, matches: bool, tmp_path: Path) -> None:
    assert find([{"name": name}], text, tmp_path) == ([0] if matches else [])


def test_words_may_be_in_any_part_of_the_text(tmp_path: Path) -> None:
    listings = [
        {"name": "Open Gym", "organization": "Parks"},
        {"name": "Open Gym", "place": "Parks Hall"},
        {"name": "Gym", "description": "Open", "keywords": "parks"},
        {"name": "Open Gym"},
    ]
    assert find(listings, "open parks", tmp_path) == [0, 1, 2]


def test_a_phrase_does_not_run_from_one_part_into_the_next(tmp_path: Path) -> None:
    listings = [{"name": "Open", "description": "Gym"}, {"name": "Open Gym"}]
    assert find(listings, '"open gym"', tmp_path) == [1]


@pytest.mark.parametrize("text", ["", "   ", "-", '""', "!?", "- -"])
def test_a_text_without_words_asks_nothing(text: str) -> None:
    assert parse_text(text) is None


def test_an_open_quote_is_closed_by_the_end() -> None:
    query = parse_text('yoga "tai chi')
    assert query is not None
    assert query.required == ((SearchTerm(("yoga",)),), (SearchTerm(("tai", "chi"), quoted=True),))


# Words that are their own stems, so that the plain reader below needs no stemmer.
WORDS = st.sampled_from(
    ["gym", "swan", "piano", "paino", "robot", "rabbot", "museum", "chocolate", "chocalate", "7", "71"]
)


def measure_typos(one: str, other: str) -> int:
    """Optimal string alignment by the book: insertions, deletions, changes, swaps of neighbours."""
    table = [[max(i, j) if 0 in (i, j) else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i, a in enumerate(one, start=1):
        for j, b in enumerate(other, start=1):
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def means(typed: str, word: str) -> bool:
    allowed = 2 if len(typed) >= 9 else 1 if len(typed) >= 5 else 0
    if typed.isdigit() or word.isdigit() or typed[0] != word[0]:
        return typed == word
    return measure_typos(typed, word) <= allowed


@given(
    texts=st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=6),
    wanted=st.lists(WORDS, min_size=1, max_size=3),
    excluded=st.lists(WORDS, max_size=1),
)
def test_q_finds_what_a_plain_reader_finds(
    texts: list[list[str]], wanted: list[str], excluded: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    expected = [
        row
        for row, words in enumerate(texts)
        if all(any(means(value, word) for word in words) for value in wanted)
        and not any(word in words for word in excluded)
    ]
    text = " ".join([*wanted, *(f"-{word}" for word in excluded)])
    listings = [{"name": " ".join(words)} for words in texts]
    assert find(listings, text, tmp_path_factory.mktemp("terms")) == expected
