"""Dates, times and durations of iCalendar, and the same moments on another clock."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from pipeline.feeds.ics.lines import Line
from pipeline.feeds.ics.zones import UTC_CLOCK, Clock, Zones
from pipeline.records.values import YEARS

# Dashes and colons, as in ISO 8601, are forgiven.
_MOMENT = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:[Tt ](\d\d):?(\d\d):?(\d\d)?(?:\.\d+)?([Zz])?)?", re.ASCII)
_DURATION = re.compile(
    r"\+?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?", re.ASCII | re.IGNORECASE
)
_HOUR = timedelta(hours=1)


class Unreadable(ValueError):  # noqa: N818 it is a finding of the event, not an error of the program
    """The event can't be read; `value` is the line at fault."""

    def __init__(self, reason: str, line: Line | None = None) -> None:
        super().__init__(reason)
        self.value = None if line is None else f"{line.name}:{line.value}"


class Moment(NamedTuple):
    """A time on `clock`, naive; `is_date`: a day alone, at its midnight, of any clock."""

    local: datetime
    clock: Clock
    is_date: bool

    def on(self, clock: Clock) -> datetime:
        """The same instant on another clock; a day is the same day. In a fold the first, in a gap the offset before."""
        if self.is_date or clock is self.clock or (clock.zone and clock.zone == self.clock.zone):
            return self.local
        return self.local.replace(tzinfo=self.clock.info).astimezone(clock.info).replace(tzinfo=None, fold=0)


def parse_moments(line: Line, zones: Zones) -> list[Moment]:
    """A property's times, one or a list; of a period its start. Raises `Unreadable`."""
    texts, tzid = line.value.strip(), line.parameters.get("TZID", "").strip()
    if ":" in texts and not _MOMENT.fullmatch(texts.split(",")[0].partition("/")[0].strip()):
        # Exchange writes TZID=(UTC-08:00) Pacific Time (US & Canada) without quotes.
        rest, _, texts = texts.rpartition(":")
        tzid = f"{tzid}:{rest}"
    moments = [_parse_moment(text.partition("/")[0].strip(), tzid, line, zones) for text in texts.split(",")]
    return [_take_day(moment) for moment in moments] if line.parameters.get("VALUE", "").upper() == "DATE" else moments


def parse_moment(line: Line, zones: Zones) -> Moment:
    """Its first time."""
    return parse_moments(line, zones)[0]


def parse_duration(line: Line) -> tuple[timedelta, timedelta]:
    """Days by the clock, and the exact time after them (RFC 5545, 3.3.6). Raises `Unreadable`."""
    found = _DURATION.fullmatch(line.value.strip())
    if found is None or not any(found.groups()):
        raise Unreadable(f"wrong_type: {line.name} is no duration, as P1D or PT1H30M", line)
    weeks, days, hours, minutes, seconds = (int(number or 0) for number in found.groups())
    return timedelta(weeks=weeks, days=days), timedelta(hours=hours, minutes=minutes, seconds=seconds)


def add_duration(moment: Moment, duration: tuple[timedelta, timedelta]) -> Moment:
    """OverflowError past the year 9999."""
    days, exact = duration
    local = moment.local + days
    if exact and not moment.is_date:
        instant = local.replace(tzinfo=moment.clock.info).astimezone(UTC) + exact
        local = instant.astimezone(moment.clock.info).replace(tzinfo=None, fold=0)
    return moment._replace(local=local)


def find_fold_zone(moment: Moment, clock: Clock) -> str | None:
    """A zone of one offset for an instant that `clock` shows for the second time: there it would be an hour earlier."""
    there = moment.local.replace(tzinfo=moment.clock.info).astimezone(clock.info)
    offset = there.utcoffset()
    if moment.is_date or not there.fold or offset is None or offset % _HOUR:
        return None
    return f"Etc/GMT{-(offset // _HOUR):+d}"


def _parse_moment(text: str, tzid: str, line: Line, zones: Zones) -> Moment:
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise Unreadable(f"wrong_type: {line.name} is no date or time, as 20260811 or 20260811T090000", line)
    try:
        day = date(int(found[1]), int(found[2]), int(found[3]))
        if day.year not in YEARS:
            raise Unreadable(f"out_of_range: {line.name} is not in the years {YEARS[0]} to {YEARS[-1]}", line)
        if found[4] is None:
            return Moment(datetime.combine(day, time()), zones.metro, is_date=True)
        clock = time(int(found[4]), int(found[5]), min(second, 59) if (second := int(found[6] or 0)) == 60 else second)
    except Unreadable:
        raise
    except ValueError as error:
        raise Unreadable(f"out_of_range: {line.name}: {error}", line) from error
    return Moment(datetime.combine(day, clock), _find_clock(found[7], tzid, line, zones, year=day.year), is_date=False)


def _find_clock(utc: str | None, tzid: str, line: Line, zones: Zones, *, year: int) -> Clock:
    """Z wins over a TZID beside it; without either the time is the metro's own."""
    if utc:
        return UTC_CLOCK
    if not tzid:
        return zones.metro
    clock = zones.find(tzid, year=year)
    if clock is None:
        raise Unreadable(f'unknown_word: TZID "{tzid[:100]}" is no zone and has no VTIMEZONE that can be read', line)
    return clock


def _take_day(moment: Moment) -> Moment:
    midnight = datetime.combine(moment.local.date(), time())
    return moment._replace(local=midnight, is_date=True)
