"""Categories and keywords for several things: which of them a listing is, its description says."""

from pathlib import Path

import polars as pl
import pytest

from outings.answers.search.postings import CATEGORY, SHELF, make_postings
from outings.release.snapshot import Release
from outings.release.tables import FIELDS
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import open_listings, score

# Name → description. All are in one category.
LISTINGS = {"Ballet": "Dancing to music.", "Ukulele": "Four strings and a song.", "Drums": None}


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_shelf(tmp_path_factory.mktemp("harbor"))


def open_shelf(folder: Path) -> Release:
    listings = [
        documents.make_place(make_uuid(number), name=name, categories=["dance_gymnastics"], description=text)
        for number, (name, text) in enumerate(LISTINGS.items(), 1)
    ]
    return open_listings(folder, *listings)


def test_what_only_a_shelf_for_several_things_says_counts_little_more_than_what_is_mentioned(harbor: Release) -> None:
    """This holds for every form of the word. A listing without a description has no better member to say it in."""
    scores = score(harbor, "dance", {"match": "auto"})
    assert scores == {"Ballet": 0.8, "Drums": 0.8, "Ukulele": 0.55}


@pytest.mark.parametrize(
    ("keywords", "place"),
    [("performing arts and dance", SHELF), ("dance", CATEGORY), ("dance classes arts and crafts", CATEGORY)],
)
def test_a_keyword_is_for_several_things_where_an_and_is_beside_the_word(keywords: str, place: int) -> None:
    assert find_place("dance", keywords=keywords, description="strings") == place


def test_a_keyword_that_says_where_a_listing_is_is_no_shelf() -> None:
    """`Rockaway Beach & Boardwalk`, by its place or its address. Of a category that says nothing."""
    keywords = "rockaway beach and boardwalk"
    for field in ("place", "location"):
        assert find_place("beach", keywords=keywords, description="strings", **{field: "59 rockaway beach"}) == CATEGORY
        assert find_place("beach", category="beach sports", description="strings", **{field: "59 beach"}) == SHELF
    assert find_place("beach", keywords=keywords, description="strings", location="5 main street") == SHELF


def find_place(word: str, **texts: str) -> int:
    """The best that a word has in a listing of these texts, as the index has them."""
    rows = [
        (word, 0, FIELDS.index(field), position)
        for field, text in texts.items()
        for position, word in enumerate(text.split())
    ]
    terms = pl.DataFrame(sorted(rows), schema=("word", "row", "field", "position"), orient="row")
    words = terms["word"].unique().sort().to_list()
    place: int = make_postings(terms, stems="english")["place"][words.index(word)]
    return place
