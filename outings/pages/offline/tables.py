"""A metro's listings as the folder's Parquet has them: what filters compare and facets count, in numbers."""

import io
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.listings.density_cells import open_cells
from outings.answers.selecting.buckets import ORGANIZATIONS, Buckets
from outings.answers.selecting.columns.derived import mark_undated, pack_offers
from outings.answers.selecting.defaults import fill_defaults
from outings.answers.selecting.evaluator import open_evaluator
from outings.answers.selecting.filters import make_conditions
from outings.answers.selecting.selection import Selection, Span
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.route import list_defaults
from outings.contract.routes import LISTS
from outings.contract.vocabulary import SETS
from outings.pages.offline.filters import ListFilters, list_columns
from outings.release.parquet_columns import read_columns
from outings.release.snapshot import Snapshot
from outings.release.tables import HAPPENINGS

Rows = NDArray[np.int64]

# Defaults of lists that the page has no field for: what they hide is not in the folder.
_FIXED = ("min_confidence", "audience")
# Of several words: a column has the number of their set.
_WORDS = (*SETS, "days")
# What the script reads beside the columns of filters.
_OF_LISTINGS = ("id", "type", "is_recurring", "beyond_starts_local", "categories", "lat", "lng")
_OF_HAPPENINGS: Mapping[str, Sequence[str]] = {
    "occurrences": ("row", "date", "time", "weekday"),
    "sections": ("row", "starts_on", "ends_on", "days", "time", "price_bands", "age_bands"),
    "sessions": ("row", "starts_on", "ends_on", "days", "time", "price_bands", "age_bands"),
}


class FolderTable(Struct, frozen=True, kw_only=True):
    """Numbers and texts; `sets`: of a column of several words, which are in each set, by its number."""

    frame: pl.DataFrame
    sets: Mapping[str, Sequence[Sequence[int]]]


def choose_rows(snapshot: Snapshot, filters: Mapping[str, ListFilters]) -> Rows:
    """What lists may show on any day, in their order."""
    evaluator, shown = open_evaluator(open_snapshot(snapshot)), []
    today = open_snapshot(snapshot).date
    for kind in filters:
        rows = {name: LISTS[kind].parameters[name] for name in _FIXED}
        values = fill_defaults(list_defaults(rows), {}, today=today).values
        conditions = make_conditions(kind, values, snapshot.vocabulary)
        selection = Selection(type=kind, conditions=conditions, start=today, has_cards=False)
        shown += evaluator.list_rows(selection, Span(limit=1 << 40)).rows
    return np.array(sorted(shown), dtype=np.int64)


def make_tables(snapshot: Snapshot, filters: Mapping[str, ListFilters], rows: Rows) -> dict[str, FolderTable]:
    """The listings, and what happens of each of them, with rows numbered anew."""
    wanted = {*_OF_LISTINGS}.union(*(list_columns(each, of_happening=False) for each in filters.values()))
    made = {"listings": _make_listings(snapshot, sorted(wanted), rows)}
    for kind, name in HAPPENINGS.items():
        wanted = {*_OF_HAPPENINGS[name], *list_columns(filters[kind], of_happening=True)}
        made[name] = _make_happenings(snapshot, name, sorted(wanted), rows)
    return made


def list_organizations(snapshot: Snapshot) -> Sequence[tuple[str, str]]:
    """Id and name, by the number that the column `organization` has."""
    return _read_buckets(snapshot).organization_names


def encode_parquet(frame: pl.DataFrame, *, group: int | None = None) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", statistics=False, row_group_size=group)
    return buffer.getvalue()


def _read_buckets(snapshot: Snapshot) -> Buckets:
    return Buckets(
        read_columns(snapshot.tables["listings"], "listings"),
        read_columns(snapshot.tables["organizations"], "organizations", ORGANIZATIONS),
    )


def _make_listings(snapshot: Snapshot, columns: Sequence[str], rows: Rows) -> FolderTable:
    buckets = _read_buckets(snapshot)
    programs = open_snapshot(snapshot).programs.find_programs(rows)
    frame = read_columns(snapshot.tables["listings"], "listings", columns)[rows].with_columns(
        pl.Series("program", programs).replace(-1, None),
        pl.Series("price_band", buckets.prices[rows]),
        pl.Series("age_bands", buckets.ages[rows]),
        pl.Series("organization", buckets.organizations[rows]),
        pl.Series("cell", open_snapshot(snapshot).open_index(open_cells).number_rows(rows)).replace(-1, None),
    )
    return _number_sets(frame)


def _make_happenings(snapshot: Snapshot, name: str, columns: Sequence[str], rows: Rows) -> FolderTable:
    table = read_columns(snapshot.tables.get(name), name)
    if "price_bands" in columns:
        table = table.with_columns(pack_offers(table))
    if "is_undated" in columns:
        table = table.with_columns(is_undated=mark_undated(table))
    places = pl.DataFrame({"row": rows}, schema={"row": pl.UInt32()}).with_row_index("place")
    kept = table.join(places, on="row", how="inner", maintain_order="left")
    return _number_sets(kept.with_columns(row="place").select(columns))


def _number_sets(frame: pl.DataFrame) -> FolderTable:
    sets: dict[str, list[list[int]]] = {}
    columns = []
    for column in frame:
        if column.name in _WORDS:
            bits, numbers = np.unique(column.fill_null(0).to_numpy(), return_inverse=True)
            sets[column.name] = [_list_bits(int(each)) for each in bits]
            column = pl.Series(column.name, numbers.astype(np.int32))
        columns.append(_write_plainly(column))
    return FolderTable(frame=pl.DataFrame(columns), sets=sets)


def _list_bits(bits: int) -> list[int]:
    return [bit for bit in range(bits.bit_length()) if bits >> bit & 1]


def _write_plainly(column: pl.Series) -> pl.Series:
    """A date is days since 1970, a boolean 0 or 1, seconds since 1970 a double: numbers as the script reads them."""
    if column.dtype == pl.String() or column.dtype.is_float():
        return column
    if column.dtype == pl.Date():
        return column.to_physical()
    is_long = column.dtype in (pl.Int64(), pl.UInt64()) and column.name.endswith("_local")
    return column.cast(pl.Float64() if is_long else pl.Int32())
