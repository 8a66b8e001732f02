"""All that a file says by one UID: a series, its changed dates, and older versions of either."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

import msgspec
from msgspec import Struct

from outings.contract.instants import DAY, count_seconds
from pipeline.feeds.ics.entry import CalendarEntry, find_end, name_instance
from pipeline.feeds.ics.pattern import list_unmet
from pipeline.feeds.ics.series import read_recurrence
from pipeline.feeds.ics.times import CalendarMoment, list_periods, take_written_day
from pipeline.feeds.ics.zones import Zones
from pipeline.feeds.raw import RawRecord

_OF_SERIES = ("RRULE", "EXRULE", "RDATE", "EXDATE", "DTEND", "DURATION")


class EventGroup(Struct, frozen=True, kw_only=True):
    """`master`: the series' own VEVENT, its newest. `changed`: the dates that others stand for; `splits`: those from
    which on one says another thing, in order. `entries`: each with the date that it stands for as the series has it.
    `moved`: the names of those that stand for one date.
    """

    master: CalendarEntry | None
    changed: tuple[CalendarMoment, ...]
    splits: tuple[CalendarMoment, ...]
    entries: tuple[CalendarEntry, ...]
    moved: frozenset[str]

    def name(self, entry: CalendarEntry) -> str:
        """Return its source id. What changes a date and all that follow has another where one changes that date by
        itself: neither is a version of the other."""
        name = _name_date(entry, self.master)
        return f"{name}/later" if entry.splits and name in self.moved else name


def group_entries(
    entries: Sequence[CalendarEntry], unread: Mapping[str, Sequence[CalendarMoment]], zones: Zones
) -> dict[str, EventGroup]:
    """By UID. `unread`: dates that VEVENTs stand for which say nothing else that can be read."""
    by_uid = defaultdict[str, list[CalendarEntry]](list)
    for entry in entries:
        by_uid[entry.uid].append(entry)
    return {uid: _make_group(own, unread.get(uid, ()), zones) for uid, own in by_uid.items()}


def is_superseded(entry: CalendarEntry, master: CalendarEntry | None, zones: Zones) -> bool:
    """Whether a newer version of the series leaves out the date that this one changes, or a later edition of it has no
    such date at all."""
    if entry.instance is None or master is None or not master.is_newer(entry):
        return False
    recurrence, _ = read_recurrence(master.event, master.starts, (), zones)
    at = count_seconds(entry.instance.on(master.starts.clock))
    excluded = recurrence.pattern.excluded
    if at in excluded or at - at % DAY in excluded:
        return True
    return master.sequence > entry.sequence and bool(recurrence.texts and list_unmet(recurrence.pattern, [at]))


def is_stray(entry: CalendarEntry, master: CalendarEntry | None) -> bool:
    """Return whether it is a series by itself, as Connect Daily writes one, though it says that it is a date of one."""
    return master is None and entry.instance is not None and entry.event.get("RRULE") is not None


def order_versions(records: list[RawRecord], entries: Iterable[CalendarEntry]) -> list[RawRecord]:
    """By line; of the versions of one event the highest SEQUENCE last, which is the one that stays."""
    sequences = {entry.event.line: entry.sequence for entry in entries}
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


def _make_group(entries: Sequence[CalendarEntry], unread: Sequence[CalendarMoment], zones: Zones) -> EventGroup:
    masters = sorted((entry for entry in entries if entry.instance is None), key=lambda entry: entry.sequence)
    master = masters[-1] if masters else None
    aligned = [
        entry if entry.instance is None else
        msgspec.structs.replace(entry, instance=_settle(entry.instance, master, zones))
        for entry in entries
    ]  # fmt: skip
    live = [entry for entry in aligned if entry.instance is not None]
    moved = {_name_date(entry, master) for entry in live if not entry.splits}
    if master is not None:
        periods = [each for each in _list_periods(master, zones) if _name_date(each, master) not in moved]
        aligned, live = [*aligned, *periods], [*live, *periods]
    dates = (entry for entry in live if not entry.splits and not is_stray(entry, master))
    changed = [entry.instance for entry in dates if entry.instance]
    changed += [_settle(moment, master, zones) for moment in unread]
    splits = (entry.instance for entry in live if entry.splits and not is_superseded(entry, master, zones))
    return EventGroup(
        master=master, changed=tuple(changed), splits=tuple(filter(None, splits)), entries=tuple(aligned),
        moved=frozenset(moved),
    )  # fmt: skip


def _name_date(entry: CalendarEntry, master: CalendarEntry | None) -> str:
    return name_instance(entry.uid, entry.instance, (master or entry).starts.clock)


def _list_periods(master: CalendarEntry, zones: Zones) -> Iterator[CalendarEntry]:
    """Yield the dates that RDATE gives another length than the series has, as if each were changed: a record has one
    length."""
    own, _ = find_end(master, zones)
    length = None if own is None else own.on(master.starts.clock) - master.starts.local
    lines = tuple(line for line in master.event.lines if line.name not in _OF_SERIES)
    event = msgspec.structs.replace(master.event, lines=lines)
    for starts, ends in list_periods(master.event, zones, clock=master.starts.clock):
        if timedelta() < ends.on(starts.clock) - starts.local != length:
            yield CalendarEntry(master.uid, starts, event, starts, splits=False, ends=ends)


def _settle(moment: CalendarMoment, master: CalendarEntry | None, zones: Zones) -> CalendarMoment:
    """In a series of days a date is compared as it is written."""
    return take_written_day(moment, zones) if master is not None and master.starts.is_date else moment
