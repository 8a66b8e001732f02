"""`/v1/{metro}/{collection}/density`: the whole list, counted by cells of the map.

Cells are squares of a fraction of a degree, the same in every metro and release, so that counts may be compared.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from outings.answers.listings.lists import SLOW, ListRequest, resolve_list
from outings.answers.plan import AnswerContext, AnswerPlan
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.envelope import encode_list
from outings.contract.query import Query
from outings.contract.resources.directories import DensityCell
from outings.contract.resources.meta import DensityMeta
from outings.release.snapshot import Snapshot

# Cells in a degree: a cell is 550 m from south to north, and 380 m wide in Seattle.
PER_DEGREE = 200
# Coordinates are rounded to ten-millionths of a degree (a centimetre), so that the errors of trigonometry move no
# listing to another cell.
_FINE = 10_000_000
_ACROSS = 360 * PER_DEGREE + 1

Rows = NDArray[np.int64]


class DensityCells:
    """The map cells of one snapshot's listings."""

    def __init__(self, reader: SnapshotReader) -> None:
        x, y, z = reader.rows.vectors
        located = ~np.isnan(x)
        souths = _number_cells(np.arcsin(np.clip(z[located], -1, 1))) + 90 * PER_DEGREE
        wests = _number_cells(np.arctan2(y[located], x[located])) + 180 * PER_DEGREE
        self._cells, numbers = np.unique(souths * _ACROSS + wests, return_inverse=True)
        self._numbers: NDArray[np.int32] = np.full(x.size, -1, dtype=np.int32)
        self._numbers[located] = numbers

    def count(self, rows: Rows) -> list[DensityCell]:
        """Count rows by cell, from south to north and then from west to east. Skip rows without coordinates."""
        numbers = self._numbers[rows]
        counts = np.bincount(numbers[numbers >= 0])
        filled = np.flatnonzero(counts)
        corners = np.column_stack(np.divmod(self._cells[filled], _ACROSS)) - (90 * PER_DEGREE, 180 * PER_DEGREE)
        cells = zip((corners / PER_DEGREE).tolist(), counts[filled].tolist(), strict=True)
        return [DensityCell(south=south, west=west, count=count) for (south, west), count in cells]


def _number_cells(radians: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the numbers of the angles' cells, ascending to the north and east from 0 at the equator and Greenwich."""
    fine: NDArray[np.int64] = np.rint(np.degrees(radians) * _FINE).astype(np.int64)
    return fine // (_FINE // PER_DEGREE)


_encoder = msgspec.json.Encoder()


def plan_density(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    request = resolve_list(query, snapshot, context)
    return AnswerPlan(
        request.make_tag(), lambda: answer_density(request), is_quick=query.values.keys().isdisjoint(SLOW)
    )


def answer_density(request: ListRequest) -> list[bytes]:
    """Count the list by cells and return the body in chunks."""
    reader = open_snapshot(request.snapshot)
    rows = open_evaluator(reader).list_all_rows(request.select())
    cells = reader.open_index(DensityCells).count(rows)
    meta = DensityMeta(
        degrees=1 / PER_DEGREE,
        total=rows.size,
        without_coordinates=rows.size - sum(cell.count for cell in cells),
        **request.describe_filters(),
    )
    items = [_encoder.encode(cell) for cell in cells]
    return encode_list(items, meta=_encoder.encode(meta), notices=request.query.notices)
