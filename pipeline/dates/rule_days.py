"""Parses recurrence rules (RRULE of RFC 5545), and finds the days on which they fall.

Every rule that we follow is a rule over days: a set of conditions that each day meets or not, and positions within a
period. So all days of a span are judged at once, in arrays. The work is bounded by the span, whatever the rule says;
a rule that never falls (30 February) costs what any other does. Why not python-dateutil: docs/decisions/0007."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from functools import cache, lru_cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.dates import find_weekday
from outings.contract.values import number_day, read_date

WEEKDAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
DAY_END = time(23, 59, 59)
FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY")
FINER_FREQUENCIES = ("HOURLY", "MINUTELY", "SECONDLY")


class RuleError(ValueError):
    """The text is not a valid RRULE. The message says which part is wrong."""


class RecurrenceRule(Struct, frozen=True, kw_only=True):
    """A parsed RRULE. `until`: the last local time, or an instant with a zone that has yet to be made local.

    `weekdays` are pairs (number, weekday from Monday, 0): number 0 means each, 2 the second, -1 the last of its month
    or year. `times`: the values of BYHOUR, BYMINUTE and BYSECOND by name. `unsupported`: parts (or the frequency) that
    we do not follow. `parts`: all as written, except COUNT and UNTIL.
    """

    frequency: str
    interval: int = 1
    count: int | None = None
    until: datetime | None = None
    weekdays: tuple[tuple[int, int], ...] = ()
    month_days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    weeks: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    week_start: int = 0
    times: tuple[tuple[str, tuple[int, ...]], ...] = ()
    unsupported: tuple[str, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()

    def list_unsupported(self, starts: time | None) -> tuple[str, ...]:
        """List the parts that we do not follow, for a series that starts at this time of day.

        BYHOUR, BYMINUTE and BYSECOND are supported only if they repeat the start. In a series of days (None) they are
        ignored, as in RFC 5545 (3.3.10).
        """
        own = {} if starts is None else {"BYHOUR": starts.hour, "BYMINUTE": starts.minute, "BYSECOND": starts.second}
        other = [name for name, numbers in self.times if own and {*numbers} != {own[name]}]
        return (*self.unsupported, *other)


@lru_cache(maxsize=10_000)
def parse_rule(text: str) -> RecurrenceRule:
    """Parse an RRULE. Raises RuleError for what the standard does not allow. Parts that we do not follow are in
    `unsupported`.

    Results are cached: a catalogue of ten thousand series has some dozens of rules.
    """
    parts = _split_parts(text)
    written = tuple((name, value) for name, value in parts.items() if name not in ("COUNT", "UNTIL"))
    frequency = parts.pop("FREQ", "")
    if frequency not in FREQUENCIES + FINER_FREQUENCIES:
        raise RuleError(f"FREQ={frequency}: expected one of {', '.join(FREQUENCIES)}")
    unsupported = [frequency] if frequency in FINER_FREQUENCIES else []
    members: dict[str, object] = {}
    times = []
    for name, value in parts.items():
        if name in TIMES:
            times.append((name, _parse_numbers(name, value)))
        elif name in _PARTS:
            member, parse = _PARTS[name]
            members[member] = parse(name, value)
        else:
            unsupported.append(name)
    members |= {"times": tuple(times), "unsupported": tuple(unsupported), "parts": written}
    rule = RecurrenceRule(frequency=frequency, **members)  # type: ignore[arg-type]
    if frequency in ("WEEKLY", "DAILY") and any(number for number, _ in rule.weekdays):
        raise RuleError(f"BYDAY={parts['BYDAY']}: a numbered weekday has no meaning in a {frequency} rule")
    return rule


def _split_parts(text: str) -> dict[str, str]:
    body = re.sub(r"^\s*RRULE:", "", text, flags=re.IGNORECASE).strip().rstrip(";").upper()
    parts: dict[str, str] = {}
    for part in body.split(";"):
        match = re.fullmatch(r"\s*([A-Z-]+)\s*=\s*(\S+)\s*", part)
        if match is None or match[1] in parts:
            raise RuleError(f"{match[1]} appears twice" if match else f"{part!r}: a part is NAME=VALUE")
        parts[match[1]] = match[2]
    return parts


def _parse_number(name: str, value: str) -> int | None:
    """Parse INTERVAL or COUNT, at least 1. Return None for a COUNT of -1, by which some software means no end."""
    if name == "COUNT" and value == "-1":
        return None
    if not re.fullmatch(r"\+?\d{1,9}", value) or int(value) < 1:
        raise RuleError(f"{name}={value}: expected a whole number from 1")
    return int(value)


def _parse_until(name: str, value: str) -> datetime:
    """Parse UNTIL. A date becomes the last second of its day. Dashes and colons are allowed: feeds write ISO 8601."""
    plain = value.replace("-", "").replace(":", "")
    try:
        if re.fullmatch(r"\d{8}", plain):
            return datetime.combine(datetime.strptime(plain, "%Y%m%d"), DAY_END)
        if re.fullmatch(r"\d{8}T\d{6}Z?", plain):
            moment = datetime.strptime(plain[:15], "%Y%m%dT%H%M%S")
            return moment.replace(tzinfo=UTC) if plain.endswith("Z") else moment
    except ValueError:
        pass
    raise RuleError(f"{name}={value}: expected a date (20261231) or a date-time (20261231T235959Z)")


def _parse_weekdays(name: str, value: str) -> tuple[tuple[int, int], ...]:
    weekdays = []
    for part in value.split(","):
        match = re.fullmatch(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)", part)
        number = int(match[1] or 0) if match else 0
        if match is None or abs(number) > 53 or (match[1] and not number):
            raise RuleError(f"{name}={value}: expected weekdays such as MO or -1FR")
        weekdays.append((number, WEEKDAY_CODES.index(match[2])))
    return tuple(weekdays)


def _parse_week_start(name: str, value: str) -> int:
    if value not in WEEKDAY_CODES:
        raise RuleError(f"{name}={value}: expected one of {', '.join(WEEKDAY_CODES)}")
    return WEEKDAY_CODES.index(value)


def _parse_numbers(name: str, value: str) -> tuple[int, ...]:
    """Parse a part's numbers, joined by commas. Negative ones count from the end."""
    low, high = TIMES[name] if name in TIMES else _NUMBERS[name][1:]
    texts = value.split(",")
    if all(re.fullmatch(r"[+-]?\d{1,3}", text) and low <= int(text) <= high for text in texts):
        numbers = tuple(map(int, texts))
        if name in TIMES or 0 not in numbers:
            return numbers
    raise RuleError(f"{name}={value}: expected numbers from {low} to {high}" + ", without 0" * (name not in TIMES))


TIMES = {"BYHOUR": (0, 23), "BYMINUTE": (0, 59), "BYSECOND": (0, 60)}
_NUMBERS = {
    "BYMONTHDAY": ("month_days", -31, 31), "BYMONTH": ("months", 1, 12), "BYYEARDAY": ("year_days", -366, 366),
    "BYWEEKNO": ("weeks", -53, 53), "BYSETPOS": ("positions", -366, 366),
}  # fmt: skip
_PARTS: dict[str, tuple[str, Callable[[str, str], object]]] = {
    "INTERVAL": ("interval", _parse_number), "COUNT": ("count", _parse_number), "UNTIL": ("until", _parse_until),
    "BYDAY": ("weekdays", _parse_weekdays), "WKST": ("week_start", _parse_week_start),
    **{name: (member, _parse_numbers) for name, (member, _, _) in _NUMBERS.items()},
}  # fmt: skip


# Days are counted from 1970-01-01.
Days = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Records have no year before 1900.
_FIRST_DAY = number_day(date(1890, 1, 1))
# No series is followed past this day: one that says that it runs longer has no end.
LAST_DAY = number_day(date(2299, 12, 31))


class _Calendar(Struct, frozen=True, kw_only=True):
    """The fields of each day as columns: numbers from 1, `*_left` from the end of month or year; Monday is 0."""

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
        """Return a view of the days from `first` to `last`."""
        begin = int(self.days[0])
        span = slice(max(first - begin, 0), max(last - begin + 1, 0))
        return _Calendar(**{name: getattr(self, name)[span] for name in self.__struct_fields__})


def list_days(rule: RecurrenceRule, *, anchor: int, last: int) -> Days:
    """Return the days of the rule from `anchor`, the series' first day, to `last`, in order. Ignores COUNT and
    UNTIL."""
    last = min(last, LAST_DAY)
    calendar = _cut_calendar(rule, anchor, last)
    period: Days = _number_periods(rule, calendar, anchor)
    met = (period >= 0) & (period % rule.interval == 0) & _meet_conditions(rule, calendar, anchor)
    days: Days = calendar.days[met]
    if rule.positions:
        days = _pick_positions(days, period[met], rule.positions)
    within: Days = days[(days >= anchor) & (days <= last)]
    return within


@cache
def _make_calendar() -> _Calendar:
    days = np.arange(_FIRST_DAY, LAST_DAY + 367, dtype=np.int64)
    dates = days.astype("M8[D]")
    months, years = dates.astype("M8[M]"), dates.astype("M8[Y]")
    month_day = (dates - months.astype("M8[D]")).astype(np.int16) + 1
    year_day = (dates - years.astype("M8[D]")).astype(np.int16) + 1
    month_number = months.astype(np.int32)
    return _Calendar(
        days=days, weekday=find_weekday(days).astype(np.int8), month=(month_number % 12 + 1).astype(np.int8),
        month_day=month_day.astype(np.int8), month_left=((months + 1).astype("M8[D]") - dates).astype(np.int8),
        month_number=month_number, year=years.astype(np.int32), year_day=year_day,
        year_left=((years + 1).astype("M8[D]") - dates).astype(np.int16),
    )  # fmt: skip


def _cut_calendar(rule: RecurrenceRule, anchor: int, last: int) -> _Calendar:
    """Return the calendar from `anchor` to `last`, extended to whole weeks or years to count from both ends."""
    calendar = _make_calendar()
    if rule.frequency == "DAILY":
        return calendar.cut(anchor, last)
    if rule.frequency == "WEEKLY":
        return calendar.cut(anchor - 6, last + 6)
    first_year = read_date(anchor).replace(month=1, day=1)
    last_year = read_date(max(anchor, last)).replace(month=12, day=31)
    return calendar.cut(number_day(first_year), number_day(last_year))


def _number_periods(rule: RecurrenceRule, calendar: _Calendar, anchor: int) -> NDArray[np.int64]:
    """Count each day's period (day, week, month or year, by the rule's frequency), from 0 for the anchor's."""
    if rule.frequency == "DAILY":
        return calendar.days - anchor
    if rule.frequency == "WEEKLY":
        week = anchor - (anchor + 3 - rule.week_start) % 7
        return (calendar.days - week) // 7
    if not calendar.days.size:
        return calendar.days
    numbers = calendar.month_number if rule.frequency == "MONTHLY" else calendar.year
    counted: Days = (numbers - numbers[anchor - calendar.days[0]]).astype(np.int64)
    return counted


def _meet_conditions(rule: RecurrenceRule, calendar: _Calendar, anchor: int) -> Mask:
    """Mark the days that meet all parts of the rule. A rule without days takes its anchor's (RFC 5545, 3.3.10)."""
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
        met &= _meet_weeks(rule, calendar)
    if weekdays:
        met &= _meet_weekdays(rule, calendar, weekdays)
    return met


def _number_among(numbers: tuple[int, ...], counted: NDArray[Any], left: NDArray[Any], size: int) -> Mask:
    """Mark the days whose number is in `numbers`, counted from the front or, if negative, from the end."""
    met: Mask = _choose(numbers, size)[counted] | _choose([-number for number in numbers], size)[left]
    return met


def _meet_weeks(rule: RecurrenceRule, calendar: _Calendar) -> Mask:
    """Mark the days in weeks that BYWEEKNO names. A week belongs to the year of its fourth day, which also gives its
    number."""
    whole = _make_calendar()
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
    """Return a mask of `size` that is True at these numbers. Numbers below `low` are ignored."""
    table = np.zeros(size, dtype=np.bool_)
    table[[number for number in numbers if number >= low]] = True
    return table


def _pick_positions(days: Days, period: NDArray[np.int64], positions: tuple[int, ...]) -> Days:
    """Return the days that BYSETPOS names: the n-th of each period, from its end if n is negative."""
    starts = np.flatnonzero(np.diff(period, prepend=-1))
    sizes = np.diff(starts, append=period.size)
    picked = [
        (starts + position - 1 if position > 0 else starts + sizes + position)[sizes >= abs(position)]
        for position in positions
    ]
    return days[np.unique(np.concatenate(picked))]
