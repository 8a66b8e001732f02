"""The best of what is around a point, without a score for each: no row of a tile scores more than the tile may."""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.distance import Floats, find_line, find_metres
from outings.answers.near.asked import Near
from outings.answers.near.kinds import GROUPED
from outings.answers.near.layer import Layer, Mask
from outings.answers.near.moments import Moments
from outings.answers.near.scores import bound_scores, score_listings
from outings.answers.near.tiles import Measured, Rows
from outings.contract.resources.near import GROUPS
from outings.contract.vocabulary import AGE_BANDS
from outings.release.mapped import NEVER

_BITS = 1 << np.arange(len(GROUPS))
# Instead of a score: there are not as many yet.
_FEWER = -1


class Scored(Struct, frozen=True, eq=False):
    """Each listing once. `scores` in thousandths; `groups`: bit sets over GROUPS."""

    rows: Rows
    squares: Floats
    scores: NDArray[np.int64]
    groups: NDArray[np.int64]

    def choose(self, chosen: NDArray[np.int64]) -> "Scored":
        return Scored(self.rows[chosen], self.squares[chosen], self.scores[chosen], self.groups[chosen])

    def join(self, other: "Scored") -> "Scored":
        return Scored(
            np.concatenate((self.rows, other.rows)),
            np.concatenate((self.squares, other.squares)),
            np.concatenate((self.scores, other.scores)),
            np.concatenate((self.groups, other.groups)),
        )


def find_best(near: Near, layer: Layer, moments: Moments, *, ends: NDArray[np.int64]) -> Scored:
    """Of each group its best, `ends` of them where there are so many, and all that score as the last of them does;
    others may be there too."""
    line = find_line(near.radius_m)
    gaps = np.maximum(layer.index.tiles.measure_middles(near.point) - layer.index.tiles.reaches, 0)
    tiles = np.flatnonzero(gaps <= line)
    bounds = bound_scores(
        metres=find_metres(gaps[tiles] ** 2)[:, np.newaxis],
        promises=layer.read_promises(moments.recall_starts(near.windows, near.now))[tiles],
        is_favoured=bool(_read_bands(near)),
    )
    counts = layer.table[tiles, GROUPED]
    found = _score(near, layer.find_cards(near.point, line=line, is_open=True), layer, moments)
    is_scored = np.zeros(counts.shape, dtype=np.bool_)
    chosen = _choose_first(bounds, counts, ends)
    while chosen.any():
        some = np.flatnonzero(chosen.any(axis=1))
        groups, others = chosen[some] @ _BITS, is_scored[some] @ _BITS
        measured = layer.measure_groups(tiles[some], near.point, most=line**2, groups=groups, others=others)
        found = found.join(_score(near, measured, layer, moments))
        is_scored |= chosen
        least = np.array([_find_last(found, number, end) for number, end in enumerate(ends.tolist())])
        more = _choose_first(bounds, np.where(is_scored, 0, counts), np.where(least > _FEWER, 0, ends))
        chosen = ((bounds >= least) & (least > _FEWER) & ~is_scored) | more
    return found


def _choose_first(bounds: Floats, counts: Floats, ends: NDArray[np.int64]) -> Mask:
    """Of each group the tiles that promise most, until they have as many rows as are asked for."""
    chosen = np.zeros(counts.shape, dtype=np.bool_)
    for number in np.flatnonzero(ends).tolist():
        there = np.flatnonzero(counts[:, number])
        order = there[np.argsort(-bounds[there, number])]
        enough = int(np.searchsorted(np.cumsum(counts[order, number]), ends[number])) + 1
        chosen[order[:enough], number] = True
    return chosen


def _find_last(found: Scored, number: int, end: int) -> int:
    """What the last of a group's best scores."""
    scores = found.scores[(found.groups >> number & 1).astype(np.bool_)]
    return int(np.partition(scores, scores.size - end)[scores.size - end]) if scores.size >= end else _FEWER


def _score(near: Near, found: Measured, layer: Layer, moments: Moments) -> Scored:
    index, rows = layer.index, found.rows
    starts = moments.find_starts(rows, windows=near.windows, now=near.now)
    bands = _read_bands(near)
    scores = score_listings(
        metres=find_metres(found.squares),
        waits=np.where(starts == NEVER, NEVER, starts - near.now.local),
        confidence=index.confidence[rows],
        ages=index.ages[rows],
        favoured=sum(1 << number for number, name in enumerate(AGE_BANDS) if name in bands),
    )
    groups = index.kinds.groups[index.kinds.numbers.ravel()[index.places[rows]]]
    return Scored(rows, found.squares, scores, groups)


def _read_bands(near: Near) -> tuple[str, ...]:
    return near.query.get_words("ages")
