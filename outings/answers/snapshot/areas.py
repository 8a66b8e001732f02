"""A metro's neighborhoods: what is known of each, and how many of some listings each has."""

from collections.abc import Iterable, Sequence
from functools import reduce
from math import isnan
from operator import or_

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.snapshot.derived import derive_table
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.folding import fold_text
from outings.contract.resources.metro import Bounds
from outings.contract.resources.neighborhood import NeighborhoodCenter
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import MappedTable
from outings.release.tables import PUBLISHED

# What the indexes are made of.
NEIGHBORHOODS = ("slug", "name", "lat", "lng", "south", "west", "north", "east")
LISTINGS = ("row", "type", "status", "neighborhood_slug", "neighborhood_key")
_DEGREES = NEIGHBORHOODS[2:]
# Whoever reads a type may know of what is on the map.
_EVERY_TYPE = (1 << len(TYPES)) - 1

Rows = NDArray[np.int64]


def make_areas(neighborhoods: pl.DataFrame, listings: pl.DataFrame) -> pl.DataFrame:
    """By folded name, then slug: each with the rows that the lists' `neighborhood` finds by its slug. `types`: the bit
    set of those that know of it."""
    ordered = order_neighborhoods(neighborhoods)
    by_slug, by_key = (
        dict(listings.drop_nulls(column).group_by(column).agg(pl.col("row")).iter_rows())
        for column in ("neighborhood_slug", "neighborhood_key")
    )
    rows = [sorted({*by_slug.get(slug.casefold(), ()), *by_key.get(fold_text(slug), ())}) for slug in ordered["slug"]]
    types = dict(listings.filter(pl.col("status") == PUBLISHED).select("row", "type").iter_rows())
    known = [
        reduce(or_, (1 << types[row] for row in own if row in types), 0) if south is None else _EVERY_TYPE
        for own, south in zip(rows, ordered["south"], strict=True)
    ]
    return ordered.with_columns(
        pl.col(*_DEGREES).fill_null(float("nan")),
        pl.Series("types", known, dtype=pl.UInt8()),
        pl.Series("rows", rows, dtype=pl.List(pl.UInt32())),
    )


def order_neighborhoods(neighborhoods: pl.DataFrame) -> pl.DataFrame:
    """By folded name, then slug."""
    keys = [(name.casefold(), slug) for slug, name in neighborhoods.select("slug", "name").iter_rows()]
    return neighborhoods[sorted(range(len(keys)), key=keys.__getitem__)]


AREAS = derive_table("areas", make_areas, {"neighborhoods": NEIGHBORHOODS, "listings": LISTINGS})


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

    def are_known(self, types: Iterable[str]) -> NDArray[np.bool_]:
        """By number: whether it is on the map, or a published listing of any of the types states it."""
        bits = sum(1 << TYPES.index(each) for each in types)
        known: NDArray[np.bool_] = (self._arrays["types"] & np.uint8(bits)) != 0
        return known

    def read_center(self, number: int) -> NeighborhoodCenter:
        lat, lng = (self._read(name, number) for name in ("lat", "lng"))
        return NeighborhoodCenter(lat=lat, lng=lng)

    def read_bounds(self, number: int) -> Bounds | None:
        """None of one that is on no map."""
        bounds = {name: degrees for name in _DEGREES[2:] if (degrees := self._read(name, number)) is not None}
        return Bounds(**bounds) if bounds else None

    def _read(self, name: str, number: int) -> float | None:
        degrees = float(self._arrays[name][number])
        return None if isnan(degrees) else degrees

    def list_rows(self, number: int) -> Rows:
        """The listings there, of all types and statuses."""
        return self._rows[self._ends[number] : self._ends[number + 1]].astype(np.int64)

    def list_pairs(self) -> tuple[Rows, Rows]:
        """All rows that lie in one, and its number beside each."""
        return self._rows.astype(np.int64), np.repeat(np.arange(len(self)), np.diff(self._ends))

    def count_listings(self, rows: Rows, *, programs: Rows) -> Rows:
        """By number: how many of the rows are there; those of one program, told by its number (-1: its own), as one."""
        size = int(max(self._rows.max(initial=0), rows.max(initial=0))) + 1
        program_of = np.full(size, -2, dtype=np.int64)
        program_of[rows] = programs
        own, areas = self.list_pairs()
        keys = program_of[own]
        counts = np.bincount(areas[keys == -1], minlength=len(self))
        shared = keys >= 0
        if shared.any():
            pairs = np.unique(np.stack((areas[shared], keys[shared])), axis=1)
            counts += np.bincount(pairs[0], minlength=len(self))
        return counts.astype(np.int64)


def open_areas(reader: SnapshotReader) -> Areas:
    return Areas(reader.open_table(AREAS))
