"""IANA time zones from the `tzdata` package: the same on every machine, whatever its own zone files are."""

from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

# By ISO 3166: the states, and the territories that have codes of their own.
_AMERICAN = frozenset({"US", "PR", "VI", "GU", "AS", "MP", "UM"})


@cache
def read_zone(name: str) -> ZoneInfo:
    """ValueError for a name that is none."""
    parts = name.split("/")
    if name and all(part not in ("", ".", "..") for part in parts):
        try:
            with files("tzdata").joinpath("zoneinfo", *parts).open("rb") as file:
                return ZoneInfo.from_file(file, key=name)
        except (OSError, ValueError):  # also a folder of the package, and a file that is no zone
            pass
    raise ValueError(f"unknown time zone {name!r}: an IANA name such as America/Los_Angeles is needed")


@cache
def list_american() -> frozenset[str]:
    """The zones of the United States and its territories, by all their names. No other country's, of the same clock."""
    folder = files("tzdata").joinpath("zoneinfo")
    rows = [line.split("\t") for line in folder.joinpath("zone.tab").read_text("utf-8").splitlines() if line[:1] != "#"]
    countries = {row[2]: row[0] for row in rows}
    links = [line.split() for line in folder.joinpath("tzdata.zi").read_text("utf-8").splitlines() if line[:2] == "L "]
    old = {name: countries.get(target) for _, target, name in links if name not in countries}
    return frozenset(name for name, country in {**countries, **old}.items() if country in _AMERICAN)


def is_zone(name: str) -> bool:
    try:
        read_zone(name)
    except ValueError:
        return False
    return True
