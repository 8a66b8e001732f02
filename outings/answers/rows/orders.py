"""The orders of lists, and which listing of a program is its card."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from datetime import date
from functools import reduce
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.rows.candidates import Candidates, list_occurrences, read_dates
from outings.answers.rows.columns import (
    Columns,
    Mask,
    Rows,
    find_happenings,
    list_set,
    pack_rows,
    skip_set,
    test_set,
    walk_set,
)
from outings.answers.rows.conditions import Between, Shares, make_test, number_value
from outings.answers.rows.selection import KEY_CHARACTERS, Position, Selection
from outings.answers.snapshot.next_starts import find_meetings
from outings.contract.values import DAY, number_day
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER, NOT_STATED
from outings.release.tables import HAPPENINGS


def choose_cards(candidates: Candidates, columns: Columns, *, start: date) -> Candidates:
    """Keep of each program's matching listings the one with the earliest start; ties by id."""
    own = columns.types["class"]
    shared = own.read_set("is", "shared", 1)
    rows = candidates.keep_rows(list_set(candidates.words & shared))
    if not rows.size:
        return Candidates(candidates.words & ~shared, candidates.tests)
    whole = rows + own.first
    programs = columns.rows["program"][whole]
    starts = find_class_starts(columns, whole, start=number_day(start))
    order = np.lexsort((columns.rows["id_rank"][whole], starts, programs))
    firsts = np.ones(order.size, dtype=np.bool_)
    firsts[1:] = programs[order][1:] != programs[order][:-1]
    return Candidates((candidates.words & ~shared) | pack_rows(rows[order[firsts]], own.size), candidates.tests)


def find_class_starts(columns: Columns, rows: Rows, *, start: int) -> Rows:
    """Return the next meeting of each class from a day on, if days are stated, else its term's first day; NEVER if
    that lies before, or after the term's end. `rows` are numbered in the whole table."""
    numbers, firsts = find_happenings(columns, rows)
    table = columns.happenings["sections"]
    begins, ends, days = (table[name][numbers].astype(np.int64) for name in ("starts_on", "ends_on", "days"))
    meetings = find_meetings(begins, ends, days, start=start)
    starts: Rows = np.minimum.reduceat(meetings, firsts)
    return starts


def find_starts(selection: Selection, columns: Columns, rows: Rows, *, low: int) -> Rows:
    """Seconds of the local clock, midnight where no time is stated; NEVER where nothing that matches begins from a day
    on. `rows`: of the selection's type."""
    starts, span = np.full(rows.size, NEVER, dtype=np.int64), columns.rows
    some = np.flatnonzero(span["end"][rows] > span["first"][rows])
    if some.size:
        days, times, firsts = _list_days(selection, columns, rows[some], low=low)
        seconds = np.where(days == NEVER, NEVER, days * DAY + np.maximum(times, 0))
        starts[some] = np.minimum.reduceat(seconds, firsts)
    return starts


def _list_days(selection: Selection, columns: Columns, rows: Rows, *, low: int) -> tuple[Rows, Rows, Rows]:
    """Return each happening's next day, NEVER if it does not match, and its time, and where each row's happenings
    begin."""
    conditions, table = selection.conditions.happening, columns.happenings[HAPPENINGS[selection.type]]
    if selection.type == "event":
        numbers, firsts = list_occurrences(columns, rows)
        days = table["day"][numbers].astype(np.int64)
        # A single event of the window has its date, were it past: only a series has a next one.
        recurring = columns.types["event"].read_set("is", "is_recurring", 1)
        is_match = read_dates(conditions).hold(columns, numbers)
        is_match &= (days >= low) | ~test_set(recurring, table["row"][numbers].astype(np.int64))
    else:
        numbers, firsts = find_happenings(columns, rows)
        every: Mask = np.ones(numbers.size, dtype=np.bool_)
        is_match = reduce(np.logical_and, (make_test(each, table)(numbers) for each in conditions), every)
        begins, ends = (table[name][numbers].astype(np.int64) for name in ("starts_on", "ends_on"))
        if selection.type == "class":
            stated = table["days"][numbers].astype(np.int64)
            bits = (each.bits for each in conditions if isinstance(each, Shares) and each.column == "days")
            meant = reduce(np.bitwise_and, bits, stated)
            days = find_meetings(begins, ends, np.where(meant, meant, stated), start=low)
        else:
            is_over = np.where(ends == NOT_STATED, begins, ends) < low
            days = np.where(is_over | (begins == NOT_STATED), NEVER, begins)
    return np.where(is_match, days, NEVER), table["time"][numbers].astype(np.int64), firsts


# Rows of an order that are looked at first; each chunk after it is twice as long.
_FIRST_ROWS = 256


class Order(Struct, frozen=True, eq=False):
    """`rows` within their type, with the rising `keys` by which they stand; ties by id."""

    rows: Rows
    keys: NDArray[Any]


def take_rows(candidates: Candidates, *, start: int, offset: int, limit: int) -> Rows:
    """Take rows in the natural order, in which they are numbered: from a row on, without the first `offset`."""
    if offset and not candidates.tests:
        start, offset = skip_set(candidates.words, start, offset), 0
    return take_first(map(candidates.keep_rows, walk_set(candidates.words, start)), offset=offset, limit=limit)


def take_ordered(candidates: Candidates, rows: Rows, *, start: int, offset: int, limit: int) -> Rows:
    """Take candidates in an order other than the natural one, from a place in it on."""

    def keep_chunk(chunk: slice) -> Rows:
        own = rows[chunk]
        return candidates.keep_rows(own[test_set(candidates.words, own)])

    chunks = walk_chunks(start, rows.size, length=_FIRST_ROWS)
    return take_first(map(keep_chunk, chunks), offset=offset, limit=limit)


def walk_chunks(start: int, end: int, *, length: int) -> Iterator[slice]:
    """Each twice as long as the one before."""
    while start < end:
        yield slice(start, min(start + length, end))
        start, length = start + length, length * 2


def take_first(parts: Iterable[Rows], *, offset: int, limit: int) -> Rows:
    """Take `limit` rows of parts that follow each other, and look at no more parts than that needs."""
    kept, count = [], 0
    for rows in parts:
        kept.append(rows)
        count += rows.size
        if count >= offset + limit:
            break
    if len(kept) == 1:
        return kept[0][offset : offset + limit]
    return np.concatenate(kept)[offset : offset + limit] if kept else np.empty(0, dtype=np.int64)


def find_start(columns: Columns, listing_type: str, after: Position) -> int:
    """Return the row that comes next in the natural order of events, classes and places."""
    own = columns.types[listing_type]
    end = own.first + own.size
    key, row_id = after
    if isinstance(key, str):
        key = _complete_name(columns, key, row_id, listing_type=listing_type)
        low = bisect_left(columns.names, key, own.first, end)
        high = bisect_right(columns.names, key, low, end)
    else:
        assert key is not None
        starts = columns.rows["starts_at"][own.first : end]
        low = own.first + int(np.searchsorted(starts, key, side="left"))
        high = own.first + int(np.searchsorted(starts, key, side="right"))
    return low - own.first + _count_ids(columns, np.arange(low, high), row_id)


def _complete_name(columns: Columns, key: str, row_id: str, *, listing_type: str) -> str:
    """Cut short in the cursor: the row itself says the rest, as long as it is there under that name."""
    if len(key) < KEY_CHARACTERS:
        return key
    row = columns.index.find_id(row_id, type_code=TYPES.index(listing_type))
    name = "" if row is None else columns.names[row]
    return name if name.startswith(key) else key


def find_place(columns: Columns, order: Order, *, first: int, after: Position) -> int:
    """Return the place that comes next in another order."""
    key, row_id = after
    if isinstance(key, str):
        key = number_day(date.fromisoformat(key))
    number = NEVER if key is None else key
    low, high = int(np.searchsorted(order.keys, number)), int(np.searchsorted(order.keys, number, side="right"))
    return low + _count_ids(columns, order.rows[low:high] + first, row_id)


def order_updates(columns: Columns, listing_type: str) -> Order:
    own = columns.types[listing_type]
    end = own.first + own.size
    rows = columns.rows["by_update"][own.first : end].astype(np.int64) - own.first
    return Order(rows, columns.rows["update_stamps"][own.first : end])


def find_updated(order: Order, selection: Selection) -> int:
    """The first place of the order that was updated as late as is asked for."""
    bounds = [each.low for each in selection.conditions.listing if isinstance(each, Between)
              and each.column == "updated_at" and each.low is not None]  # fmt: skip
    return max((int(np.searchsorted(order.keys, number_value(low))) for low in bounds), default=0)


def order_camps(columns: Columns, start: date) -> Order:
    """Order camps by the first session that has not ended by the date; camps without one come last."""
    own, table = columns.types["camp"], columns.happenings["sessions"]
    open_sessions = table["ends_on"] >= number_day(start)
    rows = table["row"][open_sessions].astype(np.int64) - own.first
    keys = np.full(own.size, NEVER, dtype=np.int64)
    stated = table["starts_on"][open_sessions]
    np.minimum.at(keys, rows[stated != NOT_STATED], stated[stated != NOT_STATED])
    ranks = columns.rows["id_rank"][own.first : own.first + own.size]
    ordered = np.lexsort((ranks, keys))
    return Order(ordered, keys[ordered])


def read_id(columns: Columns, row: int) -> str:
    """`row`: the number in the whole table."""
    return columns.index.read_id(row, rank=int(columns.rows["id_rank"][row]))


def _count_ids(columns: Columns, rows: NDArray[Any], row_id: str) -> int:
    """Return how many of these rows, rising by id, have an id up to this one."""
    return int((columns.rows["id_rank"][rows] < columns.index.count_ids(row_id)).sum())
