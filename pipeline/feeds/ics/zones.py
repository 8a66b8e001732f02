"""A TZID → the clock that it means: an IANA zone under whatever name, or a calendar's own definition."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache

from icalendar import Timezone
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON
from msgspec import Struct

from outings.configuration import is_zone, read_zone
from pipeline.feeds.ics.lines import Component

# What Exchange and Rails call zones in their menus, and the names of before 1993.
MENU_NAMES = {
    "Atlantic Time (Canada)": "America/Halifax", "Eastern Time (US & Canada)": "America/New_York",
    "Central Time (US & Canada)": "America/Chicago", "Mountain Time (US & Canada)": "America/Denver",
    "Pacific Time (US & Canada)": "America/Los_Angeles", "Arizona": "America/Phoenix", "Alaska": "America/Anchorage",
    "Hawaii": "Pacific/Honolulu", "US/Eastern": "America/New_York", "US/Central": "America/Chicago",
    "US/Mountain": "America/Denver", "US/Pacific": "America/Los_Angeles", "US/Arizona": "America/Phoenix",
    "US/Alaska": "America/Anchorage", "US/Hawaii": "Pacific/Honolulu",
}  # fmt: skip
_UTC_NAMES = frozenset({"utc", "gmt", "z", "etc/utc", "etc/gmt", "uct", "etc/uct", "coordinated universal time"})
_NAMED = {name.casefold(): zone for names in (WINDOWS_TO_OLSON, MENU_NAMES) for name, zone in names.items()}
_OFFSET = re.compile(r"(?:UTC|GMT)\s*([+-])(\d{1,2}):?(\d{2})?", re.IGNORECASE)
# Before a name of a menu, as of Exchange: (UTC-08:00) and a space.
_MENU_OFFSET = re.compile(r"\((?:UTC|GMT)[^)]*\)\s*(?=\S)", re.IGNORECASE)


class Clock(Struct, frozen=True, eq=False):
    """`zone`: its IANA name, None for UTC and for a clock that no zone goes by."""

    info: tzinfo
    zone: str | None


UTC_CLOCK = Clock(UTC, None)


class Zones:
    """Of one file in a metro. `metro`: the clock there, which is that of every time without a zone."""

    def __init__(self, metro: str, definitions: Iterable[Component]) -> None:
        self.metro = Clock(read_zone(metro), metro)
        self._definitions = {
            found.value.strip(): definition for definition in definitions if (found := definition.get("TZID"))
        }
        self._found: dict[tuple[str, int], Clock | None] = {}

    def find(self, name: str, *, year: int) -> Clock | None:
        """None for a name that means nothing. `year`: of the event; a definition may hold for some years only."""
        key = name, year
        if key not in self._found:
            self._found[key] = self._find_by_name(name) or self._find_by_definition(name, year) or _find_plain(name)
        return self._found[key]

    def _find_by_name(self, name: str) -> Clock | None:
        if name.casefold() in _UTC_NAMES:
            return UTC_CLOCK
        definition = self._definitions.get(name)
        said = definition.get("X-LIC-LOCATION") if definition else None
        for text in (name, said.value if said else ""):
            if (zone := _NAMED.get(_MENU_OFFSET.sub("", text.strip()).casefold())) or (zone := _find_path(text)):
                return self._make_clock(zone)
        return None

    def _find_by_definition(self, name: str, year: int) -> Clock | None:
        definition = self._definitions.get(name)
        if definition is None:
            return None
        try:
            read = Timezone.from_ical(definition.text)
            if not isinstance(read, Timezone):
                return None
            info = read.to_tz()
            offsets = _probe(info, year)
        except Exception:  # noqa: BLE001 a calendar's definition may be wrong in any way; then it says nothing
            return None
        alike = (zone for zone in (self.metro.zone, *_list_candidates()) if zone and offsets == _probe_zone(zone, year))
        zone = next(alike, None)
        return Clock(info, None) if zone is None else self._make_clock(zone)

    def _make_clock(self, zone: str) -> Clock:
        return self.metro if zone == self.metro.zone else Clock(read_zone(zone), zone)


def _find_path(text: str) -> str | None:
    """A zone's name with a slash, also behind a path: /mozilla.org/20070129_1/America/New_York."""
    parts = text.strip().strip("/").split("/")
    for first in range(len(parts) - 1):
        name = "/".join(parts[first:])
        if is_zone(name) and not name.lower().startswith("etc/"):
            return name
    return None


def _find_plain(name: str) -> Clock | None:
    """A name without a slash (EST5EDT, Japan), or an offset (GMT-0800)."""
    if found := _OFFSET.fullmatch(name.strip()):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
        return Clock(timezone(-offset if found[1] == "-" else offset), None) if offset < timedelta(hours=24) else None
    return Clock(read_zone(name), name) if is_zone(name) else None


def _list_candidates() -> list[str]:
    return sorted({*MENU_NAMES.values(), *filter(is_zone, WINDOWS_TO_OLSON.values())})


def _probe(info: tzinfo, year: int) -> tuple[timedelta | None, ...]:
    """Offsets at noon on four days of each month of two years: enough to tell the rules of zones apart."""
    months = [(each, month) for each in (year, year + 1) for month in range(1, 13)]
    days = [datetime(*month, day, 12) for month in months for day in (1, 8, 15, 24)]
    return tuple(day.replace(tzinfo=info).utcoffset() for day in days)


@cache
def _probe_zone(zone: str, year: int) -> tuple[timedelta | None, ...]:
    return _probe(read_zone(zone), year)
