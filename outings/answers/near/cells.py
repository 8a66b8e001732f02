"""A sample of a metro's points, and how lively each is: what a point's percentile is taken against.

Made in the build, for its local date, with the default radius and window; kept by type, so that a key is compared by
what it may read. Points that have nothing of it in reach are left out: few people live there.
"""

from collections.abc import Iterator
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.cache import LruCache
from outings.answers.near.circles import Circles
from outings.answers.near.layer import Layer
from outings.answers.near.layers import open_layers
from outings.answers.near.liveliness import Tally, list_components, score_components, tally_layer
from outings.answers.selecting.collections import CollectionScope, query_collections
from outings.answers.selecting.evaluator import open_evaluator
from outings.answers.snapshot.distance import Point, find_chord, make_unit_vector
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.instants import number_day, read_date
from outings.contract.resources.metro import Bounds
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.mapped_table import MappedTable, encode_mapped

# The mapped file.
CELLS = "cells"
# Points a side of the metro's bounds.
SIDE = 20
# Sets of types that were asked for.
_TYPES = 16
_ROUTE = next(route for route in ROUTES if route.name == "activity")
_COLUMNS = ("counts", "free", "paid", "categories")

_DEFAULT_RADIUS = _ROUTE.parameters["radius_m"].default
assert isinstance(_DEFAULT_RADIUS, int)
RADIUS_M: int = _DEFAULT_RADIUS


def make_cells(reader: SnapshotReader, today: date) -> pl.DataFrame:
    """A row a point: `date`, days since 1970, and by type the columns of `Tally`."""
    layer = make_default_layer(reader, today)
    tiles, chord = layer.index.tiles, find_chord(RADIUS_M)
    # Most points of a small metro have nothing in reach, and to count nothing takes as long as to count something.
    points = (each for each in _list_points(reader.metro.bounds) if tiles.reach(each, chord))
    cells = (tally_layer(layer, draw_circle(layer, each)) for each in points)
    tallies = [each for each in cells if each.counts.any()]
    start = number_day(today)
    columns: dict[str, NDArray[np.generic]] = {"date": np.full(len(tallies), start, dtype=np.int32)}
    for name in _COLUMNS:
        table = np.concatenate([getattr(each, name) for each in tallies]) if tallies else np.empty((0, len(TYPES)))
        kind = np.uint64 if name == "categories" else np.int64
        columns |= {f"{name}_{each}": table[:, code].astype(kind) for code, each in enumerate(TYPES)}
    return pl.DataFrame(columns)


def make_default_layer(reader: SnapshotReader, today: date) -> Layer:
    """All collections, with what holds where nothing is said, whatever the minute."""
    scope = CollectionScope(route=_ROUTE.name, today=today, vocabulary=reader.vocabulary)
    default = query_collections((), tuple(COLLECTIONS), scope)
    return reader.open_index(open_layers).read(default.collections, open_evaluator(reader))


def draw_circle(layer: Layer, point: Point) -> Circles:
    """The one that points are compared by."""
    return Circles(layer.index.tiles, point, (find_chord(RADIUS_M),))


def _list_points(bounds: Bounds) -> Iterator[Point]:
    """The middles of SIDE × SIDE fields; a metro may lie on both sides of the date line."""
    width = (bounds.east - bounds.west) % 360
    for row in range(SIDE):
        lat = bounds.south + (bounds.north - bounds.south) * (row + 0.5) / SIDE
        for column in range(SIDE):
            yield make_unit_vector(lat, bounds.west + width * (column + 0.5) / SIDE)


class Cells:
    """Of one snapshot. `date` is the build's; None where nothing is in reach of any point."""

    def __init__(self, table: MappedTable) -> None:
        self.date = read_date(int(table.read_array("date")[0])) if len(table) else None
        counts, free, paid, categories = (
            np.stack([table.read_array(f"{name}_{each}") for each in TYPES], axis=1) for name in _COLUMNS
        )
        self.tally = Tally(counts, free, paid, categories)
        self._layer: Layer | None = None
        self._scores: LruCache[tuple[str, ...], NDArray[np.int64]] = LruCache(size=_TYPES)

    def score(self, types: tuple[str, ...], *, words: int) -> NDArray[np.int64]:
        """Return the scores of the points within reach of something of these types. `words`: how many categories there
        are."""
        return self._scores.read(types, lambda: self._score(types, words=words))

    def _score(self, types: tuple[str, ...], *, words: int) -> NDArray[np.int64]:
        reached = self.tally.counts[:, [TYPES.index(each) for each in types]].any(axis=1)
        return score_components(list_components(self.tally, types, words=words))[reached]

    def open_layer(self, reader: SnapshotReader) -> Layer:
        """What points are compared by: whatever is asked and by whom, the build's date shows the same."""
        assert self.date is not None, "where there is a point there is a date"
        if self._layer is None:
            self._layer = make_default_layer(reader, self.date)
        return self._layer


def open_cells(reader: SnapshotReader) -> Cells:
    return Cells(MappedTable(reader.find_mapped(CELLS) or encode_mapped(make_cells(reader, reader.date))))
