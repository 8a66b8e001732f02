"""Read a calendar: one raw record, or the reason for none, for each VEVENT in file order."""

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from pipeline.dates.series import find_excluded
from pipeline.dates.zones import find_fold_zone
from pipeline.fetch.formats import FeedSetting, Note, RawRecord, sort_words
from pipeline.fetch.ics.lines import Calendar, Component, Line, split_texts, unescape
from pipeline.fetch.ics.series import (
    Members,
    list_after,
    list_before,
    list_series,
    list_unmet,
    place_recurrence,
    read_recurrence,
)
from pipeline.fetch.ics.times import (
    CalendarEntry,
    CalendarMoment,
    Clock,
    UnreadableEvent,
    Zones,
    find_end,
    find_instance,
    list_periods,
    make_entry,
    name_event,
    name_instance,
    note_contradictions,
    take_written_day,
)
from pipeline.fetch.keep_and_drop import find_refusal
from pipeline.records.record import explain_fault

_OF_SERIES = ("RRULE", "EXRULE", "RDATE", "EXDATE", "DTEND", "DURATION")
# Properties of the VEVENT itself: a changed date takes none of them from its series.
_OWN = frozenset(
    {
        "UID", "SEQUENCE", "DTSTAMP", "CREATED", "LAST-MODIFIED", "DTSTART", "RECURRENCE-ID",
        "X-MICROSOFT-CDO-ALLDAYEVENT",
    }
).union(_OF_SERIES)  # fmt: skip
# Properties that say one thing together: a changed date that states one of them takes none of them.
_TOGETHER = {
    "GEO": "LOCATION", "X-APPLE-STRUCTURED-LOCATION": "LOCATION", "X-ALT-DESC": "DESCRIPTION", "ATTACH": "IMAGE",
}  # fmt: skip

_GEO = re.compile(r"(?:geo:)?\s*([+-]?\d+(?:\.\d+)?)\s*[;,]\s*([+-]?\d+(?:\.\d+)?)\s*", re.IGNORECASE)
_IMAGE = re.compile(r"\.(jpe?g|png|gif|webp|avif)$", re.IGNORECASE)
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?", re.ASCII)
# Any other CLASS is read as PRIVATE, as RFC 5545 says, such as Outlook's X-PERSONAL.
_SHOWN = ("", "PUBLIC", "DEFAULT")


def list_members(event: Component, vocabulary: Vocabulary) -> tuple[dict[str, Any], list[Note]]:
    """Return a VEVENT's members except its times, unchecked, and notes."""
    location, notes = _find_location(event)
    members: dict[str, Any] = {
        "name": _get_text(event, "SUMMARY"),
        "description": _get_text(event, "DESCRIPTION") or _get_text(event, "X-ALT-DESC"),
        "location": location,
        "source": {"url": url} if (url := _get_text(event, "URL")) else None,
        "image_url": _find_image(event),
        "created_at": _find_instant(event, "CREATED"),
        "verified_at": _find_instant(event, "LAST-MODIFIED"),
    }
    words = [word for line in event.get_all("CATEGORIES") for word in split_texts(line.value)]
    members |= sort_words(words, vocabulary)
    members |= _find_status(event)
    return {name: value for name, value in members.items() if value}, notes


def _get_text(event: Component, name: str) -> str | None:
    line = event.get(name)
    return unescape(line.value).strip() if line else None


def _find_status(event: Component) -> dict[str, str]:
    """Return `status`: draft for an event marked as private, archived for a cancelled one; else nothing."""
    if (_get_text(event, "CLASS") or "").upper() not in _SHOWN:
        return {"status": "draft"}
    is_cancelled = (_get_text(event, "STATUS") or "").upper() in ("CANCELLED", "CANCELED")
    return {"status": "archived", "reason": "cancelled"} if is_cancelled else {}


def _find_location(event: Component) -> tuple[dict[str, Any], list[Note]]:
    """Return `address`, `lat` and `lng` from LOCATION and GEO, and notes. Apple's structured location fills gaps."""
    apple = event.get("X-APPLE-STRUCTURED-LOCATION")
    address = _get_text(event, "LOCATION") or _read_apple(apple)
    point, notes = _read_point(event.get_value("GEO"))
    if point is None:
        point, _ = _read_point(event.get_value("X-APPLE-STRUCTURED-LOCATION"))
    return ({"address": " ".join(address.split())} if address else {}) | (point or {}), notes


def _read_apple(line: Line | None) -> str | None:
    parts = [line.parameters.get(name) for name in ("X-TITLE", "X-ADDRESS")] if line else []
    return ", ".join(unescape(part).replace("\n", ", ") for part in parts if part) or None


def _read_point(text: str) -> tuple[dict[str, float] | None, list[Note]]:
    """Parse `lat;lng` or a `geo:` URI, and return notes. The point is None for 0, 0, which means "not known"."""
    match, value = _GEO.fullmatch(text.replace("\\", "")), f"GEO:{text}"
    lat, lng = (float(match[1]), float(match[2])) if match else (math.inf, math.inf)
    if not text or lat == lng == 0:
        return None, []
    if abs(lat) <= 90 and abs(lng) <= 180:
        return {"lat": lat, "lng": lng}, []
    if abs(lng) <= 90 and abs(lat) <= 180:
        reason = "assumed: GEO names the longitude first, since it can't be a latitude"
        return {"lat": lng, "lng": lat}, [Note("location", reason, value)]
    return None, [Note("location", "wrong_type: GEO is not a latitude and a longitude such as 47.6;-122.3", value)]


def _find_image(event: Component) -> str | None:
    """Return the address of IMAGE (RFC 7986), or of the first attached picture."""
    for line in (*event.get_all("IMAGE"), *event.get_all("ATTACH")):
        url = line.value.strip()
        kind = line.parameters.get("FMTTYPE", "")
        is_image = line.name == "IMAGE" or kind.lower().startswith("image/") or bool(_IMAGE.search(url))
        if is_image and url.startswith(("http://", "https://")):
            return url
    return None


def _find_instant(event: Component, name: str) -> str | None:
    """Return an instant as records write it, in UTC; None before 1900: Google writes the year 0 for "not known"."""
    match = _STAMP.fullmatch(_get_text(event, name) or "")
    if match is None or int(match[1]) < 1900:
        return None
    return f"{match[1]}-{match[2]}-{match[3]}T{match[4]}:{match[5]}:{match[6]}Z"


class _EventGroup(Struct, frozen=True, kw_only=True):
    """The VEVENTs of one UID: a single event, or a series with its changed dates.

    `master`: the newest VEVENT of the series itself. `entries`: all VEVENTs. `changed`: original dates that another
    VEVENT replaces. `splits`: dates from which on another VEVENT changes the series. `moved`: source ids of dates
    that a VEVENT changes alone.
    """

    master: CalendarEntry | None
    changed: tuple[CalendarMoment, ...]
    splits: tuple[CalendarMoment, ...]
    entries: tuple[CalendarEntry, ...]
    moved: frozenset[str]

    def name(self, entry: CalendarEntry) -> str:
        """Return the source id of an entry. It ends in `/later` if the entry changes a date and all that follow, and
        another entry changes that date alone."""
        name = _name_date(entry, self.master)
        return f"{name}/later" if entry.splits and name in self.moved else name


def _is_superseded(entry: CalendarEntry, master: CalendarEntry | None, zones: Zones) -> bool:
    """Return True if this entry changes a date that a newer version of its series excludes or no longer has."""
    if entry.instance is None or master is None or not master.is_newer(entry):
        return False
    recurrence, _ = read_recurrence(master.event, master.starts, (), zones)
    at = recurrence.place([entry.instance])
    if find_excluded(at, recurrence.gone).any():
        return True
    return master.sequence > entry.sequence and bool(recurrence.texts and list_unmet(recurrence, at).size)


def _is_stray(entry: CalendarEntry, master: CalendarEntry | None) -> bool:
    """Return True for an entry with RECURRENCE-ID and RRULE but without its series: Connect Daily writes series so."""
    return master is None and entry.instance is not None and entry.event.get("RRULE") is not None


def _order_versions(records: list[RawRecord], entries: Iterable[CalendarEntry]) -> list[RawRecord]:
    """Sort by line, but versions of one event from the oldest on: later stages take the last."""
    order = {entry.event.line: entry.version for entry in entries}
    records.sort(key=lambda record: record.line)
    places = defaultdict[object, list[int]](list)
    for place, record in enumerate(records):
        if record.reason is None and isinstance(record.value, dict):
            places[record.value["source_id"]].append(place)
    for taken in places.values():
        if len(taken) > 1:
            versions = sorted((records[place] for place in taken), key=lambda record: order[record.line])
            for place, version in zip(taken, versions, strict=True):
                records[place] = version
    return records


def _list_others(entries: list[CalendarEntry]) -> Iterator[CalendarEntry]:
    """Take single events out of those of a UID which are no versions of the first, since none is newer and their start
    or name is another. Yield them with the source id <UID>/<hash of both>."""
    newest = max(entry.version for entry in entries)
    if len(entries) == 1 or any(entry.instance is not None or entry.recurs for entry in entries):
        return
    own = [(entry, _identify(entry.event)) for entry in entries if entry.version == newest]
    others = {entry.event.line: identity for entry, identity in own if identity != own[0][1]}
    taken = [entry for entry in entries if entry.event.line in others]
    entries[:] = [entry for entry in entries if entry.event.line not in others]
    for entry in taken:
        yield msgspec.structs.replace(entry, uid=f"{entry.uid}/{others[entry.event.line]}")


def _identify(event: Component) -> str:
    text = f"{event.get_value('DTSTART')}\n{_get_text(event, 'SUMMARY')}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _inherit(event: Component, series: Component) -> Component:
    """Return a changed date's VEVENT with what it does not state and its series does, its times aside."""
    stated = {_TOGETHER.get(line.name, line.name) for line in event.lines if line.value.strip()} | _OWN
    lines = (line for line in series.lines if _TOGETHER.get(line.name, line.name) not in stated)
    return msgspec.structs.replace(event, lines=(*event.lines, *lines))


def _make_group(
    entries: Sequence[CalendarEntry], unread: Sequence[CalendarMoment], refused: Component | None, zones: Zones
) -> _EventGroup:
    """Group the entries of one UID. `unread`: dates that unreadable VEVENTs replace; `refused`: the series, if it can't
    be read itself."""
    masters = sorted((entry for entry in entries if entry.instance is None), key=lambda entry: entry.version)
    master = masters[-1] if masters else None
    series = master.event if master else refused
    aligned = [
        entry if entry.instance is None else
        msgspec.structs.replace(
            entry, instance=_settle(entry.instance, master, zones),
            event=entry.event if series is None else _inherit(entry.event, series),
        )
        for entry in entries
    ]  # fmt: skip
    live = [entry for entry in aligned if entry.instance is not None]
    moved = {_name_date(entry, master) for entry in live if not entry.splits}
    if master is not None:
        periods = [period for period in _list_periods(master, zones) if _name_date(period, master) not in moved]
        aligned, live = [*aligned, *periods], [*live, *periods]
    dates = (entry for entry in live if not entry.splits and not _is_stray(entry, master))
    changed = [entry.instance for entry in dates if entry.instance]
    changed += [_settle(moment, master, zones) for moment in unread]
    splits = (entry.instance for entry in live if entry.splits and not _is_superseded(entry, master, zones))
    return _EventGroup(
        master=master, changed=tuple(changed), splits=tuple(filter(None, splits)), entries=tuple(aligned),
        moved=frozenset(moved),
    )  # fmt: skip


def _name_date(entry: CalendarEntry, master: CalendarEntry | None) -> str:
    return name_instance(entry.uid, entry.instance, (master or entry).starts.clock)


def _list_periods(master: CalendarEntry, zones: Zones) -> Iterator[CalendarEntry]:
    """Yield a changed date for each RDATE period that is not as long as the series: a record has one length."""
    own, _ = find_end(master, zones)
    length = None if own is None else own.on(master.starts.clock) - master.starts.local
    lines = tuple(line for line in master.event.lines if line.name not in _OF_SERIES)
    event = msgspec.structs.replace(master.event, lines=lines)
    for starts, ends in list_periods(master.event, "RDATE", zones, clock=master.starts.clock)[0]:
        if ends and not starts.is_date and timedelta() < ends.on(starts.clock) - starts.local != length:
            yield CalendarEntry(master.uid, starts, event, starts, splits=False, ends=ends)


def _settle(moment: CalendarMoment, master: CalendarEntry | None, zones: Zones) -> CalendarMoment:
    """Return the moment, or its day if the series consists of whole days."""
    return take_written_day(moment, zones) if master is not None and master.starts.is_date else moment


class _CalendarContext(Struct, frozen=True, kw_only=True):
    setting: FeedSetting
    zones: Zones
    removal: dict[str, str]


def read_calendar(content: bytes, setting: FeedSetting) -> list[RawRecord]:
    """Read a calendar. Raises ValueError for a file that is no calendar, or half of one."""
    calendar = Calendar(content)
    zones = Zones(setting.timezone, calendar.zones, calendar=calendar.zone_name)
    by_uid = defaultdict[str, list[CalendarEntry]](list)
    refused: list[tuple[Component, UnreadableEvent, CalendarMoment | None]] = []
    unread = defaultdict[str, list[CalendarMoment]](list)
    for event in calendar.events:
        try:
            entry = make_entry(event, zones)
            by_uid[entry.uid].append(entry)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other VEVENTs are read
            instance = find_instance(event, zones)
            refused.append((event, _explain(error), instance))
            # The series still leaves this date out, since the last good version of the date stays.
            if instance is not None:
                unread[name_event(event)].append(instance)
    series = {name_event(event): event for event, _, _ in refused if event.get("RECURRENCE-ID") is None}
    for entry in [entry for own in by_uid.values() for entry in _list_others(own)]:
        by_uid[entry.uid].append(entry)
    groups = {uid: _make_group(own, unread.get(uid, ()), series.get(uid), zones) for uid, own in by_uid.items()}
    records = []
    for event, unreadable, instance in refused:
        group = groups.get(uid := name_event(event))
        clock = group.master.starts.clock if group and group.master else zones.metro
        name = None if instance is None else name_instance(uid, instance, clock)
        records.append(_refuse(event, unreadable, source_id=name))
    removal = {"status": "archived", "reason": "cancelled"} if calendar.is_cancelled else {}
    context = _CalendarContext(setting=setting, zones=zones, removal=removal)
    for group in groups.values():
        records += [_read_entry(entry, group, context) for entry in group.entries]
    return _order_versions(records, [entry for own in by_uid.values() for entry in own])


def _read_entry(entry: CalendarEntry, group: _EventGroup, context: _CalendarContext) -> RawRecord:
    line, source_id = entry.event.line, group.name(entry)
    try:
        if _is_superseded(entry, group.master, context.zones):
            return RawRecord(line, None, is_superseded=True)
        if reason := find_refusal(context.setting.feed, partial(_list_texts, entry.event)):
            return RawRecord(line, None, passed_over=reason)
        value, notes = _make_record(entry, group, context)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other VEVENTs are read
        return _refuse(entry.event, _explain(error), source_id=source_id)
    return RawRecord(line, value, source_id=source_id, notes=tuple(notes))


def _list_texts(event: Component, column: str) -> list[str]:
    """List the texts of a property."""
    name = {"CATEGORY": "CATEGORIES", "NAME": "SUMMARY", "TITLE": "SUMMARY"}.get(column.upper(), column.upper())
    return [
        text
        for line in event.get_all(name)
        for text in (split_texts(line.value) if name == "CATEGORIES" else [unescape(line.value)])
    ]


def _make_record(
    entry: CalendarEntry, group: _EventGroup, context: _CalendarContext
) -> tuple[dict[str, Any], list[Note]]:
    members, found = list_members(entry.event, context.setting.vocabulary)
    if "name" not in members and "name" not in context.setting.feed.defaults:
        raise UnreadableEvent("missing: expected SUMMARY")
    try:
        shown, series, notes = _list_series(entry, group, context.zones)
    except OverflowError as error:
        raise UnreadableEvent("out_of_range: a date of the series is past the year 9999") from error
    times, more = _list_times(entry, shown, context.zones)
    named = {"type": "event", "source_id": group.name(entry)}
    removal = {} if "status" in members else context.removal
    return named | members | times | series | removal, [*_note_assumed(entry), *found, *notes, *more]


def _note_assumed(entry: CalendarEntry) -> Iterator[Note]:
    uid = name_event(entry.event)
    if entry.uid != uid:
        yield Note("source_id", "assumed: an event with the UID of another is no version of it", f"UID:{uid}")
    if not entry.event.is_closed:
        yield Note("source_id", "assumed: an event without END:VEVENT ends where the next one or the file does", uid)


def _list_series(entry: CalendarEntry, group: _EventGroup, zones: Zones) -> tuple[Clock, Members, list[Note]]:
    """Return the clock of the record's times, the members of its recurrence, and notes."""
    stray = _is_stray(entry, group.master)
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
    """Return start and end by the clock `shown`, and notes. Whole days end at the midnight after the last."""
    starts = entry.starts
    times: dict[str, Any] = {"timezone": shown.zone}
    zone = None
    if not (starts.is_date or starts.clock.zone or entry.splits or entry.recurs):
        zone = find_fold_zone(starts.local.replace(tzinfo=starts.clock.info).astimezone(shown.info))
    if zone is not None and (fixed := zones.find(zone)):
        shown, times["timezone"] = fixed, zone
    local = starts.on(shown)
    if starts.is_date:
        times |= {"date_on": local.date().isoformat(), "all_day": True}
    else:
        times["starts_local"] = local.isoformat()
    ends, notes = find_end(entry, zones)
    notes += note_contradictions(entry)
    if ends is not None and not (starts.is_date and ends.on(shown) <= local):
        times["ends_local"] = ends.on(shown).isoformat()
    return times, notes


def _refuse(event: Component, unreadable: UnreadableEvent, *, source_id: str | None = None) -> RawRecord:
    name = source_id or " ".join(event.get_value("UID").split()) or None
    return RawRecord(event.line, unreadable.value, str(unreadable), name)


def _explain(error: Exception) -> UnreadableEvent:
    return error if isinstance(error, UnreadableEvent) else UnreadableEvent(explain_fault(error))
