"""In what order results are shown, and what of them."""

import numpy as np

from outings.answers.search.index import SearchIndex
from outings.answers.search.matches import SearchMatches
from outings.answers.search.score import PARTIAL, Numbers
from outings.answers.search.understanding.query import Age
from outings.answers.snapshot.distance import make_unit_vector, square_chords
from outings.release.mapped_table import NOT_STATED

_SCORES, _IDS = 10, 32
# The first age that is no child's any more, as searches read "teens".
_TEEN = 13


def rank_relevance(
    matched: SearchMatches,
    scores: Numbers,
    index: SearchIndex,
    *,
    age: Age | None,
    is_for_children: bool,
    is_narrowed: bool,
    is_auto: bool,
) -> Numbers:
    """Numbers, equal for what fits equally, that rise with level, then what lacks more than words that only narrow,
    then what only mentions its subject where an age is asked for or some words only narrow, then ages that do not cover
    the query's, or are none of a child's where it says only that, then what fits but is elsewhere, then falling score.
    `is_narrowed`: whether words were dropped."""
    rows, behind = matched.rows, matched.levels.astype(np.int64) << 4
    if matched.lacking is not None:
        behind |= matched.lacking << np.int64(3)
    if is_auto and (age is not None or is_narrowed or matched.has_subject) and matched.are_mentioned is not None:
        behind |= ((matched.levels < PARTIAL) & matched.are_mentioned(rows)) << np.int64(2)
    if age is not None:
        behind |= ~_cover_age(index.age_min[rows], index.age_max[rows], age, is_auto=is_auto) << np.int64(1)
    elif is_for_children:
        behind |= (index.age_min[rows] >= _TEEN) << np.int64(1)
    if matched.are_elsewhere is not None:
        behind |= (matched.levels < PARTIAL) & matched.are_elsewhere(rows)
    ranks: Numbers = behind << _SCORES | (1000 - scores)
    return ranks


def _cover_age(lows: Numbers, highs: Numbers, age: Age, *, is_auto: bool) -> Numbers:
    """Both ends inside; an end that a listing leaves open is. In `auto` "7 and up" is asked for who is seven, and more
    than half of the years are enough, unless each of several children comes: one teen is not 13 to 18."""
    stated = (lows != NOT_STATED) | (highs != NOT_STATED)
    most = age.min if age.max is None and is_auto else age.max
    reaches = highs == NOT_STATED if most is None else (highs == NOT_STATED) | (highs >= most)
    covered: Numbers = stated & ((lows == NOT_STATED) | (lows <= age.min)) & reaches
    if is_auto and age.max is not None and not age.is_each:
        last = np.where(highs == NOT_STATED, age.max, np.minimum(highs, age.max))
        met = last - np.maximum(lows, age.min) + 1
        covered |= stated & (2 * met > age.max - age.min + 1)
    return covered


def take_relevant(ranks: Numbers, ids: Numbers, *, offset: int, limit: int) -> Numbers:
    """The places of the least ranks, then ids, but for the first `offset`, in order."""
    keys, last = ranks << _IDS | ids, offset + limit
    if last < keys.size:
        chosen = np.argpartition(keys, last)[:last]
        return chosen[np.argsort(keys[chosen])][offset:]
    return np.argsort(keys)[offset:]


def take_nearest(ranks: Numbers, ids: Numbers, similarities: Numbers, *, offset: int, limit: int) -> Numbers:
    """The places of the least ranks; those of equal level, ages and score by similarity, then id."""
    return np.lexsort((ids, -similarities, ranks))[offset : offset + limit]


def take_ordered(
    keys: Numbers, scores: Numbers, ids: Numbers, *, behind: Numbers | None, offset: int, limit: int
) -> Numbers:
    """The places in the order of a key; ties by score, then id. Those that `behind` marks come after all others."""
    order = np.lexsort((ids, -scores, keys) if behind is None else (ids, -scores, keys, behind))
    return order[offset : offset + limit]


def measure_distances(index: SearchIndex, rows: Numbers, *, lat: float, lng: float) -> Numbers:
    """Squares of straight lines through the unit sphere; infinite without coordinates: these come last."""
    squares = square_chords([axis[rows] for axis in index.vectors], make_unit_vector(lat, lng))
    return np.where(np.isnan(squares), np.inf, squares)
