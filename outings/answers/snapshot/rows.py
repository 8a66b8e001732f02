"""By row, what any look-up may need of a listing: its type, its place in the order of ids, its program, where it is."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.snapshot.derived import derive_table
from outings.answers.snapshot.distance import Point, Vectors, make_unit_vectors
from outings.answers.snapshot.programs import number_programs
from outings.release.mapped_table import MappedTable

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
