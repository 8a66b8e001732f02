"""Parse the time in a query: "saturday morning", "tonight", "this weekend"."""

import re
from collections.abc import Sequence

from msgspec import Struct

from outings.contract.languages.language import NO_MATCH
from outings.contract.languages.word_lists import WhenWords

# The hour at which a day ends.
MIDNIGHT = 24
_WEEK = 7
# Days of the week, from Monday.
_WORKING = (0, 1, 2, 3, 4)
_FREE = (5, 6)


class When(Struct, frozen=True, kw_only=True):
    """The time that a query states; empty and None mean any. `weekdays`: from Monday, 0. `ahead`: the first and the
    last day, counted from the first day of the window. `hours`: of the day, end exclusive."""

    weekdays: tuple[int, ...] = ()
    ahead: tuple[int, int] | None = None
    hours: tuple[int, int] | None = None


class WhenPatterns:
    """The patterns for time in one language."""

    def __init__(self, words: WhenWords) -> None:
        days = words.days.split()
        groups = (words.weekdays, _WORKING), (words.weekends, _FREE)
        self._weekdays = [(_compile(part), (number,)) for number, part in enumerate(days)]
        self._groups = [(_compile(part), numbers) for part, numbers in groups]
        coming = rf"(?:{words.coming or NO_MATCH})[ -](?:{'|'.join(days) or NO_MATCH}|{words.weekends or NO_MATCH})"
        aheads = (words.today, (0, 0)), (words.tomorrow, (1, 1)), (coming, (0, _WEEK - 1))
        self._aheads = [(_compile(part), ahead) for part, ahead in aheads]
        self._hours = [(_compile(hour.words), (hour.low, hour.high)) for hour in words.hours]

    def read(self, timed: str) -> When | None:
        """Parse the time. `timed`: a query's line with bars for the words that are not of time."""
        named = [hours for pattern, hours in self._hours if pattern.search(timed)]
        when = When(
            weekdays=tuple(_list_days(self._weekdays, timed) or _list_days(self._groups, timed)),
            ahead=next((ahead for pattern, ahead in self._aheads if pattern.search(timed)), None),
            hours=(min(low for low, _ in named), max(high for _, high in named)) if named else None,
        )
        return None if when == When() else when


def _list_days(patterns: Sequence[tuple[re.Pattern[str], Sequence[int]]], timed: str) -> list[int]:
    return [number for pattern, numbers in patterns if pattern.search(timed) for number in numbers]


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern or NO_MATCH})(?!\w)")
