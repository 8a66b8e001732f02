"""Count a list by the dimensions of facets, and occurrences by days."""

from collections.abc import Collection, Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.dates import find_weekday
from outings.answers.rows.column_tables import Numbers, count_bits, spread_bits
from outings.answers.rows.columns import (
    NO_TIME,
    VARIES,
    Columns,
    Mask,
    Rows,
    count_set,
    find_occurrences,
    list_set,
    unpack_set,
)
from outings.answers.rows.filters import Selection
from outings.answers.rows.row_sets import list_event_dates, read_dates, test_all
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, TIME_BLOCKS, WEEKDAYS
from outings.release.mapped_table import NOT_STATED, Words
from outings.release.tables import OCCURRENCE_TABLES

_NO_DAY, _NO_BLOCK = 1 << len(WEEKDAYS), 1 << len(TIME_BLOCKS)
# The number of buckets, without "not stated", of the facets that count sections and sessions.
_WIDTHS = {
    "weekday": len(WEEKDAYS),
    "time_block": len(TIME_BLOCKS),
    "price_band": len(PRICE_BANDS),
    "age_band": len(AGE_BANDS),
}
_BLOCK_STARTS = [hour * 3600 for hour in TIME_BLOCKS.values()]


class FacetCounts(Struct, frozen=True, kw_only=True, eq=False):
    """The counts of a list. `counts`: for each dimension, the counts of its buckets and, last, of listings that state
    none. Buckets are in the order of the vocabulary's words or of the evaluator's organizations."""

    total: int
    counts: Mapping[str, Numbers]


class DayCounts(Struct, frozen=True, kw_only=True, eq=False):
    """Counts of occurrences for each day of a window: of all, of the free ones, and a row of counts by category."""

    counts: Numbers
    free: Numbers
    categories: Numbers


def count_matches(
    selection: Selection, words: Words, dimensions: Collection[str], columns: Columns
) -> dict[str, Numbers]:
    """Count a list by dimensions. `words`: the set of the rows that match the selection."""
    own = columns.types[selection.type]
    counts: dict[str, Numbers] = {}
    if selection.type in ("class", "camp"):
        counts = _count_offers(selection, words, [name for name in dimensions if name in _WIDTHS], columns)
    for name in dimensions:
        match name:
            case _ if name in counts:
                continue
            case "category":
                sets = own.read_all("has", "categories", (*range(columns.categories), -1))
                counts[name] = _count_sets(sets, words)
            case "price_band":
                counts[name] = _count_sets(own.read_all("is", "price_band", range(len(PRICE_BANDS) + 1)), words)
            case "age_band":
                counts[name] = _count_sets(own.read_all("has", "age_bands", range(len(AGE_BANDS) + 1)), words)
            case "organization":
                rows = list_set(words) + own.first
                counts[name] = np.bincount(
                    columns.rows["organization"][rows], minlength=len(columns.organization_ids) + 1
                )
            case "weekday":
                counts[name] = _count_weekdays(selection, words, columns)
            case "time_block":
                counts[name] = _count_blocks(selection, words, columns)
    return counts


def _count_sets(sets: NDArray[np.uint64], words: Words) -> Numbers:
    counts: Numbers = np.add.reduce(np.bitwise_count(sets & words), axis=1, dtype=np.uint32)
    return counts


def _count_weekdays(selection: Selection, words: Words, columns: Columns) -> Numbers:
    dates = read_dates(selection.conditions.occurrence)
    if not selection.conditions.occurrence or not dates.is_within(columns) or dates.times or dates.has_others:
        return count_bits(_pack_occurrences(selection, words, columns, "days"), len(WEEKDAYS) + 1)
    days: list[list[int]] = [[] for _ in WEEKDAYS]
    for day in dates.list_days():
        days[find_weekday(day)].append(day)
    sets = np.concatenate([columns.find_days(day) for day in days]).reshape(len(days), -1)
    return np.append(_count_sets(sets, words), 0)  # none is without a weekday


def _count_blocks(selection: Selection, words: Words, columns: Columns) -> Numbers:
    if not selection.conditions.occurrence:
        return count_bits(_pack_occurrences(selection, words, columns, "blocks"), len(TIME_BLOCKS) + 1)
    own = columns.types["event"]
    blocks = _count_sets(own.read_all("is", "time_block", range(len(TIME_BLOCKS))), words)
    counts: Numbers = np.append(blocks, count_set(words & own.read_set("is", "time", NO_TIME)))
    varying = words & own.read_set("is", "time", VARIES)
    if varying.any():
        counts = counts + count_bits(_pack_occurrences(selection, varying, columns, "blocks"), len(TIME_BLOCKS) + 1)
    return counts


def _count_offers(
    selection: Selection, words: Words, dimensions: Collection[str], columns: Columns
) -> dict[str, Numbers]:
    """Count classes or camps by those of their sections or sessions that match."""
    if not dimensions:
        return {}
    table = columns.occurrence_tables[OCCURRENCE_TABLES[selection.type]]
    numbers, starts = find_occurrences(columns, list_set(words) + columns.types[selection.type].first)
    is_match = test_all(selection.conditions.occurrence, table)(numbers)
    counts = {}
    for name in dimensions:
        # The buckets of each section or session as a bit set, in which the bit after the last is "not stated".
        if name == "weekday":
            bits = np.where(table["days"][numbers] == 0, _NO_DAY, table["days"][numbers])
        else:
            bits = _find_blocks(table["time"][numbers]) if name == "time_block" else table[f"{name}s"][numbers]
        united = _unite(bits, is_match, starts, none=1 << _WIDTHS[name])
        counts[name] = count_bits(united, _WIDTHS[name] + 1)
    return counts


def _unite(bits: Numbers, is_match: Mask, starts: Rows, *, none: int) -> Numbers:
    """Return the union of each row's matching bit sets. The bit `none`, "not stated", is set only if all of them have
    it: inverted, it is "stated", for which one of them is enough."""
    united: Numbers = np.bitwise_or.reduceat(np.where(is_match, bits ^ none, 0), starts)
    return united ^ none


def _pack_occurrences(selection: Selection, words: Words, columns: Columns, name: str) -> Numbers:
    """Return bit sets of the weekdays or time blocks of each event's matching occurrences. An event without occurrences
    has the bit "not stated"."""
    own = columns.types["event"]
    rows = list_set(words)
    has_any = columns.rows["end"][rows + own.first] > columns.rows["first"][rows + own.first]
    none = _NO_DAY if name == "days" else _NO_BLOCK
    packed = np.full(rows.size, none, dtype=np.int64)
    if has_any.any():
        numbers, starts = list_event_dates(columns, rows[has_any])
        table = columns.occurrence_tables["occurrences"]
        bits = 1 << find_weekday(table["day"][numbers]) if name == "days" else _find_blocks(table["time"][numbers])
        packed[has_any] = _unite(bits, test_all(selection.conditions.occurrence, table)(numbers), starts, none=none)
    return packed


def _find_blocks(times: Numbers) -> Numbers:
    blocks: Numbers = 1 << (np.searchsorted(_BLOCK_STARTS, times, side="right") - 1).clip(0)
    return np.where(times == NOT_STATED, _NO_BLOCK, blocks)


def find_matching(selection: Selection, words: Words, columns: Columns) -> Rows:
    """Return the numbers of all occurrences of matching events that match themselves."""
    table = columns.occurrence_tables["occurrences"]
    first, end = read_dates(selection.conditions.occurrence).span_numbers(columns)
    is_of_match = unpack_set(words, columns.types["event"].size).take(table["row"][first:end])
    numbers = np.flatnonzero(is_of_match) + first
    return numbers[test_all(selection.conditions.occurrence, table)(numbers)]


def count_occurrences(numbers: Rows, dimensions: Collection[str], columns: Columns) -> dict[str, Numbers]:
    """Count occurrences by dimensions."""
    table = columns.occurrence_tables["occurrences"]
    rows = table["row"][numbers]
    counts: dict[str, Numbers] = {}
    for name in dimensions:
        match name:
            case "category":
                by_set = np.bincount(table["category_set"][numbers], minlength=columns.category_sets.size)
                is_in = np.column_stack(
                    (spread_bits(columns.category_sets, columns.categories), columns.category_sets == 0)
                )
                counts[name] = by_set @ is_in
            case "price_band":
                counts[name] = np.bincount(columns.rows["price_band"][rows], minlength=len(PRICE_BANDS) + 1)
            case "age_band":
                counts[name] = count_bits(columns.rows["age_bands"][rows], len(AGE_BANDS) + 1)
            case "organization":
                organizations = columns.rows["organization"][rows]
                counts[name] = np.bincount(organizations, minlength=len(columns.organization_ids) + 1)
            case "weekday":
                counts[name] = np.bincount(find_weekday(table["day"][numbers]), minlength=len(WEEKDAYS) + 1)
            case "time_block":
                counts[name] = count_bits(_find_blocks(table["time"][numbers]), len(TIME_BLOCKS) + 1)
    return counts


def count_days(selection: Selection, words: Words, columns: Columns, *, first: int, days: int) -> DayCounts:
    """Count the matching occurrences of each day. `first`: the window's first day since 1970.

    One pass turns each occurrence in the window into a number of its day, its set of categories and whether it is free.
    Looking these up for the matching ones would take twice as long.
    """
    table, sets = columns.occurrence_tables["occurrences"], columns.category_sets
    span = slice(*read_dates(selection.conditions.occurrence).span_numbers(columns))
    places = table["day"][span] - np.int32(first)
    is_match = unpack_set(words, columns.types["event"].size).take(table["row"][span])
    is_match &= places.view(np.uint32) < days  # as an unsigned number, a day before the first is large
    numbers = is_match.nonzero()[0]
    if len(selection.conditions.occurrence) > 1:  # more than the window
        numbers = numbers[test_all(selection.conditions.occurrence, table)(numbers + span.start)]
    places *= np.int32(sets.size)
    places += table["category_set"][span].view(np.int32)
    places += places
    places += table["is_free"][span] == 1
    counted = np.bincount(places.take(numbers), minlength=days * sets.size * 2).reshape(days, sets.size, 2)
    by_set = counted.sum(axis=2)
    return DayCounts(
        counts=by_set.sum(axis=1),
        free=counted[:, :, 1].sum(axis=1),
        categories=by_set @ spread_bits(sets, columns.categories),
    )
