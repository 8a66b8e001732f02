"""`/v1/{metro}/events.ics` and calendars in exports: iCalendar with events and their time zones."""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct

from outings.answers.cache import LruCache
from outings.answers.documents.occurrences import Series, open_series
from outings.answers.listings.lists import ListRequest, resolve_list, select_rows
from outings.answers.plan import AnswerContext, AnswerPlan
from outings.answers.snapshot.reader import open_snapshot
from outings.configuration.zones import list_changes, read_zone
from outings.contract.errors import ApiError, bad_request
from outings.contract.query import Query
from outings.contract.resources.sync import EXPORT_TYPES
from outings.contract.values import read_local
from outings.contract.vocabulary import TYPES
from outings.release.snapshot import Snapshot

# The changes of a zone's offset that a calendar lists are those from _FIRST to _LAST. The offset at _FIRST is stated
# from _LONG_AGO on, and a rule that still applies in the last year is written without an end.
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_LONG_AGO = datetime(1900, 1, 1)
_WEEK = 7
_SECOND, _DAY = timedelta(seconds=1), timedelta(days=1)
# Changes in fewer years than this are written as single dates, since a rule would fit by chance.
_FEWEST = 3
CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


class _Kind(Struct, frozen=True):
    """A kind of change of a zone's UTC offset, such as the start of summer time."""

    offset_before: timedelta
    offset: timedelta
    name: str
    is_daylight: bool


class _Days(Struct, frozen=True):
    """A day of each year: the `weekday` among the seven days of `month` from day `first` on; with -1, among its last
    seven."""

    month: int
    weekday: int
    first: int

    def find_day(self, year: int) -> int:
        first = self.first if self.first > 0 else monthrange(year, self.month)[1] - _WEEK + 1
        return first + (self.weekday - datetime(year, self.month, first).weekday()) % _WEEK

    def write_rule(self) -> str:
        number, rest = divmod(self.first - 1, _WEEK)
        weekday = CODES[self.weekday]
        if self.first < 0 or not rest:
            return f"BYMONTH={self.month};BYDAY={-1 if self.first < 0 else number + 1}{weekday}"
        days = ",".join(str(day) for day in range(self.first, self.first + _WEEK))
        return f"BYMONTH={self.month};BYMONTHDAY={days};BYDAY={weekday}"


@cache
def encode_vtimezone(name: str) -> bytes:
    """Encode the VTIMEZONE of a zone. Raises ValueError for an unknown name."""
    return encode_lines(["BEGIN:VTIMEZONE", f"TZID:{name}", *_write_observances(name), "END:VTIMEZONE"])


def _write_observances(name: str) -> Iterator[str]:
    zone = read_zone(name)
    start = _FIRST.astimezone(zone)
    yield from _write(_make_kind(start, start), [_LONG_AGO])
    by_kind: dict[_Kind, list[datetime]] = {}
    for instant in list_changes(zone, int(_FIRST.timestamp()), int(_LAST.timestamp())):
        before, after = (datetime.fromtimestamp(second, UTC).astimezone(zone) for second in (instant - 1, instant))
        # A change begins in the offset that holds before it (RFC 5545, 3.6.5).
        by_kind.setdefault(_make_kind(before, after), []).append(before.replace(tzinfo=None, fold=0) + _SECOND)
    for kind, onsets in by_kind.items():
        at = 0
        while at < len(onsets):
            days, end = _find_run(onsets, at)
            if end - at >= _FEWEST:
                yield from _write(kind, onsets[at:end], days)
            else:
                end = at + 1
                yield from _write(kind, onsets[at:end])
            at = end


def _make_kind(before: datetime, after: datetime) -> _Kind:
    """Return the kind of a change. Daylight time has the greater `dst()`, which for Ireland is 0 in summer and -1 h in
    winter."""
    saved = [moment.dst() or timedelta() for moment in (before, after)]
    return _Kind(
        before.utcoffset() or timedelta(),
        after.utcoffset() or timedelta(),
        after.tzname() or "",
        saved[1] > (saved[0] if before != after else timedelta()),
    )


def _find_run(onsets: Sequence[datetime], at: int) -> tuple[_Days, int]:
    """Return the day rule that fits the most onsets in successive years from index `at` on, and the index behind the
    last of them."""
    first = onsets[at]
    shortest = monthrange(2001, first.month)[1]
    firsts = (-1, *range(1, shortest - _WEEK + 2))
    # Laws name the n-th weekday or the last one: these are tried first.
    ordered = sorted(firsts, key=lambda day: (day > 0 and (day - 1) % _WEEK > 0, day < 0, day))
    choices = [_Days(first.month, first.weekday(), day) for day in ordered]
    return max(((days, _follow(days, onsets, at)) for days in choices), key=lambda run: run[1])


def _follow(days: _Days, onsets: Sequence[datetime], at: int) -> int:
    """Return the index behind the last onset that a day rule fits, from index `at` on, in successive years."""
    first = onsets[at]
    for end in range(at, len(onsets)):
        year = first.year + end - at
        if onsets[end] != first.replace(year=year, month=days.month, day=days.find_day(year)):
            return end
    return len(onsets)


def _write(kind: _Kind, onsets: Sequence[datetime], days: _Days | None = None) -> Iterator[str]:
    """Yield the lines of one observance: a rule for its days or, without `days`, the one date in `onsets`."""
    name = "DAYLIGHT" if kind.is_daylight else "STANDARD"
    yield f"BEGIN:{name}"
    yield f"DTSTART:{onsets[0]:%Y%m%dT%H%M%S}"
    if days is not None:
        # UNTIL is a day late: `dateutil` and `icalendar` read it as local time, and east of UTC would miss the last
        # change.
        until = f";UNTIL={onsets[-1] - kind.offset_before + _DAY:%Y%m%dT%H%M%SZ}"
        yield f"RRULE:FREQ=YEARLY;{days.write_rule()}{until if onsets[-1].year < _LAST.year - 1 else ''}"
    yield f"TZNAME:{kind.name}"
    yield f"TZOFFSETFROM:{_format_offset(kind.offset_before)}"
    yield f"TZOFFSETTO:{_format_offset(kind.offset)}"
    yield f"END:{name}"


def _format_offset(offset: timedelta) -> str:
    seconds = abs(offset) // timedelta(seconds=1)
    minutes = f"{'-' if offset < timedelta() else '+'}{seconds // 3600:02}{seconds // 60 % 60:02}"
    return f"{minutes}{seconds % 60:02}" if seconds % 60 else minutes


_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
# The most bytes of a line, without its end, but with the space at the beginning of a continued one.
_OCTETS = 75
# The pieces of a longer line. None ends within a character, which UTF-8 continues with bytes from 80 to BF.
_PIECES = re.compile(rb"^.{1,%d}(?![\x80-\xBF])|.{1,%d}(?![\x80-\xBF])" % (_OCTETS, _OCTETS - 1), re.DOTALL)


def escape_text(text: str) -> str:
    """Escape a TEXT value. Drop the control characters that it may not have: all but line ends and tabs."""
    # `str.translate` would take 40 times as long.
    text = (
        text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\r\n", "\\n").replace("\n", "\\n")
    )
    return _CONTROLS.sub("", text)


def encode_lines(lines: Iterable[str]) -> bytes:
    return b"".join(map(_fold_line, lines))


def _fold_line(line: str) -> bytes:
    data = line.encode()
    if len(data) <= _OCTETS:
        return data + b"\r\n"
    return b"\r\n ".join(_PIECES.findall(data)) + b"\r\n"


_BEGIN, _END = b"BEGIN:VEVENT\r\nUID:", b"END:VEVENT"
_Times = tuple[datetime, datetime | None]


class Entry(Struct, frozen=True, kw_only=True):
    """The VEVENTs of an event (`data`, empty without a date), and the time zone that they name, if any."""

    data: bytes
    zone: str | None = None


def render_event(document: bytes, *, series: Series, row: int) -> Entry:
    """Render the VEVENTs of an event, empty if it has no date. The UID is the event's id or, if each date has a VEVENT,
    the occurrence's `key`."""
    event = msgspec.json.decode(document)
    if not event["has_date"]:
        return Entry(data=b"")
    url = event["registration_url"] or event["ticket_url"]
    stamps, texts = encode_lines(_write_stamps(event)), encode_lines(write_texts(event, url=url))
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


def _write_stamps(event: Mapping[str, Any]) -> Iterator[str]:
    stamp = _format_time(event["updated_at"])
    # DTSTAMP is not the time of writing, so that the same events always give the same file.
    yield f"DTSTAMP:{stamp}"
    yield f"LAST-MODIFIED:{stamp}"
    if event["created_at"] is not None:
        yield f"CREATED:{_format_time(event['created_at'])}"


def _write_times(event: Mapping[str, Any], starts: datetime, ends: datetime | None) -> Iterator[str]:
    """Yield DTSTART and DTEND. An event without a clock time lasts whole days; DTEND is then the day after its last."""
    if event["has_time"]:
        yield f"DTSTART;TZID={event['timezone']}:{_format_time(starts.isoformat())}"
        if ends is not None and ends > starts:
            yield f"DTEND;TZID={event['timezone']}:{_format_time(ends.isoformat())}"
        return
    yield f"DTSTART;VALUE=DATE:{starts:%Y%m%d}"
    if ends is not None:
        is_midnight = ends.time() == datetime.min.time() and ends.date() > starts.date()
        last = ends.date() - _DAY if is_midnight else ends.date()
        yield f"DTEND;VALUE=DATE:{max(last, starts.date()) + _DAY:%Y%m%d}"


def _format_time(text: str) -> str:
    return text.replace("-", "").replace(":", "")


def write_texts(item: Mapping[str, Any], *, url: str | None) -> Iterator[str]:
    """Yield the lines of a VEVENT behind its times, to its end. `url`: the address of the listing's page."""
    location, place = item["location"] or {"address": None, "lat": None, "lng": None}, item["place"]
    where = [text for text in (place and place["name"], location["address"]) if text]
    texts = {"SUMMARY": item["name"], "DESCRIPTION": item["description"], "LOCATION": ", ".join(where)}
    for name, text in texts.items():
        if text:
            yield f"{name}:{escape_text(text)}"
    if location["lat"] is not None and location["lng"] is not None:
        yield f"GEO:{location['lat']};{location['lng']}"
    if item["categories"]:
        yield f"CATEGORIES:{','.join(map(escape_text, item['categories']))}"
    if url and url.isprintable():
        yield f"URL:{url}"
    yield "STATUS:CONFIRMED"
    yield "END:VEVENT"


# How often a subscriber should ask, by the names of RFC 7986 and of Outlook.
_REFRESH = ("REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H")


def encode_calendar(snapshot: Snapshot, entries: Sequence[Entry]) -> list[bytes]:
    """Return the calendar of a metro, as parts. It always has the metro's zone, because RFC 5545 requires a
    component."""
    zones = {snapshot.metro.timezone, *(entry.zone for entry in entries if entry.zone is not None)}
    name = escape_text(f"Events in {snapshot.metro.name}")
    head = encode_lines((
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//outings//outings//EN", "CALSCALE:GREGORIAN",
        f"NAME:{name}", f"X-WR-CALNAME:{name}", *_REFRESH,
    ))  # fmt: skip
    return [head, *map(encode_vtimezone, sorted(zones)), *(entry.data for entry in entries), b"END:VCALENDAR\r\n"]


def render_event_file(event_id: str, snapshot: Snapshot) -> bytes | None:
    """Return the calendar of one event with all of its dates; None if it has none."""
    opened = open_snapshot(snapshot)
    row = opened.listings.find_visible(event_id, type_code=TYPES.index("event"), include_archived=True)
    if row is None:
        return None
    entry = render_event(opened.read_document(row), series=open_series(opened), row=row)
    return b"".join(encode_calendar(snapshot, [entry])) if entry.data else None


def find_dates(event_id: str, snapshot: Snapshot) -> str | Sequence[int]:
    """Return what an event's calendar says of its dates: a recurrence, or each start. That moves with the days that a
    build lists, though the event does not."""
    opened = open_snapshot(snapshot)
    row, series = opened.listings.find_visible(event_id, type_code=TYPES.index("event")), open_series(opened)
    if row is None or not series.is_series(row):
        return ()
    recurrence = series.read_recurrence(row)
    return [moment.starts_at for moment in series.list_moments(row)] if recurrence is None else recurrence


# The most bytes of rendered events in memory.
_CACHE_BYTES = 2**24
_entries: LruCache[tuple[str, int], Entry] = LruCache(
    size=_CACHE_BYTES, weigh=lambda entry: min(len(entry.data), _CACHE_BYTES)
)

MOST_EVENTS = 5_000
# The most bytes of its events. Each date of a series without a rule repeats the texts of the event.
MOST_BYTES = 2**25


def plan_calendar_file(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    request = resolve_list(query, snapshot, context)
    return AnswerPlan(request.make_tag(), lambda: answer_calendar_file(request), media=EXPORT_TYPES["ics"])


def answer_calendar_file(request: ListRequest) -> list[bytes]:
    """Return the file as parts. Raises `out_of_range` if more events or bytes match than a calendar may have."""
    opened = open_snapshot(request.snapshot)
    series, rows = open_series(opened), select_rows(request, limit=MOST_EVENTS + 1)
    if len(rows) > MOST_EVENTS:
        raise _refuse("events", MOST_EVENTS)

    def render(row: int) -> Entry:
        return render_event(opened.read_document(row), series=series, row=row)

    # Subscribers filter differently and get the same events, and to render one takes 10 times as long as to find it.
    entries, size = list[Entry](), 0
    for row in rows:
        entries.append(_entries.read((request.snapshot.hash, row), partial(render, row)))
        size += len(entries[-1].data)
        if size > MOST_BYTES:
            raise _refuse("bytes of events", MOST_BYTES)
    return encode_calendar(request.snapshot, entries)


def _refuse(counted: str, most: int) -> ApiError:
    message = f"More than {most} {counted} match: narrow the window or the filters, or fetch the export."
    return bad_request(reason="out_of_range", message=message, max=most)
