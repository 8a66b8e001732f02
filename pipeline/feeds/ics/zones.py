"""A TZID → the clock that it means: an IANA zone under whatever name, or a calendar's own definition."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from importlib.metadata import version

from icalendar import Timezone
from msgspec import Struct

from outings.configuration import read_zone
from pipeline.dates.rules import parse_rule
from pipeline.feeds.ics.lines import Component, parse_line, unescape
from pipeline.feeds.ics.zone_names import (
    find_abbreviated,
    find_city,
    find_named,
    find_plain,
    list_named,
    list_usual,
    parse_offset,
    strip_offset,
)

_UTC_NAMES = frozenset(
    {"utc", "gmt", "z", "etc/utc", "etc/gmt", "uct", "etc/uct", "coordinated universal time", "tzone://microsoft/utc"}
)


_EDITION = int(version("tzdata")[:4])
# The years of any horizon: no build knows more of zones than this edition of the database.
_AHEAD = tuple(range(_EDITION - 1, _EDITION + 4))
_LOOKED_BACK = 10
# Characters. Those of all changes since 1900, as some programs write them, have half of it.
_MOST_DEFINED = 1 << 15
# BYMONTHDAY=8,9,10,11,12,13,14 with a weekday is the second of its month.
_WEEK = 7

Offsets = tuple[timedelta | None, ...]


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
        named = self.find(calendar, year=_EDITION) if calendar else None
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
        """Return the clock of the zone that the definition agrees with in the years of any horizon, and of several in
        most years since the event's; else of the definition itself. Zones that its name names come before the metro's,
        and this before others."""
        info = self._read_definition(name)
        if info is None:
            return None
        own = (self.metro.zone,) if self.metro.zone else ()
        zones = dict.fromkeys((*list_named(name), *own, *list_usual()))
        ahead = {each: _probe(info, each) for each in _AHEAD}
        alike = [zone for zone in zones if _count_alike(zone, ahead) == len(_AHEAD)]
        if not alike:
            return Clock(info, None)
        past = {each: _probe(info, each) for each in range(max(year, _AHEAD[0] - _LOOKED_BACK), _AHEAD[0])}
        return self._make_clock(max(alike, key=lambda zone: _count_alike(zone, past)))

    def _read_definition(self, name: str) -> tzinfo | None:
        """Return None for one that is wrong in any way, and for one that takes too long: then it says nothing."""
        definition = self._definitions.get(name)
        if definition is None or len(definition.text) > _MOST_DEFINED:
            return None
        try:
            read = Timezone.from_ical(definition.text) if _is_bounded(definition.text) else None
            info = read.to_tz(lookup_tzid=False) if isinstance(read, Timezone) else None
            if info is not None:
                _probe(info, _EDITION)
        except Exception:  # noqa: BLE001 - a calendar's definition may be wrong in any way
            return None
        return info

    def _make_clock(self, zone: str) -> Clock:
        return self.metro if zone == self.metro.zone else Clock(read_zone(zone), zone)


def _is_bounded(definition: str) -> bool:
    """Return whether clocks change once a year by each of its rules: a library lists all changes from the first on."""
    rules = [
        parse_rule(line.value)
        for text in definition.splitlines()
        if (line := parse_line(text)) and line.name == "RRULE"
    ]
    return all(
        rule.frequency == "YEARLY" and not (rule.times or rule.unsupported or rule.year_days or rule.weeks)
        and len(rule.months) < 2 and len(rule.weekdays) < 2 and len(rule.month_days) <= _WEEK
        for rule in rules
    )  # fmt: skip


def _count_alike(zone: str, offsets: Mapping[int, Offsets]) -> int:
    return sum(_probe_zone(zone, year) == own for year, own in offsets.items())


def _probe(info: tzinfo, year: int) -> Offsets:
    """Return offsets at noon on four days of each month: enough to tell the rules of zones apart."""
    days = [datetime(year, month, day, 12) for month in range(1, 13) for day in (1, 8, 15, 24)]
    return tuple(day.replace(tzinfo=info).utcoffset() for day in days)


@cache
def _probe_zone(zone: str, year: int) -> Offsets:
    return _probe(read_zone(zone), year)
