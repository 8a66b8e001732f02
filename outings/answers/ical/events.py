"""One event's document → its VEVENTs: one, or one a date where no rule says them."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from outings.answers.ical.lines import encode_lines, escape_text
from outings.answers.ical.recurrence import Recurrence, SeriesFacts, find_recurrence, list_excluded
from outings.answers.snapshot.series import Moment, Series
from outings.contract.instants import read_local

_DAY = timedelta(days=1)
# How `_write_event` begins and ends. No line of a text begins so: where one goes on it begins with a space.
_BEGIN, _END = b"BEGIN:VEVENT\r\nUID:", b"END:VEVENT"
_Times = tuple[datetime, datetime | None]


class Entry(Struct, frozen=True, kw_only=True):
    """`data`: VEVENTs; `zone`: the time zone that they name, if they do."""

    data: bytes
    zone: str | None = None


def render_event(document: bytes, *, series: Series, row: int) -> Entry:
    """Without data for an event without a date. Its UID is its id, that of a date of its own its occurrence's `key`."""
    event = msgspec.json.decode(document)
    if not event["has_date"]:
        return Entry(data=b"")
    return Entry(
        data=_encode_event(event, series=series, row=row), zone=event["timezone"] if event["has_time"] else None
    )


def _encode_event(event: Mapping[str, Any], *, series: Series, row: int) -> bytes:
    anchor = _read_times(event["starts_local"], event["ends_local"])
    if not event["is_recurring"]:
        return encode_lines(_write_event(event, event["id"], anchor))
    known = _read_known(event, anchor[0], series=series, row=row)
    if known.total == 0:
        return b""
    recurrence = find_recurrence(event["rrule"], known)
    if recurrence is not None:
        return encode_lines(_write_event(event, event["id"], anchor, recurrence=recurrence))
    if not known.moments:
        is_excluded = known.anchor in list_excluded(known)
        return b"" if is_excluded else encode_lines(_write_event(event, event["id"], anchor))
    return b"".join(encode_lines(_write_date(event, moment)) for moment in known.moments)


def _read_known(event: Mapping[str, Any], anchor: datetime, *, series: Series, row: int) -> SeriesFacts:
    excluded, added = series.list_exceptions(row)
    return SeriesFacts(
        anchor=anchor,
        zone=event["timezone"] if event["has_time"] else None,
        moments=series.list_moments(row),
        total=series.read_total(row),
        excluded=tuple(map(read_local, excluded)),
        added=tuple(map(read_local, added)),
    )


def split_entries(calendar: bytes) -> dict[str, bytes]:
    """Of a calendar of whole events, each event's VEVENTs by its id."""
    entries: dict[str, bytes] = {}
    for part in calendar.split(b"\r\n" + _BEGIN)[1:]:
        data = part.partition(b"\r\n" + _END)[0]
        event_id = data[: data.index(b"\r\n")].partition(b"_")[0].decode()
        entries[event_id] = b"%b%b%b\r\n%b\r\n" % (entries.get(event_id, b""), _BEGIN, data, _END)
    return entries


def _read_times(starts_local: str, ends_local: str | None) -> _Times:
    return datetime.fromisoformat(starts_local), None if ends_local is None else datetime.fromisoformat(ends_local)


def _write_date(event: Mapping[str, Any], moment: Moment) -> Iterator[str]:
    starts = read_local(moment.starts_local)
    ends = None if moment.ends_local is None else read_local(moment.ends_local)
    return _write_event(event, f"{event['id']}_{starts:%Y%m%dT%H%M%S}", (starts, ends))


def _write_event(
    event: Mapping[str, Any], uid: str, times: _Times, *, recurrence: Recurrence | None = None
) -> Iterator[str]:
    stamp = _format_instant(event["updated_at"])
    yield "BEGIN:VEVENT"
    yield f"UID:{uid}"
    # Not when this was written, which would make another file of the same events each time.
    yield f"DTSTAMP:{stamp}"
    yield f"LAST-MODIFIED:{stamp}"
    if event["created_at"] is not None:
        yield f"CREATED:{_format_instant(event['created_at'])}"
    yield from _write_times(event, *times)
    if recurrence is not None:
        yield f"RRULE:{recurrence.rule}"
        for name, dates in (("EXDATE", recurrence.excluded), ("RDATE", recurrence.added)):
            if dates:
                kind = _name_kind(event)
                yield f"{name}{kind}:{','.join(_format_time(each, event) for each in dates)}"
    yield from _write_texts(event)
    yield "END:VEVENT"


def _write_times(event: Mapping[str, Any], starts: datetime, ends: datetime | None) -> Iterator[str]:
    """An event without a clock time is of whole days; the end of one is the day after its last."""
    kind = _name_kind(event)
    yield f"DTSTART{kind}:{_format_time(starts, event)}"
    if ends is None:
        return
    if event["has_time"]:
        if ends > starts:
            yield f"DTEND{kind}:{_format_time(ends, event)}"
        return
    last = ends.date() - _DAY if ends.time() == datetime.min.time() and ends.date() > starts.date() else ends.date()
    yield f"DTEND{kind}:{max(last, starts.date()) + _DAY:%Y%m%d}"


def _name_kind(event: Mapping[str, Any]) -> str:
    return f";TZID={event['timezone']}" if event["has_time"] else ";VALUE=DATE"


def _format_time(local: datetime, event: Mapping[str, Any]) -> str:
    return f"{local:%Y%m%dT%H%M%S}" if event["has_time"] else f"{local:%Y%m%d}"


def _format_instant(text: str) -> str:
    return text.replace("-", "").replace(":", "")


def _write_texts(event: Mapping[str, Any]) -> Iterator[str]:
    location, place = event["location"], event["place"]
    where = [each for each in (place and place["name"], location["address"]) if each]
    texts = {"SUMMARY": event["name"], "DESCRIPTION": event["description"], "LOCATION": ", ".join(where)}
    for name, text in texts.items():
        if text:
            yield f"{name}:{escape_text(text)}"
    if location["lat"] is not None and location["lng"] is not None:
        yield f"GEO:{location['lat']};{location['lng']}"
    if event["categories"]:
        yield f"CATEGORIES:{','.join(map(escape_text, event['categories']))}"
    url = event["registration_url"] or event["ticket_url"]
    if url and url.isprintable():
        yield f"URL:{url}"
    yield "STATUS:CONFIRMED"
