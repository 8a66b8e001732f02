"""A TZID → the clock that it means: an IANA zone under whatever name, or a calendar's own definition."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache

from icalendar import Timezone
from msgspec import Struct

from outings.configuration import read_zone
from pipeline.feeds.ics.lines import Component, unescape
from pipeline.feeds.ics.zone_names import (
    find_abbreviated,
    find_city,
    find_named,
    find_plain,
    list_usual,
    parse_offset,
    strip_offset,
)

_UTC_NAMES = frozenset(
    {"utc", "gmt", "z", "etc/utc", "etc/gmt", "uct", "etc/uct", "coordinated universal time", "tzone://microsoft/utc"}
)


# In which a calendar's own zone, that is nearly always an IANA name, is looked up.
_ANY_YEAR = 2026


class Clock(Struct, frozen=True, eq=False):
    """`zone`: its IANA name, None for UTC and for a clock that no zone goes by."""

    info: tzinfo
    zone: str | None


UTC_CLOCK = Clock(UTC, None)


class Zones:
    """Of one file in a metro. `metro`: the clock there, which is that of every time without a zone. `calendar`: of the
    zone that the file says all of it is of (X-WR-TIMEZONE), if it is one."""

    def __init__(self, metro: str, definitions: Iterable[Component], *, calendar: str | None = None) -> None:
        self.metro = Clock(read_zone(metro), metro)
        self._definitions = {
            unescape(line.value).strip(): definition for definition in definitions if (line := definition.get("TZID"))
        }
        self._cache: dict[tuple[str, int], Clock | None] = {}
        named = self.find(calendar, year=_ANY_YEAR) if calendar else None
        self.calendar = named if named and named.zone else None

    def find(self, name: str, *, year: int) -> Clock | None:
        """None for a name that means nothing. `year`: of the event; a definition may hold for some years only."""
        key = name, year
        if key not in self._cache:
            plain = unescape(name).strip()
            self._cache[key] = (
                self._find_by_name(plain) or self._find_by_definition(plain, year) or self._find_last(plain, year)
            )
        return self._cache[key]

    def _find_by_name(self, name: str) -> Clock | None:
        if strip_offset(name).casefold() in _UTC_NAMES:
            return UTC_CLOCK
        definition = self._definitions.get(name)
        location = definition.get("X-LIC-LOCATION") if definition else None
        zone = find_named(name) or (find_named(unescape(location.value)) if location else None)
        return self._make_clock(zone) if zone else None

    def _find_last(self, name: str, year: int) -> Clock | None:
        """What is no name by itself, and that nothing in the file explains."""
        if (offset := parse_offset(name)) is not None:
            return Clock(timezone(offset), None)
        zone = find_plain(name) or find_city(name, year=year)
        zone = zone or (find_abbreviated(name, self.metro.zone, year=year) if self.metro.zone else None)
        return self._make_clock(zone) if zone else None

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
        alike = (zone for zone in (self.metro.zone, *list_usual()) if zone and offsets == _probe_zone(zone, year))
        zone = next(alike, None)
        return Clock(info, None) if zone is None else self._make_clock(zone)

    def _make_clock(self, zone: str) -> Clock:
        return self.metro if zone == self.metro.zone else Clock(read_zone(zone), zone)


def _probe(info: tzinfo, year: int) -> tuple[timedelta | None, ...]:
    """Offsets at noon on four days of each month of two years: enough to tell the rules of zones apart."""
    months = [(each, month) for each in (year, year + 1) for month in range(1, 13)]
    days = [datetime(*month, day, 12) for month in months for day in (1, 8, 15, 24)]
    return tuple(day.replace(tzinfo=info).utcoffset() for day in days)


@cache
def _probe_zone(zone: str, year: int) -> tuple[timedelta | None, ...]:
    return _probe(read_zone(zone), year)
