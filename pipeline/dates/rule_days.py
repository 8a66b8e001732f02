"""Parses recurrence rules (RRULE of RFC 5545), and finds the days on which they fall.

Every rule that we follow is a rule over days: a set of conditions that each day meets or not, and positions within a
period. So all days of a span are judged at once, in arrays. The work is bounded by the span, whatever the rule says;
a rule that never falls (30 February) costs what any other does. Why not python-dateutil: docs/decisions/0007."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from functools import cache, lru_cache

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

    >>> parse_rule("FREQ=WEEKLY;BYDAY=MO,WE;X-PRIVATE=1").weekdays
    ((0, 0), (0, 2))
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

# No record has a date before 1900.
_FIRST_DAY = number_day(date(1890, 1, 1))
_WEEK = 7
# No series is followed past this day: one that says that it runs longer has no end.
LAST_DAY = number_day(date(2299, 12, 31))


def list_days(rule: RecurrenceRule, *, anchor: int, last: int) -> Days:
    """Return the days of the rule from `anchor`, the series' first day, to `last`, in order. Ignores COUNT and
    UNTIL."""
    last = min(last, LAST_DAY)
    if not _FIRST_DAY <= anchor <= last:
        return np.empty(0, dtype=np.int64)
    days = _list_span(rule, anchor, last)
    period = _number_periods(rule, days, anchor)
    met = (period >= 0) & (period % rule.interval == 0) & _meet_conditions(rule, days, anchor)
    days = days[met]
    if rule.positions:
        days = _pick_positions(days, period[met], rule.positions)
    within: Days = days[(days >= anchor) & (days <= last)]
    return within


def _list_span(rule: RecurrenceRule, anchor: int, last: int) -> Days:
    """Return the days from `anchor` to `last`, extended to whole weeks or years to count from both ends."""
    if rule.frequency == "WEEKLY":
        anchor, last = anchor - 6, last + 6
    elif rule.frequency != "DAILY":
        last = number_day(read_date(last).replace(month=12, day=31))
        anchor = number_day(read_date(anchor).replace(month=1, day=1))
    return np.arange(anchor, last + 1, dtype=np.int64)


def _number_periods(rule: RecurrenceRule, days: Days, anchor: int) -> Days:
    """Count each day's period (day, week, month or year, by the rule's frequency), from 0 for the anchor's."""
    if rule.frequency == "DAILY":
        return days - anchor
    if rule.frequency == "WEEKLY":
        week = anchor - (anchor + 3 - rule.week_start) % 7
        return (days - week) // 7
    unit = "M" if rule.frequency == "MONTHLY" else "Y"
    return _count(days, unit)[0] - _count(np.array(anchor), unit)[0]


@cache
def _count_all(unit: str) -> tuple[Days, Days, Days]:
    days = np.arange(_FIRST_DAY - _WEEK, LAST_DAY + _WEEK + 1, dtype=np.int64)
    period = days.astype("M8[D]").astype(f"M8[{unit}]")
    begin, end = (edge.astype("M8[D]").astype(np.int64) for edge in (period, period + 1))
    return period.astype(np.int64), days - begin + 1, days - end


def _count(days: Days, unit: str) -> tuple[Days, Days, Days]:
    """Return the month ("M") or year ("Y") of each day, counted from 1970, and the day's number in it: from 1 and,
    negative, from its end."""
    period, number, left = _count_all(unit)
    at = days - (_FIRST_DAY - _WEEK)
    return period[at], number[at], left[at]


def _meet_conditions(rule: RecurrenceRule, days: Days, anchor: int) -> Mask:
    """Mark the days that meet all parts of the rule. A rule without days takes its anchor's (RFC 5545, 3.3.10)."""
    months, month_days, weekdays = rule.months, rule.month_days, rule.weekdays
    if not month_days and not weekdays and not rule.year_days:
        start = read_date(anchor)
        if rule.frequency == "WEEKLY" or rule.weeks:
            weekdays = ((0, start.weekday()),)
        elif rule.frequency != "DAILY":
            month_days = (start.day,)
            months = months if months or rule.frequency == "MONTHLY" else (start.month,)
    met: Mask = np.ones(days.size, dtype=np.bool_)
    if months:
        met &= np.isin(_count(days, "M")[0] % 12 + 1, months)
    if month_days:
        met &= _number_among(month_days, *_count(days, "M")[1:])
    if rule.year_days:
        met &= _number_among(rule.year_days, *_count(days, "Y")[1:])
    if rule.weeks:
        # A week belongs to the year of its fourth day, which also gives its number.
        fourth = days - (find_weekday(days) - rule.week_start) % 7 + 3
        met &= _number_among(rule.weeks, *map(_number_week, _count(fourth, "Y")[1:]))
    if weekdays:
        met &= _meet_weekdays(rule, days, weekdays)
    return met


def _number_among(numbers: tuple[int, ...], counted: Days, left: Days) -> Mask:
    """Mark the days whose number, counted from the front or from the end, is one of `numbers`."""
    return np.isin(counted, numbers) | np.isin(left, numbers)


def _number_week(number: Days) -> Days:
    """Return which seven days a day's number is in, from 1 or, for a negative one, from -1."""
    return np.sign(number) * ((abs(number) - 1) // 7 + 1)


def _meet_weekdays(rule: RecurrenceRule, days: Days, weekdays: tuple[tuple[int, int], ...]) -> Mask:
    weekday = find_weekday(days)
    met: Mask = np.array([(0, code) in weekdays for code in range(_WEEK)])[weekday]
    if any(number for number, _ in weekdays):
        counted, left = map(_number_week, _count(days, "M" if rule.frequency == "MONTHLY" or rule.months else "Y")[1:])
        for number, code in weekdays:
            if number:
                met |= (weekday == code) & ((counted if number > 0 else left) == number)
    return met


def _pick_positions(days: Days, period: NDArray[np.int64], positions: tuple[int, ...]) -> Days:
    """Return the days that BYSETPOS names: the n-th of each period, from its end if n is negative."""
    starts = np.flatnonzero(np.diff(period, prepend=-1))
    sizes = np.diff(starts, append=period.size)
    picked = [
        (starts + position - 1 if position > 0 else starts + sizes + position)[sizes >= abs(position)]
        for position in positions
    ]
    return days[np.unique(np.concatenate(picked))]
