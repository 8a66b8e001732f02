"""The audience of a query in `match=auto`: which listings are for it, and for its ages."""

from collections.abc import Sequence

import numpy as np

from outings.answers.search.filters import find_override
from outings.answers.search.index import SearchIndex
from outings.answers.search.request import Search
from outings.answers.search.understanding.query import Age
from outings.answers.search.understanding.words import mark_narrow
from outings.answers.search.word_matches import Mask, Numbers
from outings.contract.text import split_words
from outings.contract.vocabulary import AUDIENCES
from outings.release.mapped_table import NOT_STATED

# The age from which on a search is for teens.
_TEEN = 13
# The age from which on a search is for adults.
_ADULT = 19
_FOR_CHILDREN = ("kids", "families")
_FOR_TEENS = ("teens", "families")
# The share of its score that a listing has left if …
_SOME_AGES = 0.8  # it covers a part of the ages
_NO_AGES = 0.72  # it states no ages
_OTHER_AGES = 0.5  # its text states other ages


def find_audiences(search: Search) -> Sequence[str]:
    """Return the audiences that a query in `auto` is for: by the age, else by a word for children; () for any, or if a
    parameter sets the age."""
    parsed, age = search.parsed, search.parsed.age
    if find_override(search.query):
        return ()
    if age is None:
        return () if search.words.children.isdisjoint(parsed.audience) else _FOR_CHILDREN
    return _FOR_CHILDREN if age.min < _TEEN else _FOR_TEENS if age.min < _ADULT else ()


def mark_other_audiences(rows: Numbers, index: SearchIndex, audiences: Sequence[str]) -> Mask:
    """Mark the rows that state no ages and are for another audience. Rows with ages are scored by their ages."""
    is_wanted = np.array([audience in audiences for audience in AUDIENCES])
    is_silent = (index.age_min[rows] == NOT_STATED) & (index.age_max[rows] == NOT_STATED)
    others: Mask = is_silent & ~is_wanted.take(index.audiences[rows])
    return others


def has_children(search: Search) -> bool:
    """Return True if a query in `auto` has words for children but no age: `kids`, or an occasion to which children come
    along, such as `after school`."""
    if find_override(search.query):
        return False
    young = search.words.young
    read = [word for reading in search.readings for word in split_words(reading.text)]
    spoken = (search.parsed.audience, search.parsed.words, read)
    return any(any(mark_narrow(words, young)) for words in spoken)


def cover_ages(rows: Numbers, index: SearchIndex, age: Age, *, is_auto: bool) -> Mask:
    """Mark the rows whose ages cover the query's age. An open end of a listing covers everything.

    In `auto`, "7 and up" only needs a listing for seven-year-olds, and of a range more than half of the years are
    enough, unless the query names several children.
    """
    lows, highs = index.age_min[rows], index.age_max[rows]
    stated = (lows != NOT_STATED) | (highs != NOT_STATED)
    most = age.min if age.max is None and is_auto else age.max
    reaches = highs == NOT_STATED if most is None else (highs == NOT_STATED) | (highs >= most)
    covered: Mask = stated & ((lows == NOT_STATED) | (lows <= age.min)) & reaches
    if is_auto and age.max is not None and not age.is_each:
        last = np.where(highs == NOT_STATED, age.max, np.minimum(highs, age.max))
        met = last - np.maximum(lows, age.min) + 1
        covered |= stated & (2 * met > age.max - age.min + 1)
    return covered


def keep_ages(rows: Numbers, *, index: SearchIndex, age: Age) -> Numbers:
    """Return the share of the score that each row keeps, by the ages that the row states."""
    lows, highs = index.age_min[rows], index.age_max[rows]
    are_stated = (lows != NOT_STATED) | (highs != NOT_STATED)
    are_other = (highs != NOT_STATED) & (highs < age.min)
    if age.max is not None:
        are_other |= lows > age.max
    others = np.where(are_other, _OTHER_AGES, np.where(are_stated, _SOME_AGES, _NO_AGES))
    kept: Numbers = np.where(cover_ages(rows, index, age, is_auto=True), 1, others)
    return kept
