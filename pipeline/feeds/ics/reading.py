"""A calendar's VEVENTs → raw records, in their order: one each, and one reason for each that can't be read."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from pipeline.feeds.ics.entry import (
    CalendarEntry,
    find_end,
    find_instance,
    make_entry,
    name_event,
    name_instance,
    note_dropped_time,
)
from pipeline.feeds.ics.group import EventGroup, group_entries, is_stray, is_superseded, order_versions
from pipeline.feeds.ics.lines import Component, parse_calendar
from pipeline.feeds.ics.members import INHERITED, list_members
from pipeline.feeds.ics.segments import list_after, list_before
from pipeline.feeds.ics.series import Members, list_series, place_recurrence, read_recurrence
from pipeline.feeds.ics.times import CalendarMoment, UnreadableEvent, find_fold_zone
from pipeline.feeds.ics.zones import Clock, Zones
from pipeline.feeds.raw import Note, RawRecord
from pipeline.records.cleaning import explain_fault


class _CalendarContext(Struct, frozen=True, kw_only=True):
    zones: Zones
    vocabulary: Vocabulary
    removal: dict[str, str]
    is_named: bool


def read_calendar(
    content: bytes, *, timezone: str, vocabulary: Vocabulary, lines_before: int = 0, is_named: bool = False
) -> list[RawRecord]:
    """Lines are numbered from `lines_before` + 1. `is_named`: what has no SUMMARY is named by others.

    ValueError for a file that is no calendar, or half of one.
    """
    calendar = parse_calendar(content)
    zones = Zones(timezone, calendar.zones, calendar=calendar.zone_name)
    entries: list[CalendarEntry] = []
    refused: list[tuple[Component, UnreadableEvent]] = []
    unread = defaultdict[str, list[CalendarMoment]](list)
    for event in calendar.events:
        try:
            entries.append(make_entry(event, zones))
        except Exception as error:  # noqa: BLE001 - whatever it is, the other VEVENTs are read
            refused.append((event, _explain(error)))
            # It takes its date from the series: its own last good version stays.
            if (instance := find_instance(event, zones)) is not None:
                unread[name_event(event)].append(instance)
    groups = group_entries(entries, unread, zones)
    records = [_refuse_unread(event, unreadable, groups=groups, zones=zones) for event, unreadable in refused]
    removal = {"status": "archived", "reason": "cancelled"} if calendar.is_cancelled else {}
    setting = _CalendarContext(zones=zones, vocabulary=vocabulary, removal=removal, is_named=is_named)
    for group in groups.values():
        records += [_read_entry(entry, group, setting) for entry in group.entries]
    return [record._replace(line=record.line + lines_before) for record in order_versions(records, entries)]


def _read_entry(entry: CalendarEntry, group: EventGroup, setting: _CalendarContext) -> RawRecord:
    line, source_id = entry.event.line, group.name(entry)
    try:
        if is_superseded(entry, group.master, setting.zones):
            return RawRecord(line, None, is_superseded=True)
        value, notes = _make_record(entry, group, setting)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other VEVENTs are read
        return _refuse(entry.event, _explain(error), source_id=source_id)
    return RawRecord(line, value, source_id=source_id, notes=tuple(notes))


def _refuse_unread(
    event: Component, unreadable: UnreadableEvent, *, groups: Mapping[str, EventGroup], zones: Zones
) -> RawRecord:
    instance, group = find_instance(event, zones), groups.get(name_event(event))
    if instance is None:
        return _refuse(event, unreadable)
    clock = group.master.starts.clock if group and group.master else zones.metro
    return _refuse(event, unreadable, source_id=name_instance(name_event(event), instance, clock))


def _make_record(
    entry: CalendarEntry, group: EventGroup, setting: _CalendarContext
) -> tuple[dict[str, Any], list[Note]]:
    members, master = list_members(entry.event, setting.vocabulary), group.master
    if entry.instance is not None and master is not None:
        inherited = list_members(master.event, setting.vocabulary)
        members = {name: inherited[name] for name in INHERITED if name in inherited} | members
    if "name" not in members and not setting.is_named:
        raise UnreadableEvent("missing: expected SUMMARY")
    try:
        shown, series, notes = _list_series(entry, group, setting.zones)
    except OverflowError as error:
        raise UnreadableEvent("out_of_range: a date of the series is past the year 9999") from error
    times, more = _list_times(entry, shown, setting.zones)
    named = {"type": "event", "source_id": group.name(entry)}
    return named | members | times | series | setting.removal, notes + more


def _list_series(entry: CalendarEntry, group: EventGroup, zones: Zones) -> tuple[Clock, Members, list[Note]]:
    """Its clock as a record shows it, and what it says of other dates than its first."""
    stray = is_stray(entry, group.master)
    if entry.instance is None or stray:
        recurrence, notes = read_recurrence(entry.event, entry.starts, group.changed, zones)
        if stray:
            reason = "assumed: RECURRENCE-ID beside a rule, where its series is missing, is no date of one"
            notes.append(Note("rrule", reason, f"RECURRENCE-ID:{entry.event.get_value('RECURRENCE-ID')}"))
        elif group.splits and recurrence.texts:
            placed, assumed = place_recurrence(recurrence, zones)
            members, cut = list_before(placed, group.splits)
            return placed.shown, members, [*notes, *assumed, *cut]
        shown, members, more = list_series(recurrence, zones)
        return shown, members, notes + more
    if entry.splits and group.master is not None:
        whole, _ = read_recurrence(group.master.event, group.master.starts, group.changed, zones)
        if whole.texts:
            placed, _ = place_recurrence(whole, zones)
            own, notes = read_recurrence(entry.event, entry.starts, (), zones)
            members, more = list_after(placed, entry.instance, own, splits=group.splits, zones=zones)
            return placed.shown, members, notes + more
    return entry.starts.clock if entry.starts.clock.zone else zones.metro, {}, []


def _list_times(entry: CalendarEntry, shown: Clock, zones: Zones) -> tuple[dict[str, Any], list[Note]]:
    """Return the start and the end by the clock `shown`; of whole days the end is the midnight after the last."""
    starts = entry.starts
    times: dict[str, Any] = {"timezone": shown.zone}
    zone = None if starts.clock.zone or _recurs(entry) else find_fold_zone(starts, shown)
    if zone is not None and (fixed := zones.find(zone, year=starts.local.year)):
        shown, times["timezone"] = fixed, zone
    local = starts.on(shown)
    if starts.is_date:
        times |= {"date_on": local.date().isoformat(), "all_day": True}
    else:
        times["starts_local"] = local.isoformat()
    ends, notes = find_end(entry, zones)
    notes += note_dropped_time(entry)
    if ends is not None and not (starts.is_date and ends.on(shown) <= local):
        times["ends_local"] = ends.on(shown).isoformat()
    return times, notes


def _recurs(entry: CalendarEntry) -> bool:
    return entry.splits or entry.event.get("RRULE") is not None or entry.event.get("RDATE") is not None


def _refuse(event: Component, unreadable: UnreadableEvent, *, source_id: str | None = None) -> RawRecord:
    name = source_id or " ".join(event.get_value("UID").split()) or None
    return RawRecord(event.line, unreadable.value, str(unreadable), name)


def _explain(error: Exception) -> UnreadableEvent:
    return error if isinstance(error, UnreadableEvent) else UnreadableEvent(explain_fault(error))
