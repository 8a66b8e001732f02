"""Parse the time in a query: "saturday morning", "july 12th", "after 5pm"."""

import re
from calendar import monthrange
from datetime import date, timedelta

from msgspec import Struct

from outings.contract.languages.language import NO_MATCH
from outings.contract.languages.word_lists import WhenWords, fill_parts
from outings.contract.values import DAY

_HOUR, _MINUTE = 3600, 60
_WEEK, _MOST_DAYS, _MONTHS = 7, 31, 12
_WORKING, _FREE = (0, 1, 2, 3, 4), (5, 6)
# A query that says no half of the day means the afternoon by these hours: "after 5".
_FIRST_MORNING = 7
_ISO = re.compile(r"(?P<year>20[0-9]{2})-(?P<month>[0-9]{2})-(?P<first>[0-9]{2})")


class NamedDates(Struct, frozen=True):
    """Days of a month, or the whole month if `first` is None. Without a year, the next ones are meant."""

    year: int | None
    month: int
    first: int | None
    last: int | None

    def find_days(self, begin: date) -> tuple[date, date] | None:
        """Return the first such days that don't end before `begin`; None if there are none within a year."""
        years = range(begin.year, begin.year + 2) if self.year is None else (self.year,)
        spans = [span for year in years if (span := self._find_days(year)) is not None]
        return next((span for span in spans if self.year is not None or span[1] >= begin), None)

    def _find_days(self, year: int) -> tuple[date, date] | None:
        days = monthrange(year, self.month)[1]
        first = self.first or 1
        last = days if self.first is None else max(first, self.last or first)
        return (date(year, self.month, first), date(year, self.month, last)) if last <= days else None


class When(Struct, frozen=True, kw_only=True):
    """The time that a query states; empty and None mean any. `weekdays`: from Monday, 0. `ahead`: the first and the
    last day, counted from the first day of the window. `dates`: days of a month. `hours`: seconds of the day, end
    exclusive."""

    weekdays: tuple[int, ...] = ()
    ahead: tuple[int, int] | None = None
    dates: NamedDates | None = None
    hours: tuple[int, int] | None = None

    def find_days(self, begin: date) -> tuple[date, date] | None:
        if self.dates is not None:
            return self.dates.find_days(begin)
        if self.ahead is None:
            return None
        first, last = self.ahead
        return begin + timedelta(days=first), begin + timedelta(days=last)


class WhenPatterns:
    """The patterns for time in one language. `ends`: endings of ordinals, as in "12th"."""

    def __init__(self, words: WhenWords, *, ends: str) -> None:
        self._weekdays = [_compile(part) for part in words.days.split()]
        self._working, self._free = _compile(words.weekdays), _compile(words.weekends)
        self._today, self._tomorrow = _compile(words.today), _compile(words.tomorrow)
        weekdays = "|".join(words.days.split()) or NO_MATCH
        self._coming = _compile(rf"(?:{words.coming or NO_MATCH})[ -](?:{weekdays}|{words.weekends or NO_MATCH})")
        self._months = [re.compile(part) for part in words.months.split()]
        number = rf"[0-9]{{1,2}})(?:{ends or NO_MATCH})?"
        parts = {
            "month": f"(?P<month>{'|'.join(words.months.split()) or NO_MATCH})",
            "first": f"(?P<first>{number}",
            "last": f"(?P<last>{number}",
            "year": "(?P<year>20[0-9]{2})",
        }
        self._dates = [_ISO, *(_compile(fill_parts(value, parts)) for value in words.dates)]
        self._hours = [(_compile(hour.words), (hour.low * _HOUR, hour.high * _HOUR)) for hour in words.hours]
        self._clock = _compile_clock(words)

    def read(self, timed: str) -> When | None:
        """Parse the time. `timed`: a query's line with bars for the words that are not of time."""
        dates, rest = self._find_dates(timed)
        when = When(
            weekdays=tuple(self._list_weekdays(timed) or self._list_groups(timed)),
            ahead=self._find_ahead(timed),
            dates=dates,
            hours=self._find_hours(rest),
        )
        return None if when == When() else when

    def _find_dates(self, timed: str) -> tuple[NamedDates | None, str]:
        """Return the dates, and the line without them, because the numbers in dates are no times of day."""
        for pattern in self._dates:
            match = pattern.search(timed)
            if match is not None and (dates := self._read_dates(match)) is not None:
                return dates, f"{timed[: match.start()]}|{timed[match.end() :]}"
        return None, timed

    def _read_dates(self, match: re.Match[str]) -> NamedDates | None:
        named = match.groupdict()
        year, first, last = (int(named[name]) if named.get(name) else None for name in ("year", "first", "last"))
        month = self._find_month(named["month"])
        is_day = all(day is None or 1 <= day <= _MOST_DAYS for day in (first, last))
        return NamedDates(year, month, first, last) if month is not None and is_day else None

    def _find_month(self, text: str) -> int | None:
        if text.isdigit():
            return int(text) if 1 <= int(text) <= _MONTHS else None
        return next((number for number, month in enumerate(self._months, 1) if month.fullmatch(text)), None)

    def _list_weekdays(self, timed: str) -> list[int]:
        return [number for number, pattern in enumerate(self._weekdays) if pattern.search(timed)]

    def _list_groups(self, timed: str) -> list[int]:
        groups = (self._working, _WORKING), (self._free, _FREE)
        return [number for pattern, days in groups if pattern.search(timed) for number in days]

    def _find_ahead(self, timed: str) -> tuple[int, int] | None:
        if self._today.search(timed):
            return 0, 0
        if self._tomorrow.search(timed):
            return 1, 1
        return (0, _WEEK - 1) if self._coming.search(timed) else None

    def _find_hours(self, timed: str) -> tuple[int, int] | None:
        clocks = (_read_clock(match) for match in self._clock.finditer(timed))
        stated = next((clock for clock in clocks if clock is not None), None)
        if stated is not None:
            return stated
        named = [hours for pattern, hours in self._hours if pattern.search(timed)]
        return (min(low for low, _ in named), max(high for _, high in named)) if named else None


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern or NO_MATCH})(?!\w)")


def _compile_clock(words: WhenWords) -> re.Pattern[str]:
    before, after, to, am, pm = (
        value or NO_MATCH for value in (words.before, words.after, words.to, words.am, words.pm)
    )
    halves = rf"(?: ?(?:(?P<{{0}}_am>{am})|(?P<{{0}}_pm>{pm})))?"
    first, last = (
        rf"(?P<{name}>[0-9]{{1,2}})(?::(?P<{name}_minute>[0-9]{{2}}))?{halves.replace('{0}', name)}"
        for name in ("first", "last")
    )
    return _compile(rf"(?:(?:(?P<after>{after})|(?P<before>{before}))[ -])?{first}(?: ?(?:-|{to}) ?{last})?")


def _read_clock(match: re.Match[str]) -> tuple[int, int] | None:
    """Return the first and last second of the day that the match states, or None for a number alone."""
    first, last = _read_time(match, "first", like="last"), _read_time(match, "last")
    if first is None or not (match["after"] or match["before"] or match["last"] or _is_time(match)):
        return None
    if match["after"]:
        return first, DAY
    if match["before"]:
        return 0, first
    return first, first + _HOUR if last is None or last <= first else last


def _is_time(match: re.Match[str]) -> bool:
    return any(match[f"first_{part}"] for part in ("minute", "am", "pm"))


def _read_time(match: re.Match[str], name: str, *, like: str | None = None) -> int | None:
    """Return a time in seconds of the day, or None if none is stated. `like`: the other end of the range, whose half of
    the day counts for this end too, unless the range would then end before it begins."""
    if match[name] is None:
        return None
    hour, minute = int(match[name]), int(match[f"{name}_minute"] or 0)
    if hour * _HOUR >= DAY or minute >= _MINUTE:
        return None
    is_am, is_pm = match[f"{name}_am"], match[f"{name}_pm"]
    if like is not None and match[like] and not (is_am or is_pm):
        is_pm = match[f"{like}_pm"] if int(match[like]) % 12 >= hour % 12 else None
        is_am = match[f"{like}_am"] if not is_pm else None
    is_late = is_pm or (not is_am and hour < _FIRST_MORNING)
    hour = hour % 12 + 12 * bool(is_late) if is_am or is_late else hour
    return hour * _HOUR + minute * _MINUTE
