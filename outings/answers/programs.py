"""Programs that came as several class listings: which rows share a `program_key`."""

from bisect import bisect_left
from collections.abc import Collection

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.contract.vocabulary import STATUSES
from outings.release.mapped import MappedTable

_PUBLISHED = STATUSES.index("published")

# What they are made of.
LISTINGS = ("row", "status", "program_key", "audience", "confidence")


_IS_SHARED = pl.col("program_key").is_not_null() & (pl.col("status") == _PUBLISHED)


def number_programs() -> pl.Expr:
    """A number for each program, of its published listings; null for others."""
    return pl.when(_IS_SHARED).then("program_key").rank("dense") - 1


def make_members(listings: pl.DataFrame) -> pl.DataFrame:
    """The published rows of programs, one program after the other, from `first` to `end`; `sorted` are these rows in
    natural order, each with its `place` among the members."""
    members = listings.filter(_IS_SHARED).sort("program_key", "row").with_row_index("at")
    places = members.select(sorted="row", place="at").sort("sorted")
    return members.select(
        "row", "audience", "confidence",
        first=pl.col("at").min().over("program_key"),
        end=pl.col("at").max().over("program_key") + 1,
    ).hstack(places)  # fmt: skip


class Programs:
    def __init__(self, table: MappedTable) -> None:
        self._rows, self._audiences = table.view_array("row"), table.view_array("audience")
        self._confidences = table.view_array("confidence")
        self._firsts, self._ends = table.view_array("first"), table.view_array("end")
        self._sorted, self._places = table.view_array("sorted"), table.view_array("place")

    def find_programs(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of each row's program; -1 of a listing that is its own."""
        members, places = np.asarray(self._sorted), np.asarray(self._places)
        programs = np.full(rows.size, -1, dtype=np.int64)
        if members.size:
            # Classes stand together: most rows are of other types.
            asked = np.flatnonzero((rows >= members[0]) & (rows <= members[-1]))
            at = np.searchsorted(members, rows[asked])
            found = members[at] == rows[asked]
            programs[asked[found]] = np.asarray(self._firsts)[places[at[found]]]
        return programs

    def list_members(self, programs: NDArray[np.int64]) -> NDArray[np.int64]:
        """All rows of these programs, each named once by its number."""
        if not programs.size:
            return programs
        counts = np.asarray(self._ends)[programs] - programs
        starts = np.cumsum(counts) - counts
        return np.asarray(self._rows)[np.repeat(programs - starts, counts) + np.arange(int(counts.sum()))].astype(
            np.int64
        )

    def find_others(self, row: int, *, audiences: Collection[int], min_confidence: float) -> list[int]:
        """The program's other published rows of these audiences and of this confidence at least, in natural order."""
        at = bisect_left(self._sorted, row)
        if at == len(self._sorted) or self._sorted[at] != row:
            return []
        own = self._places[at]
        return [
            self._rows[other]
            for other in range(self._firsts[own], self._ends[own])
            if other != own and self._audiences[other] in audiences and self._confidences[other] >= min_confidence
        ]
