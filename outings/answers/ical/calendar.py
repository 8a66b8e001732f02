"""The VCALENDAR around events: what it is called, and the time zones that its events are in."""

from collections.abc import Sequence
from datetime import date
from functools import cache

from icalendar import Timezone

from outings.answers.ical.events import Entry
from outings.answers.ical.lines import encode_lines, escape_text
from outings.configuration.zones import read_zone
from outings.release.snapshot import Snapshot

# The years for which a zone's changes are written out; calendars know them by the zone's name too.
_FIRST, _LAST = date(2015, 1, 1), date(2040, 1, 1)


def encode_calendar(snapshot: Snapshot, entries: Sequence[Entry]) -> list[bytes]:
    """A metro's, as parts to be joined. Its own zone stands in it without events too: RFC 5545 wants a component."""
    zones = {snapshot.metro.timezone, *(entry.zone for entry in entries if entry.zone is not None)}
    head = _encode_head(f"Events in {snapshot.metro.name}")
    return [head, *map(_encode_zone, sorted(zones)), *(entry.data for entry in entries), b"END:VCALENDAR\r\n"]


def _encode_head(name: str) -> bytes:
    lines = (
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//outings//outings//EN", "CALSCALE:GREGORIAN",
        f"NAME:{escape_text(name)}", f"X-WR-CALNAME:{escape_text(name)}",
    )  # fmt: skip
    return encode_lines(lines)


@cache
def _encode_zone(name: str) -> bytes:
    zone: bytes = Timezone.from_tzinfo(read_zone(name), tzid=name, first_date=_FIRST, last_date=_LAST).to_ical()
    return zone
