"""Recurrence rules: parses the RRULE of RFC 5545. `rule_days.py` finds the days on which one falls."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time
from functools import lru_cache

from msgspec import Struct

WEEKDAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
DAY_END = time(23, 59, 59)
FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY")
FINER_FREQUENCIES = ("HOURLY", "MINUTELY", "SECONDLY")


class RuleError(ValueError):
    """The text is no RRULE; says which part is wrong."""


class RecurrenceRule(Struct, frozen=True, kw_only=True):
    """`until` is the last local time; one with a zone is an instant, to be made local first. Weekdays: 0 is Monday.

    `weekdays` are (number, weekday): number 0 is every one, 2 the second, -1 the last of its month or year.
    `times`: BYHOUR, BYMINUTE and BYSECOND, by their names. `unsupported` names the parts (or the frequency) that are
    not followed here. `parts`: all but COUNT and UNTIL, as they are written.
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
        """What is not followed in a series that starts at this time of the day. A time that only repeats it is nothing
        to follow; neither is any in a series of days (None), of which RFC 5545 (3.3.10) has it passed over."""
        own = {} if starts is None else {"BYHOUR": starts.hour, "BYMINUTE": starts.minute, "BYSECOND": starts.second}
        other = [name for name, numbers in self.times if own and {*numbers} != {own[name]}]
        return (*self.unsupported, *other)


@lru_cache(maxsize=10_000)
def parse_rule(text: str) -> RecurrenceRule:
    """RuleError for what RFC 5545 does not allow; parts that it allows and we do not follow are named in the rule.

    Kept: a catalogue of ten thousand series has some dozens of rules.
    """
    parts = dict(_split_parts(text))
    written = tuple((name, value) for name, value in parts.items() if name not in ("COUNT", "UNTIL"))
    frequency = parts.pop("FREQ", "")
    if frequency not in FREQUENCIES + FINER_FREQUENCIES:
        raise RuleError(f"FREQ={frequency}: expected one of {', '.join(FREQUENCIES)}")
    unsupported = [frequency] if frequency in FINER_FREQUENCIES else []
    members: dict[str, object] = {}
    times = []
    for name, value in parts.items():
        if name in TIMES:
            times.append((name, _parse_times(name, value)))
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


def _split_parts(text: str) -> Iterator[tuple[str, str]]:
    body = re.sub(r"^\s*RRULE:", "", text, flags=re.IGNORECASE).strip().rstrip(";").upper()
    names = set()
    for part in body.split(";"):
        match = re.fullmatch(r"\s*([A-Z-]+)\s*=\s*(\S+)\s*", part)
        if match is None:
            raise RuleError(f"{part!r}: a part is NAME=VALUE")
        if match[1] in names:
            raise RuleError(f"{match[1]} appears twice")
        names.add(match[1])
        yield match[1], match[2]


def _parse_number(name: str, value: str) -> int:
    """A count or an interval: at least 1."""
    if not re.fullmatch(r"\+?\d{1,9}", value) or int(value) < 1:
        raise RuleError(f"{name}={value}: expected a whole number from 1")
    return int(value)


def _parse_count(name: str, value: str) -> int | None:
    """-1 is what software writes of a series without an end."""
    return None if value == "-1" else _parse_number(name, value)


def _parse_times(name: str, value: str) -> tuple[int, ...]:
    numbers = value.split(",")
    if all(re.fullmatch(r"\d{1,2}", each) and int(each) <= TIMES[name] for each in numbers):
        return tuple(int(each) for each in numbers)
    raise RuleError(f"{name}={value}: expected numbers from 0 to {TIMES[name]}")


def _parse_until(name: str, value: str) -> datetime:
    """A date is inclusive of its whole day. Dashes and colons are forgiven: feeds write ISO 8601."""
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
    for each in value.split(","):
        match = re.fullmatch(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)", each)
        number = int(match[1]) if match and match[1] else None
        if match is None or number == 0 or abs(number or 0) > 53:
            raise RuleError(f"{name}={value}: expected weekdays such as MO or -1FR")
        weekdays.append((number or 0, WEEKDAY_CODES.index(match[2])))
    return tuple(weekdays)


def _parse_week_start(name: str, value: str) -> int:
    if value not in WEEKDAY_CODES:
        raise RuleError(f"{name}={value}: expected one of {', '.join(WEEKDAY_CODES)}")
    return WEEKDAY_CODES.index(value)


def _parse_numbers_within(low: int, high: int) -> Callable[[str, str], tuple[int, ...]]:
    """Numbers from `low` to `high` without 0; where `low` is negative they count from the end."""

    def parse(name: str, value: str) -> tuple[int, ...]:
        numbers = value.split(",")
        if all(re.fullmatch(r"[+-]?\d{1,3}", each) and low <= int(each) <= high and int(each) for each in numbers):
            return tuple(int(each) for each in numbers)
        raise RuleError(f"{name}={value}: expected numbers from {low} to {high}, without 0")

    return parse


TIMES = {"BYHOUR": 23, "BYMINUTE": 59, "BYSECOND": 60}
_PARTS: dict[str, tuple[str, Callable[[str, str], object]]] = {
    "INTERVAL": ("interval", _parse_number),
    "COUNT": ("count", _parse_count),
    "UNTIL": ("until", _parse_until),
    "BYDAY": ("weekdays", _parse_weekdays),
    "BYMONTHDAY": ("month_days", _parse_numbers_within(-31, 31)),
    "BYMONTH": ("months", _parse_numbers_within(1, 12)),
    "BYYEARDAY": ("year_days", _parse_numbers_within(-366, 366)),
    "BYWEEKNO": ("weeks", _parse_numbers_within(-53, 53)),
    "BYSETPOS": ("positions", _parse_numbers_within(-366, 366)),
    "WKST": ("week_start", _parse_week_start),
}
