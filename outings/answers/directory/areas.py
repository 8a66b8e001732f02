"""A metro's neighborhoods: what is known of each, and how many of some listings each has."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.directory.index import make_spellings
from outings.contract.folding import fold_text
from outings.contract.resources.metro import Bounds, Center
from outings.release.mapped import MappedTable

# What the indexes are made of.
NEIGHBORHOODS = ("slug", "name", "lat", "lng", "south", "west", "north", "east")
LISTINGS = ("row", "neighborhood_slug", "neighborhood_key")

Rows = NDArray[np.int64]


def make_areas(neighborhoods: pl.DataFrame, listings: pl.DataFrame) -> pl.DataFrame:
    """By folded name, then slug: each with the rows that the lists' `neighborhood` finds by its slug."""
    ordered = _order(neighborhoods)
    by_slug, by_key = (
        dict(listings.drop_nulls(column).group_by(column).agg(pl.col("row")).iter_rows())
        for column in ("neighborhood_slug", "neighborhood_key")
    )
    rows = [sorted({*by_slug.get(slug.casefold(), ()), *by_key.get(fold_text(slug), ())}) for slug in ordered["slug"]]
    return ordered.with_columns(pl.Series("rows", rows, dtype=pl.List(pl.UInt32())))


def make_area_spellings(neighborhoods: pl.DataFrame) -> pl.DataFrame:
    """Of `q`, numbered alike."""
    return make_spellings(_order(neighborhoods))


def _order(neighborhoods: pl.DataFrame) -> pl.DataFrame:
    keys = [(name.casefold(), slug) for slug, name in neighborhoods.select("slug", "name").iter_rows()]
    return neighborhoods[sorted(range(len(keys)), key=keys.__getitem__)]


class Areas:
    """Numbered by name."""

    def __init__(self, table: MappedTable) -> None:
        self.slugs: Sequence[str] = table.read_texts("slug")
        self.names: Sequence[str] = table.read_texts("name")
        self._arrays = table.read_arrays()
        self._ends, self._rows = table.read_lists("rows")

    def __len__(self) -> int:
        return len(self.slugs)

    def find(self, text: str) -> list[int]:
        """Those of this slug, or of this name without case, accents and punctuation."""
        slug, key = text.casefold(), fold_text(text)
        return [
            number
            for number in range(len(self))
            if self.slugs[number].casefold() == slug or fold_text(self.names[number]) == key
        ]

    def read_center(self, number: int) -> Center:
        return Center(**{name: float(self._arrays[name][number]) for name in ("lat", "lng")})

    def read_bounds(self, number: int) -> Bounds:
        return Bounds(**{name: float(self._arrays[name][number]) for name in ("south", "west", "north", "east")})

    def list_rows(self, number: int) -> Rows:
        """The listings there, of all types and statuses."""
        return self._rows[self._ends[number] : self._ends[number + 1]].astype(np.int64)

    def count_listings(self, rows: Rows, *, programs: Rows) -> Rows:
        """By number: how many of the rows are there; those of one program, told by its number (-1: its own), as one."""
        size = int(max(self._rows.max(initial=0), rows.max(initial=0))) + 1
        program_of = np.full(size, -2, dtype=np.int64)
        program_of[rows] = programs
        areas = np.repeat(np.arange(len(self)), np.diff(self._ends))
        found = program_of[self._rows]
        counts = np.bincount(areas[found == -1], minlength=len(self))
        shared = found >= 0
        if shared.any():
            pairs = np.unique(np.stack((areas[shared], found[shared])), axis=1)
            counts += np.bincount(pairs[0], minlength=len(self))
        return counts.astype(np.int64)
