"""Rows without coordinates: where they may be, by their neighborhood, and which of them an answer hides therefore."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.distance import Point, Vectors, find_vectors, measure_squares
from outings.contract.vocabulary import STATUSES
from outings.release.mapped import MappedTable

_PUBLISHED = STATUSES.index("published")

Rows = NDArray[np.int64]

# What it is made of.
LISTINGS = ("row", "status", "lat", "lng", "neighborhood_slug")
NEIGHBORHOODS = ("slug", "lat", "lng")


def make_unplaced(listings: pl.DataFrame, neighborhoods: pl.DataFrame) -> pl.DataFrame:
    """The published rows without coordinates, rising, with the center of their neighborhood; NaN where there is none
    that the metro's map has."""
    is_unplaced = pl.col("lat").is_null() | pl.col("lng").is_null()
    rows = listings.filter((pl.col("status") == _PUBLISHED) & is_unplaced).select("row", slug="neighborhood_slug")
    joined = rows.join(neighborhoods, on="slug", how="left").sort("row")
    x, y, z = find_vectors(*(joined[name].fill_null(float("nan")).to_numpy() for name in ("lat", "lng")))
    return pl.DataFrame({"row": joined["row"], "x": x, "y": y, "z": z})


class Unplaced:
    """Of one snapshot."""

    def __init__(self, table: MappedTable) -> None:
        self.rows = table.read_array("row").astype(np.int64)
        self._vectors: Vectors = (table.read_array("x"), table.read_array("y"), table.read_array("z"))
        self._unknown = self.rows[np.isnan(self._vectors[0])]

    def find_near(self, point: Point, *, line: float) -> Rows:
        """Those whose neighborhood's center lies within a straight line from the point; rising."""
        return self.rows[measure_squares(self._vectors, point) <= line**2]

    def list_unknown(self) -> Rows:
        """Those that nothing is known of; rising."""
        return self._unknown
