"""Make the columns that filters, orders and counts read, from a metro's tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outings.answers.rows.columns import NO_TIME, VARIES, Columns, pack_rows
from outings.answers.rows.filters import list_columns
from outings.answers.snapshot.reader import DerivedTables, Frames, SnapshotReader, number_programs
from outings.answers.snapshot.series_tables import MOMENTS, SERIES
from outings.contract.values import number_day
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, SETS, TIME_BLOCKS, TYPES
from outings.lazy_polars import pl
from outings.release.mapped_table import DAYS_AFTER, DAYS_BEFORE, NEVER, NOT_STATED, Words, count_words
from outings.release.tables import OCCURRENCE_TABLES, SECTIONS, SESSIONS

Numbers = NDArray[Any]


def number_prices(frame: pl.DataFrame) -> Numbers:
    """Return each row's index in PRICE_BANDS: `free` is the first, the others follow by price, then "not stated"."""
    least = [price for price in PRICE_BANDS.values() if price is not None]
    numbers: Numbers = np.digitize(frame["price_min"].fill_null(-1.0).to_numpy(), least)
    numbers[numbers == 0] = len(PRICE_BANDS)
    numbers[frame["is_free"].fill_null(value=False).to_numpy()] = 0
    packed: Numbers = numbers.astype(np.uint8)
    return packed


def pack_ages(frame: pl.DataFrame) -> Numbers:
    """Return a bit set over AGE_BANDS by row; the bit after the last means "not stated"."""
    low, high = pl.col("age_min"), pl.col("age_max")
    is_unstated = low.is_null() & high.is_null()
    bits = pl.when(is_unstated).then(1 << len(AGE_BANDS)).otherwise(0)
    for index, (first, last) in enumerate(AGE_BANDS.values()):
        overlaps = (low.is_null() | (low <= last)) & (high.is_null() | (high >= first)) & ~is_unstated
        bits = bits + pl.when(overlaps).then(1 << index).otherwise(0)
    return frame.select(bits.cast(pl.UInt8)).to_series().to_numpy()


def spread_bits(sets: Numbers, width: int) -> Numbers:
    """Return each bit set as a row of zeros and ones, the lowest bit first."""
    bits: Numbers = (sets[:, np.newaxis] >> np.arange(width, dtype=sets.dtype)) & 1
    return bits.astype(np.int64)


def count_bits(numbers: Numbers, width: int) -> Numbers:
    """Count the sets that have each bit."""
    sets = np.arange(1 << width, dtype=np.int64)
    counts: Numbers = np.bincount(numbers, minlength=sets.size) @ spread_bits(sets, width)
    return counts


# A column of numbers with more values than this has no sets: conditions on it are tested row by row.
MOST_VALUES = 256

_COLUMNS = list_columns()
_TEXTS = ("neighborhood_slug", "neighborhood_key", *(name for name, row in _COLUMNS.items() if row.kind == "uuid"))
_BOUNDS = tuple(name for name, row in _COLUMNS.items() if row.compares != "equal")
_RANGES = ("age_min", "age_max", "price_min", "time", *_BOUNDS)
_SCALARS = ("audience", "status", *(name for name in _COLUMNS if name not in (*_TEXTS, *_BOUNDS, *SETS)))
_OTHERS = (
    "row", "type", "id", "name_key", "starts_at", "updated_at", "price_min", "age_min", "age_max", "program_key",
)  # fmt: skip


def make_columns(tables: Frames, today: date) -> dict[str, pl.DataFrame]:
    """Make the tables of COLUMNS. `today`: the metro's local date of the build, around which days have sets."""
    listings, occurrences = tables["listings"], tables["occurrences"]
    organizations = tables["organizations"].sort("name_key", "id").select("id", "name")
    rows = _make_rows(tables, organizations)
    made = {
        "rows": rows,
        "texts": _make_texts(listings),
        "organizations": organizations,
        "sets": listings.select(pl.col("categories").fill_null(0).unique().sort()),
        "occurrences": _make_occurrences(occurrences, rows),
        "sections": _make_sections(tables["sections"]),
        "sessions": _make_sections(tables["sessions"]),
        "days": _make_days(occurrences, listings, today=today),
    }
    source = listings.with_columns(rows["time", "price_band", "age_bands"], program=number_programs())
    for code, listing_type in enumerate(TYPES):
        made[f"bits_{listing_type}"] = _make_bits(source.filter(pl.col("type") == code))
    return made


COLUMNS = DerivedTables(
    names=(
        "rows", "texts", "organizations", "sets", "occurrences", "sections", "sessions", "days",
        *(f"bits_{listing_type}" for listing_type in TYPES),
    ),
    columns={
        "listings": tuple(dict.fromkeys((*_OTHERS, *_SCALARS, *SETS, *_TEXTS, *_BOUNDS))),
        "organizations": ("id", "name", "name_key"),
        "occurrences": ("row", "date", "time"),
        "sections": tuple(SECTIONS),
        "sessions": tuple(SESSIONS),
    },
    make=lambda tables, context: make_columns(tables, context.today),
)  # fmt: skip


def open_columns(reader: SnapshotReader) -> Columns:
    # The first list also reads the table of series, which is fetched at the same time.
    reader.fetch((*COLUMNS.names, *MOMENTS.names, *SERIES.names))
    tables = {**reader.open_tables(COLUMNS), "moments": reader.open_table(MOMENTS)}
    categories = len(reader.vocabulary.categories)
    return Columns(tables, facts=reader.rows, index=reader.listings, categories=categories)


def _make_rows(tables: Mapping[str, pl.DataFrame], organizations: pl.DataFrame) -> pl.DataFrame:
    """Make the table of rows. `organization`: the row in `organizations`, which has every organization that a listing
    names; `category_set`: the row in the table of sets; `price_band`: the index in PRICE_BANDS; `age_bands`: a bit set
    over AGE_BANDS. The index or bit after the last means "not stated". An age past all bands has no bit."""
    listings = tables["listings"]
    numbered = organizations.select(organization_id="id").with_row_index("organization")
    named = listings.select("organization_id").join(numbered, on="organization_id", how="left", maintain_order="left")
    by_update = listings.select("row", "type", "updated_at", "id").sort("type", "updated_at", "id", maintain_order=True)
    first, end = _span_occurrences(tables, listings.height)
    return pl.DataFrame(
        {
            "name_key": listings["name_key"],
            "starts_at": listings["starts_at"].fill_null(NEVER),
            "updated_at": listings["updated_at"].fill_null(NOT_STATED),
            "by_update": by_update["row"],
            "update_stamps": by_update["updated_at"].fill_null(NOT_STATED),
            **{name: listings[name].cast(pl.Float64()).fill_null(float("nan")) for name in _BOUNDS},
            "price_min": listings["price_min"].fill_null(float("nan")),
            "age_min": listings["age_min"].cast(pl.Int32()).fill_null(NOT_STATED),
            "age_max": listings["age_max"].cast(pl.Int32()).fill_null(NOT_STATED),
            "time": _find_times(tables["occurrences"], listings.height),
            "organization": named["organization"].fill_null(organizations.height),
            "category_set": listings.select(pl.col("categories").fill_null(0).rank("dense") - 1).to_series(),
            "price_band": number_prices(listings),
            "age_bands": pack_ages(listings),
            "first": first,
            "end": end,
        }
    )


def _span_occurrences(tables: Mapping[str, pl.DataFrame], size: int) -> tuple[Numbers, Numbers]:
    """Return, by row, where its occurrences, sections or sessions begin and end. Occurrences are in order of rows."""
    counts = np.zeros(size, dtype=np.int64)
    first = np.zeros(size, dtype=np.uint32)
    for name in OCCURRENCE_TABLES.values():
        own = np.bincount(tables[name]["row"].to_numpy(), minlength=size)
        counts += own
        begins = np.concatenate(([0], np.cumsum(own)[:-1])) if size else own
        first[own > 0] = begins[own > 0]
    return first, (first + counts).astype(np.uint32)


def _find_times(occurrences: pl.DataFrame, size: int) -> Numbers:
    """Return, by row, the clock time in seconds at which all dates of an event begin, or NO_TIME, or VARIES."""
    listings = occurrences.group_by("row").agg(
        low=pl.col("time").min(), high=pl.col("time").max(), missing=pl.col("time").null_count(), all=pl.len()
    )
    times = np.full(size, NO_TIME, dtype=np.int32)
    one = (pl.col("low") == pl.col("high")) & (pl.col("missing") == 0)
    none = pl.col("missing") == pl.col("all")
    chosen = listings.select("row", time=pl.when(none).then(NO_TIME).when(one).then(pl.col("low")).otherwise(VARIES))
    times[chosen["row"].to_numpy()] = chosen["time"].to_numpy()
    return times


def _make_texts(listings: pl.DataFrame) -> pl.DataFrame:
    """List, for each column of texts and each text in it, the rows that have it."""
    parts = [
        listings.filter(pl.col(name).is_not_null())
        .group_by(value=pl.col(name))
        .agg(rows=pl.col("row").sort())
        .select(pl.lit(name).alias("column"), "value", "rows")
        for name in _TEXTS
    ]
    return pl.concat(parts).sort("column", "value")


def _make_occurrences(occurrences: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Make the table of occurrences, which has what `MOMENTS` does not have of each."""
    number = occurrences["row"].to_numpy()
    return pl.DataFrame(
        {
            "row": occurrences["row"],
            "day": occurrences["date"].to_physical().cast(pl.Int32()),
            "time": occurrences["time"].fill_null(NOT_STATED),
            "category_set": rows["category_set"].to_numpy()[number],
            "is_free": (rows["price_band"].to_numpy()[number] == 0).astype(np.int8),
        }
    )


def _make_sections(table: pl.DataFrame) -> pl.DataFrame:
    """Make the table of sections or sessions, by row. Dates become days since 1970."""
    columns = {"row": table["row"]}
    for name in table.columns[2:]:
        column = table[name]
        if column.dtype == pl.Boolean():
            columns[name] = column.cast(pl.Int32()).fill_null(-1)
        elif column.dtype == pl.Float64():
            columns[name] = column.fill_null(float("nan"))
        elif name == "days":
            columns[name] = column.fill_null(0).cast(pl.Int32())
        else:
            columns[name] = column.to_physical().cast(pl.Int32()).fill_null(NOT_STATED)
    if "session" in table.columns:
        # 1 for each session of a camp that has no dated session, else 0.
        is_undated = pl.col("starts_on").is_null().all().over("row").cast(pl.Int32())
        columns["is_undated"] = table.select(is_undated).to_series()
    prices = np.left_shift(1, number_prices(table)).astype(np.uint8)  # bit sets, as are the bands of ages
    return pl.DataFrame(columns).with_columns(
        pl.Series("price_bands", prices), pl.Series("age_bands", pack_ages(table))
    )


def _make_days(occurrences: pl.DataFrame, listings: pl.DataFrame, *, today: date) -> pl.DataFrame:
    """Make the table of the days around the build's date, each with the set of its events."""
    size = int((listings["type"] == TYPES.index("event")).sum())
    start = number_day(today) - DAYS_BEFORE
    count = DAYS_BEFORE + DAYS_AFTER + 1
    rows, days = occurrences["row"].to_numpy(), occurrences["date"].to_physical().to_numpy() - start
    order = np.argsort(days, kind="stable")
    bounds = np.searchsorted(days[order], np.arange(count + 1))
    words = [pack_rows(rows[order[bounds[day] : bounds[day + 1]]], size) for day in range(count)]
    return pl.DataFrame(
        {"day": np.arange(start, start + count, dtype=np.int32), "words": _stack(words, size)},
    )


def _make_bits(listings: pl.DataFrame) -> pl.DataFrame:
    """Make the table of sets of one type's rows, each named by kind, column and value as in `_list_sets`."""
    sets = list(_list_sets(listings))
    return pl.DataFrame(
        {
            "kind": [kind for (kind, _, _), _ in sets],
            "column": [column for (_, column, _), _ in sets],
            "value": [float(value) for (_, _, value), _ in sets],
            "words": _stack([pack_rows(mask, listings.height) for _, mask in sets], listings.height),
        },
        schema_overrides={"kind": pl.String(), "column": pl.String(), "value": pl.Float64()},
    )


def _list_sets(listings: pl.DataFrame) -> Iterator[tuple[tuple[str, str, float], Numbers]]:
    """Yield sets of rows by kind, column and value. `is`: the column has the value; `has`: it has the bit of that
    number, with -1 for no bit; `most`: it states at most the value, so that the last has all that state any."""
    for name in _SCALARS:
        numbers = _read_numbers(listings[name])
        for value in _list_values(numbers):
            yield ("is", name, value), numbers == value
    for name in SETS:
        numbers = listings[name].fill_null(0).to_numpy()
        used = int(np.bitwise_or.reduce(numbers)) if len(numbers) else 0
        yield ("has", name, -1), numbers == 0
        for bit in range(used.bit_length()):
            yield ("has", name, bit), (numbers >> np.uint64(bit)) & np.uint64(1) == 1
    for name in _RANGES:
        numbers = _read_numbers(listings[name])
        if name == "time":
            numbers = np.where(np.isin(numbers, (NO_TIME, VARIES)), np.nan, numbers)
        values = _list_values(numbers)
        if len(values) <= MOST_VALUES:
            for value in values:
                yield ("most", name, value), numbers <= value
    yield from _list_counted(listings)


def _read_numbers(column: pl.Series) -> Numbers:
    """Return a column as numbers, NaN if not stated, for NumPy to compare: Polars takes 0.1 ms to begin."""
    return (column.cast(pl.Int8) if column.dtype == pl.Boolean else column).to_numpy()


def _list_values(numbers: Numbers) -> list[float]:
    """List the distinct stated values, ascending."""
    values = np.unique(numbers)
    stated: list[float] = values[~np.isnan(values)].tolist()
    return stated


def _list_counted(listings: pl.DataFrame) -> Iterator[tuple[tuple[str, str, float], Numbers]]:
    """Yield the sets of the facets' buckets, and of the rows that need a test, named as in `_list_sets`."""
    for band in range(len(PRICE_BANDS) + 1):
        yield ("is", "price_band", band), (listings["price_band"] == band).to_numpy()
    ages = listings["age_bands"].to_numpy()
    for bit in range(8):
        mask = (ages >> bit) & 1 == 1
        if mask.any():
            yield ("has", "age_bands", bit), mask
    times = listings["time"].to_numpy()
    yield ("is", "time", VARIES), times == VARIES
    yield ("is", "time", NO_TIME), times == NO_TIME
    bounds = [*(hour * 3600 for hour in TIME_BLOCKS.values()), 24 * 3600]
    for block, (low, high) in enumerate(pairwise(bounds)):
        yield ("is", "time_block", block), (times >= low) & (times < high)
    yield ("is", "shared", 1), listings["program"].to_numpy() >= 0


def _stack(sets: list[Words], size: int) -> pl.Series:
    width = count_words(size)
    stacked = np.stack(sets) if sets else np.empty((0, width), dtype=np.uint64)
    return pl.Series("words", stacked, dtype=pl.Array(pl.UInt64(), width))
