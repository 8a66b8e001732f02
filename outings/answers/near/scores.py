"""How well a listing suits who stands at a point now (`docs/near.md` says the same):

    score = 0.45 × near + 0.30 × soon + 0.15 × confidence + 0.10 × ages
    near = 2,000 ÷ (2,000 + metres)
    soon = 7 ÷ (7 + days until it begins); 0.5 for what has no start: places, and what only goes on
    ages = 1 where the listing's ages reach a favoured band, 0 where they do not; 0.5 where they are not stated, or
           none is favoured

in thousandths, rounded half to even. A function of the listing, the point, the bands and the minute alone.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outings.answers.near.request import Near
from outings.answers.near.shown import Columns, RowDistances, ShownListings
from outings.answers.near.starts import Rows
from outings.answers.snapshot.distance import Floats, find_metres
from outings.contract.vocabulary import AGE_BANDS
from outings.release.mapped_table import NEVER

Array = NDArray[Any]

_NEAR, _SOON, _CONFIDENCE, _AGES = 0.45, 0.30, 0.15, 0.10
_HALF_METRES, _HALF_SECONDS = 2_000, 7 * 86_400
_UNKNOWN = 0.5
_NOT_STATED = 1 << len(AGE_BANDS)


class ScoredRows(Columns, frozen=True, eq=False):
    """Listings with their `scores` in thousandths; `groups`: bit sets over GROUPS."""

    rows: Rows
    squares: Floats
    scores: NDArray[np.int64]
    groups: NDArray[np.int64]

    def choose_best(self, group: int, *, end: int, ids: NDArray[np.uint32]) -> "ScoredRows":
        """Return the first `end` listings of a group by score, distance and id. `ids`: the order of ids, by row."""
        own = self.choose((self.groups >> group & 1).nonzero()[0])
        if end < own.rows.size:
            # Only listings that score as well as the last one are put in order.
            own = own.choose(own.scores >= np.partition(own.scores, own.rows.size - end)[own.rows.size - end])
        return own.choose(np.lexsort((ids[own.rows], own.squares, -own.scores))[:end])


def score_cards(near: Near, cards: RowDistances, shown: ShownListings) -> ScoredRows:
    """Return the cards that are in any group, with their scores."""
    index, bands = shown.index, near.query.get_words("ages")
    groups = index.kinds.groups[index.kinds.numbers[cards.rows]]
    in_any = groups.nonzero()[0]
    cards, groups = cards.choose(in_any), groups[in_any]
    starts = shown.starts.locals[cards.rows]
    scores = score_listings(
        metres=find_metres(cards.squares),
        waits=np.where(starts == NEVER, NEVER, starts - near.now.local),
        confidence=index.confidence[cards.rows],
        ages=index.ages[cards.rows],
        favoured=sum(1 << number for number, name in enumerate(AGE_BANDS) if name in bands),
    )
    return ScoredRows(cards.rows, cards.squares, scores, groups)


def score_listings(*, metres: Array, waits: Array, confidence: Array, ages: Array, favoured: int) -> Array:
    """Return thousandths. `waits`: seconds, NEVER for what has no start; `ages`, `favoured`: bit sets over
    AGE_BANDS."""
    total = _NEAR * (_HALF_METRES / (_HALF_METRES + metres)) + _SOON * _fit_waits(waits) + _CONFIDENCE * confidence
    thousandths: Array = np.rint(1000 * (total + _AGES * _fit_ages(ages, favoured))).astype(np.int64)
    return thousandths


def _fit_waits(waits: Array) -> Array:
    passed = _HALF_SECONDS + np.maximum(waits, 0).astype(np.float64)
    soon: Array = np.where(waits == NEVER, _UNKNOWN, _HALF_SECONDS / passed)
    return soon


def _fit_ages(ages: Array, favoured: int) -> Array:
    if not favoured:
        return np.full(ages.size, _UNKNOWN)
    fits: Array = np.where(ages & _NOT_STATED, _UNKNOWN, (ages & favoured) != 0)
    return fits
