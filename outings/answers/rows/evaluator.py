"""Find, order and count the listings that match a selection."""

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache

import numpy as np
from msgspec import Struct

from outings.answers.query_counter import QUERIES
from outings.answers.rows.candidates import Candidates, Dates, RowFinder, find_candidates, open_row_finder, read_dates
from outings.answers.rows.column_tables import COLUMNS
from outings.answers.rows.columns import Columns, Rows, count_set, list_set, pack_rows, test_set
from outings.answers.rows.counting import (
    DayCounts,
    FacetCounts,
    MatchSet,
    count_days,
    count_matches,
    count_occurrences,
    find_matching,
)
from outings.answers.rows.orders import (
    Order,
    choose_cards,
    find_place,
    find_start,
    find_starts,
    find_updated,
    order_camps,
    order_updates,
    read_id,
    take_first,
    take_ordered,
    take_rows,
    walk_chunks,
)
from outings.answers.rows.selection import Position, Selection, Span
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.values import number_day, read_date
from outings.release.mapped_table import NEVER

# Orders of camps that are kept, one a first date: nearly all ask for today's.
_ORDERS = 8
_FIRST_OCCURRENCES = 512


class ResultSet(Struct, frozen=True, kw_only=True, eq=False):
    """Rows in the list's order; where items are occurrences, with their places in the table. `locate` says where the
    item of an index stands in the list."""

    rows: list[int]
    numbers: list[int] | None = None
    locate: Callable[[int], Position]


class Evaluator:
    """Evaluates selections against one snapshot. Thread-safe. `words`: how many categories there are.

    Tests ask DuckDB the same, over the snapshot's tables (`tests/answers/sql`).
    """

    def __init__(self, columns: Columns, *, finder: RowFinder, words: int) -> None:
        self._columns = columns
        self._finder = finder
        self._words = words
        self._order_camps = lru_cache(maxsize=_ORDERS)(lambda start: order_camps(columns, start))

    def list_rows(self, selection: Selection, span: Span) -> ResultSet:
        candidates, first = self._find_candidates(selection), self._columns.types[selection.type].first
        order = self._choose_order(selection)
        if order is None:
            start = 0 if span.after is None else find_start(self._columns, selection.type, span.after)
            rows = take_rows(candidates, start=start, offset=span.offset, limit=span.limit)
        else:
            start = find_updated(order, selection) if selection.by_update else 0
            if span.after is not None:
                start = max(start, find_place(self._columns, order, first=first, after=span.after))
            rows = take_ordered(candidates, order.rows, start=start, offset=span.offset, limit=span.limit)
        whole = (rows + first).tolist()
        return ResultSet(rows=whole, locate=lambda at: self._locate(whole[at], selection))

    def _find_candidates(self, selection: Selection) -> Candidates:
        candidates = find_candidates(selection, self._columns, self._finder)
        if selection.type == "class" and selection.has_cards and not selection.by_update:
            return choose_cards(candidates, self._columns, start=selection.start)
        return candidates

    def _choose_order(self, selection: Selection) -> Order | None:
        """Return None for the natural order, in which rows are numbered."""
        if selection.by_update:
            return order_updates(self._columns, selection.type)
        return self._order_camps(selection.start) if selection.type == "camp" else None

    def _locate(self, row: int, selection: Selection) -> Position:
        row_id = read_id(self._columns, row)
        if selection.by_update:
            return int(self._columns.rows["updated_at"][row]), row_id
        if selection.type == "event":
            starts_at = int(self._columns.rows["starts_at"][row])
            return None if starts_at == NEVER else starts_at, row_id
        if selection.type == "camp":
            order, first = self._order_camps(selection.start), self._columns.types["camp"].first
            key = int(order.keys[np.flatnonzero(order.rows == row - first)[0]])
            return None if key == NEVER else read_date(key).isoformat(), row_id
        return self._columns.names[row], row_id

    def list_occurrences(self, selection: Selection, span: Span) -> ResultSet:
        """The list whose items are occurrences, by `starts_at`, then id."""
        candidates, dates = self._find_candidates(selection), read_dates(selection.conditions.happening)
        table = self._columns.happenings["occurrences"]
        at, end = dates.span_numbers(self._columns)
        if span.after is not None:
            at = max(at, self._find_next_occurrence(span.after))
        chunks = walk_chunks(at, end, length=_FIRST_OCCURRENCES)
        parts = (self._keep_occurrences(np.arange(each.start, each.stop), candidates, dates) for each in chunks)
        matches = take_first(parts, offset=span.offset, limit=span.limit)
        rows, places = table["row"][matches].tolist(), matches.tolist()
        return ResultSet(
            rows=rows,
            numbers=places,
            locate=lambda at: (int(table["starts_at"][places[at]]), read_id(self._columns, rows[at])),
        )

    def _keep_occurrences(self, numbers: Rows, candidates: Candidates, dates: Dates) -> Rows:
        """Events are the first type: they are numbered alike within their type and in the whole table."""
        rows = self._columns.happenings["occurrences"]["row"]
        numbers = numbers[test_set(candidates.words, rows[numbers])]
        numbers = numbers[dates.hold(self._columns, numbers)]
        for test in candidates.tests:
            if numbers.size:
                numbers = numbers[test(rows[numbers].astype(np.int64))]
        return numbers

    def _find_next_occurrence(self, after: Position) -> int:
        starts_at, row_id = after
        starts = self._columns.happenings["occurrences"]["starts_at"]
        assert isinstance(starts_at, int)
        low, high = np.searchsorted(starts, starts_at, side="left"), np.searchsorted(starts, starts_at, side="right")
        ids = [read_id(self._columns, row) for row in self._columns.happenings["occurrences"]["row"][low:high].tolist()]
        return int(low) + sum(each <= row_id for each in ids)

    def keep_rows(self, selection: Selection, rows: Rows) -> Rows:
        """Return the matches among rows of any type, which rise; cards are not chosen."""
        own = self._columns.types[selection.type]
        mine = rows[(rows >= own.first) & (rows < own.first + own.size)] - own.first
        candidates = find_candidates(selection, self._columns, self._finder)
        return candidates.keep_rows(mine[test_set(candidates.words, mine)]) + own.first

    def find_starts(self, selection: Selection, rows: Rows, *, low: int) -> Rows:
        """Return for each row when its first happening that meets all conditions begins, in seconds of the local clock:
        on day `low` (since 1970) or later, NEVER if none does."""
        return find_starts(selection, self._columns, rows, low=low)

    def list_all_rows(self, selection: Selection) -> Rows:
        """The whole list, by row: cards, where a program came as several listings."""
        return list_set(self._find_matches(selection).words) + self._columns.types[selection.type].first

    def count_rows(self, selection: Selection) -> int:
        """The size of the whole list: cards, where a program came as several listings."""
        return count_set(self._find_matches(selection).words)

    def _find_matches(self, selection: Selection) -> MatchSet:
        """All tests passed."""
        candidates = self._find_candidates(selection)
        words = candidates.words
        if candidates.tests:
            words = pack_rows(candidates.keep_rows(list_set(words)), self._columns.types[selection.type].size)
        return MatchSet(type=selection.type, words=words, happening=selection.conditions.happening)

    def count_organizations(self, selection: Selection) -> Mapping[str, int]:
        """Organization's id → the size of the list that it would be if its listings alone were asked for: a program
        counts once in each of its organizations."""
        columns = self._columns
        candidates = find_candidates(selection, columns, self._finder)
        rows = candidates.keep_rows(list_set(candidates.words)) + columns.types[selection.type].first
        rows = rows[columns.rows["organization"][rows] < len(columns.organization_ids)]
        organizations, programs = (columns.rows[name][rows].astype(np.int64) for name in ("organization", "program"))
        shared = np.unique(np.stack((organizations, programs))[:, programs >= 0], axis=1)[0]
        counts = np.bincount(np.concatenate((organizations[programs < 0], shared)))
        return {columns.organization_ids[number]: int(counts[number]) for number in np.flatnonzero(counts).tolist()}

    def count_buckets(self, selection: Selection, dimensions: Collection[str], *, is_expanded: bool) -> FacetCounts:
        """The whole list by dimensions of facets; expanded, its occurrences."""
        matches = self._find_matches(selection)
        if is_expanded:
            numbers = find_matching(matches, self._columns)
            counts = count_occurrences(numbers, dimensions, self._columns, words=self._words)
            return FacetCounts(total=numbers.size, counts=counts)
        counts = count_matches(matches, dimensions, self._columns, words=self._words)
        return FacetCounts(total=count_set(matches.words), counts=counts)

    def count_days(self, selection: Selection, *, days: int) -> DayCounts:
        """The occurrences of this many days from the selection's first date on."""
        matches, first = self._find_matches(selection), number_day(selection.start)
        return count_days(matches, self._columns, first=first, days=days, words=self._words)

    def name_organization(self, number: int) -> tuple[str, str]:
        """Id and name of a bucket of the dimension `organization`; buckets follow names, then ids."""
        return self._columns.organization_ids[number], self._columns.organization_names[number]


def open_evaluator(reader: SnapshotReader) -> Evaluator:
    """For one question each time: they are counted."""
    QUERIES.add()
    return reader.open_index(make_evaluator)


def make_evaluator(reader: SnapshotReader) -> Evaluator:
    columns = Columns(reader.open_tables(COLUMNS), facts=reader.rows, index=reader.listings)
    finder = reader.open_index(open_row_finder)
    return Evaluator(columns, finder=finder, words=len(reader.vocabulary.categories))
