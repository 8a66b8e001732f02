"""Show values of a file beside what a draft reads in them, and listings as readers will see them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import msgspec

from pipeline.drafts.columns import Column
from pipeline.fetch.table.mapping import list_used
from pipeline.records.record import ListingRecord, Record

_SHOWN = 3
# The same words as another member of the same column.
_COPIES = ("ages.text", "price.note", "price.currency", "location.street_address", "keywords", "source_id")


def list_members(rules: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the members that each column becomes."""
    members: dict[str, list[str]] = {}
    for member, rule in rules.items():
        for path in list_used({member: rule}):
            for own in {path, path.replace("[0].", "[].")}:  # the first entry is of the list
                members.setdefault(own, []).append(member)
    return members


def show_values(
    columns: Sequence[Column], rules: Mapping[str, Any], read: Mapping[int, Record]
) -> dict[str, Sequence[tuple[str, str]]]:
    """Return, for each column that becomes something, values as they were and as they are read. `read`: the record of
    each row."""
    members = list_members(rules)
    return {
        column.path: [*_show_values(column, members[column.path], read)] for column in columns if column.path in members
    }


def _show_values(column: Column, members: Sequence[str], read: Mapping[int, Record]) -> Iterator[tuple[str, str]]:
    own = [member for member in members if member not in _COPIES] or members
    seen = set[str]()
    for row, value in enumerate(column.values):
        if value and value not in seen and row in read and len(seen) < _SHOWN:
            seen.add(value)
            stated = [text for member in own if (text := _find(read[row], member))]
            yield value, ", ".join(dict.fromkeys(stated))


def _find(record: Record, member: str) -> str:
    value: Any = record
    # A day without a time has a member of its own.
    steps = ["date_on"] if member == "starts_local" and getattr(record, "starts_local", None) is None else []
    for step in steps or member.split("."):
        value = value[0] if isinstance(value, tuple) and value else value
        value = getattr(value, step, None)
    return _write(value)


def _write(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, tuple):
        return ", ".join(map(_write, value))
    if isinstance(value, float):
        return f"{value:.10g}"
    if value is None or isinstance(value, (bool, int, str, date)):
        return "" if value is None else str(value)
    return msgspec.json.encode(value).decode()


def describe_listing(record: ListingRecord) -> list[str]:
    """Return a listing as lines: its name; when, for whom and for how much; where; its page."""
    location, place, ages = record.location, getattr(record, "place", None), record.ages
    where = (location and (location.address or location.street_address)) or (place and place.name) or ""
    if not where and location and location.lat is not None:
        where = f"{location.lat:g}, {location.lng:g}"
    facts = [record.type, *_tell_times(record), *_tell_span("ages", ages.min, ages.max), *_tell_price(record)]
    return [record.name, " · ".join(facts), *filter(None, (where, record.source.url))]


def _tell_times(record: Any) -> Iterator[str]:
    session = next(iter(getattr(record, "sessions", ())), None)
    term, schedule = getattr(record, "term", session), getattr(record, "schedule", session)
    if record.type == "event":
        start, end = record.starts_local or record.date_on, record.ends_local
        same = isinstance(start, datetime) and isinstance(end, datetime) and start.date() == end.date()
        yield f"{start:%a} {_write(start)}" if start else "no date"
        yield from [f"to {end:%H:%M}" if same else f"to {_write(end)}"] if end else []
        more = len({*record.rdates} - {start})
        yield from [f"{more} more {'date' if more == 1 else 'dates'}"] if more else []
    if term is not None and term.starts_on:
        yield f"{term.starts_on} to {term.ends_on}" if term.ends_on else str(term.starts_on)
    if schedule is not None and (schedule.days or schedule.start_time):
        hours = "–".join(_write(clock)[:5] for clock in (schedule.start_time, schedule.end_time) if clock)
        yield " ".join(filter(None, [", ".join(str(day)[:3].title() for day in schedule.days), hours]))


def _tell_span(name: str, least: Any, most: Any) -> Iterator[str]:
    if least is not None and most is not None:
        yield f"{name} {least:g}" if least == most else f"{name} {least:g}–{most:g}"
    elif least is not None or most is not None:
        yield f"{name} {least:g}+" if least is not None else f"{name} up to {most:g}"


def _tell_price(record: Any) -> Iterator[str]:
    price = getattr(record, "price", None)
    if price is not None and (price.type == "free" or (price.min == 0 and not price.max)):
        yield "free"
    elif price is not None:
        yield from _tell_span(price.currency or "price", price.min, price.max)
