"""What programs call time zones → their names in the IANA database."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from outings.configuration import is_zone, read_zone

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
    """A menu's entry without the offset that it begins with."""
    return _MENU_OFFSET.sub("", text.strip(), count=1)


def find_named(text: str) -> str | None:
    """An IANA name, whatever its case and also behind a path (/mozilla.org/20070129_1/America/New_York), or a name of
    Windows or of a menu. One without a slash, as EST5EDT, is found by `find_plain` when nothing else is."""
    return _NAMED.get(_fold(strip_offset(text))) or _find_path(text.strip())


def find_plain(text: str) -> str | None:
    return _list_zones().get(text.strip().casefold().replace(" ", "_"))


def find_city(text: str, *, year: int) -> str | None:
    """The first name in a menu's entry that is a zone's or its city's, if it has the offset that the entry begins with:
    (GMT-08:00) Pacific Time (US & Canada); Tijuana."""
    begun = _MENU_OFFSET.match(text.strip())
    offset = _read_offset(begun) if begun else None
    return next((zone for zone in list_named(text) if offset is None or offset in _list_offsets(zone, year)), None)


def list_named(text: str) -> list[str]:
    """Return the zones that a menu's entry names, by their own names or by cities."""
    names = _BREAK.split(strip_offset(text))
    zones = (_NAMED.get(_fold(name)) or _list_cities().get(name.casefold().replace(" ", "_")) for name in names)
    return [zone for zone in zones if zone and is_zone(zone)]


def find_abbreviated(text: str, zone: str, *, year: int) -> str | None:
    """`zone` itself for what its own clock is called: PDT in Los Angeles."""
    called = {day.tzname() for day in _list_days(zone, year)}
    return zone if text.strip().upper() in called else None


def parse_offset(text: str) -> timedelta | None:
    """An offset as a zone: GMT-0800."""
    match = _OFFSET.fullmatch(text.strip())
    return _read_offset(match) if match else None


def list_usual() -> list[str]:
    """The zones that programs name, in order."""
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
    """Every name of the database, by itself without case."""
    return {name.casefold(): name for name in files("tzdata").joinpath("zones").read_text("utf-8").split()}


@cache
def _list_cities() -> dict[str, str]:
    """Each zone by the last part of its name; of two with the same the first."""
    return {name.rpartition("/")[2].casefold(): name for name in sorted(_list_zones().values(), reverse=True)}


def _list_days(zone: str, year: int) -> Iterator[datetime]:
    info = read_zone(zone)
    return (datetime(year, month, 1, 12, tzinfo=info) for month in (1, 7))


@cache
def _list_offsets(zone: str, year: int) -> tuple[timedelta | None, ...]:
    return tuple(day.utcoffset() for day in _list_days(zone, year))
