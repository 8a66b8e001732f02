"""Find when a local date begins, and its day of the week."""

from datetime import date, datetime, time
from typing import Any, TypeVar

from numpy.typing import NDArray

from outings.configuration import read_zone

Day = TypeVar("Day", int, NDArray[Any])


def find_start(today: date, timezone: str) -> int:
    """Return when a local date begins, in seconds since 1970."""
    return int(datetime.combine(today, time(), tzinfo=read_zone(timezone)).timestamp())


def find_weekday(day: Day) -> Day:
    """Return the weekday of a day since 1970-01-01, a Thursday; Monday is 0."""
    return (day + 3) % 7
