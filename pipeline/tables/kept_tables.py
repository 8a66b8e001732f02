"""Which tables of the release before need not be made and written again: what is made of the same columns by the same
program is the same."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import numpy as np
import polars as pl
from msgspec import Struct

from outings.answers.gazetteer.spots import PLACED_COLUMNS, SPOT_TABLES, choose_placed, read_placed
from outings.answers.near.items import ITEM_TABLES, read_item_tables
from outings.answers.search.cards import CARDS
from outings.answers.snapshot.reader import DerivedTables, Frames
from outings.release.manifest import Manifest, Table
from outings.release.mapped_table import MappedTable
from outings.release.snapshot import Snapshot
from outings.release.tables import TABLES, read_columns
from pipeline.resolve.listings.rows import UnchangedListing
from pipeline.resolve.previous import PreviousSnapshot

# Those that a build takes what it knows of documents from.
PART_TABLES = (CARDS, *ITEM_TABLES)
_PLACE = ("pack", "offset", "length")


class KeptTables:
    """Of one build. `manifest`: of the release before; None where another program made it, or there is none: then
    nothing is kept. `today`: the metro's local date of the build.

    A table is read and compared once, when it is first looked at, and not held.
    """

    def __init__(self, manifest: Manifest | None, previous: PreviousSnapshot, *, today: date) -> None:
        self._manifest, self._previous, self._today = manifest, previous, today
        self._same: dict[str, frozenset[str]] = {}

    def find_table(self, name: str, frame: pl.DataFrame) -> Table | None:
        """The table of this name, if it is the same as `frame`."""
        if self._manifest is None or name not in TABLES or not self._has_same(name, frame, frame.columns):
            return None
        return self._manifest.tables.get(name)

    def find_derived(self, every: Iterable[DerivedTables], tables: Frames) -> dict[str, Table]:
        """The mapped tables, by name, of which all that they are derived of is the same."""
        known = {} if self._manifest is None else self._manifest.mapped
        same = (each.names for each in every if known.keys() >= {*each.names} and self._would_repeat(each, tables))
        return {name: known[name] for names in same for name in names}

    def read_derived(self, derived: DerivedTables, tables: Frames) -> pl.DataFrame | None:
        """The table of a snapshot that is derived of its others, if what it is made of is the same."""
        (name,) = derived.names
        if not self._would_repeat(derived, tables):
            return None
        return self._previous.read_table(name)

    def _would_repeat(self, derived: DerivedTables, tables: Frames) -> bool:
        if self._manifest is None or (derived.is_of_day and self._manifest.date != self._today):
            return False
        return all(self._has_same(name, tables[name], columns) for name, columns in derived.columns.items())

    def _has_same(self, name: str, frame: pl.DataFrame, columns: Iterable[str]) -> bool:
        if name not in self._same:
            self._same[name] = frozenset(self._list_same(name, frame))
        return self._same[name].issuperset(columns)

    def _list_same(self, name: str, frame: pl.DataFrame) -> Iterator[str]:
        """The columns that are the same."""
        table = None if self._manifest is None else self._manifest.tables.get(name)
        if table is None or table.rows != frame.height:
            return
        old = self._previous.listings if name == "listings" else self._previous.read_table(name)
        for column in frame.columns:
            if is_identical(frame[column], old[column]):
                yield column


class KeptParts(Struct, frozen=True):
    """Of the listings that stay, by their row in the snapshot: what is made of a document, which is the same. None
    where the release before has none."""

    cards: pl.DataFrame | None = None
    items: pl.DataFrame | None = None


def find_parts(previous: PreviousSnapshot, snapshot: Snapshot, *, stays: Sequence[UnchangedListing]) -> KeptParts:
    mapped = {} if previous.snapshot is None else previous.snapshot.mapped
    if not mapped.keys() >= {*PART_TABLES}:
        return KeptParts()
    ids = pl.DataFrame({"id": [stay.id for stay in stays]}, schema={"id": pl.String()})
    at = previous.find_rows(ids["id"])
    rows = read_columns(snapshot.tables["listings"], "listings", ("id", "row"))

    def keep(parts: pl.DataFrame) -> pl.DataFrame:
        return rows.join(pl.concat([ids, parts[at]], how="horizontal"), on="id").drop("id")

    items = read_item_tables({name: MappedTable(mapped[name]).read_frame() for name in ITEM_TABLES})
    kept_items = ids.with_columns(before=at).join(items.rename({"row": "before"}), on="before").drop("before")
    return KeptParts(keep(MappedTable(mapped[CARDS]).read_frame()), rows.join(kept_items, on="id").drop("id"))


def find_spots(
    manifest: Manifest | None, previous: PreviousSnapshot, snapshot: Snapshot, *, stays: Sequence[UnchangedListing]
) -> dict[str, Table]:
    """The tables of spots, if each is where it was, and its document says of that what it said. `manifest`: of the
    release before; None where another program made it, or there is none."""
    before = previous.snapshot
    if manifest is None or before is None or not manifest.mapped.keys() >= {*SPOT_TABLES}:
        return {}
    old, new = (
        choose_placed(read_columns(each.tables["listings"], "listings", (*PLACED_COLUMNS, "id", *_PLACE)))
        for each in (before, snapshot)
    )
    columns = ("id", "kind", "lat", "lng")
    if not _are_identical(old.select(columns), new.select(columns)):
        return {}
    changed = ~new["id"].is_in([each.id for each in stays])
    for one, other in zip(*(each.filter(changed).select(_PLACE).iter_rows() for each in (old, new)), strict=True):
        if read_placed(before.read_document(*one)) != read_placed(snapshot.read_document(*other)):
            return {}
    return {name: manifest.mapped[name] for name in SPOT_TABLES}


def _are_identical(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    return one.height == other.height and all(map(is_identical, one, other))


def is_identical(one: pl.Series, other: pl.Series) -> bool:
    """In every bit: 0.0 and -0.0 are not the same text."""
    if not one.equals(other):
        return False
    if not one.dtype.is_float():
        return True
    return np.array_equal(np.signbit(one.to_numpy()), np.signbit(other.to_numpy()))
