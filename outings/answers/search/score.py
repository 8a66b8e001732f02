"""How well one listing fits the words of a query: its level and its score, by the listing and the words alone.

Each word of the query has a code in each listing, the higher the better: whether it counts by itself or by a related
word, the best place where it stands, and how it is spelled there. 0: the listing does not have it.

    score = Σ strength(word) ÷ words of the query × lift
    strength = place × spelling
    place: in the name 0.9 + 0.1 × the share of the name's words that the query has; as a category 0.75; in the opening
           of the description 0.5; in the name of its place or organization or in its location 0.3; in passing 0.2
    spelling: the word in any form 1, written as one word or as two 0.95, a typo 0.8, two typos 0.7, related 0.6
    lift: 1 − 0.02 × the share of the query's kind and audience words that the name has not
            − 0.3 × the share of the query's location words that name, place, organization and location have not
            − 0.15 in `match=auto`, where the listing says nothing of whom the query is for
            − 0.15 × the share of the query's words for lessons that the name has not, in `match=auto`
            − 0.15 ÷ words of the query in `match=auto`, where the listing does not happen when the query says

in thousandths, rounded half to even. `docs/search.md` says the same to readers.

`search/ranking.py` makes the final order: by level, ages, score and id, unless the reader asks for another.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outings.answers.search.postings import CATEGORY, NAME, OPENING, PASSING, SHELF, WHERE, Places

Codes = NDArray[np.uint8]
Numbers = NDArray[Any]
# By row, or of some rows.
Mask = NDArray[np.bool_]

# How a word is spelled in a listing, the better the higher.
RELATED, TWO_TYPOS, ONE_TYPO, JOINED, SAME = range(5)
_SPELLINGS = {SAME: 1.0, JOINED: 0.95, ONE_TYPO: 0.8, TWO_TYPOS: 0.7, RELATED: 0.6}
# What is in the name, and says only where it is or whom it is named after: it is worth what it is in a category.
_NAMESAKE = NAME + 1
_PLACES = {NAME: 0.9, CATEGORY: 0.75, _NAMESAKE: 0.75, SHELF: 0.75, OPENING: 0.5, WHERE: 0.3, PASSING: 0.2}
_NAME_SHARE, _LIFT, _LOCATION_LIFT, _TRACE = 0.1, 0.02, 0.3, 0.5
# What is in the name of a listing for nobody in particular stays before what is in a category of one for children.
_AUDIENCE_LIFT = 0.15
# Where lessons are looked for: as much.
_LESSON_LIFT = 0.15
# When: so little that a word in the name instead of a category says more, however many words there are.
_TIME_LIFT = 0.15

# A code's parts: how a word counts (in passing, as a place, an organization or an address is named, by a related word,
# by itself), and from 1 on the rank of its place and its spelling. On a shelf it is worth what it is in a category.
_IN_PASSING, _SAYS_WHERE, _BY_RELATION, _PROMINENT = range(4)
_STANDING_SHIFT = 6
_WITHOUT_STANDING = np.uint8((1 << _STANDING_SHIFT) - 1)
_RANKED = sorted(product(_PLACES, _SPELLINGS), key=lambda each: (_PLACES[each[0]], each[1], each[0]))
_RANKS = {each: rank for rank, each in enumerate(_RANKED, start=1)}

# Indexes in the contract's LEVELS.
ALL_TERMS, RELATED_WORDS, PARTIAL = range(3)


def encode_word(places: Places, spelling: int) -> Codes:
    """The codes of a word that stands at these places."""
    codes: Codes = _ENCODED[spelling].take(places)
    return codes


def _encode(place: int, spelling: int) -> int:
    if place < OPENING:
        standing = _SAYS_WHERE if place == WHERE and spelling != RELATED else _IN_PASSING
    else:
        standing = _BY_RELATION if spelling == RELATED else _PROMINENT
    return standing << _STANDING_SHIFT | _RANKS[place, spelling]


_ENCODED = [
    np.array([_encode(place, spelling) for place in range(NAME + 1)], dtype=np.uint8) for spelling in range(SAME + 1)
]


def encode_ring(size: int, ring: int) -> Codes:
    """Of so many listings that lie in this ring round a place, 0 the nearest."""
    return np.full(size, _RINGS[ring], dtype=np.uint8)


def encode_trace(codes: Codes) -> Codes:
    """Of a word that stands without the others of its notion: in passing, whatever its place, and worth half."""
    traces: Codes = codes & _WITHOUT_STANDING
    return traces


def count_named(codes: Sequence[Codes]) -> Numbers:
    """How many of the words are in the name, by listing."""
    return _add(_IN_NAME, codes)


def weaken_names(codes: Codes) -> Codes:
    """What is in the name is worth what is in a category, and only mentions it."""
    weaker: Codes = _WEAKER.take(codes)
    return weaker


def locate_names(codes: Codes) -> Codes:
    """What is in the name counts as what says where."""
    weaker: Codes = _LOCATED.take(codes)
    return weaker


def weaken_shelves(codes: Codes) -> Codes:
    """What only a shelf says counts as what the description says at its opening."""
    weaker: Codes = _DESCRIBED.take(codes)
    return weaker


def _list_strengths() -> Numbers:
    strengths = np.zeros(256)
    for place, weight in _PLACES.items():
        for spelling, factor in _SPELLINGS.items():
            strengths[_encode(place, spelling) & _WITHOUT_STANDING] = weight * factor * _TRACE
    for place, weight in _PLACES.items():
        for spelling, factor in _SPELLINGS.items():
            strengths[_encode(place, spelling)] = weight * factor
    return strengths


_STRENGTHS = _list_strengths()
_CODES = np.arange(256)
_STANDINGS = np.where(_CODES > 0, _CODES >> _STANDING_SHIFT, _IN_PASSING)
# By the standing of the word that counts least, where that says it.
_LEVELS = np.array([PARTIAL, PARTIAL, RELATED_WORDS, ALL_TERMS])[_STANDINGS]
_AT = np.array([PASSING, *(place for place, _ in _RANKED)]).take(_CODES & _WITHOUT_STANDING, mode="clip")
_IN_NAME = np.where(_AT == NAME, 1, 0)


def _move_codes(here: int, there: int) -> Codes:
    """By code the one of the same word in another place, where it stands here. Traces stay traces."""
    moved = _CODES.astype(np.uint8)
    for spelling in _SPELLINGS:
        own, other = (_encode(place, spelling) for place in (here, there))
        moved[own], moved[own & _WITHOUT_STANDING] = other, other & _WITHOUT_STANDING
    return moved


_WEAKER, _DESCRIBED, _LOCATED = (_move_codes(*each) for each in ((NAME, _NAMESAKE), (SHELF, OPENING), (NAME, WHERE)))
_IS_MENTIONED = (_AT < SHELF) | (_AT == _NAMESAKE)
_ONLY_SAYS_WHERE = _STANDINGS == _SAYS_WHERE
_IS_LOCATED = np.where((_AT == NAME) | (_AT == WHERE), 1, 0)
# Names of places are known as they are written, so that other spellings of where say how near it is.
_RINGS = [_encode(WHERE, spelling) for spelling in (JOINED, ONE_TYPO, TWO_TYPOS, RELATED)]
_IS_LOCATED[_RINGS] = 0
_NEARNESS = _IS_LOCATED.astype(np.float64)
_NEARNESS[_RINGS] = [0.5, 0.375, 0.25, 0.125]
# By code: whether the word is in the name, its strength, and what it gains by a name that has no other words.
_WEIGHTS = np.stack([_IN_NAME, _STRENGTHS, np.where(_IN_NAME, _STRENGTHS / _PLACES[NAME] * _NAME_SHARE, 0)])


def mark_firsts(ordered: Numbers) -> Mask:
    """Where another number stands than before, of numbers in order."""
    firsts: Mask = np.empty(ordered.size, dtype=np.bool_)
    firsts[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=firsts[1:])
    return firsts


def find_levels(best: Sequence[Codes], rows: Numbers | None = None, *, where_completes: bool) -> Numbers:
    """`best`: of each word, its code by row, or by listing where no rows are chosen of them. Indexes in LEVELS. A code
    says first how its word counts, so that the least code of a listing is that of the word that counts least. Where a
    listing is, is no part of what it says of itself, but if `where_completes` it may be the rest of what was asked for:
    "swim ballard"."""
    weakest = _take(reduce(np.minimum, best), rows)
    levels: Numbers = _LEVELS.take(weakest)
    if len(best) == 1 or not where_completes:
        return levels
    located = _ONLY_SAYS_WHERE.take(weakest).nonzero()[0]
    if located.size:
        own = located if rows is None else rows[located]
        standings = np.stack([_STANDINGS[each[own]] for each in best])
        counts = [(standings == each).any(axis=0) for each in (_BY_RELATION, _PROMINENT)]
        levels[located] = np.select(counts, [RELATED_WORDS, ALL_TERMS], PARTIAL)
    return levels


def mark_candidates(best: Sequence[Codes]) -> Mask:
    """By row: all that are not `partial`, and few others."""
    least = _SAYS_WHERE if len(best) > 1 else _BY_RELATION
    candidates: Mask = reduce(np.minimum, best) >= least << _STANDING_SHIFT
    return candidates


def _take(codes: Codes, rows: Numbers | None) -> Codes:
    return codes if rows is None else codes.take(rows)


def tells_subject(best: Sequence[Codes], rows: Numbers | None = None) -> Mask:
    """Whether any of the words is in the name, a category or the opening, and not only where it is or in passing."""
    standings = _STANDINGS.take(_take(reduce(np.maximum, best), rows))
    telling: Mask = standings > _SAYS_WHERE
    return telling


def are_mentioned(best: Sequence[Codes], rows: Numbers) -> Mask:
    """Whether none of the words is in the name or a category."""
    mentioned: Mask = np.ones(rows.size, dtype=np.bool_)
    for each in best:
        mentioned &= _IS_MENTIONED.take(each.take(rows))
    return mentioned


def are_elsewhere(located: Sequence[Codes], rows: Numbers) -> Mask:
    """Whether they are in none of the places, and have none in their names."""
    elsewhere: Mask = _add(_IS_LOCATED, [each.take(rows) for each in located]) == 0
    return elsewhere


def score_words(
    codes: Sequence[Codes],
    *,
    lifting: Sequence[Codes],
    locating: Sequence[Codes],
    locating_words: Sequence[int],
    name_words: Numbers,
    lessons: Sequence[Codes] = (),
    others: Numbers | int = 0,
    untimely: Numbers | int = 0,
) -> Numbers:
    """Thousandths. `codes`: of each word in the same listings; `lifting`: of the kind and audience words, `locating` of
    the names of locations; `locating_words`: how many words of a listing's name each of these is worth; `name_words`:
    how many words their names have; `lessons`: of the kind words those for lessons, where these weigh more; `others`: 1
    for a listing that does not say that it is for whom the query is; `untimely`: 1 for one that does not happen when it
    says, a half where that is near."""
    weights = _WEIGHTS.take(codes[0], axis=1)
    for each in codes[1:]:
        weights += _WEIGHTS.take(each, axis=1)
    named, strengths, gains = weights
    lift: Any = 1
    if lifting:
        lifts = _add(_IN_NAME, lifting)
        named, lift = named + lifts, lift - _LIFT * _find_missing(lifts, lifting)
    if locating:
        lift = lift - _LOCATION_LIFT * _find_missing(_add(_NEARNESS, locating), locating)
        named = named + sum(n * _IN_NAME.take(each) for n, each in zip(locating_words, locating, strict=True) if n)
    share = np.minimum(named / np.maximum(name_words, 1), 1)
    total = (strengths + share * gains) / len(codes)
    lift = lift - _AUDIENCE_LIFT * others - _TIME_LIFT / len(codes) * untimely
    if lessons:
        lift = lift - _LESSON_LIFT * _find_missing(_add(_IN_NAME, lessons), lessons)
    return _round(total * lift)


def score_names(
    lifting: Sequence[Codes], *, count: int, others: Numbers | int = 0, untimely: Numbers | int = 0
) -> Numbers:
    """Thousandths of so many listings, where no word decides: by the share of these words in their names."""
    missing = np.broadcast_to(_find_missing(_add(_IN_NAME, lifting), lifting), count)
    lift = 1 - _LIFT * missing - _AUDIENCE_LIFT * others - _TIME_LIFT * untimely
    return _round(lift)


def _round(scores: Numbers) -> Numbers:
    """Round to thousandths, half to even. In binary 1.45 / 4 is no half: without its last digits it is 0.3625 again."""
    thousandths: Numbers = np.rint(np.round(1000 * scores, 6)).astype(np.int64)
    return thousandths


def _add(weights: Numbers, codes: Sequence[Codes]) -> Numbers:
    """What the codes of all words weigh, by listing."""
    if not codes:
        return np.zeros((), dtype=weights.dtype)
    total: Numbers = weights.take(codes[0])
    for each in codes[1:]:
        total += weights.take(each)
    return total


def _find_missing(matches: Numbers, codes: Sequence[Codes]) -> Any:
    """The share of words that each listing has not."""
    return 1 - matches / len(codes) if len(codes) else 0
