"""How well one listing fits the words of a query: its level and its score, by the listing and the words alone.

Each word of the query has a code in each listing, the higher the better: whether it counts by itself or by a related
word, the best place where it stands, and how it is spelled there. 0: the listing does not have it.

    score = Σ strength(word) ÷ words of the query × lift
    strength = place × spelling
    place: in the name 0.9 + 0.1 × the share of the name's words that the query has; as a category 0.75;
           in the opening of the description 0.5; in passing 0.2
    spelling: the word 1, its stem 0.98, written as one word or as two 0.95, a typo 0.8, two typos 0.7, related 0.6
    lift: 0.98 + 0.02 × the share of the query's kind words that the name has; 1 where it has none

in thousandths, rounded half to even. `docs/search.md` says the same to readers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outings.answers.search.postings import CATEGORY, NAME, OPENING, PASSING, Places

Codes = NDArray[np.uint8]
Numbers = NDArray[Any]

# How a word is spelled in a listing, the better the higher.
RELATED, TWO_TYPOS, ONE_TYPO, JOINED, STEM, SAME = range(6)
_SPELLINGS = {SAME: 1.0, STEM: 0.98, JOINED: 0.95, ONE_TYPO: 0.8, TWO_TYPOS: 0.7, RELATED: 0.6}
_PLACES = {NAME: 0.9, CATEGORY: 0.75, OPENING: 0.5, PASSING: 0.2}
_NAME_SHARE, _LIFT = 0.1, 0.02

# A code's parts: 3 where the word itself is prominent, 2 where a related one is, 1 in passing.
_PROMINENT, _BY_RELATION, _IN_PASSING = 3, 2, 1
_STANDING_SHIFT, _PLACE_SHIFT = 6, 4

# Indexes in the contract's LEVELS.
ALL_TERMS, RELATED_WORDS, PARTIAL = range(3)


def encode_word(places: Places, spelling: int) -> Codes:
    """The codes of a word that stands at these places."""
    standing = _BY_RELATION if spelling == RELATED else _PROMINENT
    codes: Codes = np.array([_encode(place, spelling, standing) for place in range(NAME + 1)], dtype=np.uint8)[places]
    return codes


def _encode(place: int, spelling: int, standing: int) -> int:
    standing = _IN_PASSING if place == PASSING else standing
    return standing << _STANDING_SHIFT | place << _PLACE_SHIFT | spelling + 1


def _list_strengths() -> Numbers:
    strengths = np.zeros(256)
    for place, weight in _PLACES.items():
        for spelling, factor in _SPELLINGS.items():
            for standing in (_PROMINENT, _BY_RELATION, _IN_PASSING):
                strengths[standing << _STANDING_SHIFT | place << _PLACE_SHIFT | spelling + 1] = weight * factor
    return strengths


_STRENGTHS = _list_strengths()
_CODES = np.arange(256)
_STANDINGS = (_CODES >> _STANDING_SHIFT).astype(np.uint8)
_IN_NAME = ((_CODES >> _PLACE_SHIFT & 3) == NAME) & (_CODES > 0)
# What a word in the name gains by a name that has no other words.
_GAINS = np.where(_IN_NAME, np.divide(_STRENGTHS, _PLACES[NAME]) * _NAME_SHARE, 0)


def find_levels(codes: Codes) -> Numbers:
    """`codes`: a row a word, a column a listing. Indexes in LEVELS."""
    weakest = _STANDINGS[codes].min(axis=0)
    levels: Numbers = np.select([weakest == _PROMINENT, weakest == _BY_RELATION], [ALL_TERMS, RELATED_WORDS], PARTIAL)
    return levels


def score_words(codes: Codes, *, kinds: Codes, name_words: Numbers) -> Numbers:
    """Thousandths. `kinds`: codes of the kind words in the same listings, `name_words`: how many words their names
    have."""
    in_name = np.count_nonzero(_IN_NAME[codes], axis=0)
    kinds_in_name = np.count_nonzero(_IN_NAME[kinds], axis=0)
    share = np.minimum((in_name + kinds_in_name) / np.maximum(name_words, 1), 1)
    total = _STRENGTHS[codes].sum(axis=0) + share * _GAINS[codes].sum(axis=0)
    lift = 1 if not len(kinds) else 1 - _LIFT + _LIFT * kinds_in_name / len(kinds)
    thousandths: Numbers = np.rint(1000 * total / len(codes) * lift).astype(np.int64)
    return thousandths
