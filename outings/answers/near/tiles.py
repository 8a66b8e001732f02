"""The nearest of a metro's rows, without a look at all of them: rows that lie together stand together, in tiles.

A tile is 256 rows of the map, which is halved and halved again where it reaches furthest, so that tiles are small where
listings are many. Of each the middle and the reach are known, and so how near its nearest row can be.
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import astuple
from numpy.typing import NDArray

from outings.answers.snapshot.derived import derive_table
from outings.answers.snapshot.distance import Floats, Point, Vectors, make_unit_vectors, square_chords
from outings.release.mapped_table import MappedTable
from outings.release.tables import PUBLISHED

TILE = 256
# Tiles that are looked at first; each further look is at twice as many.
_FIRST_TILES = 4
# What rounding may do to a tile's reach.
_ROUNDING = 1e-12

Rows = NDArray[np.int64]

# What they are made of.
LISTINGS = ("row", "status", "lat", "lng")


def make_tiles(listings: pl.DataFrame) -> pl.DataFrame:
    """The published rows with coordinates, tile after tile, as points of the unit sphere."""
    placed = listings.filter(
        (pl.col("status") == PUBLISHED) & pl.col("lat").is_not_null() & pl.col("lng").is_not_null()
    ).sort("row")
    vectors = make_unit_vectors(placed["lat"].to_numpy(), placed["lng"].to_numpy())
    ordered = _order_tiles(np.stack(vectors, axis=1))
    rows = placed["row"].to_numpy()[ordered]
    x, y, z = (each[ordered] for each in vectors)
    return pl.DataFrame({"row": rows, "x": x, "y": y, "z": z}, schema_overrides={"row": pl.UInt32()})


def _order_tiles(points: Floats) -> Rows:
    """Halved where they reach furthest, and the halves again, until each is a tile: as wide as they are high."""
    parts = [np.arange(len(points))]
    done: list[Rows] = []
    while parts:
        part = parts.pop()
        if part.size <= TILE:
            done.append(part)
            continue
        own = points[part]
        widest = int(np.argmax(own.max(axis=0) - own.min(axis=0)))
        part = part[np.argsort(own[:, widest], kind="stable")]
        half = -(-part.size // TILE) // 2 * TILE
        parts += [part[half:], part[:half]]
    return np.concatenate(done)


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


TILES = derive_table("tiles", make_tiles, {"listings": LISTINGS})
TILE_BOUNDS = derive_table("tile_bounds", make_tile_bounds, {"listings": LISTINGS})


class Columns(Struct, frozen=True, eq=False):
    """Arrays of the same rows."""

    def choose(self, chosen: NDArray[np.generic] | slice) -> Self:
        """Those of an index, a mask or a slice."""
        return type(self)(*(each[chosen] for each in astuple(self)))

    def join(self, other: Self) -> Self:
        """Both, one after the other."""
        return type(self)(*map(np.concatenate, zip(astuple(self), astuple(other), strict=True)))


class RowDistances(Columns, frozen=True, eq=False):
    """Rows, with the squares of their straight distances through the unit sphere."""

    rows: Rows
    squares: Floats


# What is kept of some tiles' rows, by the tiles' numbers and the square of the greatest distance.
Take = Callable[[Rows, float], RowDistances]


class Tiles:
    """Of one snapshot. A row's place is where it stands in them."""

    def __init__(self, table: MappedTable, *, bounds: MappedTable) -> None:
        self._rows = table.read_array("row")
        self._vectors: Vectors = (table.read_array("x"), table.read_array("y"), table.read_array("z"))
        self._middles: Vectors = (bounds.read_array("x"), bounds.read_array("y"), bounds.read_array("z"))
        self.reaches = bounds.read_array("reach")

    def __len__(self) -> int:
        return self.reaches.size

    def find_nearest(self, point: Point, *, chord: float, count: int, take: Take) -> RowDistances:
        """Of what `take` keeps the nearest within a straight line from the point, this many at least where there are so
        many, and all at their distances. In no order."""
        gaps = self.measure_middles(point) - self.reaches
        tiles = np.flatnonzero(gaps <= chord)
        gaps, size, most = gaps[tiles], _FIRST_TILES, chord**2
        distances = RowDistances(tiles[:0], gaps[:0])
        while tiles.size:
            order = np.argpartition(gaps, size) if size < tiles.size else np.arange(tiles.size)
            nearest, others = order[:size], order[size:]
            distances = distances.join(take(tiles[nearest], most))
            if distances.rows.size >= count:
                # All that are no further than the last of these: others lie in tiles that reach as near.
                most = float(np.partition(distances.squares, count - 1)[count - 1])
                distances, others = distances.choose(distances.squares <= most), others[gaps[others] <= np.sqrt(most)]
            tiles, gaps, size = tiles[others], gaps[others], size * 2
        return distances

    def list_places(self) -> Rows:
        """The row of each place."""
        return self._rows.astype(np.int64)

    def measure_middles(self, point: Point) -> Floats:
        """How far the middle of each tile lies, in a straight line: its rows are nearer or further by its reach."""
        middles: Floats = np.sqrt(square_chords(self._middles, point))
        return middles

    def reach(self, point: Point, chord: float) -> bool:
        """Whether a row may lie no further from a point."""
        return bool((self.measure_middles(point) - self.reaches <= chord).any())

    def measure_tiles(self, tiles: Rows, point: Point) -> Floats:
        """Some tiles' squares, a line each; infinite where the last of all has no row."""
        squares = square_chords([_take_tiles(each, tiles) for each in self._vectors], point)
        whole = np.full((tiles.size, TILE), np.inf)
        whole.ravel()[: squares.size] = squares
        return whole

    def measure_places(self, places: Rows, point: Point) -> Floats:
        """The squares of the distances of rows."""
        return square_chords([each[places] for each in self._vectors], point)

    def measure_rows(self, tiles: Rows, point: Point, *, most: float) -> RowDistances:
        """Of some tiles what lies no further, by the square of its distance; rising."""
        squares = square_chords([_take_tiles(each, tiles) for each in self._vectors], point)
        near = np.flatnonzero(squares <= most)
        rows, squares = _take_tiles(self._rows, tiles)[near].astype(np.int64), squares[near]
        order = np.argsort(rows)
        return RowDistances(rows[order], squares[order])


def _take_tiles(values: NDArray[Any], tiles: Rows) -> NDArray[Any]:
    """What stands in some tiles, of which the last of all may be shorter: whole tiles are copied at once."""
    whole = values.size // TILE
    taken: NDArray[Any] = values[: whole * TILE].reshape(-1, TILE)[tiles[tiles < whole]].ravel()
    return np.concatenate((taken, values[whole * TILE :])) if (tiles == whole).any() else taken
