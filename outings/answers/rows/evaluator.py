"""Find, order and count the listings that match a selection."""

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.plan import KEY_CHARACTERS, Position
from outings.answers.rows.column_tables import open_columns
from outings.answers.rows.columns import (
    Columns,
    Rows,
    choose_firsts,
    count_set,
    list_set,
    test_set,
)
from outings.answers.rows.counting import (
    DayCounts,
    FacetCounts,
    count_days,
    count_matches,
    count_occurrences,
    find_matching,
)
from outings.answers.rows.filters import Condition, Selection, Span
from outings.answers.rows.next_starts import NextStarts
from outings.answers.rows.row_sets import (
    Candidates,
    RowFinder,
    find_candidates,
    list_event_dates,
    test_all,
)
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.values import DAY, number_day, read_date
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER, NOT_STATED, Words


def choose_cards(columns: Columns, rows: Rows, *, start: date) -> Rows:
    """Return one listing of each program: that with the earliest start from a date on; ties by id. Every row needs a
    program."""
    days = NextStarts(columns).find_class_days(rows, start=number_day(start))
    return rows[choose_firsts(columns.rows["program"][rows], days, columns.rows["id_rank"][rows])]


def fold_programs(candidates: Candidates, columns: Columns, *, start: date) -> Candidates:
    """Keep only the card of each program's matching listings."""
    own = columns.types["class"]
    shared = own.read_set("is", "shared", 1)
    rows = candidates.keep_rows(list_set(candidates.words & shared)) + own.first
    cards = own.pack_rows(choose_cards(columns, rows, start=start))
    return Candidates((candidates.words & ~shared) | cards, candidates.tests)


def find_event_starts(columns: Columns, rows: Rows, conditions: Sequence[Condition], *, low: int) -> Rows:
    """Return when each event's first occurrence begins that meets the conditions and, of a series, is on day `low`
    (since 1970) or later; see `Evaluator.find_starts`. Every event needs an occurrence."""
    table = columns.occurrence_tables["occurrences"]
    numbers, firsts = list_event_dates(columns, rows)
    days = table["day"][numbers].astype(np.int64)
    # A single event in the window has its date, even a past one. Only a series must have a later one.
    recurring = columns.types["event"].read_set("is", "is_recurring", 1)
    is_match = test_all(conditions, table)(numbers)
    is_match &= (days >= low) | ~test_set(recurring, table["row"][numbers].astype(np.int64))
    seconds = np.where(is_match, days * DAY + np.maximum(table["time"][numbers], 0), NEVER)
    starts: Rows = np.minimum.reduceat(seconds, firsts)
    return starts


class Order(Struct, frozen=True, eq=False):
    """A sort order of a type's rows. `rows`: numbers within the type; `keys`: their keys, ascending; ties by id."""

    rows: Rows
    keys: NDArray[Any]

    def read_key(self, row: int) -> int:
        return int(self.keys[np.flatnonzero(self.rows == row)[0]])


def find_start(columns: Columns, listing_type: str, after: Position) -> int:
    """Return the row that follows the position `after` in the natural order of events, classes and places."""
    own = columns.types[listing_type]
    end = own.first + own.size
    key, row_id = after
    if isinstance(key, str):
        if len(key) >= KEY_CHARACTERS:
            # The cursor has only the beginning of the name. The row has all of it, unless its name has changed.
            row = columns.index.find_id(row_id, type_code=TYPES.index(listing_type))
            name = "" if row is None else columns.names[row]
            key = name if name.startswith(key) else key
        low = bisect_left(columns.names, key, own.first, end)
        high = bisect_right(columns.names, key, low, end)
    else:
        assert key is not None
        starts = columns.rows["starts_at"][own.first : end]
        low, high = (own.first + int(starts.searchsorted(key, side)) for side in ("left", "right"))
    return low - own.first + _count_ids(columns, np.arange(low, high), row_id)


def find_place(columns: Columns, order: Order, *, first: int, after: Position) -> int:
    """Return the index in `order` that follows the position `after`. `first`: the number of the type's first row."""
    key, row_id = after
    if isinstance(key, str):
        key = number_day(date.fromisoformat(key))
    number = NEVER if key is None else key
    low, high = int(np.searchsorted(order.keys, number)), int(np.searchsorted(order.keys, number, side="right"))
    return low + _count_ids(columns, order.rows[low:high] + first, row_id)


def order_camps(columns: Columns, start: date) -> Order:
    """Order camps by the first session that has not ended by the date; camps without one come last."""
    own, table = columns.types["camp"], columns.occurrence_tables["sessions"]
    open_sessions = table["ends_on"] >= number_day(start)
    rows = table["row"][open_sessions].astype(np.int64) - own.first
    keys = np.full(own.size, NEVER, dtype=np.int64)
    stated = table["starts_on"][open_sessions]
    np.minimum.at(keys, rows[stated != NOT_STATED], stated[stated != NOT_STATED])
    ranks = columns.rows["id_rank"][own.first : own.first + own.size]
    ordered = np.lexsort((ranks, keys))
    return Order(ordered, keys[ordered])


def read_id(columns: Columns, row: int) -> str:
    """Return the id of a row. `row`: its number in the whole table."""
    return columns.index.read_id(row, rank=int(columns.rows["id_rank"][row]))


def _count_ids(columns: Columns, rows: NDArray[Any], row_id: str) -> int:
    """Count those of the rows, which are sorted by id, whose id is at most `row_id`."""
    return int((columns.rows["id_rank"][rows] < columns.index.count_ids(row_id)).sum())


class QueryCounter:
    """A counter of queries. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.total = 0

    def add(self) -> None:
        with self._lock:
            self.total += 1


# The queries of this process, against all opened snapshots.
QUERIES = QueryCounter()

# Cached orders of camps, one for each first date: nearly all requests are for today.
_ORDERS = 8


class ResultSet(Struct, frozen=True, kw_only=True, eq=False):
    """Rows in the list's order. `numbers`: those of the occurrences, if items are occurrences. `locate`: returns the
    position, for a cursor, of the item at an index."""

    rows: list[int]
    numbers: list[int] | None = None
    locate: Callable[[int], Position]


class Evaluator:
    """An evaluator of selections against one snapshot. Thread-safe.

    Tests compare it with a reference in plain Python (`tests/answers/reference.py`).
    """

    def __init__(self, columns: Columns, *, finder: RowFinder) -> None:
        self._columns, self._occurrences = columns, columns.occurrence_tables["occurrences"]
        self._finder, self._next_starts = finder, NextStarts(columns)
        self._order_camps = lru_cache(maxsize=_ORDERS)(lambda start: order_camps(columns, start))

    def list_rows(self, selection: Selection, span: Span) -> ResultSet:
        """Return a span of a list whose items are listings."""
        candidates, first = self._find_candidates(selection), self._columns.types[selection.type].first
        order = self._order_next(selection, candidates) if selection.by_next else self._choose_order(selection)
        if order is None:
            rows = list_set(candidates.words)
            if span.after is not None:
                rows = rows[rows.searchsorted(find_start(self._columns, selection.type, span.after)) :]
        else:
            start = 0 if span.after is None else find_place(self._columns, order, first=first, after=span.after)
            ordered = order.rows[start:]
            rows = ordered[test_set(candidates.words, ordered)]
        rows = candidates.keep_rows(rows)[span.offset : span.offset + span.limit]
        whole = (rows + first).tolist()
        return ResultSet(rows=whole, locate=lambda at: self._locate(whole[at], selection, order))

    def _order_next(self, selection: Selection, candidates: Candidates) -> Order:
        """Order the list's rows by the next date that matches; rows without one come last."""
        own = self._columns.types[selection.type]
        rows = list_set(candidates.list_all(own.size))
        starts = self.find_starts(selection, rows + own.first, low=number_day(selection.start))
        ordered = np.lexsort((self._columns.rows["id_rank"][rows + own.first], starts))
        return Order(rows[ordered], starts[ordered])

    def _find_candidates(self, selection: Selection) -> Candidates:
        """Return the candidates for the list's items, with one listing of each program if the list folds programs."""
        candidates = find_candidates(selection, self._columns, self._finder)
        if selection.type == "class" and selection.folds_programs and not selection.by_update:
            return fold_programs(candidates, self._columns, start=selection.start)
        return candidates

    def _choose_order(self, selection: Selection) -> Order | None:
        """Return the order of the selection's list, or None for the natural order, in which rows are numbered."""
        if selection.by_update:
            own, columns = self._columns.types[selection.type], self._columns.rows
            places = slice(own.first, own.first + own.size)
            return Order(columns["by_update"][places].astype(np.int64) - own.first, columns["update_stamps"][places])
        return self._order_camps(selection.start) if selection.type == "camp" else None

    def _locate(self, row: int, selection: Selection, order: Order | None) -> Position:
        row_id = read_id(self._columns, row)
        if selection.by_next:
            assert order is not None
            key = order.read_key(row - self._columns.types[selection.type].first)
            return None if key == NEVER else key, row_id
        if selection.by_update:
            return int(self._columns.rows["updated_at"][row]), row_id
        if selection.type == "event":
            starts_at = int(self._columns.rows["starts_at"][row])
            return None if starts_at == NEVER else starts_at, row_id
        if selection.type == "camp":
            assert order is not None
            key = order.read_key(row - self._columns.types["camp"].first)
            return None if key == NEVER else read_date(key).isoformat(), row_id
        return self._columns.names[row], row_id

    def list_event_dates(self, selection: Selection, span: Span) -> ResultSet:
        """Return a span of the list whose items are occurrences, by `starts_at`, then id."""
        matches, table = find_matching(selection, self._find_matches(selection), self._columns), self._occurrences
        if span.after is not None:
            starts_at, row_id = span.after
            assert isinstance(starts_at, int)
            low, high = (int(table["starts_at"].searchsorted(starts_at, side)) for side in ("left", "right"))
            passed = _count_ids(self._columns, table["row"][low:high], row_id)
            matches = matches[matches.searchsorted(low + passed) :]
        numbers = matches[span.offset : span.offset + span.limit]
        rows, places = table["row"][numbers].tolist(), numbers.tolist()
        return ResultSet(
            rows=rows,
            numbers=places,
            locate=lambda at: (int(table["starts_at"][places[at]]), read_id(self._columns, rows[at])),
        )

    def keep_rows(self, selection: Selection, rows: Rows) -> Rows:
        """Return the matching ones of these rows of any type, ascending, with all listings of a program."""
        own = self._columns.types[selection.type]
        mine = rows[(rows >= own.first) & (rows < own.first + own.size)] - own.first
        candidates = find_candidates(selection, self._columns, self._finder)
        return candidates.keep_rows(mine[test_set(candidates.words, mine)]) + own.first

    def find_starts(self, selection: Selection, rows: Rows, *, low: int) -> Rows:
        """Return when each row's first occurrence, section or session begins that meets all conditions: on day `low`
        (since 1970) or later, in seconds of the local clock, at midnight without a time; NEVER if there is none.
        `rows`: of the selection's type."""
        starts, spans = np.full(rows.size, NEVER, dtype=np.int64), self._columns.rows
        some = np.flatnonzero(spans["end"][rows] > spans["first"][rows])
        if some.size:
            conditions, columns = selection.conditions.occurrence, self._columns
            match selection.type:
                case "event":
                    starts[some] = find_event_starts(columns, rows[some], conditions, low=low)
                case "class":
                    starts[some] = self._next_starts.find_class_starts(rows[some], start=low, conditions=conditions)
                case _:
                    starts[some] = self._next_starts.find_camp_starts(rows[some], start=low, conditions=conditions)
        return starts

    def fold_rows(self, rows: Rows, *, start: date) -> Rows:
        """Keep one listing of each program, that with the earliest start from a date on, and all without a program."""
        programs = self._columns.rows["program"][rows]
        cards = choose_cards(self._columns, rows[programs >= 0], start=start)
        return np.sort(np.concatenate((rows[programs < 0], cards)))

    def list_all_rows(self, selection: Selection) -> Rows:
        """Return all rows of the list, ascending, with one listing of each program."""
        return list_set(self._find_matches(selection)) + self._columns.types[selection.type].first

    def count_rows(self, selection: Selection) -> int:
        """Return how many rows the list has, with one listing of each program."""
        return count_set(self._find_matches(selection))

    def _find_matches(self, selection: Selection) -> Words:
        """Return the set of the rows that match, with all tests passed."""
        return self._find_candidates(selection).list_all(self._columns.types[selection.type].size)

    def count_organizations(self, selection: Selection) -> Rows:
        """Return how many items the list would have if restricted to each organization, by row of the table of
        organizations. A program counts once in each of its organizations."""
        columns = self._columns
        candidates = find_candidates(selection, columns, self._finder)
        rows = candidates.keep_rows(list_set(candidates.words)) + columns.types[selection.type].first
        organizations, programs = (columns.rows[name][rows].astype(np.int64) for name in ("organization", "program"))
        shared = np.unique(np.stack((organizations, programs))[:, programs >= 0], axis=1)[0]
        size = len(columns.organization_ids)  # the number of listings that name no organization
        return np.bincount(np.concatenate((organizations[programs < 0], shared)), minlength=size)[:size]

    def count_buckets(self, selection: Selection, dimensions: Collection[str], *, is_expanded: bool) -> FacetCounts:
        """Count the whole list, or its occurrences if expanded, by dimensions of facets."""
        words = self._find_matches(selection)
        if is_expanded:
            numbers = find_matching(selection, words, self._columns)
            counts = count_occurrences(numbers, dimensions, self._columns)
            return FacetCounts(total=numbers.size, counts=counts)
        counts = count_matches(selection, words, dimensions, self._columns)
        return FacetCounts(total=count_set(words), counts=counts)

    def count_days(self, selection: Selection, *, days: int) -> DayCounts:
        """Count the occurrences of each day, for this many days from the selection's first date on."""
        words, first = self._find_matches(selection), number_day(selection.start)
        return count_days(selection, words, self._columns, first=first, days=days)

    def name_organization(self, number: int) -> tuple[str, str]:
        """Return the id and name of a bucket of the dimension `organization`; buckets follow names, then ids."""
        return self._columns.organization_ids[number], self._columns.organization_names[number]


def open_evaluator(reader: SnapshotReader) -> Evaluator:
    """Return a snapshot's evaluator and add 1 to `QUERIES`: call this once for each query."""
    QUERIES.add()
    return reader.open_index(make_evaluator)


def make_evaluator(reader: SnapshotReader) -> Evaluator:
    columns, finder = reader.open_index(open_columns), reader.open_index(RowFinder)
    return Evaluator(columns, finder=finder)
