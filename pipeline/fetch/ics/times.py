"""Parse dates, times and durations of iCalendar, find the clock that a TZID means, and make entries of VEVENTs."""

import hashlib
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import NamedTuple

from icalendar import Timezone
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON
from msgspec import Struct

from outings.configuration import is_zone, read_zone
from pipeline.dates.rule_days import parse_rule
from pipeline.fetch.formats import Note
from pipeline.fetch.ics.lines import Component, Line, parse_line, unescape
from pipeline.fetch.ndjson import MAX_LINE_BYTES
from pipeline.records.values import YEARS

# What menus and people call the zones of North America. Windows and Rails have more such names.
_SPOKEN = {
    "Atlantic": "America/Halifax", "Eastern": "America/New_York", "Central": "America/Chicago",
    "Mountain": "America/Denver", "Pacific": "America/Los_Angeles", "Alaska": "America/Anchorage",
    "Hawaii": "Pacific/Honolulu", "Arizona": "America/Phoenix", "Indiana (East)": "America/Indianapolis",
    "Saskatchewan": "America/Regina", "Newfoundland": "America/St_Johns",
}  # fmt: skip
_FORMS = ("{}", "{} Time", "{} Daylight Time", "{} Time (US & Canada)", "{} Time (Canada)")


def _fold(name: str) -> str:
    return name.casefold().replace("&", "and")


_NAMED = {
    _fold(name): zone
    for name, zone in (
        *WINDOWS_TO_OLSON.items(), *((form.format(word), zone) for word, zone in _SPOKEN.items() for form in _FORMS),
    )
}  # fmt: skip
# Before a name of a menu, as of Exchange: (UTC-08:00) and a space.
_MENU_OFFSET = re.compile(r"\((?:UTC|GMT)\s*(?:([+-])(\d{1,2})[:.]?(\d{2})?)?\s*\)\s*", re.IGNORECASE)
_OFFSET = re.compile(r"\(?(?:UTC|GMT)?\s*([+-])(\d{1,2})[:.]?(\d{2})?\)?", re.IGNORECASE)
_BREAK = re.compile(r"\s*[,;:]\s+")


def _strip_offset(text: str) -> str:
    return _MENU_OFFSET.sub("", text.strip(), count=1)


def _find_named(text: str) -> str | None:
    """Find an IANA zone by its name in any case, also behind a path (/mozilla.org/20070129_1/America/New_York), or by a
    name that Windows or a menu uses."""
    if named := _NAMED.get(_fold(_strip_offset(text))):
        return named
    parts = _fold_name(text.strip().strip("/")).split("/")
    for first in range(len(parts) - 1):
        name = _list_zones().get("/".join(parts[first:]))
        if name is not None and not name.startswith("Etc/"):
            return name
    return None


def _find_city(text: str) -> str | None:
    """Find the first zone or city in a menu's entry whose offset is that at the entry's beginning: (GMT-08:00) Pacific
    Time (US & Canada); Tijuana."""
    begun = _MENU_OFFSET.match(text.strip())
    offset = _read_offset(begun) if begun else None
    for name in _BREAK.split(_strip_offset(text)):
        zone = _NAMED.get(_fold(name)) or _list_cities().get(_fold_name(name))
        if zone and is_zone(zone) and (offset is None or offset in _list_offsets(zone)):
            return zone
    return None


def _parse_offset(text: str) -> timedelta | None:
    match = _OFFSET.fullmatch(text.strip())
    return _read_offset(match) if match else None


def _read_offset(match: re.Match[str]) -> timedelta | None:
    if match[2] is None:
        return timedelta()
    offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    return (-offset if match[1] == "-" else offset) if offset < timedelta(hours=24) else None


def _fold_name(name: str) -> str:
    return name.casefold().replace(" ", "_")


@cache
def _list_zones() -> dict[str, str]:
    return {name.casefold(): name for name in files("tzdata").joinpath("zones").read_text("utf-8").split()}


@cache
def _list_cities() -> dict[str, str]:
    """Return zones by the last part of their names, in lower case. Of several with the same, the first is kept."""
    return {name.rpartition("/")[2].casefold(): name for name in sorted(_list_zones().values(), reverse=True)}


# No build knows more of zones than this edition of the database.
_YEAR = int(version("tzdata")[:4])


@cache
def _list_offsets(zone: str) -> dict[timedelta | None, str | None]:
    """Return the zone's UTC offsets in winter and summer, with what its clocks are called then."""
    days = [datetime(_YEAR, month, 1, 12, tzinfo=read_zone(zone)) for month in (1, 7)]
    return {day.utcoffset(): day.tzname() for day in days}


_UTC_NAMES = frozenset(
    {"utc", "gmt", "z", "etc/utc", "etc/gmt", "uct", "etc/uct", "coordinated universal time", "tzone://microsoft/utc"}
)
# Characters. Those of all changes since 1900, as some programs write them, have half of it.
_MOST_DEFINED = 1 << 15
# BYMONTHDAY=8,9,10,11,12,13,14 with a weekday is the second of its month.
_WEEK = 7
_OFFSET_TO = re.compile(r"^TZOFFSETTO:(.*?)\r?$", re.MULTILINE | re.IGNORECASE)


class Clock(Struct, frozen=True, eq=False):
    """A clock of a calendar. `zone`: its IANA name, None for UTC and for a clock that a calendar defines itself."""

    info: tzinfo
    zone: str | None


UTC_CLOCK = Clock(UTC, None)


class Zones:
    """The clocks of one file. `metro`: the clock of times without a zone. `calendar`: the zone of the whole file
    (X-WR-TIMEZONE), if it is one."""

    def __init__(self, metro: str, definitions: Iterable[Component], *, calendar: str | None = None) -> None:
        self.metro = Clock(read_zone(metro), metro)
        self._definitions = {
            unescape(line.value).strip(): definition for definition in definitions if (line := definition.get("TZID"))
        }
        # Finds the clock that a TZID names, None if it is unknown.
        self.find: Callable[[str], Clock | None] = cache(self._find)
        named = self.find(calendar) if calendar else None
        self.calendar = named if named and named.zone else None

    def _find(self, written: str) -> Clock | None:
        name = unescape(written).strip()
        if _strip_offset(name).casefold() in _UTC_NAMES:
            return UTC_CLOCK
        definition, own = self._definitions.get(name), self.metro.zone or ""
        location, folded = definition.get_value("X-LIC-LOCATION") if definition else "", _fold_name(name)
        zone = _find_named(name) or _find_named(unescape(location)) or _list_zones().get(folded)
        zone = zone or _list_zones().get(folded.replace("us-", "us/")) or _find_city(name)
        # None is an offset that can't be read.
        stated = {_parse_offset(text) for text in _OFFSET_TO.findall(definition.text)} if definition else set()
        # PDT in Los Angeles, or a "Customized Time Zone" with the metro's offsets.
        if zone is None and (name.upper() in _list_offsets(own).values() or stated == _list_offsets(own).keys()):
            zone = own
        if zone is not None:
            return self.metro if zone == own else Clock(read_zone(zone), zone)
        if len(stated) > 1 and definition:
            info = _read_definition(definition.text)
        else:
            [offset] = stated or {_parse_offset(name)}
            info = None if offset is None else timezone(offset)
        return None if info is None else Clock(info, None)


def _read_definition(text: str) -> tzinfo | None:
    """Return the clock that a VTIMEZONE defines, None if it is invalid or may take too long to read."""
    rules = [parse_rule(line.value) for one in text.splitlines() if (line := parse_line(one)) and line.name == "RRULE"]
    # A library lists all changes from the first on, so that each rule may change clocks once a year.
    is_bounded = len(text) <= _MOST_DEFINED and all(
        rule.frequency == "YEARLY" and not (rule.unsupported or rule.year_days or rule.weeks)
        and len(rule.months) < 2 and len(rule.weekdays) < 2 and len(rule.month_days) <= _WEEK
        and all(len(numbers) < 2 for _, numbers in rule.times)
        for rule in rules
    )  # fmt: skip
    try:
        read = Timezone.from_ical(text) if is_bounded else None
        info = read.to_tz(lookup_tzid=False) if isinstance(read, Timezone) else None
        if info is not None:
            datetime(_YEAR, 1, 1, tzinfo=info).utcoffset()
    except Exception:  # noqa: BLE001 - a calendar's definition may be wrong in any way
        return None
    return info


# Dashes and colons, as in ISO 8601, are forgiven.
_MOMENT = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:[Tt ](\d\d):?(\d\d):?(\d\d)?(?:\.\d+)?([Zz])?)?", re.ASCII)
_DURATION = re.compile(
    r"\+?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?", re.ASCII | re.IGNORECASE
)


class UnreadableEvent(ValueError):  # noqa: N818 it is a finding of the event, not an error of the program
    """The event can't be read; `value` is the line at fault."""

    def __init__(self, reason: str, line: Line | None = None) -> None:
        super().__init__(reason)
        self.value = None if line is None else f"{line.name}:{line.value}"


class CalendarMoment(NamedTuple):
    """A naive time on `clock`. `is_date`: a date without a time, as midnight, the same on every clock."""

    local: datetime
    clock: Clock
    is_date: bool

    def on(self, clock: Clock) -> datetime:
        """Return this moment as local time of another clock; a date is unchanged. A repeated time is its first, a
        skipped one has the offset before."""
        if self.is_date or clock is self.clock or (clock.zone and clock.zone == self.clock.zone):
            return self.local
        return self.local.replace(tzinfo=self.clock.info).astimezone(clock.info).replace(tzinfo=None, fold=0)


class Period(NamedTuple):
    """A date of RDATE or EXDATE, and its end if it states one."""

    starts: CalendarMoment
    ends: CalendarMoment | None = None


def list_periods(event: Component, name: str, zones: Zones, *, clock: Clock) -> tuple[list[Period], list[Note]]:
    """Return the dates of all properties `name` (RDATE, EXDATE). Unreadable ones are left out with a note.

    `clock`: the zone of the series, for times that name none.
    """
    periods, notes = list[Period](), []
    for line in event.get_all(name):
        texts, tzid = _split_values(line)
        for text in texts:
            try:
                periods.append(Period(_parse_value(text, tzid, line, zones, clock=clock)))
                periods[-1] = Period(periods[-1].starts, _parse_period_end(text, periods[-1].starts, line, zones))
            except UnreadableEvent as unreadable:
                notes.append(Note(f"{name.lower()}s", str(unreadable), f"{name}:{text}"))
    return periods, notes


def _parse_period_end(text: str, starts: CalendarMoment, line: Line, zones: Zones) -> CalendarMoment | None:
    _, slash, stated = text.partition("/")
    if not slash:
        return None
    if stated.strip().upper().startswith(("P", "+P")):
        return add_duration(starts, parse_duration(line._replace(value=stated)))
    return parse_moment(line._replace(value=stated), zones, clock=starts.clock)


def parse_moment(line: Line, zones: Zones, *, clock: Clock | None = None) -> CalendarMoment:
    """Parse the first time of a line. Without a zone it is on `clock`, else the metro's. Raises `UnreadableEvent`.

    >>> parse_moment(Line("DTSTART", {}, "20260811T090000"), Zones("Europe/Paris", ())).local
    datetime.datetime(2026, 8, 11, 9, 0)
    """
    texts, tzid = _split_values(line)
    return _parse_value(texts[0], tzid, line, zones, clock=clock or zones.metro)


def _split_values(line: Line) -> tuple[list[str], str]:
    texts, tzid = line.value.strip(), line.parameters.get("TZID", "").strip()
    if ":" in texts and not _MOMENT.fullmatch(texts.split(",")[0].partition("/")[0].strip()):
        # Exchange writes TZID=(UTC-08:00) Pacific Time (US & Canada) without quotes.
        rest, _, texts = texts.rpartition(":")
        tzid = f"{tzid}:{rest}"
    return [text.strip() for text in texts.split(",")], tzid


def take_written_day(moment: CalendarMoment, zones: Zones) -> CalendarMoment:
    """Return a moment of a series of days as a date: the written one, or that of a local midnight in UTC."""
    local = moment.on(zones.metro)
    is_midnight = moment.clock is UTC_CLOCK and local.time() == time()
    return _take_day(local if is_midnight else moment.local, zones)


def parse_duration(line: Line) -> tuple[timedelta, timedelta]:
    """Parse a duration to clock days and the exact time after them (RFC 5545, 3.3.6). Raises `UnreadableEvent`.

    >>> parse_duration(Line("DURATION", {}, "P1DT2H"))
    (datetime.timedelta(days=1), datetime.timedelta(seconds=7200))
    """
    match = _DURATION.fullmatch(line.value.strip())
    if match is None or not any(match.groups()):
        raise UnreadableEvent(f"wrong_type: {line.name} is not a duration such as P1D or PT1H30M", line)
    weeks, days, hours, minutes, seconds = (int(number or 0) for number in match.groups())
    return timedelta(weeks=weeks, days=days), timedelta(hours=hours, minutes=minutes, seconds=seconds)


def add_duration(moment: CalendarMoment, duration: tuple[timedelta, timedelta]) -> CalendarMoment:
    """Add a duration. Raises `UnreadableEvent` past the year 9999."""
    days, exact = duration
    try:
        local = moment.local + days
        if exact and not moment.is_date:
            instant = local.replace(tzinfo=moment.clock.info).astimezone(UTC) + exact
            local = instant.astimezone(moment.clock.info).replace(tzinfo=None, fold=0)
    except OverflowError as error:
        raise UnreadableEvent("out_of_range: the end is past the year 9999") from error
    return moment._replace(local=local)


def _parse_value(text: str, tzid: str, line: Line, zones: Zones, *, clock: Clock) -> CalendarMoment:
    match = _MOMENT.fullmatch(text.partition("/")[0].strip())
    if match is None:
        raise UnreadableEvent(
            f"wrong_type: {line.name} is not a date or time such as 20260811 or 20260811T090000", line
        )
    year, month, day, hour, minute, second = (int(number or 0) for number in match.groups()[:6])
    try:
        local = datetime(year, month, day, hour, minute, 59 if second == 60 else second)
    except ValueError as error:
        raise UnreadableEvent(f"out_of_range: {line.name}: {error}", line) from error
    if year not in YEARS:
        raise UnreadableEvent(f"out_of_range: {line.name} is not in the years {YEARS[0]} to {YEARS[-1]}", line)
    if match[4] is None or line.parameters.get("VALUE", "").upper() == "DATE":
        return _take_day(local, zones)
    named = zones.find(tzid) if tzid else None  # it wins over a Z beside it, as Google reads them
    if tzid and named is None and not match[7]:
        reason = f'unknown_word: TZID "{tzid[:100]}" is no zone, and has no VTIMEZONE with the offsets of the metro'
        raise UnreadableEvent(reason, line)
    clock = named or (UTC_CLOCK if match[7] else clock)
    return CalendarMoment(local, clock, is_date=False)


def _take_day(local: datetime, zones: Zones) -> CalendarMoment:
    return CalendarMoment(datetime.combine(local.date(), time()), zones.metro, is_date=True)


_WHOLE_DAY = (timedelta(days=1), timedelta())
_TIMED = re.compile(r"[Tt][\d:]*[1-9]")
_STAMP = re.compile(r"\d{8}T\d{6}Z", re.ASCII)


class CalendarEntry(Struct, frozen=True, eq=False):
    """A parsed VEVENT.

    Attributes:
        instance: the date of a series that it replaces (RECURRENCE-ID).
        splits: True if it replaces all following dates too.
        ends: the end of an RDATE period that it was made from.
    """

    uid: str
    starts: CalendarMoment
    event: Component
    instance: CalendarMoment | None
    splits: bool
    ends: CalendarMoment | None = None

    @property
    def sequence(self) -> int:
        text = self.event.get_value("SEQUENCE")
        return int(text) if text.isdecimal() and len(text) < 10 else 0

    @property
    def version(self) -> tuple[int, str, str]:
        """Return SEQUENCE, DTSTAMP and LAST-MODIFIED: of several versions of an event the highest is the newest."""
        made, changed = map(self.event.get_value, ("DTSTAMP", "LAST-MODIFIED"))
        return self.sequence, made if _STAMP.fullmatch(made) else "", changed if _STAMP.fullmatch(changed) else ""

    @property
    def recurs(self) -> bool:
        return self.event.get("RRULE") is not None or self.event.get("RDATE") is not None

    def is_newer(self, other: "CalendarEntry") -> bool:
        if self.sequence != other.sequence:
            return self.sequence > other.sequence
        own, others = (entry.event.get_value("DTSTAMP") for entry in (self, other))
        return bool(_STAMP.fullmatch(own) and _STAMP.fullmatch(others)) and own > others


def make_entry(event: Component, zones: Zones) -> CalendarEntry:
    """Parse a VEVENT. Raises `UnreadableEvent`."""
    if len(event.text) > MAX_LINE_BYTES:
        raise UnreadableEvent(f"too_long: an event has at most {MAX_LINE_BYTES} characters")
    begins = event.get("DTSTART")
    if begins is None:
        raise UnreadableEvent("missing: expected DTSTART")
    starts = parse_moment(begins, zones)
    if starts.local.time() == time() and event.get_value("X-MICROSOFT-CDO-ALLDAYEVENT").upper() == "TRUE":
        starts = starts._replace(is_date=True, clock=zones.metro)
    stands_for = event.get("RECURRENCE-ID")
    clock = starts.clock if starts.clock.zone else zones.metro
    instance = None if stands_for is None else parse_moment(stands_for, zones, clock=clock)
    splits = stands_for is not None and stands_for.parameters.get("RANGE", "").upper() == "THISANDFUTURE"
    return CalendarEntry(name_event(event), starts, event, instance, splits)


def find_end(entry: CalendarEntry, zones: Zones) -> tuple[CalendarMoment | None, list[Note]]:
    """Return DTEND, or the start plus DURATION, and notes. Without either, a time has no end, and a day ends at the
    next midnight."""
    starts, notes = entry.starts, list[Note]()
    if entry.ends is not None:
        return entry.ends, notes
    try:
        if line := entry.event.get("DTEND"):
            ends = parse_moment(line, zones, clock=starts.clock)
            return ends._replace(is_date=True) if starts.is_date else ends, notes
        if line := entry.event.get("DURATION"):
            return add_duration(starts, parse_duration(line)), notes
    except UnreadableEvent as unreadable:
        assert line is not None, "a line that there is can't be read"
        notes.append(Note("ends_local", str(unreadable), f"{line.name}:{line.value}"))
    return (add_duration(starts, _WHOLE_DAY) if starts.is_date else None), notes


def note_contradictions(entry: CalendarEntry) -> list[Note]:
    """Return a note if DTSTART has a time of day though it is marked as a date, or a Z though it has a zone."""
    line = entry.event.get("DTSTART")
    assert line is not None, "an entry has a start"
    value = f"DTSTART:{line.value}"
    if line.parameters.get("VALUE", "").upper() == "DATE" and _TIMED.search(line.value):
        reason = "contradictory: a DTSTART with VALUE=DATE has a time of the day, which is left out"
        return [Note("date_on", reason, value)]
    if "TZID" in line.parameters and value[-1] in "zZ" and entry.starts.clock is not UTC_CLOCK:
        return [Note("timezone", "contradictory: a DTSTART with a TZID is in UTC; the TZID is used", value)]
    return []


def name_event(event: Component) -> str:
    """Return the UID. Without one, hash the contents: if these change, it is another event."""
    if uid := event.get_value("UID"):
        return " ".join(uid.split())
    parts = [line.value for name in ("DTSTART", "SUMMARY", "LOCATION", "RECURRENCE-ID") if (line := event.get(name))]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return f"without-uid-{digest[:32]}"


def find_instance(event: Component, zones: Zones) -> CalendarMoment | None:
    """Return the date that an unreadable event replaces; None if unknown, or if it replaces all later ones too."""
    line = event.get("RECURRENCE-ID")
    if line is None or line.parameters.get("RANGE"):
        return None
    try:
        return parse_moment(line, zones)
    except UnreadableEvent:
        return None


def name_instance(uid: str, instance: CalendarMoment | None, clock: Clock) -> str:
    """Return the id of a series' date, its UID and original time on the series' clock: <UID>/20260811T090000."""
    if instance is None:
        return uid
    local = instance.on(clock)
    return f"{uid}/{local:%Y%m%d}" if instance.is_date else f"{uid}/{local:%Y%m%dT%H%M%S}"
