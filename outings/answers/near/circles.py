"""Circles about one point: which tiles lie whole in each, and how far the rows lie of those that an edge cuts."""

from collections.abc import Sequence

import numpy as np

from outings.answers.near.tiles import Tiles
from outings.answers.snapshot.distance import Point

# The last of some circles.
LAST = slice(-1, None)


class Circles:
    """`lines`: how far each reaches, in a straight line. `cut`: tiles that one of the edges cuts, with the `squares` of
    their rows' distances; `whole`: of each circle those that lie whole in it and are not cut."""

    def __init__(self, tiles: Tiles, point: Point, lines: Sequence[float]) -> None:
        self.point = point
        self.squared = [line**2 for line in lines]
        middles = tiles.measure_middles(point)
        nearest, furthest = middles - tiles.reaches, middles + tiles.reaches
        is_cut = np.zeros(middles.size, dtype=np.bool_)
        for line in lines:
            is_cut |= (nearest <= line) & (furthest > line)
        self.cut = np.flatnonzero(is_cut)
        self.squares = tiles.measure_tiles(self.cut, point)
        self.whole = [np.flatnonzero((furthest <= line) & ~is_cut) for line in lines]
