"""Dates, times and durations as pages write them, by the clock of the metro."""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import NamedTuple
from zoneinfo import ZoneInfo

# Without leading zeros, with a blank for the T, and in ISO 8601's short form: all of these stand in pages.
_MOMENT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[Tt\s]\s*(\d{1,2})(?::?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)?\s*(Z|z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_SHORT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d\d(?::?\d\d)?)?)?", re.ASCII)
# EventON writes the hour twice: 2019-9-18T10-10-30-00.
_HOUR_TWICE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})T(\d\d)-\2-(\d\d)-00$", re.ASCII)
_CLOCK = re.compile(
    r"T?(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*([AaPp]\.?[Mm]\.?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?", re.ASCII
)
_DURATION = re.compile(r"P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d+)?S)?)?")
_DAY_END = time(23, 59)
# A day of later years is how software writes that there is none, and nothing can be added to it.
_LAST_YEAR = 9_000


class LocalTime(NamedTuple):
    """A local time, naive; `is_date`: a day alone, at its midnight. `fixed`: the zone of one offset that tells an
    instant of the hour that clocks show twice from the hour before."""

    local: datetime
    is_date: bool
    fixed: str | None = None


def parse_when(text: str, zone: ZoneInfo) -> LocalTime | None:
    """None for what is no date. A time with an offset is the same instant on the zone's clock."""
    plain = _HOUR_TWICE.sub(r"\1T\2:\3", text.strip())
    match = _MOMENT.fullmatch(plain) or _SHORT.fullmatch(plain)
    if match is None or int(match[1]) > _LAST_YEAR:
        return None
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
        if match[4] is None:
            return LocalTime(datetime.combine(day, time()), is_date=True)
        hour = int(match[4])
        seconds = min(int(match[6] or 0), 59)
        local = datetime.combine(day, time(hour % 24, int(match[5] or 0), seconds))
        if hour > 24 or (hour == 24 and local.time() != time()):
            return None
        local += timedelta(days=hour // 24)
        return LocalTime(local, is_date=False) if match[7] is None else _convert(local, match[7], zone)
    except (ValueError, OverflowError):
        return None


def parse_clock(text: str) -> time | None:
    """A clock time by itself; an offset behind it is that of the place."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hour = int(match[1])
    if match[4]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match[4][0] in "Pp" else 0)
    try:
        return time(hour % 24 if hour == 24 else hour, int(match[2]), min(int(match[3] or 0), 59))
    except ValueError:
        return None


def parse_duration(text: str) -> timedelta | None:
    match = _DURATION.fullmatch(text.strip().upper())
    if match is None or not any(match.groups()):
        return None
    weeks, days, hours, minutes, seconds = (int(number or 0) for number in match.groups())
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def is_whole_day(starts: LocalTime, ends: LocalTime | None) -> bool:
    """From midnight to a minute before one: how software writes a day that knows only times."""
    if starts.is_date or ends is None or ends.is_date or starts.local.time() != time():
        return False
    return ends.local.time().replace(second=0) == _DAY_END


def _convert(local: datetime, offset: str, zone: ZoneInfo) -> LocalTime:
    there = local.replace(tzinfo=_read_offset(offset)).astimezone(zone)
    hours = there.utcoffset()
    fixed = None
    if there.fold and hours is not None and not hours % timedelta(hours=1):
        fixed = f"Etc/GMT{-(hours // timedelta(hours=1)):+d}"
    return LocalTime(there.replace(tzinfo=None, fold=0), is_date=False, fixed=fixed)


def _read_offset(text: str) -> timezone:
    if text in "Zz":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    return timezone(-offset if text[0] == "-" else offset)
