"""The categories of organizations: those that their records state, and those of their listings."""

from collections.abc import Iterable
from functools import reduce

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.snapshot.derived import derive_table
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import MappedTable
from outings.release.tables import PUBLISHED

# Bit sets over the vocabulary, by row of the table of organizations.
Sets = NDArray[np.uint64]


def make_organization_categories(organizations: pl.DataFrame, listings: pl.DataFrame) -> pl.DataFrame:
    """Return `own`, the categories of the record, and for each type those of the published listings."""
    shown = listings.filter((pl.col("status") == PUBLISHED) & pl.col("organization_id").is_not_null())
    table = organizations.rename({"categories": "own"})
    for code, name in enumerate(TYPES):
        own = shown.filter(pl.col("type") == code).group_by("organization_id")
        united = own.agg(pl.col("categories").bitwise_or().alias(name))
        table = table.join(united, left_on="id", right_on="organization_id", how="left", maintain_order="left")
    return table.select(pl.col("own", *TYPES).fill_null(0))


ORGANIZATION_CATEGORIES = derive_table(
    "organization_categories",
    make_organization_categories,
    {"organizations": ("id", "categories"), "listings": ("organization_id", "type", "status", "categories")},
)


class OrganizationCategories:
    """The categories of a snapshot's organizations."""

    def __init__(self, table: MappedTable) -> None:
        self._sets = table.read_arrays()

    def unite(self, types: Iterable[str]) -> Sets:
        """Return the categories of the records and of the listings of `types`, by row."""
        return reduce(np.bitwise_or, (self._sets[name] for name in ("own", *types)))

    def read(self, row: int, types: Iterable[str]) -> int:
        """Return one row of `unite`."""
        return reduce(int.__or__, (int(self._sets[name][row]) for name in ("own", *types)))


def open_categories(reader: SnapshotReader) -> OrganizationCategories:
    return OrganizationCategories(reader.open_table(ORGANIZATION_CATEGORIES))
