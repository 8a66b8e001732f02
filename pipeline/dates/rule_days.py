"""The days on which a recurrence rule falls.

Every rule that we follow is a rule over days: a set of conditions that each day meets or not, and positions within a
period. So all days of a span are judged at once, in arrays. The work is bounded by the span, whatever the rule says;
a rule that never falls (30 February) costs what any other does. Why not python-dateutil: docs/decisions/0007.
"""

from datetime import date
from functools import cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.dates import find_weekday
from outings.contract.instants import number_day, read_date
from pipeline.dates.rules import RecurrenceRule

# Days are counted from 1970-01-01.
Days = NDArray[np.int64]
Mask = NDArray[np.bool_]

FIRST_DAY = number_day(date(1, 1, 1))
# Nearly all series begin later: to know only the days from here on takes a sixth of the time.
_MODERN_DAY = number_day(date(1890, 1, 1))
# No series is followed past this day: one that says that it runs longer has no end.
LAST_DAY = number_day(date(2299, 12, 31))


class _Calendar(Struct, frozen=True, kw_only=True):
    """Of each day: numbers from 1, `*_left` from the end of its month or year (the last is 1); Monday is 0."""

    days: Days
    weekday: NDArray[np.int8]
    month: NDArray[np.int8]
    month_day: NDArray[np.int8]
    month_left: NDArray[np.int8]
    month_number: NDArray[np.int32]
    year: NDArray[np.int32]
    year_day: NDArray[np.int16]
    year_left: NDArray[np.int16]

    def cut(self, first: int, last: int) -> "_Calendar":
        """The days from `first` to `last`, as far as there are any; nothing is copied."""
        begin = int(self.days[0])
        span = slice(max(first - begin, 0), max(last - begin + 1, 0))
        return _Calendar(**{name: getattr(self, name)[span] for name in self.__struct_fields__})


def list_days(rule: RecurrenceRule, *, anchor: int, last: int) -> Days:
    """The days of the rule from `anchor`, the series' first day, to `last`, in order. COUNT and UNTIL are not read."""
    last = min(last, LAST_DAY)
    calendar = _cut_calendar(rule, anchor, last)
    period: Days = _number_periods(rule, calendar, anchor)
    met = (period >= 0) & (period % rule.interval == 0) & _meet_conditions(rule, calendar, anchor)
    days: Days = calendar.days[met]
    if rule.positions:
        days = _pick_positions(days, period[met], rule.positions)
    within: Days = days[(days >= anchor) & (days <= last)]
    return within


def _read_calendar(anchor: int) -> _Calendar:
    """All days that a series may have which begins on that day, and the year before it."""
    return _make_calendar(_MODERN_DAY if anchor > _MODERN_DAY + 2 * 366 else FIRST_DAY)


@cache
def _make_calendar(first: int) -> _Calendar:
    days = np.arange(first, LAST_DAY + 367, dtype=np.int64)
    dates = days.astype("M8[D]")
    months, years = dates.astype("M8[M]"), dates.astype("M8[Y]")
    month_day = (dates - months.astype("M8[D]")).astype(np.int16) + 1
    year_day = (dates - years.astype("M8[D]")).astype(np.int16) + 1
    month_number = months.astype(np.int32)
    return _Calendar(
        days=days,
        weekday=find_weekday(days).astype(np.int8),
        month=(month_number % 12 + 1).astype(np.int8),
        month_day=month_day.astype(np.int8),
        month_left=((months + 1).astype("M8[D]") - dates).astype(np.int8),
        month_number=month_number,
        year=years.astype(np.int32),
        year_day=year_day,
        year_left=((years + 1).astype("M8[D]") - dates).astype(np.int16),
    )


def _cut_calendar(rule: RecurrenceRule, anchor: int, last: int) -> _Calendar:
    """Whole periods, so that positions within them can be counted from both ends."""
    calendar = _read_calendar(anchor)
    if rule.frequency == "DAILY":
        return calendar.cut(anchor, last)
    if rule.frequency == "WEEKLY":
        return calendar.cut(anchor - 6, last + 6)
    first_year = read_date(anchor).replace(month=1, day=1)
    last_year = read_date(max(anchor, last)).replace(month=12, day=31)
    return calendar.cut(number_day(first_year), number_day(last_year))


def _number_periods(rule: RecurrenceRule, calendar: _Calendar, anchor: int) -> NDArray[np.int64]:
    """Which day, week, month or year of the series each day is in; the anchor's is 0."""
    if rule.frequency == "DAILY":
        return calendar.days - anchor
    if rule.frequency == "WEEKLY":
        week = anchor - (anchor + 3 - rule.week_start) % 7
        return (calendar.days - week) // 7
    numbers = calendar.month_number if rule.frequency == "MONTHLY" else calendar.year
    first = calendar.days[0] if calendar.days.size else anchor
    return (numbers - numbers[anchor - first]).astype(np.int64) if calendar.days.size else calendar.days


def _meet_conditions(rule: RecurrenceRule, calendar: _Calendar, anchor: int) -> Mask:
    """The parts that name days; a rule that names none has its anchor's (RFC 5545, 3.3.10)."""
    months, month_days, weekdays = rule.months, rule.month_days, rule.weekdays
    if not month_days and not weekdays and not rule.year_days:
        start = read_date(anchor)
        if rule.frequency == "WEEKLY" or rule.weeks:
            weekdays = ((0, start.weekday()),)
        elif rule.frequency != "DAILY":
            month_days = (start.day,)
            months = months if months or rule.frequency == "MONTHLY" else (start.month,)
    met = np.ones(calendar.days.size, dtype=np.bool_)
    if months:
        met &= _choose(months, 13)[calendar.month]
    if month_days:
        met &= _number_among(month_days, calendar.month_day, calendar.month_left, 32)
    if rule.year_days:
        met &= _number_among(rule.year_days, calendar.year_day, calendar.year_left, 367)
    if rule.weeks:
        met &= _meet_weeks(rule, calendar, anchor)
    if weekdays:
        met &= _meet_weekdays(rule, calendar, weekdays)
    return met


def _number_among(numbers: tuple[int, ...], counted: NDArray[Any], left: NDArray[Any], size: int) -> Mask:
    """Whether a number is among those named, counted from the front or, where they are negative, from the end."""
    met: Mask = _choose(numbers, size)[counted] | _choose([-number for number in numbers], size)[left]
    return met


def _meet_weeks(rule: RecurrenceRule, calendar: _Calendar, anchor: int) -> Mask:
    """BYWEEKNO. A week is of the year in which its fourth day is, and that day's numbers in it give the week's."""
    whole = _read_calendar(anchor)
    fourth = calendar.days - (calendar.weekday - rule.week_start) % 7 + 3
    at = np.clip(fourth - whole.days[0], 0, whole.days.size - 1)
    return _number_among(rule.weeks, (whole.year_day[at] - 1) // 7 + 1, (whole.year_left[at] - 1) // 7 + 1, 54)


def _meet_weekdays(rule: RecurrenceRule, calendar: _Calendar, weekdays: tuple[tuple[int, int], ...]) -> Mask:
    met = _choose([weekday for number, weekday in weekdays if number == 0], 7, low=0)[calendar.weekday]
    in_month = rule.frequency == "MONTHLY" or bool(rule.months)
    day, left = (calendar.month_day, calendar.month_left) if in_month else (calendar.year_day, calendar.year_left)
    for number, weekday in weekdays:
        if number:
            counted = (day if number > 0 else left).astype(np.int16)
            met |= (calendar.weekday == weekday) & ((counted - 1) // 7 + 1 == abs(number))
    return met


def _choose(numbers: list[int] | tuple[int, ...], size: int, *, low: int = 1) -> Mask:
    """A table of `size` in which the numbers from `low` on are true."""
    table = np.zeros(size, dtype=np.bool_)
    table[[number for number in numbers if number >= low]] = True
    return table


def _pick_positions(days: Days, period: NDArray[np.int64], positions: tuple[int, ...]) -> Days:
    """BYSETPOS: the n-th day of each period, from its end where n is negative."""
    starts = np.flatnonzero(np.diff(period, prepend=-1))
    sizes = np.diff(starts, append=period.size)
    picked = [
        (starts + position - 1 if position > 0 else starts + sizes + position)[sizes >= abs(position)]
        for position in positions
    ]
    return days[np.unique(np.concatenate(picked))]
