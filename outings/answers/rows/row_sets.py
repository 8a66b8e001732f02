"""Find the rows that meet conditions: by sets of rows and, if no set has the rows that meet a condition, by tests of
each row.

This module knows kinds of conditions, but no filters.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import reduce
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.dates import find_weekday
from outings.answers.rows.columns import (
    NO_TIME,
    VARIES,
    Columns,
    Mask,
    Rows,
    TypeColumns,
    find_occurrences,
    list_set,
    pack_rows,
    test_set,
)
from outings.answers.rows.filters import (
    AnyOf,
    Between,
    Condition,
    Either,
    EndsAfter,
    ExpressionSet,
    HasId,
    InZips,
    Is,
    Matches,
    NotBefore,
    OpenAt,
    Overlaps,
    RowCondition,
    Scalar,
    Selection,
    Shares,
    Within,
)
from outings.answers.snapshot.distance import lie_near
from outings.answers.snapshot.opening_hours import OpeningHours
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.terms import open_terms
from outings.answers.snapshot.zips import Zips, open_stated_zips, open_zips
from outings.contract.values import DAY, number_day
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NOT_STATED, Words
from outings.release.tables import OCCURRENCE_TABLES, PUBLISHED

Array = NDArray[Any]


def number_value(value: Scalar | None) -> Any:
    """Convert a value to the columns' form: a date to days since 1970, a boolean to 0 or 1."""
    if isinstance(value, date):
        return number_day(value)
    return int(value) if isinstance(value, bool) else value


def make_test(condition: Condition, table: Mapping[str, Array]) -> Callable[[Rows], Mask]:
    """Return a function that marks the rows of a table that meet a condition, given their numbers."""
    match condition:
        case AnyOf("weekday", values):
            return lambda numbers: np.isin(find_weekday(table["day"][numbers]), values)
        case AnyOf(column, values):
            return lambda numbers: np.isin(table[column][numbers], values)
        case Shares(column, bits):
            return lambda numbers: (table[column][numbers] & bits) != 0
        case Is(column, value):
            return lambda numbers: table[column][numbers] == number_value(value)
        case Between(column, low, high):
            return lambda numbers: _lies_between(table[column][numbers], number_value(low), number_value(high))
        case Overlaps(first, last, low, high):
            return lambda numbers: _overlaps(
                table[first][numbers], table[last][numbers], number_value(low), number_value(high)
            )
        case ExpressionSet(words):
            return lambda numbers: test_set(words, numbers)
        case NotBefore() | EndsAfter():
            return lambda numbers: _is_ahead(condition, table, numbers)
        case Either(alternatives):
            sides = [test_all(side, table) for side in alternatives]
            return lambda numbers: reduce(np.logical_or, (side(numbers) for side in sides))


def test_all(conditions: Iterable[Condition], table: Mapping[str, Array]) -> Callable[[Rows], Mask]:
    """Return a function that marks the rows of a table that meet all conditions, given their numbers."""
    tests = [make_test(condition, table) for condition in conditions]
    return lambda numbers: reduce(
        np.logical_and, (test(numbers) for test in tests), np.ones(numbers.shape, dtype=np.bool_)
    )


def _lies_between(values: Array, low: Any, high: Any) -> Mask:
    stated = _is_stated(values)
    if low is not None:
        stated &= values >= low
    if high is not None:
        stated &= values <= high
    return stated


def _overlaps(firsts: Array, lasts: Array, low: Any, high: Any) -> Mask:
    kept = np.ones(firsts.shape, dtype=np.bool_)
    if low is not None:
        kept &= ~_is_stated(lasts) | (lasts >= low)
    if high is not None:
        kept &= ~_is_stated(firsts) | (firsts <= high)
    return kept


def _is_ahead(condition: NotBefore | EndsAfter, table: Mapping[str, Array], numbers: Rows) -> Mask:
    has_time, starts_at = _is_stated(table["time"][numbers]), table["starts_at"][numbers]
    is_ahead: Mask
    if isinstance(condition, NotBefore):
        is_ahead = np.where(
            has_time, starts_at >= condition.instant, table["day"][numbers] >= number_value(condition.day)
        )
        return is_ahead
    # An end that is not stated is -1. Without a clock time a day counts as begun a second after its midnight.
    ends = starts_at + table["offset"][numbers] + np.maximum(table["lasts"][numbers], ~has_time)
    is_ahead = ends > np.where(has_time, condition.local, condition.local // DAY * DAY)
    return is_ahead


def _is_stated(values: Array) -> Mask:
    stated: Mask = ~np.isnan(values) if values.dtype.kind == "f" else values != NOT_STATED
    return stated


RowNumbers = NDArray[np.uint32]


class RowFinder:
    """A finder of rows by words, zips, ids and circles. Indexes are opened at first use."""

    def __init__(self, reader: SnapshotReader) -> None:
        self._listings, self._vectors = reader.listings, reader.rows.vectors
        self._open_terms, self._open_zips = reader.defer(open_terms), reader.defer(open_zips)
        self._open_stated, self._open_hours = reader.defer(open_stated_zips), reader.defer(OpeningHours)

    def find_rows(self, condition: InZips | Matches | HasId | OpenAt, listing_type: str) -> RowNumbers:
        """Return the rows that meet the condition, ascending, including those of other types and statuses."""
        match condition:
            case InZips(codes):
                stated = self._open_stated()
                parts = [stated[code] for code in codes if code in stated]
                return np.sort(np.concatenate(parts)) if parts else np.empty(0, dtype=np.uint32)
            case Matches(text):
                return self._open_terms().find_rows(text, size=len(self._listings))
            case OpenAt(minute):
                return self._open_hours().find_open(minute)
            case HasId(ids):
                rows = (self._listings.find_id(row_id, type_code=TYPES.index(listing_type)) for row_id in ids)
                return np.array(sorted(row for row in rows if row is not None), dtype=np.uint32)

    def test_near(self, circle: Within, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark the rows in the circle."""
        lat, lng = self._find_middle(circle.center)
        near = lie_near([vector[rows] for vector in self._vectors], lat=lat, lng=lng, radius_m=circle.radius_m)
        if not circle.is_approximate:
            return near
        by_zip = [vector[rows] for vector in self._read_zips().vectors]
        is_unplaced = np.isnan(self._vectors[0][rows])
        return near | (is_unplaced & lie_near(by_zip, lat=lat, lng=lng, radius_m=circle.radius_m))

    def _find_middle(self, center: str | tuple[float, float]) -> tuple[float, float]:
        point = self._read_zips().find_centroid(center) if isinstance(center, str) else center
        assert point is not None, "a request's zip was checked"
        return point

    def _read_zips(self) -> Zips:
        zips = self._open_zips()
        assert zips is not None, "a request's zip was checked"
        return zips


# The most seconds by which a local day begins before, and ends after, the same day in UTC. Offsets are from -12 to +14
# hours.
_AHEAD, _BEHIND = 14 * 3600, 12 * 3600


class Dates(Struct, frozen=True, kw_only=True):
    """The conditions on an occurrence. `low`, `high`: the first and last day, since 1970, None without a limit;
    `weekdays`: 0 is Monday, None for all; `times`: the conditions on the clock time; `has_others`: True if there are
    conditions on anything else."""

    low: int | None
    high: int | None
    weekdays: tuple[int, ...] | None
    times: tuple[Between, ...]
    has_others: bool

    def is_within(self, columns: Columns) -> bool:
        """Return True if the columns have a set for every day of the window."""
        if self.low is None or self.high is None:
            return False
        return columns.first_day <= self.low and self.high <= columns.last_day

    def list_days(self) -> Iterable[int]:
        """List the days of a window that has both ends, without those of other weekdays."""
        assert self.low is not None
        assert self.high is not None
        days = range(self.low, self.high + 1)
        return days if self.weekdays is None else (day for day in days if find_weekday(day) in self.weekdays)

    def span_numbers(self, columns: Columns) -> tuple[int, int]:
        """Return the range of the numbers of the occurrences that can be in the window."""
        starts = columns.occurrence_tables["occurrences"]["starts_at"]
        first = 0 if self.low is None else int(np.searchsorted(starts, self.low * DAY - _AHEAD))
        end = starts.size if self.high is None else int(np.searchsorted(starts, (self.high + 1) * DAY + _BEHIND))
        return first, end


def read_dates(conditions: Sequence[Condition]) -> Dates:
    """Sort the conditions on an occurrence by what they are on. If several are on one column, all of them hold."""
    days = [condition for condition in conditions if isinstance(condition, Between) and condition.column == "date"]
    times = [condition for condition in conditions if isinstance(condition, Between) and condition.column == "time"]
    weekdays = [condition.values for condition in conditions if isinstance(condition, AnyOf)]
    return Dates(
        low=max((number_value(condition.low) for condition in days if condition.low is not None), default=None),
        high=min((number_value(condition.high) for condition in days if condition.high is not None), default=None),
        weekdays=weekdays[0] if weekdays else None,
        times=tuple(times),
        has_others=len(conditions) > len(days) + len(times) + len(weekdays),
    )


def find_events(conditions: Sequence[Condition], columns: Columns) -> Words:
    """Return the set of events that have an occurrence that meets all conditions."""
    dates, own, table = read_dates(conditions), columns.types["event"], columns.occurrence_tables["occurrences"]
    if not dates.is_within(columns) or dates.has_others:
        numbers = np.arange(*dates.span_numbers(columns))
        return pack_rows(table["row"][numbers[test_all(conditions, table)(numbers)]], own.size)
    if dates.weekdays is None:
        assert dates.low is not None
        assert dates.high is not None
        words = columns.find_window(dates.low, dates.high)
    else:
        words = columns.find_days(dates.list_days())
    if not dates.times:
        return words
    # An event whose dates all begin at one time is checked once.
    varying = words & own.read_set("is", "time", VARIES)
    steady = words & ~varying & ~own.read_set("is", "time", NO_TIME)
    timed = _join([steady, *(_find_set_or_test(time, columns, own) for time in dates.times)]).list_all(own.size)
    rows = list_set(varying)
    if rows.size:
        numbers, starts = list_event_dates(columns, rows)
        meet_all = np.logical_or.reduceat(test_all(conditions, table)(numbers), starts)
        timed = timed | pack_rows(rows[meet_all], own.size)
    return timed


def list_event_dates(columns: Columns, rows: Rows) -> tuple[Rows, Rows]:
    """Return the numbers of events' occurrences, row after row, and the index at which each row's begin. Each event
    needs an occurrence."""
    places, starts = find_occurrences(columns, rows)
    return columns.occurrence_tables["occurrences"]["by_row"][places].astype(np.int64), starts


# A function that marks the rows that meet a condition. Rows are numbered within their type.
Test = Callable[[Rows], Mask]


class Candidates(Struct, frozen=True, eq=False):
    """A set of a type's rows that may match, and the tests that a row of it must pass to match."""

    words: Words
    tests: tuple[Test, ...] = ()

    def keep_rows(self, rows: Rows) -> Rows:
        """Keep the rows that pass all tests."""
        for test in self.tests:
            if rows.size:
                rows = rows[test(rows)]
        return rows

    def list_all(self, size: int) -> Words:
        """Return the set of all rows that match. `size`: how many rows the type has."""
        return pack_rows(self.keep_rows(list_set(self.words)), size) if self.tests else self.words


def find_candidates(selection: Selection, columns: Columns, finder: RowFinder) -> Candidates:
    """Return the published rows that meet all conditions of the listing and have one occurrence, section or session
    that meets all others. Programs keep all their listings."""
    own = columns.types[selection.type]
    parts: list[SetOrTest] = [own.read_set("is", "status", PUBLISHED)]
    parts += [_find_set_or_test(condition, columns, own) for condition in selection.conditions.listing]
    if selection.conditions.occurrence:
        parts.append(_find_occurrence_set(selection, columns, own))
    # Circles are tested last, because their test takes the longest for each row.
    for by_row in sorted(selection.conditions.by_row, key=lambda condition: isinstance(condition, Within)):
        parts.append(_find_row_set(by_row, selection.type, columns, finder))
    return _join(parts)


SetOrTest = Words | Test


def _join(parts: Sequence[SetOrTest]) -> Candidates:
    """Combine sets and tests: rows must be in every set and pass every test. At least one part is a set."""
    sets = [part for part in parts if isinstance(part, np.ndarray)]
    tests = tuple(part for part in parts if not isinstance(part, np.ndarray))
    return Candidates(reduce(np.bitwise_and, sets), tests)


def _find_set_or_test(condition: Condition, columns: Columns, own: TypeColumns) -> SetOrTest:
    match condition:
        case AnyOf(column, values):
            return own.read_any("is", column, values)
        case Shares(column, bits):
            return own.read_any("has", column, tuple(bit for bit in range(bits.bit_length()) if bits >> bit & 1))
        case Is(column, str(value)):
            return own.pack_rows(columns.find_text(column, value))
        case Is(column, value):
            return own.read_set("is", column, number_value(value))
        case Between(column, low, high):
            words = own.find_between(column, number_value(low), number_value(high))
        case Overlaps(first, last, low, high):
            words = own.find_overlap(first, last, number_value(low), number_value(high))
        case ExpressionSet(marked):
            words = marked
        case NotBefore() | EndsAfter():
            words = None
        case Either(alternatives):
            return _find_either(alternatives, columns, own)
    return words if words is not None else _test_rows(condition, columns, own)


def _test_rows(condition: Condition, columns: Columns, own: TypeColumns) -> Test:
    test = make_test(condition, columns.rows)
    return lambda rows: test(rows + own.first)


def _find_either(alternatives: Sequence[Sequence[Condition]], columns: Columns, own: TypeColumns) -> SetOrTest:
    """Find the rows that meet one of the alternatives: as a set if sets suffice, else by one test."""
    sides = [
        _join([~own.empty, *(_find_set_or_test(condition, columns, own) for condition in side)])
        for side in alternatives
    ]
    if not any(side.tests for side in sides):
        return reduce(np.bitwise_or, [side.words for side in sides])

    def meet_one(rows: Rows) -> Mask:
        masks = (reduce(np.logical_and, [test(rows) for test in side.tests], test_set(side.words, rows))
                 for side in sides)  # fmt: skip
        return reduce(np.logical_or, masks)

    return meet_one


def _find_row_set(condition: RowCondition, listing_type: str, columns: Columns, finder: RowFinder) -> SetOrTest:
    own = columns.types[listing_type]
    if isinstance(condition, Within):
        return lambda rows: finder.test_near(condition, rows + own.first)
    return own.pack_rows(finder.find_rows(condition, listing_type))


def _find_occurrence_set(selection: Selection, columns: Columns, own: TypeColumns) -> SetOrTest:
    """Find the listings with an occurrence (a set), section or session (a test) that meets all conditions."""
    conditions = selection.conditions.occurrence
    if selection.type == "event":
        return find_events(conditions, columns)
    test = test_all(conditions, columns.occurrence_tables[OCCURRENCE_TABLES[selection.type]])

    def test_occurrences(rows: Rows) -> Mask:
        numbers, starts = find_occurrences(columns, rows + own.first)
        passed: Mask = np.logical_or.reduceat(test(numbers), starts)
        return passed

    return test_occurrences
