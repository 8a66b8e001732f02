"""Orders of a list: its type's rows one after the other, and where a walk goes on in them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.selecting.columns.bitsets import Rows, skip_set, test_set, walk_set
from outings.answers.selecting.columns.candidates import Candidates
from outings.answers.selecting.columns.columns import Columns
from outings.answers.selecting.columns.conditions import number_value
from outings.answers.selecting.cursors import KEY_CHARACTERS, Position
from outings.answers.selecting.predicate import Between
from outings.answers.selecting.selection import Selection
from outings.contract.instants import number_day
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER, NOT_STATED

# Rows of an order that are looked at first; each chunk after it is twice as long.
_FIRST_ROWS = 256


class Order(Struct, frozen=True, eq=False):
    """`rows` within their type, with the rising `keys` by which they stand; ties by id."""

    rows: Rows
    keys: NDArray[Any]


def take_rows(candidates: Candidates, *, start: int, offset: int, limit: int) -> Rows:
    """Of the natural order, in which rows are numbered: those from a row on, but for the first `offset`."""
    if offset and not candidates.tests:
        start, offset = skip_set(candidates.words, start, offset), 0
    return take_first(map(candidates.keep_rows, walk_set(candidates.words, start)), offset=offset, limit=limit)


def take_ordered(candidates: Candidates, rows: Rows, *, start: int, offset: int, limit: int) -> Rows:
    """Of an order other than the natural one: the candidates from a place in it on."""

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
    """Of parts that follow each other: as many as that are looked at."""
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
    """Of the natural order of events, classes and places: the row that comes next."""
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
    """Of another order: the place that comes next."""
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
    """By the first session that has not ended by the date; camps without one last."""
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
    """How many of these rows, rising by id, have an id that is not above this one."""
    return int((columns.rows["id_rank"][rows] < columns.index.count_ids(row_id)).sum())
