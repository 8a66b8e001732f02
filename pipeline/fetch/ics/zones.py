"""Finds the clock that a TZID means: an IANA zone, whatever a program calls it, or a calendar's own definition."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from icalendar import Timezone
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON
from msgspec import Struct

from outings.configuration import is_zone, read_zone
from pipeline.dates.rules import parse_rule
from pipeline.fetch.ics.lines import Component, parse_line, unescape

# What menus and people call the zones of North America. Windows and Rails have more such names.
_SPOKEN = {
    "Atlantic": "America/Halifax", "Eastern": "America/New_York", "Central": "America/Chicago",
    "Mountain": "America/Denver", "Pacific": "America/Los_Angeles", "Alaska": "America/Anchorage",
    "Hawaii": "Pacific/Honolulu", "Arizona": "America/Phoenix", "Indiana (East)": "America/Indianapolis",
    "Saskatchewan": "America/Regina", "Newfoundland": "America/St_Johns",
}  # fmt: skip
_FORMS = ("{}", "{} Time", "{} Daylight Time", "{} Time (US & Canada)", "{} Time (Canada)")


def _fold(name: str) -> str:
    return name.casefold().replace("&", "and")


_NAMED = {
    _fold(name): zone
    for name, zone in (
        *WINDOWS_TO_OLSON.items(), *((form.format(word), zone) for word, zone in _SPOKEN.items() for form in _FORMS),
    )
}  # fmt: skip
# Before a name of a menu, as of Exchange: (UTC-08:00) and a space.
_MENU_OFFSET = re.compile(r"\((?:UTC|GMT)\s*(?:([+-])(\d{1,2})[:.]?(\d{2})?)?\s*\)\s*", re.IGNORECASE)
_OFFSET = re.compile(r"\(?(?:UTC|GMT)?\s*([+-])(\d{1,2})[:.]?(\d{2})?\)?", re.IGNORECASE)
_BREAK = re.compile(r"\s*[,;:]\s+")


def strip_offset(text: str) -> str:
    """Return a menu's entry without the offset that it begins with."""
    return _MENU_OFFSET.sub("", text.strip(), count=1)


def find_named(text: str) -> str | None:
    """Find an IANA name, whatever its case and also behind a path (/mozilla.org/20070129_1/America/New_York), or a name
    of Windows or of a menu. `find_plain` finds one without a slash, as EST5EDT, when nothing else does."""
    return _NAMED.get(_fold(strip_offset(text))) or _find_path(text.strip())


def find_plain(text: str) -> str | None:
    return _list_zones().get(text.strip().casefold().replace(" ", "_"))


def find_city(text: str, *, year: int) -> str | None:
    """Find the first zone or city in a menu's entry that has the offset with which the entry begins: (GMT-08:00)
    Pacific Time (US & Canada); Tijuana."""
    begun = _MENU_OFFSET.match(text.strip())
    offset = _read_offset(begun) if begun else None
    return next((zone for zone in list_named(text) if offset is None or offset in _list_offsets(zone, year)), None)


def list_named(text: str) -> list[str]:
    """Return the zones that a menu's entry names, by their own names or by cities."""
    names = _BREAK.split(strip_offset(text))
    zones = (_NAMED.get(_fold(name)) or _list_cities().get(name.casefold().replace(" ", "_")) for name in names)
    return [zone for zone in zones if zone and is_zone(zone)]


def find_abbreviated(text: str, zone: str, *, year: int) -> str | None:
    """Return `zone` if the text is what its own clock is called: PDT in Los Angeles."""
    called = {day.tzname() for day in _list_days(zone, year)}
    return zone if text.strip().upper() in called else None


def parse_offset(text: str) -> timedelta | None:
    """Parse an offset that stands for a zone: GMT-0800."""
    match = _OFFSET.fullmatch(text.strip())
    return _read_offset(match) if match else None


def list_usual() -> list[str]:
    """List the zones that programs name, in order."""
    return sorted({*filter(is_zone, _NAMED.values())})


def _read_offset(match: re.Match[str]) -> timedelta | None:
    if match[2] is None:
        return timedelta()
    offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    return (-offset if match[1] == "-" else offset) if offset < timedelta(hours=24) else None


def _find_path(text: str) -> str | None:
    parts = text.strip("/").replace(" ", "_").casefold().split("/")
    for first in range(len(parts) - 1):
        name = _list_zones().get("/".join(parts[first:]))
        if name is not None and not name.startswith("Etc/"):
            return name
    return None


@cache
def _list_zones() -> dict[str, str]:
    """Return every name of the database by its lower case."""
    return {name.casefold(): name for name in files("tzdata").joinpath("zones").read_text("utf-8").split()}


@cache
def _list_cities() -> dict[str, str]:
    """Return zones by the last part of their names; of two with the same the first."""
    return {name.rpartition("/")[2].casefold(): name for name in sorted(_list_zones().values(), reverse=True)}


def _list_days(zone: str, year: int) -> Iterator[datetime]:
    info = read_zone(zone)
    return (datetime(year, month, 1, 12, tzinfo=info) for month in (1, 7))


@cache
def _list_offsets(zone: str, year: int) -> tuple[timedelta | None, ...]:
    return tuple(day.utcoffset() for day in _list_days(zone, year))


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
    """The clocks of one file. `metro`: the clock of times without a zone. `calendar`: the zone of the whole file
    (X-WR-TIMEZONE), if it is one."""

    def __init__(self, metro: str, definitions: Iterable[Component], *, calendar: str | None = None) -> None:
        self.metro = Clock(read_zone(metro), metro)
        self._definitions = {
            unescape(line.value).strip(): definition for definition in definitions if (line := definition.get("TZID"))
        }
        self._cache: dict[tuple[str, int], Clock | None] = {}
        named = self.find(calendar, year=_EDITION) if calendar else None
        self.calendar = named if named and named.zone else None

    def find(self, name: str, *, year: int) -> Clock | None:
        """Find the clock of a name, None if it means nothing. `year`: the event's; a definition may hold for some years
        only."""
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
        """Find an offset, a plain name, a city or an abbreviation, when nothing in the file explains the name."""
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
