"""The best of what is around a point, without a score for each: no row of a tile scores more than the tile may."""

import numpy as np
from numpy.typing import NDArray

from outings.answers.near.kinds import GROUPED
from outings.answers.near.layer import Layer, Mask
from outings.answers.near.request import Near
from outings.answers.near.scores import bound_scores, reach_score, score_listings
from outings.answers.near.tiles import Columns, RowDistances, Rows
from outings.answers.snapshot.distance import Floats, find_chord, find_metres
from outings.contract.resources.near import GROUPS
from outings.contract.vocabulary import AGE_BANDS
from outings.release.mapped_table import NEVER

_BITS = 1 << np.arange(len(GROUPS))
# Of programs.
_CLASSES = GROUPS.index("classes_enrolling")
# Of each group; of what may yet be better twice as many each time.
_FIRST_TILES = 4
# Instead of a score: there are not as many yet.
_FEWER = -1


class ScoredRows(Columns, frozen=True, eq=False):
    """Each listing once. `scores` in thousandths; `groups`: bit sets over GROUPS."""

    rows: Rows
    squares: Floats
    scores: NDArray[np.int64]
    groups: NDArray[np.int64]


def find_best(near: Near, layer: Layer, *, ends: NDArray[np.int64]) -> ScoredRows:
    """Of each group its best, `ends` of them where there are so many, and all that score as the last of them does;
    others may be there too."""
    chord = find_chord(near.radius_m)
    gaps = np.maximum(layer.index.tiles.measure_middles(near.point) - layer.index.tiles.reaches, 0)
    tiles = np.flatnonzero(gaps <= chord)
    bounds = bound_scores(
        metres=find_metres(gaps[tiles] ** 2)[:, np.newaxis],
        promises=layer.read_promises(layer.index.starts.recall_starts(near.windows, near.now))[tiles],
        is_favoured=bool(_read_bands(near)),
    )
    counts = layer.table[tiles, GROUPED]
    best = _score(near, RowDistances(tiles[:0], gaps[:0]), layer)
    is_left = counts > 0
    least, size = np.full(len(GROUPS), _FEWER), _FIRST_TILES
    while (chosen := _choose(bounds, is_left & (bounds >= least), size=size)).any():
        some = np.flatnonzero(chosen.any(axis=1))
        groups, others = chosen[some] @ _BITS, ((counts[some] > 0) & ~is_left[some]) @ _BITS
        measured = layer.measure_groups(tiles[some], near.point, most=chord**2, groups=groups, others=others)
        best = best.join(_score(near, measured, layer))
        is_left &= ~chosen
        least = np.array([_find_last(best, number, end) for number, end in enumerate(ends.tolist())])
        size *= 2
    cards = layer.find_cards(near.point, chord=chord, most=_find_reach(near, least[_CLASSES]), is_open=True)
    return best.join(_score(near, cards, layer))


def _find_reach(near: Near, least: int) -> float | None:
    """The square of a distance beyond which nothing scores as much; None where anything may."""
    metres = None if least == _FEWER else reach_score(least, is_favoured=bool(_read_bands(near)))
    return None if metres is None else find_chord(metres) ** 2


def _choose(bounds: Floats, is_requested: Mask, *, size: int) -> Mask:
    """Of each group the tiles that promise most, so many of those that are asked for."""
    chosen = np.zeros(bounds.shape, dtype=np.bool_)
    for number in range(bounds.shape[1]):
        there = np.flatnonzero(is_requested[:, number])
        if there.size > size:
            there = there[np.argpartition(-bounds[there, number], size)[:size]]
        chosen[there, number] = True
    return chosen


def _find_last(rows: ScoredRows, number: int, end: int) -> int:
    """What the last of a group's best scores."""
    scores = rows.scores[(rows.groups >> number & 1).astype(np.bool_)]
    return int(np.partition(scores, scores.size - end)[scores.size - end]) if scores.size >= end else _FEWER


def _score(near: Near, distances: RowDistances, layer: Layer) -> ScoredRows:
    index, rows = layer.index, distances.rows
    starts = index.starts.find_starts(rows, windows=near.windows, now=near.now)
    bands = _read_bands(near)
    scores = score_listings(
        metres=find_metres(distances.squares),
        waits=np.where(starts == NEVER, NEVER, starts - near.now.local),
        confidence=index.confidence[rows],
        ages=index.ages[rows],
        favoured=sum(1 << number for number, name in enumerate(AGE_BANDS) if name in bands),
    )
    groups = index.kinds.groups[index.kinds.numbers.ravel()[index.places[rows]]]
    return ScoredRows(rows, distances.squares, scores, groups)


def _read_bands(near: Near) -> tuple[str, ...]:
    return near.query.get_words("ages")
