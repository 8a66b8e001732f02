"""Find when a local date begins, and its day of the week."""

from datetime import date, datetime, time
from typing import Any, TypeVar

from numpy.typing import NDArray

from outings.configuration import read_zone

# A number of days since 1970-01-01, or an array of such numbers.
Day = TypeVar("Day", int, NDArray[Any])


def find_start(today: date, timezone: str) -> int:
    """Return when a local date begins, in seconds since 1970."""
    return int(datetime.combine(today, time(), tzinfo=read_zone(timezone)).timestamp())


def find_weekday(day: Day) -> Day:
    """Return the weekday of a day, Monday being 0."""
    return (day + 3) % 7  # 1970-01-01 was a Thursday
