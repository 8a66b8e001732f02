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


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "CalendarAddress.url": "A path with its query string. Whoever has it reads the calendar as the key that asked.",
    "CalendarDay.categories": "How many occurrences each category has on this date.",
    "CalendarDay.count": "How many occurrences start on this date.",
    "CalendarDay.date": "The local date.",
    "CalendarDay.free_count": "How many of them are free.",
}
