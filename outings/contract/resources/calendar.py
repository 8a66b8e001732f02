"""One date of the events calendar, and the address of the events as a calendar file."""

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType

from outings.contract.resources.forecast import DayForecast
from outings.contract.resources.words import Day


class CalendarDay(Struct, frozen=True, kw_only=True):
    """A local date of the metro and the occurrences that start on it; `categories` holds those that any of them
    has."""

    date: Day
    count: int
    free_count: int
    categories: Mapping[str, int]
    forecast: DayForecast | UnsetType = UNSET


class CalendarAddress(Struct, frozen=True, kw_only=True):
    """`url`: a path with its query string. Whoever has it reads the calendar as the key does that asked for it."""

    url: str
