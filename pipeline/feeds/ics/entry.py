"""A VEVENT that can be read: its UID, its start, and the date of a series that it stands for."""

import hashlib
import re
from datetime import time, timedelta

from msgspec import Struct

from pipeline.feeds.ics.lines import Component
from pipeline.feeds.ics.times import CalendarMoment, UnreadableEvent, add_duration, parse_duration, parse_moment
from pipeline.feeds.ics.zones import Clock, Zones
from pipeline.feeds.ndjson import MAX_LINE_BYTES
from pipeline.feeds.raw import Note

_WHOLE_DAY = (timedelta(days=1), timedelta())
_TIMED = re.compile(r"[Tt][\d:]*[1-9]")
_STAMP = re.compile(r"\d{8}T\d{6}Z", re.ASCII)


class CalendarEntry(Struct, frozen=True, eq=False):
    """`instance`: the date that it stands for (RECURRENCE-ID); `splits`: and for all that follow. `ends`: of a period
    of its series."""

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
    def stamp(self) -> str | None:
        text = self.event.get_value("DTSTAMP")
        return text if _STAMP.fullmatch(text) else None

    def is_newer(self, other: "CalendarEntry") -> bool:
        if self.sequence != other.sequence:
            return self.sequence > other.sequence
        return self.stamp is not None and other.stamp is not None and self.stamp > other.stamp


def make_entry(event: Component, zones: Zones) -> CalendarEntry:
    """Raises `UnreadableEvent`."""
    if not event.is_closed:
        raise UnreadableEvent("unreadable: END:VEVENT is missing")
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
    """Return DTEND, or the start and DURATION. A time has no end where neither can be read, and a day lasts to the next
    midnight."""
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


def note_dropped_time(entry: CalendarEntry) -> list[Note]:
    """Note a time of the day that DTSTART has, though it says that it is a date."""
    line = entry.event.get("DTSTART")
    if line is None or line.parameters.get("VALUE", "").upper() != "DATE" or not _TIMED.search(line.value):
        return []
    reason = "contradictory: a DTSTART with VALUE=DATE has a time of the day, which is left out"
    return [Note("date_on", reason, f"DTSTART:{line.value}")]


def name_event(event: Component) -> str:
    """The UID. An event without one is known by what it says: when that changes it is another event."""
    if uid := event.get_value("UID"):
        return " ".join(uid.split())
    parts = [line.value for name in ("DTSTART", "SUMMARY", "LOCATION", "RECURRENCE-ID") if (line := event.get(name))]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return f"without-uid-{digest[:32]}"


def find_instance(event: Component, zones: Zones) -> CalendarMoment | None:
    """Of an event that can't be read; one that stands for a date and all that follow is none of them."""
    line = event.get("RECURRENCE-ID")
    if line is None or line.parameters.get("RANGE"):
        return None
    try:
        return parse_moment(line, zones)
    except UnreadableEvent:
        return None


def name_instance(uid: str, instance: CalendarMoment | None, clock: Clock) -> str:
    """A date of a series by its UID and when, by the series' clock, it was to be: <UID>/20260811T090000."""
    if instance is None:
        return uid
    local = instance.on(clock)
    return f"{uid}/{local:%Y%m%d}" if instance.is_date else f"{uid}/{local:%Y%m%dT%H%M%S}"
