"""One event's document → its VEVENTs: one, or one a date where no rule says them."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct

from outings.answers.ical.lines import encode_lines, escape_text
from outings.answers.snapshot.series import Series
from outings.contract.instants import read_local

_DAY = timedelta(days=1)
# How an entry begins and ends. No line of a text begins so: where one goes on it begins with a space.
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
    stamps, texts = encode_lines(_write_stamps(event)), encode_lines(_write_texts(event))
    dates = (
        (b"%b%b\r\n" % (_BEGIN, uid.encode()), stamps, encode_lines(_write_times(event, *times)), recurrence, texts)
        for uid, times, recurrence in _list_entries(event, series=series, row=row)
    )
    return Entry(data=b"".join(chain.from_iterable(dates)), zone=event["timezone"] if event["has_time"] else None)


def _list_entries(event: Mapping[str, Any], *, series: Series, row: int) -> Iterator[tuple[str, _Times, bytes]]:
    """Yield UID, times and the lines of the recurrence: once for a rule or a single event, else for each date."""
    recurrence = series.read_recurrence(row) if event["is_recurring"] else ""
    if recurrence is not None:
        ends_local = event["ends_local"]
        starts = datetime.fromisoformat(event["starts_local"])
        yield event["id"], (starts, ends_local and datetime.fromisoformat(ends_local)), recurrence.encode()
        return
    for moment in series.list_moments(row):
        starts = read_local(moment.starts_local)
        ends = None if moment.ends_local is None else read_local(moment.ends_local)
        yield f"{event['id']}_{starts:%Y%m%dT%H%M%S}", (starts, ends), b""


def split_entries(calendar: bytes) -> dict[str, bytes]:
    """Of a calendar of whole events, each event's VEVENTs by its id."""
    entries: dict[str, bytes] = {}
    for part in calendar.split(b"\r\n" + _BEGIN)[1:]:
        data = part.partition(b"\r\n" + _END)[0]
        event_id = data[: data.index(b"\r\n")].partition(b"_")[0].decode()
        entries[event_id] = b"%b%b%b\r\n%b\r\n" % (entries.get(event_id, b""), _BEGIN, data, _END)
    return entries


def _write_stamps(event: Mapping[str, Any]) -> Iterator[str]:
    stamp = _format_instant(event["updated_at"])
    # Not when this was written, which would make another file of the same events each time.
    yield f"DTSTAMP:{stamp}"
    yield f"LAST-MODIFIED:{stamp}"
    if event["created_at"] is not None:
        yield f"CREATED:{_format_instant(event['created_at'])}"


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
    yield "END:VEVENT"
