"""By row, what any look-up may need of a listing: its type, its place in the order of ids, its program, where it is."""

from bisect import bisect_left
from collections.abc import Collection
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.snapshot.derived import derive_table
from outings.answers.snapshot.distance import Point, Vectors, make_unit_vectors
from outings.release.mapped_table import MappedTable
from outings.release.tables import PUBLISHED

# What they are made of.
LISTINGS = ("row", "status", "program_key", "audience", "confidence")


IS_OF_PROGRAM = pl.col("program_key").is_not_null() & (pl.col("status") == PUBLISHED)


def number_programs() -> pl.Expr:
    """A number for each program, in the order of their keys, of its published listings; null for others."""
    return pl.when(IS_OF_PROGRAM).then("program_key").rank("dense") - 1


def make_members(listings: pl.DataFrame) -> pl.DataFrame:
    """The published rows of programs, one program after the other, from `first` to `end`; `sorted` are these rows in
    natural order, each with its `place` among the members."""
    members = listings.filter(IS_OF_PROGRAM).sort("program_key", "row").with_row_index("at")
    places = members.select(sorted="row", place="at").sort("sorted")
    return members.select(
        "row", "audience", "confidence",
        first=pl.col("at").min().over("program_key"),
        end=pl.col("at").max().over("program_key") + 1,
    ).hstack(places)  # fmt: skip


MEMBERS = derive_table("members", make_members, {"listings": LISTINGS})


class Programs:
    """A program is known by its number; `numbers`: by row, -1 of a listing that is its own."""

    def __init__(self, table: MappedTable, *, numbers: NDArray[np.int32]) -> None:
        self._numbers = numbers
        self._rows, self._audiences = table.view_array("row"), table.view_array("audience")
        self._confidences = table.view_array("confidence")
        self._firsts, self._ends = table.view_array("first"), table.view_array("end")
        self._sorted, self._places = table.view_array("sorted"), table.view_array("place")

    def find_programs(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of each row's program; -1 of a listing that is its own."""
        return self._numbers[rows].astype(np.int64)

    def list_members(self, programs: NDArray[np.int64]) -> NDArray[np.int64]:
        """All rows of these programs, each named once by its number."""
        if not programs.size:
            return programs
        first = self._begins[programs]
        counts = np.asarray(self._ends)[first] - first
        starts = np.cumsum(counts) - counts
        return np.asarray(self._rows)[np.repeat(first - starts, counts) + np.arange(int(counts.sum()))].astype(np.int64)

    @cached_property
    def _begins(self) -> NDArray[np.int64]:
        """By number: a program's first place among the members, which are in the same order."""
        return np.unique(np.asarray(self._firsts)).astype(np.int64)

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


_LISTINGS = ("row", "type", "id", "status", "program_key", "lat", "lng")


def make_row_facts(listings: pl.DataFrame) -> pl.DataFrame:
    """`program`: a number that the published listings of a program share, else -1. `x`, `y`, `z`: a point of the unit
    sphere; NaN without coordinates."""
    x, y, z = make_unit_vectors(*(listings[name].fill_null(float("nan")).to_numpy() for name in ("lat", "lng")))
    return listings.select(
        "type",
        program=number_programs().fill_null(-1).cast(pl.Int32()),
        id_rank=(pl.col("id").rank("ordinal") - 1).cast(pl.UInt32()),
        x=pl.Series(x),
        y=pl.Series(y),
        z=pl.Series(z),
    )


ROW_FACTS = derive_table("row_facts", make_row_facts, {"listings": _LISTINGS})


class RowFacts:
    """Of one snapshot's listings."""

    def __init__(self, table: MappedTable) -> None:
        self.types: NDArray[np.uint8] = table.read_array("type")
        self.id_ranks: NDArray[np.uint32] = table.read_array("id_rank")
        self.programs: NDArray[np.int32] = table.read_array("program")
        self.vectors: Vectors = (table.read_array("x"), table.read_array("y"), table.read_array("z"))

    def read_point(self, row: int) -> Point:
        """Where a listing is, on the unit sphere; NaN without coordinates."""
        x, y, z = (float(each[row]) for each in self.vectors)
        return x, y, z
