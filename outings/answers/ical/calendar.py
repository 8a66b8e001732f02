"""The VCALENDAR around events: what it is called, and the time zones that its events are in."""

from collections.abc import Sequence

from outings.answers.ical.events import Entry
from outings.answers.ical.lines import encode_lines, escape_text
from outings.answers.ical.vtimezone import encode_vtimezone
from outings.release.snapshot import Snapshot

# How often a program that subscribed should ask: RFC 7986's name for it, and that of Outlook.
_REFRESH = ("REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H")


def encode_calendar(snapshot: Snapshot, entries: Sequence[Entry]) -> list[bytes]:
    """A metro's, as parts to be joined. Its own zone stands in it without events too: RFC 5545 wants a component."""
    zones = {snapshot.metro.timezone, *(entry.zone for entry in entries if entry.zone is not None)}
    name = escape_text(f"Events in {snapshot.metro.name}")
    head = encode_lines((
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//outings//outings//EN", "CALSCALE:GREGORIAN",
        f"NAME:{name}", f"X-WR-CALNAME:{name}", *_REFRESH,
    ))  # fmt: skip
    return [head, *map(encode_vtimezone, sorted(zones)), *(entry.data for entry in entries), b"END:VCALENDAR\r\n"]
