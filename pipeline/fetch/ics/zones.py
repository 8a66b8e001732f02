"""Finds the clock that a TZID means: an IANA zone, whatever a program calls it, or a calendar's own definition."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON
from msgspec import Struct

from outings.configuration import is_zone, read_zone
from pipeline.fetch.ics.lines import Component, unescape

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
    of Windows or of a menu."""
    return _NAMED.get(_fold(strip_offset(text))) or _find_path(text.strip())


def find_city(text: str) -> str | None:
    """Find the first zone or city in a menu's entry that has the offset with which the entry begins: (GMT-08:00)
    Pacific Time (US & Canada); Tijuana."""
    begun = _MENU_OFFSET.match(text.strip())
    offset = _read_offset(begun) if begun else None
    for name in _BREAK.split(strip_offset(text)):
        zone = _NAMED.get(_fold(name)) or _list_cities().get(_fold_name(name))
        if zone and is_zone(zone) and (offset is None or offset in list_offsets(zone)):
            return zone
    return None


def parse_offset(text: str) -> timedelta | None:
    """Parse an offset that stands for a zone: GMT-0800."""
    match = _OFFSET.fullmatch(text.strip())
    return _read_offset(match) if match else None


def _read_offset(match: re.Match[str]) -> timedelta | None:
    if match[2] is None:
        return timedelta()
    offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    return (-offset if match[1] == "-" else offset) if offset < timedelta(hours=24) else None


def _fold_name(name: str) -> str:
    return name.casefold().replace(" ", "_")


def _find_path(text: str) -> str | None:
    parts = _fold_name(text.strip("/")).split("/")
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


# No build knows more of zones than this edition of the database.
_YEAR = int(version("tzdata")[:4])


def _list_days(zone: str) -> list[datetime]:
    return [datetime(_YEAR, month, 1, 12, tzinfo=read_zone(zone)) for month in (1, 7)]


@cache
def list_offsets(zone: str) -> frozenset[timedelta | None]:
    """Return the offsets of winter and summer."""
    return frozenset(day.utcoffset() for day in _list_days(zone))


_UTC_NAMES = frozenset(
    {"utc", "gmt", "z", "etc/utc", "etc/gmt", "uct", "etc/uct", "coordinated universal time", "tzone://microsoft/utc"}
)
_OFFSET_TO = re.compile(r"^TZOFFSETTO:(.*?)\r?$", re.MULTILINE | re.IGNORECASE)


class Clock(Struct, frozen=True, eq=False):
    """`zone`: its IANA name, None for UTC and for an offset for ever."""

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
        self._cache: dict[str, Clock | None] = {}
        named = self.find(calendar) if calendar else None
        self.calendar = named if named and named.zone else None

    def find(self, name: str) -> Clock | None:
        """Find the clock of a name, None if it means nothing."""
        if name not in self._cache:
            self._cache[name] = self._find(unescape(name).strip())
        return self._cache[name]

    def _find(self, name: str) -> Clock | None:
        if strip_offset(name).casefold() in _UTC_NAMES:
            return UTC_CLOCK
        definition = self._definitions.get(name)
        location = definition.get_value("X-LIC-LOCATION") if definition else ""
        zone = find_named(name) or find_named(unescape(location)) or _list_zones().get(_fold_name(name))
        zone = zone or find_city(name) or (self.metro.zone if self._is_metro(name, definition) else None)
        if zone is not None:
            return self.metro if zone == self.metro.zone else Clock(read_zone(zone), zone)
        stated = list_defined(definition) or {parse_offset(name)}
        offset = stated.pop() if len(stated) == 1 else None
        return None if offset is None else Clock(timezone(offset), None)

    def _is_metro(self, name: str, definition: Component | None) -> bool:
        """Return True for what the metro's own clock is called (PDT in Los Angeles), and for a definition with its
        offsets, as of a "Customized Time Zone"."""
        zone = self.metro.zone or ""
        called = {day.tzname() for day in _list_days(zone)}
        return name.upper() in called or list_defined(definition) == list_offsets(zone)


def list_defined(definition: Component | None) -> set[timedelta | None]:
    """List the offsets of a definition, None for one that can't be read."""
    return set(map(parse_offset, _OFFSET_TO.findall(definition.text))) if definition else set()
