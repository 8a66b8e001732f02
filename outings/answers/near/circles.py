"""Circles about one point: which tiles lie whole in each, and how far the rows lie of those that an edge cuts."""

from collections.abc import Sequence

import numpy as np

from outings.answers.near.tiles import Tiles
from outings.answers.snapshot.distance import Point

# The last of some circles.
LAST = slice(-1, None)


class Circles:
    """`chords`: how far each reaches. `cut`: tiles that one of the edges cuts, with the `squares` of
    their rows' distances; `whole`: of each circle those that lie whole in it and are not cut."""

    def __init__(self, tiles: Tiles, point: Point, chords: Sequence[float]) -> None:
        self.point = point
        self.squared = [chord**2 for chord in chords]
        middles = tiles.measure_middles(point)
        nearest, furthest = middles - tiles.reaches, middles + tiles.reaches
        is_cut = np.zeros(middles.size, dtype=np.bool_)
        for chord in chords:
            is_cut |= (nearest <= chord) & (furthest > chord)
        self.cut = np.flatnonzero(is_cut)
        self.squares = tiles.measure_tiles(self.cut, point)
        self.whole = [np.flatnonzero((furthest <= chord) & ~is_cut) for chord in chords]
