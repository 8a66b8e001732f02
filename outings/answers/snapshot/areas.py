"""A metro's neighborhoods: names, centers and bounds, and the listings in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from functools import reduce
from math import isnan
from operator import or_

import numpy as np
from numpy.typing import NDArray

from outings.answers.cache import LruCache
from outings.answers.snapshot.reader import DerivedTables, SnapshotReader
from outings.contract.did_you_mean import list_nearest
from outings.contract.resources.directories import Bounds, NeighborhoodCenter
from outings.contract.text import fold_text
from outings.contract.vocabulary import TYPES
from outings.lazy_polars import pl
from outings.release.mapped_table import MappedTable
from outings.release.tables import PUBLISHED

# The columns of other tables from which the tables are made.
NEIGHBORHOODS = ("slug", "name", "lat", "lng", "south", "west", "north", "east")
LISTINGS = ("row", "type", "status", "neighborhood", "neighborhood_slug", "neighborhood_key", "lat", "lng")
_DEGREES = NEIGHBORHOODS[2:]
# The bit set of all types, for neighborhoods on the metro's map, which every reader may see.
_EVERY_TYPE = (1 << len(TYPES)) - 1
# Six decimals of a degree are a tenth of a metre.
_DECIMALS = 6

Rows = NDArray[np.int64]


def make_areas(neighborhoods: pl.DataFrame, listings: pl.DataFrame) -> pl.DataFrame:
    """Return the neighborhoods by folded name, then slug. `rows`: the listings that the filter `neighborhood` finds by
    the slug. `types`: a bit set of the types whose readers may see it."""
    ordered = order_neighborhoods(neighborhoods)
    by_slug, by_key = (
        dict(listings.drop_nulls(column).group_by(column).agg(pl.col("row")).iter_rows())
        for column in ("neighborhood_slug", "neighborhood_key")
    )
    rows = [sorted({*by_slug.get(slug.casefold(), ()), *by_key.get(fold_text(slug), ())}) for slug in ordered["slug"]]
    types = dict(listings.filter(pl.col("status") == PUBLISHED).select("row", "type").iter_rows())
    type_bits = [
        reduce(or_, (1 << types[row] for row in own if row in types), 0) if south is None else _EVERY_TYPE
        for own, south in zip(rows, ordered["south"], strict=True)
    ]
    return ordered.with_columns(
        pl.col(*_DEGREES).fill_null(float("nan")),
        pl.Series("types", type_bits, dtype=pl.UInt8()),
        pl.Series("rows", rows, dtype=pl.List(pl.UInt32())),
    )


def order_neighborhoods(neighborhoods: pl.DataFrame) -> pl.DataFrame:
    """Sort neighborhoods by folded name, then slug."""
    keys = [(name.casefold(), slug) for slug, name in neighborhoods.select("slug", "name").iter_rows()]
    return neighborhoods[sorted(range(len(keys)), key=keys.__getitem__)]


def make_statements(neighborhoods: pl.DataFrame, listings: pl.DataFrame) -> pl.DataFrame:
    """Return how published listings spell the neighborhoods that no map has, by neighborhood (`area`, its number), type
    and spelling: the `count`, those `placed` by coordinates, and their sums of `lat` and `lng`."""
    areas = order_neighborhoods(neighborhoods).with_row_index("area").filter(pl.col("south").is_null())
    is_placed = pl.col("lat").is_not_null() & pl.col("lng").is_not_null()
    stating = listings.filter(pl.col("status") == PUBLISHED).drop_nulls(("neighborhood", "neighborhood_slug"))
    named = stating.rename({"neighborhood_slug": "slug", "neighborhood": "spelling"})
    joined = areas.select("area", "slug").join(named, on="slug").group_by("area", "type", "spelling")
    sums = joined.agg(
        pl.len().alias("count"), is_placed.sum().alias("placed"), pl.col("lat", "lng").filter(is_placed).sum()
    )  # fmt: skip
    return sums.sort("area", "type", "spelling")


AREAS = DerivedTables(
    names=("areas", "area_statements"),
    columns={"neighborhoods": NEIGHBORHOODS, "listings": LISTINGS},
    make=lambda tables, _: {
        "areas": make_areas(tables["neighborhoods"], tables["listings"]),
        "area_statements": make_statements(tables["neighborhoods"], tables["listings"]),
    },
)


class Areas:
    """The neighborhoods of a metro. Their numbers are those in the order of stored names. `order`: the place of each in
    the order of the names that a key may read."""

    def __init__(self, table: MappedTable, statements: MappedTable) -> None:
        self.slugs: Sequence[str] = table.read_texts("slug")
        self.names: Sequence[str] = table.read_texts("name")
        self.order: Rows = np.arange(len(table))
        self._arrays = table.read_arrays()
        self._ends, self._rows = table.read_lists("rows")
        self._statements = statements
        self._narrowed: LruCache[frozenset[str], Areas] = LruCache(size=1 << len(TYPES))

    def narrow(self, types: frozenset[str]) -> Areas:
        """Return the neighborhoods with the names, centers and order that the listings of `types` alone give them."""
        if not len(self._statements) or types.issuperset(TYPES):
            return self
        return self._narrowed.read(types, lambda: self._narrow(types))

    def _narrow(self, types: frozenset[str]) -> Areas:
        statements, spellings = self._statements.read_arrays(), self._statements.read_texts("spelling")
        stated = np.flatnonzero(np.isin(statements["type"], [TYPES.index(listing_type) for listing_type in types]))
        counts: dict[int, Counter[str]] = {}
        for number, at in zip(statements["area"][stated].tolist(), stated.tolist(), strict=True):
            counts.setdefault(number, Counter())[spellings[at]] += int(statements["count"][at])
        names = list(self.names)
        for number, spelled in counts.items():
            names[number] = min(spelled.items(), key=lambda counted: (-counted[1], counted[0]))[0]
        placed, lats, lngs = (
            np.bincount(statements["area"][stated], statements[name][stated], minlength=len(self))
            for name in ("placed", "lat", "lng")
        )
        with np.errstate(invalid="ignore"):  # NaN if no listing has coordinates
            means = {name: np.round(sums / placed, _DECIMALS) for name, sums in (("lat", lats), ("lng", lngs))}
        is_mapped = ~np.isnan(self._arrays["south"])
        centers = {name: np.where(is_mapped, self._arrays[name], mean) for name, mean in means.items()}
        narrowed = copy(self)
        narrowed.names = names
        narrowed._arrays = {**self._arrays, **centers}
        keys = [(name.casefold(), slug) for name, slug in zip(names, self.slugs, strict=True)]
        narrowed.order = np.argsort(sorted(range(len(keys)), key=keys.__getitem__))
        return narrowed

    def __len__(self) -> int:
        return len(self.slugs)

    def find(self, text: str) -> list[int]:
        """Return the neighborhoods with this slug, or with this name without case, accents and punctuation."""
        slug, key = text.casefold(), fold_text(text)
        return [
            number
            for number in range(len(self))
            if self.slugs[number].casefold() == slug or fold_text(self.names[number]) == key
        ]

    def suggest(self, text: str, types: frozenset[str]) -> list[str] | None:
        """Return the slugs of neighborhoods spelled like `text`, or None if it names one. Only those count that readers
        of the types may see."""
        shown = self.narrow(types)
        known = np.flatnonzero(shown.are_known(types)).tolist()
        if not {*shown.find(text)}.isdisjoint(known):
            return None
        slugs = {name: self.slugs[number] for number in known for name in (shown.names[number], self.slugs[number])}
        return list(dict.fromkeys(slugs[name] for name in list_nearest(text, slugs)))

    def are_known(self, types: Iterable[str]) -> NDArray[np.bool_]:
        """Mark by number the neighborhoods on the map, and those that a published listing of the types names."""
        bits = sum(1 << TYPES.index(listing_type) for listing_type in types)
        is_named: NDArray[np.bool_] = (self._arrays["types"] & np.uint8(bits)) != 0
        return is_named

    def read_center(self, number: int) -> NeighborhoodCenter:
        lat, lng = (self._read(name, number) for name in ("lat", "lng"))
        return NeighborhoodCenter(lat=lat, lng=lng)

    def read_bounds(self, number: int) -> Bounds | None:
        """Return the bounds of a neighborhood, or None if it is on no map."""
        bounds = {name: degrees for name in _DEGREES[2:] if (degrees := self._read(name, number)) is not None}
        return Bounds(**bounds) if bounds else None

    def _read(self, name: str, number: int) -> float | None:
        degrees = float(self._arrays[name][number])
        return None if isnan(degrees) else degrees

    def list_rows(self, number: int) -> Rows:
        """Return the listings of a neighborhood, of all types and statuses."""
        return self._rows[self._ends[number] : self._ends[number + 1]].astype(np.int64)

    def list_pairs(self) -> tuple[Rows, Rows]:
        """Return two arrays: all rows in neighborhoods, and the number of each one's neighborhood."""
        return self._rows.astype(np.int64), np.repeat(np.arange(len(self)), np.diff(self._ends))

    def count_listings(self, rows: Rows, *, programs: Rows) -> Rows:
        """Count the rows in each neighborhood. `programs`: each row's program, or -1; a program's rows in a
        neighborhood count as one."""
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
    tables = reader.open_tables(AREAS)
    return Areas(tables["areas"], tables["area_statements"])
