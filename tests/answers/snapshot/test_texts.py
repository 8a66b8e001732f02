"""Texts that a typo or two lead to, against a search that compares with each text."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from outings.answers.snapshot.texts import LETTERS_FOR_TYPOS, SimilarTexts, make_shortenings, make_texts
from outings.release.mapped_table import MappedTable, encode_mapped

# Few letters, so that many are near; some longer than what letters less are listed of.
TEXTS = st.text("abü", min_size=1, max_size=12) | st.text("ab", min_size=17, max_size=24) | st.just("abab1bababa")


def find_near(word: str, texts: pl.Series) -> dict[int, int]:
    allowed = sum(len(word) >= letters for letters in LETTERS_FOR_TYPOS)
    return {
        number: typos
        for number, text in enumerate(texts)
        if word.isalpha()
        and text.isalpha()
        and text[0] == word[0]
        and 0 < (typos := OSA.distance(word, text)) <= allowed
    }


@given(texts=st.lists(TEXTS, min_size=1, max_size=30, unique=True), word=TEXTS)
def test_what_typos_lead_to_is_near_and_begins_alike(texts: list[str], word: str) -> None:
    column = pl.Series("text", sorted(texts, key=str.encode))
    known, shorter = pl.DataFrame(make_texts(column)), make_shortenings(column)
    table, shortenings = (MappedTable(encode_mapped(value)) for value in (known, shorter))
    assert dict(SimilarTexts(table, "text", shortenings=shortenings).find_typos(word)) == find_near(word, column)
