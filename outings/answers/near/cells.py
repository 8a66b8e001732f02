"""A sample of a metro's points, and how lively each is: what a point's percentile is taken against.

Made in the build, for its local date, with the default radius and window; kept by type, so that a key is compared by
what it may read. Points that have nothing in reach are left out: few people live there.
"""

from collections.abc import Iterator
from datetime import date
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.asking import AskedTypes, Asking, ask_types
from outings.answers.distance import Point, find_line, find_point, measure_squares
from outings.answers.near.finding import Finding, deal_programs
from outings.answers.near.index import NearIndex, read_now
from outings.answers.near.liveliness import Tally, tally_rows
from outings.answers.near.tiles import Rows
from outings.answers.opened import open_snapshot
from outings.contract.resources.metro import Bounds
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import COLLECTIONS, TYPES, Vocabulary
from outings.release.mapped import MappedTable, encode_mapped
from outings.release.snapshot import Snapshot

# Points a side of the metro's bounds.
SIDE = 20
_EPOCH = date(1970, 1, 1).toordinal()
_ROUTE = next(route for route in ROUTES if route.name == "activity")
_COLUMNS = ("counts", "free", "paid", "categories")

_DEFAULT_RADIUS = _ROUTE.parameters["radius_m"].default
assert isinstance(_DEFAULT_RADIUS, int)
RADIUS_M: int = _DEFAULT_RADIUS


def ask_default(today: date, vocabulary: Vocabulary) -> AskedTypes:
    """All collections, with what holds where nothing is said, whatever the minute."""
    return ask_types((), tuple(COLLECTIONS), Asking(route=_ROUTE.name, today=today, vocabulary=vocabulary))


def make_cells(snapshot: Snapshot, today: date) -> pl.DataFrame:
    """A row a point: `date`, days since 1970, and by type the columns of `Tally`."""
    index = open_snapshot(snapshot).open_near()
    rows = list_default(snapshot, today)
    vectors = [each[rows] for each in index.vectors]
    start, line = today.toordinal() - _EPOCH, find_line(RADIUS_M)
    tallies = [
        tally_rows(deal_programs(near, index, start=start), index)
        for point in _list_points(snapshot.metro.bounds)
        if (near := rows[measure_squares(vectors, point) <= line**2]).size
    ]
    columns: dict[str, NDArray[np.generic]] = {"date": np.full(len(tallies), start, dtype=np.int32)}
    for name in _COLUMNS:
        table = np.concatenate([getattr(each, name) for each in tallies]) if tallies else np.empty((0, len(TYPES)))
        kind = np.uint64 if name == "categories" else np.int64
        columns |= {f"{name}_{each}": table[:, code].astype(kind) for code, each in enumerate(TYPES)}
    return pl.DataFrame(columns)


def list_default(snapshot: Snapshot, today: date) -> Rows:
    """What a default request shows of the whole metro, a program's every listing; rising."""
    opened = open_snapshot(snapshot)
    index, asked = opened.open_near(), ask_default(today, snapshot.vocabulary)
    everywhere = Finding(
        index=index, evaluator=opened.open_evaluator(), collections=asked.collections, point=(0.0, 0.0, 0.0),
        radius_m=0,
    )  # fmt: skip
    return everywhere.keep_rows(index.tiles.list_rows())


def _list_points(bounds: Bounds) -> Iterator[Point]:
    """The middles of SIDE × SIDE fields; a metro may lie on both sides of the date line."""
    width = (bounds.east - bounds.west) % 360
    for row in range(SIDE):
        lat = bounds.south + (bounds.north - bounds.south) * (row + 0.5) / SIDE
        for column in range(SIDE):
            yield find_point(lat, bounds.west + width * (column + 0.5) / SIDE)


class Cells:
    """Of one snapshot. `date` is the build's; None where nothing is in reach of any point."""

    def __init__(self, table: MappedTable) -> None:
        self.date = date.fromordinal(int(table.read_array("date")[0]) + _EPOCH) if len(table) else None
        counts, free, paid, categories = (
            np.stack([table.read_array(f"{name}_{each}") for each in TYPES], axis=1) for name in _COLUMNS
        )
        self.tally = Tally(counts, free, paid, categories)
        self._shown: NDArray[np.bool_] | None = None

    def tally_circle(self, rows: Rows, snapshot: Snapshot) -> Tally:
        """Of a point, by what is published within the default radius, as the others were: whatever is asked and by
        whom, the build's date shows the same."""
        assert self.date is not None, "where there is a point there is a date"
        index = open_snapshot(snapshot).open_near()
        if self._shown is None:
            shown = np.zeros(index.types.size, dtype=np.bool_)
            shown[list_default(snapshot, self.date)] = True
            self._shown = shown
        cards = deal_programs(rows[self._shown[rows]], index, start=self.date.toordinal() - _EPOCH)
        return tally_rows(cards, index)


_opened: "WeakKeyDictionary[NearIndex, Cells]" = WeakKeyDictionary()


def open_cells(snapshot: Snapshot) -> Cells:
    """Of a release from before the build made them: as of the date on which the metro last changed."""
    index = open_snapshot(snapshot).open_near()
    cells = _opened.get(index)
    if cells is None:
        path = snapshot.mapped.get("cells")
        today = read_now(snapshot.stamp, snapshot.metro.timezone).date
        cells = Cells(MappedTable(encode_mapped(make_cells(snapshot, today)) if path is None else path))
        _opened[index] = cells
    return cells
