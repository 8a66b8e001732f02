"""IANA time zones from the `tzdata` package, so that every machine has the same ones."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

# Codes of ISO 3166: the United States, and the territories with their own code.
_AMERICAN = frozenset({"US", "PR", "VI", "GU", "AS", "MP", "UM"})

# Seconds between two samples. A zone keeps an offset for weeks, so a sample each week finds every change.
_STEP = 7 * 86_400


@cache
def read_zone(name: str) -> ZoneInfo:
    """Return the time zone with this IANA name. Raises ValueError if there is none."""
    parts = name.split("/")
    if name and all(part not in ("", ".", "..") for part in parts):
        try:
            with files("tzdata").joinpath("zoneinfo", *parts).open("rb") as file:
                return ZoneInfo.from_file(file, key=name)
        except (OSError, ValueError):  # also a folder of the package, and a file that is no zone
            pass
    raise ValueError(f"unknown time zone {name!r}: allowed: an IANA name such as America/Los_Angeles")


@cache
def list_countries() -> Mapping[str, str]:
    """Return the country's code by the name of each time zone, old names included."""
    folder = files("tzdata").joinpath("zoneinfo")
    rows = [line.split("\t") for line in folder.joinpath("zone.tab").read_text("utf-8").splitlines() if line[:1] != "#"]
    countries = {row[2]: row[0] for row in rows}
    links = [line.split() for line in folder.joinpath("tzdata.zi").read_text("utf-8").splitlines() if line[:2] == "L "]
    old = {name: countries[target] for _, target, name in links if name not in countries and target in countries}
    return {**countries, **old}


@cache
def list_american() -> frozenset[str]:
    """Return all names of the time zones of the United States and its territories, but not of foreign zones with equal
    clocks."""
    return frozenset(name for name, country in list_countries().items() if country in _AMERICAN)


def is_zone(name: str) -> bool:
    try:
        read_zone(name)
    except ValueError:
        return False
    return True


def list_changes(info: ZoneInfo, first: int, last: int) -> Iterator[int]:
    """Yield the instants from `first` to `last`, in seconds since 1970, at which the zone's offset from UTC changes."""
    offset = measure_offset(info, first)
    for late in range(first + _STEP, last + _STEP, _STEP):
        early, following = late - _STEP, measure_offset(info, late)
        while offset != following:
            early = _find_change(info, early, late, offset=offset)
            offset = measure_offset(info, early)
            yield early


def _find_change(info: ZoneInfo, early: int, late: int, *, offset: int) -> int:
    """Return the first second whose offset is not `offset`, by bisection. `late` must have another offset."""
    while late - early > 1:
        middle = (early + late) // 2
        if measure_offset(info, middle) == offset:
            early = middle
        else:
            late = middle
    return late


def measure_offset(info: ZoneInfo, instant: int) -> int:
    """Return the zone's offset from UTC at an instant, both in seconds."""
    offset = datetime.fromtimestamp(instant, info).utcoffset()
    return 0 if offset is None else offset.days * 86_400 + offset.seconds
