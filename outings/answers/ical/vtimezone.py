"""A time zone as a VTIMEZONE: from when on which offset holds, as rules where the years have one, else as dates. Each
date is a component by itself: of a list in RDATE, ical.js (Thunderbird, Nextcloud) reads the first alone.

Written here, since `icalendar` lists every change of some years, begins each in the offset that it changes to, and is
right in these years alone; it judges this in tests.
"""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

from msgspec import Struct

from outings.answers.ical.lines import encode_lines
from outings.configuration.zones import list_changes, read_zone

# Before the first moment its offset is said to hold; a rule that still goes on in the last year goes on for ever.
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_LONG_AGO = datetime(1900, 1, 1)
_WEEK = 7
_SECOND, _DAY = timedelta(seconds=1), timedelta(days=1)
# Fewer years than this are dates: a rule of theirs would be chance.
_FEWEST = 3
_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


class _Kind(Struct, frozen=True):
    """What one change has in common with those of other years. Offsets are timedeltas."""

    offset_before: timedelta
    offset: timedelta
    name: str
    is_daylight: bool


class _Days(Struct, frozen=True):
    """One day a year: the weekday among the seven days of the month from `first` on; -1 for the month's last seven."""

    month: int
    weekday: int
    first: int

    def find_day(self, year: int) -> int:
        first = self.first if self.first > 0 else monthrange(year, self.month)[1] - _WEEK + 1
        return first + (self.weekday - datetime(year, self.month, first).weekday()) % _WEEK

    def write_rule(self) -> str:
        number, rest = divmod(self.first - 1, _WEEK)
        weekday = _CODES[self.weekday]
        if self.first < 0 or not rest:
            return f"BYMONTH={self.month};BYDAY={-1 if self.first < 0 else number + 1}{weekday}"
        days = ",".join(str(day) for day in range(self.first, self.first + _WEEK))
        return f"BYMONTH={self.month};BYMONTHDAY={days};BYDAY={weekday}"


@cache
def encode_vtimezone(name: str) -> bytes:
    """ValueError for a name that is none."""
    return encode_lines(["BEGIN:VTIMEZONE", f"TZID:{name}", *_write_observances(name), "END:VTIMEZONE"])


def _write_observances(name: str) -> Iterator[str]:
    zone = read_zone(name)
    start = _FIRST.astimezone(zone)
    yield from _write(_make_kind(start, start), [_LONG_AGO])
    by_kind: dict[_Kind, list[datetime]] = {}
    for instant in list_changes(zone, int(_FIRST.timestamp()), int(_LAST.timestamp())):
        before, after = (datetime.fromtimestamp(each, UTC).astimezone(zone) for each in (instant - 1, instant))
        # A change begins in the offset that holds before it (RFC 5545, 3.6.5).
        by_kind.setdefault(_make_kind(before, after), []).append(before.replace(tzinfo=None, fold=0) + _SECOND)
    for kind, onsets in by_kind.items():
        at = 0
        while at < len(onsets):
            days, end = _find_run(onsets, at)
            is_rule = end - at >= _FEWEST
            end = end if is_rule else at + 1
            yield from _write(kind, onsets[at:end], days if is_rule else None)
            at = end


def _make_kind(before: datetime, after: datetime) -> _Kind:
    """Daylight is what saves more of it than the time before: in Ireland the standard is the summer's."""
    saved = [each.dst() or timedelta() for each in (before, after)]
    return _Kind(
        before.utcoffset() or timedelta(),
        after.utcoffset() or timedelta(),
        after.tzname() or "",
        saved[1] > (saved[0] if before != after else timedelta()),
    )


def _find_run(onsets: Sequence[datetime], at: int) -> tuple[_Days, int]:
    """The days that name the most of the onsets, year after year from `at` on, and where that ends."""
    first = onsets[at]
    shortest = monthrange(2001, first.month)[1]
    firsts = (-1, *range(1, shortest - _WEEK + 2))
    # The n-th weekday and the last one are what laws say: they are tried first.
    ordered = sorted(firsts, key=lambda day: (day > 0 and (day - 1) % _WEEK > 0, day < 0, day))
    choices = [_Days(first.month, first.weekday(), day) for day in ordered]
    return max(((days, _follow(days, onsets, at)) for days in choices), key=lambda run: run[1])


def _follow(days: _Days, onsets: Sequence[datetime], at: int) -> int:
    first = onsets[at]
    for end in range(at, len(onsets)):
        year = first.year + end - at
        if onsets[end] != first.replace(year=year, month=days.month, day=days.find_day(year)):
            return end
    return len(onsets)


def _write(kind: _Kind, onsets: Sequence[datetime], days: _Days | None = None) -> Iterator[str]:
    name = "DAYLIGHT" if kind.is_daylight else "STANDARD"
    yield f"BEGIN:{name}"
    yield f"DTSTART:{onsets[0]:%Y%m%dT%H%M%S}"
    if days is not None:
        is_over = onsets[-1].year < _LAST.year - 1
        yield f"RRULE:FREQ=YEARLY;{days.write_rule()}" + (_write_end(kind, onsets[-1]) if is_over else "")
    yield f"TZNAME:{kind.name}"
    yield f"TZOFFSETFROM:{_format_offset(kind.offset_before)}"
    yield f"TZOFFSETTO:{_format_offset(kind.offset)}"
    yield f"END:{name}"


def _write_end(kind: _Kind, last: datetime) -> str:
    """A day late: `dateutil` and `icalendar` read it as local, and miss the last change east of UTC."""
    return f";UNTIL={last - kind.offset_before + _DAY:%Y%m%dT%H%M%SZ}"


def _format_offset(offset: timedelta) -> str:
    seconds = abs(offset) // timedelta(seconds=1)
    minutes = f"{'-' if offset < timedelta() else '+'}{seconds // 3600:02}{seconds // 60 % 60:02}"
    return f"{minutes}{seconds % 60:02}" if seconds % 60 else minutes
