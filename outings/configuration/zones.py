"""IANA time zones from the `tzdata` package: the same on every machine, whatever its own zone files are."""

from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo


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


def is_zone(name: str) -> bool:
    try:
        read_zone(name)
    except ValueError:
        return False
    return True
