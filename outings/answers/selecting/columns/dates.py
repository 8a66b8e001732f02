"""What is asked of an event's dates: a window, weekdays, a time of day, all of one and the same."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.dates import find_weekday
from outings.answers.selecting.columns.bitsets import Mask, Rows, list_set, make_empty, pack_rows
from outings.answers.selecting.columns.columns import VARIES, Columns, find_happenings
from outings.answers.selecting.columns.conditions import make_test, number_value
from outings.answers.selecting.predicate import AnyOf, Between, Condition, NotBefore
from outings.contract.instants import DAY
from outings.release.mapped_table import Words

# Local days begin and end this long before and after those of UTC: the zones of the world lie from -12 to +14 hours.
_AHEAD, _BEHIND = 14 * 3600, 12 * 3600


class Dates(Struct, frozen=True, kw_only=True):
    """Days since 1970, numbers of weekdays, seconds of the day; None is no bound. `since` is no earlier than now."""

    low: int | None = None
    high: int | None = None
    weekdays: tuple[int, ...] | None = None
    times: tuple[int | None, int | None] | None = None
    since: NotBefore | None = None

    @property
    def is_window(self) -> bool:
        """Whether nothing but days is asked for."""
        return self.weekdays is None and self.times is None and self.since is None

    def is_within(self, columns: Columns) -> bool:
        """Whether all days of the window have sets."""
        if self.low is None or self.high is None:
            return False
        return columns.first_day <= self.low and self.high <= columns.last_day

    def list_days(self) -> Iterable[int]:
        """Of a window with both ends."""
        assert self.low is not None
        assert self.high is not None
        days = range(self.low, self.high + 1)
        return days if self.weekdays is None else (day for day in days if find_weekday(day) in self.weekdays)

    def span_numbers(self, columns: Columns) -> tuple[int, int]:
        """Which occurrences, in the table's order, can be in the window."""
        starts = columns.happenings["occurrences"]["starts_at"]
        first = 0 if self.low is None else int(np.searchsorted(starts, self.low * DAY - _AHEAD))
        end = starts.size if self.high is None else int(np.searchsorted(starts, (self.high + 1) * DAY + _BEHIND))
        return first, end

    def hold(self, columns: Columns, numbers: Rows) -> Mask:
        """Which of these occurrences meet all conditions."""
        table = columns.happenings["occurrences"]
        every = np.ones(numbers.shape, dtype=np.bool_)
        if self.low is not None or self.high is not None:
            days = table["day"][numbers]
            every &= (days >= (-(1 << 31) if self.low is None else self.low)) & (
                days <= ((1 << 31) - 1 if self.high is None else self.high)
            )
        if self.weekdays is not None:
            every &= np.isin(find_weekday(table["day"][numbers]), self.weekdays)
        if self.times is not None:
            every &= make_test(Between("time", *self.times), table)(numbers)
        if self.since is not None:
            every &= make_test(self.since, table)(numbers)
        return every


def read_dates(conditions: Sequence[Condition]) -> Dates:
    """Several conditions on one column hold together."""
    low: int | None = None
    high: int | None = None
    times: tuple[int | None, int | None] | None = None
    weekdays: tuple[int, ...] | None = None
    since: NotBefore | None = None
    for condition in conditions:
        match condition:
            case Between("date", first, last):
                low, high = _narrow(low, high, number_value(first), number_value(last))
            case Between("time", first, last):
                times = _narrow(*(times or (None, None)), first, last)
            case AnyOf("weekday", values):
                weekdays = values if weekdays is None else tuple(set(values) & set(weekdays))
            case NotBefore():
                assert since is None, "there is one now"
                since = condition
            case _:
                raise NotImplementedError(f"no column of an occurrence answers {condition}")
    return Dates(low=low, high=high, weekdays=weekdays, times=times, since=since)


def _narrow(low: int | None, high: int | None, first: Any, last: Any) -> tuple[int | None, int | None]:
    if low is not None and (first is None or first < low):
        first = low
    if high is not None and (last is None or last > high):
        last = high
    return first, last


def find_events(dates: Dates, columns: Columns) -> Words:
    """The events of which one occurrence meets all conditions."""
    if not dates.is_within(columns):
        return _look_through(dates, columns)
    if dates.since is not None:
        return _find_since(dates, dates.since, columns)
    if dates.weekdays is None:
        assert dates.low is not None
        assert dates.high is not None
        words = columns.find_window(dates.low, dates.high)
    else:
        words = columns.find_days(dates.list_days())
    return words if dates.times is None else words & _find_timed(words, dates, columns)


def _look_through(dates: Dates, columns: Columns) -> Words:
    """Occurrence by occurrence."""
    first, end = dates.span_numbers(columns)
    numbers = np.arange(first, end)
    rows = columns.happenings["occurrences"]["row"][numbers[dates.hold(columns, numbers)]]
    return pack_rows(rows, columns.types["event"].size)


def _find_since(dates: Dates, since: NotBefore, columns: Columns) -> Words:
    """Only the days that are today somewhere have occurrences on both sides of now."""
    assert dates.low is not None
    assert dates.high is not None
    last = since.instant // DAY + 1
    first = since.instant // DAY - 1
    words = make_empty(columns.types["event"].size)
    if dates.low <= last:
        narrowed = replace(dates, low=max(dates.low, first), high=min(dates.high, last))
        words = _look_through(narrowed, columns)
    if dates.high > last:
        words = words | find_events(replace(dates, low=max(dates.low, last + 1), since=None), columns)
    return words


def _find_timed(words: Words, dates: Dates, columns: Columns) -> Words:
    """Where all dates of an event begin at one time of day, that decides; the others are looked at one by one."""
    own = columns.types["event"]
    assert dates.times is not None
    values = own.list_values("time")
    if values is None:
        rows = list_set(words)
        times = make_test(Between("time", *dates.times), columns.rows)(rows) & (columns.rows["time"][rows] >= 0)
        timed = pack_rows(rows[times], own.size)
    else:
        low, high = dates.times
        upper = len(values) if high is None else bisect_right(values, high)
        lower = 0 if low is None else bisect_left(values, low)
        timed = own.read_set("most", "time", values[upper - 1]) if upper else make_empty(own.size)
        if lower:
            timed = timed & ~own.read_set("most", "time", values[lower - 1])
    rows = list_set(words & own.read_set("is", "time", VARIES))
    if rows.size:
        numbers, starts = list_occurrences(columns, rows)
        timed = timed | pack_rows(rows[np.logical_or.reduceat(dates.hold(columns, numbers), starts)], own.size)
    return timed


def list_occurrences(columns: Columns, rows: Rows) -> tuple[Rows, Rows]:
    """The numbers of the occurrences of events that have any, row after row, and where each row's begin."""
    places, starts = find_happenings(columns, rows)
    return columns.happenings["occurrences"]["by_row"][places].astype(np.int64), starts
