"""One date of the events calendar, and the address of the events as a calendar file."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from outings.contract.resources.forecast import DayForecast
from outings.contract.resources.words import Day, means


class CalendarDay(Struct, frozen=True, kw_only=True):
    """A local date of the metro and the occurrences that start on it; `categories` holds those that any of them
    has."""

    date: Annotated[Day, means("The local date.")]
    count: Annotated[int, means("How many occurrences start on this date.")]
    free_count: Annotated[int, means("How many of them are free.")]
    categories: Annotated[Mapping[str, int], means("How many occurrences each category has on this date.")]
    forecast: DayForecast | UnsetType = UNSET


class CalendarAddress(Struct, frozen=True, kw_only=True):
    """`url`: a path with its query string. Whoever has it reads the calendar as the key does that asked for it."""

    url: Annotated[str, means("A path with its query string. Whoever has it reads the calendar as the key that asked.")]
