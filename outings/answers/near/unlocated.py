"""Rows without coordinates: where they may be, by their neighborhood, and which of them an answer hides therefore."""

from functools import reduce

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.snapshot.derived import derive_table
from outings.answers.snapshot.distance import Floats, Point, make_unit_vectors, square_matrix
from outings.answers.snapshot.zips import Zips
from outings.release.mapped_table import MappedTable
from outings.release.tables import PUBLISHED

Rows = NDArray[np.int64]

# What it is made of.
LISTINGS = ("row", "status", "lat", "lng", "neighborhood_slug")
NEIGHBORHOODS = ("slug", "lat", "lng")


def make_unlocated(listings: pl.DataFrame, neighborhoods: pl.DataFrame) -> pl.DataFrame:
    """The published rows without coordinates, rising, with the center of their neighborhood; NaN where there is none
    that the metro's map has."""
    is_unplaced = pl.col("lat").is_null() | pl.col("lng").is_null()
    rows = listings.filter((pl.col("status") == PUBLISHED) & is_unplaced).select("row", slug="neighborhood_slug")
    joined = rows.join(neighborhoods, on="slug", how="left").sort("row")
    x, y, z = make_unit_vectors(*(joined[name].fill_null(float("nan")).to_numpy() for name in ("lat", "lng")))
    return pl.DataFrame({"row": joined["row"], "x": x, "y": y, "z": z})


UNLOCATED = derive_table("unplaced", make_unlocated, {"listings": LISTINGS, "neighborhoods": NEIGHBORHOODS})


class Spots:
    """What is known of where rows may be, each once: `centers` of neighborhoods and `middles` of zips, of each x, y and
    z one under the other, NaN where one is not known; no middles where the deployment knows no zips."""

    def __init__(self, centers: Floats, middles: Floats | None) -> None:
        places = [centers] if middles is None else [centers, middles]
        self._unknown = [np.isnan(each[0]) for each in places]
        self._places = [each for each in places if not np.isnan(each[0]).all()]

    def lie_near(self, point: Point, *, chord: float) -> NDArray[np.bool_] | None:
        """Which of them lie within a straight line from the point, by one or the other; None where none is known to."""
        near = [square_matrix(each, point) <= chord**2 for each in self._places]
        return reduce(np.logical_or, near) if near else None

    def are_unknown(self) -> NDArray[np.bool_]:
        return reduce(np.logical_and, self._unknown)


class UnlocatedRows:
    """Of one snapshot. `rows`, rising, with the number of each one's spot in `numbers`. `zips`: where the deployment
    knows their middles."""

    def __init__(self, table: MappedTable, *, zips: Zips | None) -> None:
        self.rows = table.read_array("row").astype(np.int64)
        columns = [table.read_array(name) for name in ("x", "y", "z")]
        columns += [] if zips is None else [each[self.rows] for each in zips.vectors]
        known = pl.DataFrame({str(number): column for number, column in enumerate(columns)})
        spots = known.unique(maintain_order=True).with_row_index("number")
        joined = known.join(spots, on=known.columns, how="left", maintain_order="left", nulls_equal=True)
        self.numbers: Rows = joined["number"].to_numpy().astype(np.int64)
        self.count = spots.height
        vectors = np.stack([spots[name].to_numpy() for name in known.columns])
        self.spots = Spots(vectors[:3], None if zips is None else vectors[3:])

    def find_near(self, point: Point, *, chord: float) -> Rows:
        """Those that may lie within a straight line from the point; rising."""
        near = self.spots.lie_near(point, chord=chord)
        return self.rows[:0] if near is None else self.rows[near[self.numbers]]

    def number_spots(self, rows: Rows) -> Rows:
        """Of some of them."""
        return self.numbers[np.searchsorted(self.rows, rows)]
