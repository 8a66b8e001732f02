"""The columns of a snapshot's listings that answers near a point read, derived when the first of them is requested."""

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.near.kinds import Kinds, TypeCategories
from outings.answers.near.starts import Rows, StartTimes
from outings.answers.rows.column_tables import pack_ages
from outings.answers.snapshot.distance import Floats, make_unit_vectors
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.zips import open_zips
from outings.contract.vocabulary import REGISTRATION_STATUSES, TYPES
from outings.release.tables import PUBLISHED, read_columns

# The order of types among what is equally far: that of their names.
TYPE_RANKS: tuple[int, ...] = tuple(sorted(TYPES).index(each) for each in TYPES)
# Of a class that nobody can sign up for any more.
_CLOSED = [REGISTRATION_STATUSES.index(each) for each in ("full", "closed")]
_LISTINGS = (
    "row", "type", "status", "lat", "lng", "neighborhood_slug", "has_time", "is_free", "age_min", "age_max",
    "confidence", "categories", "is_recurring", "registration",
)  # fmt: skip
_NEIGHBORHOODS = ("slug", "lat", "lng", "south")
# Six decimals of a degree are a tenth of a metre.
_DECIMALS = 6


class UnlocatedListings(Struct, frozen=True, eq=False):
    """The published listings without coordinates, by rising row. `centers`: x, y and z of the center of each one's
    neighborhood, NaN where it is not known."""

    rows: Rows
    centers: Floats


class NearIndex:
    """The columns of one snapshot that answers near a point read. Arrays are by row."""

    def __init__(self, reader: SnapshotReader) -> None:
        listings = read_columns(reader.tables["listings"], "listings", _LISTINGS)
        neighborhoods = read_columns(reader.tables.get("neighborhoods"), "neighborhoods", _NEIGHBORHOODS)
        facts = reader.rows
        self.programs, self.vectors, self.id_ranks, self.types = (
            reader.programs, facts.vectors, facts.id_ranks, facts.types,
        )  # fmt: skip
        # The order of listings that are equally far: by the name of their type, then by id.
        self.ties: Rows = np.array(TYPE_RANKS, dtype=np.int64)[self.types] * self.types.size + self.id_ranks
        self.is_open: NDArray[np.bool_] = ~_mark(listings, pl.col("registration").is_in(_CLOSED))
        self.confidence: Floats = listings["confidence"].fill_null(0.0).to_numpy()
        self.categories = TypeCategories(self.types, listings["categories"].fill_null(0).to_numpy().astype(np.uint64))
        self.ages: NDArray[np.uint8] = pack_ages(listings)
        self.kinds = Kinds(
            types=self.types,
            is_free=listings["is_free"].cast(pl.Int8()).fill_null(-1).to_numpy(),
            ages=self.ages,
            is_recurring=_mark(listings, pl.col("is_recurring")),
            is_closed=~self.is_open,
        )
        self.starts = StartTimes(reader, types=self.types, has_time=_mark(listings, pl.col("has_time")))
        self.unlocated = find_unlocated(listings, neighborhoods)
        self.open_zips = reader.defer(open_zips)


def _mark(listings: pl.DataFrame, condition: pl.Expr) -> NDArray[np.bool_]:
    """Return True for each row that is known to meet the condition."""
    return listings.select(condition.fill_null(value=False)).to_series().to_numpy()


def find_unlocated(listings: pl.DataFrame, neighborhoods: pl.DataFrame) -> UnlocatedListings:
    """Return the published listings without coordinates, each with the center of its neighborhood: the map's, or where
    the map has none, the middle of the listings of the row's own type."""
    shown = listings.filter(pl.col("status") == PUBLISHED).rename({"neighborhood_slug": "slug"})
    is_located = pl.col("lat").is_not_null() & pl.col("lng").is_not_null()
    is_mapped = pl.col("south").is_not_null()
    mapped, unmapped = (neighborhoods.filter(each).select("slug", "lat", "lng") for each in (is_mapped, ~is_mapped))
    # Of its own type: what a key may not read says nothing of where a row is.
    stated = (
        shown.filter(is_located)
        .join(unmapped, on="slug", how="semi")
        .group_by("slug", "type")
        .agg(pl.col("lat", "lng").mean().round(_DECIMALS))
    )
    joined = (
        shown.filter(~is_located).select("row", "type", "slug").sort("row")
        .join(mapped, on="slug", how="left", maintain_order="left")
        .join(stated, on=("slug", "type"), how="left", maintain_order="left", suffix="_stated")
        .with_columns(pl.coalesce(name, f"{name}_stated").alias(name) for name in ("lat", "lng"))
    )  # fmt: skip
    degrees = (joined[name].fill_null(float("nan")).to_numpy() for name in ("lat", "lng"))
    return UnlocatedListings(joined["row"].to_numpy().astype(np.int64), np.stack(make_unit_vectors(*degrees)))


def open_near(reader: SnapshotReader) -> NearIndex:
    return NearIndex(reader)
