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
LISTINGS = ("row", "type", "status", "lat", "lng", "neighborhood_slug")
NEIGHBORHOODS = ("slug", "lat", "lng", "south")
# Six decimals of a degree are a tenth of a metre.
_DECIMALS = 6


def make_unlocated(listings: pl.DataFrame, neighborhoods: pl.DataFrame) -> pl.DataFrame:
    """Return the published rows without coordinates, rising, with the center of their neighborhood: the map's, or where
    the map has none, the middle of the listings of the row's own type. NaN where there is neither."""
    shown = listings.filter(pl.col("status") == PUBLISHED).rename({"neighborhood_slug": "slug"})
    is_placed = pl.col("lat").is_not_null() & pl.col("lng").is_not_null()
    is_mapped = pl.col("south").is_not_null()
    mapped, unmapped = (neighborhoods.filter(each).select("slug", "lat", "lng") for each in (is_mapped, ~is_mapped))
    # Of its own type: what a key may not read says nothing of where a row is.
    stated = (
        shown.filter(is_placed)
        .join(unmapped, on="slug", how="semi")
        .group_by("slug", "type")
        .agg(pl.col("lat", "lng").mean().round(_DECIMALS))
    )
    joined = (
        shown.filter(~is_placed).select("row", "type", "slug").sort("row")
        .join(mapped, on="slug", how="left", maintain_order="left")
        .join(stated, on=("slug", "type"), how="left", maintain_order="left", suffix="_stated")
        .with_columns(pl.coalesce(name, f"{name}_stated").alias(name) for name in ("lat", "lng"))
    )  # fmt: skip
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
