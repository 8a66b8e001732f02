"""The nearest of a metro's rows, without a look at all of them: rows that lie together stand together, in tiles.

A tile is 256 rows of the map, which is halved and halved again where it reaches furthest, so that tiles are small where
listings are many. Of each the middle and the reach are known, and so how near its nearest row can be.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from math import sqrt
from typing import Self

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import astuple
from numpy.typing import NDArray

from outings.answers.snapshot.derived import derive_table
from outings.answers.snapshot.distance import Floats, Point, make_unit_vectors, square_matrix
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import MappedTable
from outings.release.tables import PUBLISHED

TILE = 256
# Tiles that are looked at first; each further look is at twice as many.
_FIRST_TILES = 4
# The order of types among what is equally far: that of their names.
TYPE_RANKS: tuple[int, ...] = tuple(sorted(TYPES).index(each) for each in TYPES)
# What rounding may do to a tile's reach.
_ROUNDING = 1e-12

Rows = NDArray[np.int64]

# What they are made of.
LISTINGS = ("row", "status", "type", "id", "lat", "lng")


def make_tiles(listings: pl.DataFrame) -> pl.DataFrame:
    """The published rows with coordinates, tile after tile. `tie`: in what order they come where they are equally far,
    by the name of their type, then by id (`Ties`)."""
    rows, _ = _place_rows(listings)
    ids = (pl.col("id").rank("ordinal") - 1).cast(pl.UInt32())
    ranks = pl.col("type").replace_strict(dict(enumerate(TYPE_RANKS)), return_dtype=pl.UInt32())
    ties = listings.select(tie=ranks * listings.height + ids)["tie"]
    return pl.DataFrame({"row": rows.astype(np.uint32), "tie": ties.to_numpy()[rows]})


def _place_rows(listings: pl.DataFrame) -> tuple[Rows, Floats]:
    """The rows in the order of tiles, and where each is on the unit sphere."""
    placed = listings.filter(
        (pl.col("status") == PUBLISHED) & pl.col("lat").is_not_null() & pl.col("lng").is_not_null()
    ).sort("row")
    points = np.stack(make_unit_vectors(placed["lat"].to_numpy(), placed["lng"].to_numpy()), axis=1)
    ordered = _order_tiles(points)
    return placed["row"].to_numpy()[ordered], points[ordered]


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
    """Of each tile its middle, within the sphere, and how far from it a row lies at most, in a straight line. `points`:
    x of its rows, then y, then z; infinite where the last of all has no row."""
    _, points = _place_rows(listings)
    starts = np.arange(0, len(points), TILE)
    counts = np.minimum(TILE, len(points) - starts)
    middles = np.add.reduceat(points, starts) / counts[:, np.newaxis] if len(points) else np.empty((0, 3))
    gaps = np.sqrt(((points - np.repeat(middles, counts, axis=0)) ** 2).sum(axis=1))
    reach = np.maximum.reduceat(gaps, starts) if len(points) else np.empty(0)
    whole = np.full((starts.size * TILE, 3), np.inf)
    whole[: len(points)] = points
    matrix = whole.reshape(-1, TILE, 3).transpose(0, 2, 1).reshape(-1, 3 * TILE)
    x, y, z = middles.T
    made = pl.DataFrame({"x": x, "y": y, "z": z, "reach": reach + _ROUNDING})
    return made.with_columns(points=pl.Series(matrix, dtype=pl.Array(pl.Float64(), 3 * TILE)))


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


class PlaceDistances(Struct, frozen=True, eq=False):
    """Places in the tiles, with the squares of their straight distances through the unit sphere."""

    places: Rows
    squares: Floats

    def choose(self, chosen: NDArray[np.generic] | slice) -> "PlaceDistances":
        """Those of an index, a mask or a slice."""
        return PlaceDistances(self.places[chosen], self.squares[chosen])


def join_distances(parts: Sequence[PlaceDistances]) -> PlaceDistances:
    """One after the other."""
    if len(parts) == 1:
        return parts[0]
    places = [np.empty(0, dtype=np.int64), *(each.places for each in parts)]
    return PlaceDistances(np.concatenate(places), np.concatenate([np.empty(0), *(each.squares for each in parts)]))


# Looks at some tiles, of whose rows none further than the square of a distance matters; returns the square from which
# on none does any more.
Look = Callable[[Rows, float], float]
# Which rows of some tiles follow an item, of their squares, a line a tile.
Follow = Callable[[Rows, Floats], NDArray[np.bool_]]


class Tiles:
    """Of one snapshot. A row's place is where it stands in them."""

    def __init__(self, table: MappedTable, *, bounds: MappedTable) -> None:
        self._rows, self._ties = table.read_array("row"), table.read_array("tie")
        self._points = bounds.read_matrix("points").reshape(-1, 3, TILE)
        self._middles = np.stack([bounds.read_array(name) for name in ("x", "y", "z")])
        self.reaches = bounds.read_array("reach")

    def __len__(self) -> int:
        return self.reaches.size

    def search(self, point: Point, *, chord: float, look: Look) -> None:
        """Looks at tiles, the nearest first, that may have rows within a straight line from the point, until those left
        reach no nearer than what matters."""
        squares = square_matrix(self._middles, point)
        tiles = (squares <= (self.reaches + chord) ** 2).nonzero()[0]
        gaps, size, most = np.sqrt(squares[tiles]) - self.reaches[tiles], _FIRST_TILES, chord**2
        while tiles.size > size:
            order = gaps.argpartition(size)
            most = look(tiles[order[:size]], most)
            others = order[size:]
            others = others[gaps[others] <= sqrt(most)]
            tiles, gaps, size = tiles[others], gaps[others], size * 2
        if tiles.size:
            look(tiles, most)

    @cached_property
    def ties(self) -> NDArray[np.uint32]:
        """By place."""
        ties = np.zeros(len(self) * TILE, dtype=np.uint32)
        ties[: self._ties.size] = self._ties
        return ties

    @cached_property
    def rows(self) -> Rows:
        """By place; 0 where the last tile has no row."""
        rows = np.zeros(len(self) * TILE, dtype=np.int64)
        rows[: self._rows.size] = self._rows
        return rows

    def list_places(self) -> Rows:
        """The row of each place."""
        return self._rows.astype(np.int64)

    def measure_middles(self, point: Point) -> Floats:
        """How far the middle of each tile lies, in a straight line: its rows are nearer or further by its reach."""
        middles: Floats = np.sqrt(square_matrix(self._middles, point))
        return middles

    def reach(self, point: Point, chord: float) -> bool:
        """Whether a row may lie no further from a point."""
        return bool((self.measure_middles(point) - self.reaches <= chord).any())

    def measure_tiles(self, tiles: Rows, point: Point) -> Floats:
        """Some tiles' squares, a line each; infinite where the last of all has no row."""
        return square_matrix(self._points.take(tiles, axis=0), point)


def find_places(tiles: Rows, chosen: NDArray[np.bool_]) -> tuple[Rows, Rows]:
    """Of some tiles' rows, a line a tile, those chosen: which they are of these, and their places."""
    numbers = chosen.ravel().nonzero()[0]
    return numbers, tiles[numbers // TILE] * TILE + numbers % TILE
