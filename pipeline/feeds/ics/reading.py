"""A calendar's VEVENTs → raw records, in their order: one each, and one reason for each that can't be read."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from datetime import time, timedelta
from typing import Any

from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from pipeline.feeds.ics.lines import Component, parse_calendar
from pipeline.feeds.ics.members import INHERITED, list_members
from pipeline.feeds.ics.series import list_series
from pipeline.feeds.ics.times import (
    Moment,
    Unreadable,
    add_duration,
    find_fold_zone,
    parse_duration,
    parse_moment,
)
from pipeline.feeds.ics.zones import Clock, Zones
from pipeline.feeds.ndjson import MAX_LINE_BYTES, RawRecord

_WHOLE_DAY = (timedelta(days=1), timedelta())


class Entry(Struct, frozen=True, eq=False):
    """A VEVENT with its UID. `instance`: the date of a series that it stands for (RECURRENCE-ID)."""

    uid: str
    starts: Moment
    event: Component
    instance: Moment | None

    @property
    def sequence(self) -> int:
        line = self.event.get("SEQUENCE")
        text = line.value.strip() if line else ""
        return int(text) if text.isdecimal() and len(text) < 10 else 0


def read_calendar(content: bytes, *, timezone: str, vocabulary: Vocabulary, lines_before: int = 0) -> list[RawRecord]:
    """Lines are numbered from `lines_before` + 1. ValueError for a file that is no calendar, or half of one."""
    calendar = parse_calendar(content)
    zones = Zones(timezone, calendar.zones)
    entries: list[Entry] = []
    refused: list[tuple[Component, Unreadable]] = []
    for event in calendar.events:
        try:
            entries.append(_make_entry(event, zones))
        except Unreadable as unreadable:
            refused.append((event, unreadable))
    masters = {entry.uid: entry for entry in sorted(entries, key=_get_sequence) if entry.instance is None}
    instances = defaultdict[str, list[Moment]](list)
    for entry in entries:
        if entry.instance is not None:
            instances[entry.uid].append(entry.instance)
    records = [
        _refuse_unread(event, unreadable, masters=masters, instances=instances, zones=zones)
        for event, unreadable in refused
    ]
    removal = {"status": "archived", "reason": "cancelled"} if calendar.is_cancelled else {}
    for entry in entries:
        master = masters.get(entry.uid)
        try:
            value = _make_record(entry, master, instances[entry.uid], zones=zones, vocabulary=vocabulary) | removal
        except Unreadable as unreadable:
            records.append(_refuse(entry.event, unreadable, source_id=_name_entry(entry, master)))
        else:
            records.append(RawRecord(entry.event.line, value))
    ordered = _order_versions(records, {entry.event.line: entry.sequence for entry in entries})
    return [record._replace(line=record.line + lines_before) for record in ordered]


def _refuse_unread(
    event: Component,
    unreadable: Unreadable,
    *,
    masters: Mapping[str, Entry],
    instances: defaultdict[str, list[Moment]],
    zones: Zones,
) -> RawRecord:
    """One that stands for a date of a series takes that date from it: its own last good version stays."""
    uid, instance = _name_event(event), _find_instance(event, zones)
    if instance is None:
        return _refuse(event, unreadable)
    instances[uid].append(instance)
    master = masters.get(uid)
    return _refuse(event, unreadable, source_id=_name(uid, instance, master.starts.clock if master else zones.metro))


def _get_sequence(entry: Entry) -> int:
    return entry.sequence


def _order_versions(records: list[RawRecord], sequences: dict[int, int]) -> list[RawRecord]:
    """By line; of the versions of one event the highest SEQUENCE last, which is the one that stays."""
    records.sort(key=lambda record: record.line)
    places = defaultdict[object, list[int]](list)
    for place, record in enumerate(records):
        if record.reason is None and isinstance(record.value, dict):
            places[record.value["source_id"]].append(place)
    for taken in places.values():
        if len(taken) > 1:
            versions = sorted((records[place] for place in taken), key=lambda record: sequences[record.line])
            for place, version in zip(taken, versions, strict=True):
                records[place] = version
    return records


def _make_entry(event: Component, zones: Zones) -> Entry:
    if not event.is_closed:
        raise Unreadable("unreadable: END:VEVENT is missing")
    if len(event.text) > MAX_LINE_BYTES:
        raise Unreadable(f"too_long: an event has at most {MAX_LINE_BYTES} characters")
    begins = event.get("DTSTART")
    if begins is None:
        raise Unreadable("missing: expected DTSTART")
    starts = parse_moment(begins, zones)
    midnight = starts.local.time() == time()
    if midnight and _says(event, "X-MICROSOFT-CDO-ALLDAYEVENT", "TRUE"):
        starts = starts._replace(is_date=True, clock=zones.metro)
    stands_for = event.get("RECURRENCE-ID")
    if stands_for is not None and stands_for.parameters.get("RANGE", "").upper() == "THISANDFUTURE":
        raise Unreadable("unsupported: RANGE=THISANDFUTURE; allowed: one RECURRENCE-ID an event", stands_for)
    return Entry(_name_event(event), starts, event, None if stands_for is None else parse_moment(stands_for, zones))


def _name_event(event: Component) -> str:
    """The UID. An event without one is known by what it says: when that changes it is another event."""
    if line := event.get("UID"):
        return " ".join(line.value.split())
    said = [line.value for name in ("DTSTART", "SUMMARY", "LOCATION", "RECURRENCE-ID") if (line := event.get(name))]
    digest = hashlib.sha256("\n".join(said).encode()).hexdigest()
    return f"without-uid-{digest[:32]}"


def _find_instance(event: Component, zones: Zones) -> Moment | None:
    """Of an event that can't be read; one that stands for a date and all that follow is none of them."""
    line = event.get("RECURRENCE-ID")
    if line is None or line.parameters.get("RANGE"):
        return None
    try:
        return parse_moment(line, zones)
    except Unreadable:
        return None


def _name_entry(entry: Entry, master: Entry | None) -> str:
    return _name(entry.uid, entry.instance, (master or entry).starts.clock)


def _name(uid: str, instance: Moment | None, clock: Clock) -> str:
    """A date of a series by its UID and when, by the series' clock, it was to be: <UID>/20260811T090000."""
    if instance is None:
        return uid
    local = instance.on(clock)
    return f"{uid}/{local:%Y%m%d}" if instance.is_date else f"{uid}/{local:%Y%m%dT%H%M%S}"


def _make_record(
    entry: Entry, master: Entry | None, instances: list[Moment], *, zones: Zones, vocabulary: Vocabulary
) -> dict[str, Any]:
    members = list_members(entry.event, vocabulary)
    if entry.instance is not None and master is not None:
        inherited = list_members(master.event, vocabulary)
        members = {name: inherited[name] for name in INHERITED if name in inherited} | members
    shown = entry.starts.clock if entry.starts.clock.zone else zones.metro
    times = _list_times(entry, shown, zones)
    if entry.instance is None:
        try:
            times |= list_series(entry.event, entry.starts, instances, shown=shown, zones=zones)
        except OverflowError as error:
            raise Unreadable("out_of_range: a date of the series is past the year 9999") from error
    return {"type": "event", "source_id": _name_entry(entry, master)} | members | times


def _list_times(entry: Entry, shown: Clock, zones: Zones) -> dict[str, Any]:
    """The start and the end by the clock `shown`; of whole days the end is the midnight after the last."""
    starts = entry.starts
    times: dict[str, Any] = {"timezone": shown.zone}
    zone = None if starts.clock.zone or _recurs(entry.event) else find_fold_zone(starts, shown)
    if zone is not None and (fixed := zones.find(zone, year=starts.local.year)):
        shown, times["timezone"] = fixed, zone
    local = starts.on(shown)
    if starts.is_date:
        times |= {"date_on": local.date().isoformat(), "all_day": True}
    else:
        times["starts_local"] = local.isoformat()
    ends = _find_end(entry, zones)
    if ends is not None and not (starts.is_date and ends.on(shown) <= local):
        times["ends_local"] = ends.on(shown).isoformat()
    return times


def _recurs(event: Component) -> bool:
    return event.get("RRULE") is not None or event.get("RDATE") is not None


def _find_end(entry: Entry, zones: Zones) -> Moment | None:
    """DTEND, or the start and DURATION; a day without either lasts to the next midnight, a time has no end."""
    starts = entry.starts
    try:
        if line := entry.event.get("DTEND"):
            ends = parse_moment(line, zones)
            return ends._replace(is_date=True) if starts.is_date else ends
        if line := entry.event.get("DURATION"):
            return add_duration(starts, parse_duration(line))
        return add_duration(starts, _WHOLE_DAY) if starts.is_date else None
    except OverflowError as error:
        raise Unreadable("out_of_range: the end is past the year 9999", entry.event.get("DURATION")) from error


def _says(event: Component, name: str, word: str) -> bool:
    line = event.get(name)
    return line is not None and line.value.strip().upper() == word


def _refuse(event: Component, unreadable: Unreadable, *, source_id: str | None = None) -> RawRecord:
    uid = event.get("UID")
    name = source_id or (" ".join(uid.value.split()) if uid else None)
    return RawRecord(event.line, unreadable.value, str(unreadable), name)
