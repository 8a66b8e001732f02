"""The nearest of a metro's rows, without a look at all of them: rows that lie together stand together, in tiles.

A tile is 256 rows of the map: strips from south to north, each cut from west to east, so that tiles are small where
listings are many. Of each the middle and the reach are known, and so how near its nearest row can be.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.distance import Floats, Point, Vectors, find_vectors, measure_squares
from outings.contract.vocabulary import STATUSES
from outings.release.mapped import MappedTable

TILE = 256
_PUBLISHED = STATUSES.index("published")
# Tiles that are looked at first; while too little is found, each further look is at four times as many.
_FIRST_TILES = 4
# Of fewer than this part of the metro, rows are sorted; of more, marked where they stand.
_SORTED_PART = 32
# What rounding may do to a tile's reach.
_ROUNDING = 1e-12

Rows = NDArray[np.int64]

# What they are made of.
LISTINGS = ("row", "status", "lat", "lng")


def make_tiles(listings: pl.DataFrame) -> pl.DataFrame:
    """The published rows with coordinates, tile after tile, as points of the unit sphere."""
    placed = listings.filter(
        (pl.col("status") == _PUBLISHED) & pl.col("lat").is_not_null() & pl.col("lng").is_not_null()
    )
    tiles = -(-placed.height // TILE)
    strip = -(-tiles // max(int(np.ceil(np.sqrt(tiles))), 1)) * TILE
    ordered = (
        placed.sort("lat", "lng", "row")
        .with_row_index("at")
        .with_columns(strip=pl.col("at") // max(strip, 1))
        .sort("strip", "lng", "lat", "row")
    )
    x, y, z = find_vectors(ordered["lat"].to_numpy(), ordered["lng"].to_numpy())
    return pl.DataFrame({"row": ordered["row"], "x": x, "y": y, "z": z}, schema_overrides={"row": pl.UInt32()})


def make_tile_bounds(listings: pl.DataFrame) -> pl.DataFrame:
    """Of each tile its middle, within the sphere, and how far from it a row lies at most, in a straight line."""
    points = make_tiles(listings).select("x", "y", "z").to_numpy()
    starts = np.arange(0, len(points), TILE)
    counts = np.minimum(TILE, len(points) - starts)
    middles = np.add.reduceat(points, starts) / counts[:, np.newaxis] if len(points) else np.empty((0, 3))
    gaps = np.sqrt(((points - np.repeat(middles, counts, axis=0)) ** 2).sum(axis=1))
    reach = np.maximum.reduceat(gaps, starts) if len(points) else np.empty(0)
    x, y, z = middles.T
    return pl.DataFrame({"x": x, "y": y, "z": z, "reach": reach + _ROUNDING})


class Measured(Struct, frozen=True, eq=False):
    """Rows, with the squares of their straight distances through the unit sphere."""

    rows: Rows
    squares: Floats

    def choose(self, chosen: NDArray[np.generic]) -> "Measured":
        """Those of an index or a mask."""
        return Measured(self.rows[chosen], self.squares[chosen])

    def join(self, other: "Measured") -> "Measured":
        """Both, one after the other."""
        return Measured(np.concatenate((self.rows, other.rows)), np.concatenate((self.squares, other.squares)))

    def keep(self, rows: Rows) -> "Measured":
        """Of rising rows those of some of them, rising too."""
        if not self.rows.size:
            return self
        low = self.rows[0]
        is_kept = np.zeros(self.rows[-1] - low + 1, dtype=np.bool_)
        is_kept[rows - low] = True
        return self.choose(is_kept[self.rows - low])


class Tiles:
    """Of one snapshot."""

    def __init__(self, table: MappedTable, *, bounds: MappedTable) -> None:
        self._rows = table.read_array("row")
        self._vectors: Vectors = (table.read_array("x"), table.read_array("y"), table.read_array("z"))
        self._middles: Vectors = (bounds.read_array("x"), bounds.read_array("y"), bounds.read_array("z"))
        self._reaches = bounds.read_array("reach")
        self._size = int(self._rows.max(initial=0)) + 1

    def find_nearest(self, point: Point, *, line: float, count: int, keep: Callable[[Measured], Measured]) -> Measured:
        """Of the rows within a straight line from the point those that are kept: the nearest, this many at least where
        there are so many, and all at their distances. In no order; `keep` gets rising rows, each once a look."""
        gaps = self._find_gaps(point)
        chosen = np.flatnonzero(gaps <= line)
        gaps, size = gaps[chosen], _FIRST_TILES
        while size < chosen.size:
            order = np.argpartition(gaps, size)
            kept = keep(self._measure(chosen[order[:size]], point, most=line**2))
            if kept.rows.size >= count:
                # All that are no further than the last of these: others lie in tiles that reach as near.
                most = float(np.partition(kept.squares, count - 1)[count - 1])
                kept, others = kept.choose(kept.squares <= most), order[size:]
                others = others[gaps[others] <= np.sqrt(most)]
                return kept.join(keep(self._measure(chosen[others], point, most=most))) if others.size else kept
            size *= 4
        return keep(self._measure(chosen, point, most=line**2))

    def find_near(self, point: Point, *, line: float) -> Measured:
        """All of them, rising."""
        return self._measure(np.flatnonzero(self._find_gaps(point) <= line), point, most=line**2)

    def list_rows(self) -> Rows:
        """Everything that has coordinates, rising."""
        return np.sort(self._rows.astype(np.int64))

    def _find_gaps(self, point: Point) -> Floats:
        """How near the nearest row of each tile may be, in a straight line; 0 or less where the point is inside."""
        gaps: Floats = np.sqrt(measure_squares(self._middles, point)) - self._reaches
        return gaps

    def _measure(self, tiles: Rows, point: Point, *, most: float) -> Measured:
        """What lies no further, by the square of its distance."""
        squares = measure_squares([_take_tiles(each, tiles) for each in self._vectors], point)
        near = np.flatnonzero(squares <= most)
        rows, squares = _take_tiles(self._rows, tiles)[near].astype(np.int64), squares[near]
        if rows.size * _SORTED_PART < self._size:
            order = np.argsort(rows)
            return Measured(rows[order], squares[order])
        places = np.full(self._size, -1, dtype=np.int32)
        places[rows] = np.arange(rows.size, dtype=np.int32)
        rising = np.flatnonzero(places >= 0)
        return Measured(rising, squares[places[rising]])


def _take_tiles(values: NDArray[Any], tiles: Rows) -> NDArray[Any]:
    """What stands in some tiles, of which the last of all may be shorter: whole tiles are copied at once."""
    whole = values.size // TILE
    taken: NDArray[Any] = values[: whole * TILE].reshape(-1, TILE)[tiles[tiles < whole]].ravel()
    return np.concatenate((taken, values[whole * TILE :])) if (tiles == whole).any() else taken
