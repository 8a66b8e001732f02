"""The times in a query in `match=auto`: which listings take place then, by the filters that would state the same."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, time, timedelta
from functools import lru_cache

import numpy as np
from msgspec import Struct

from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import CollectionQuery, Selection, make_conditions
from outings.answers.search.matches import Keep
from outings.answers.search.strength import Mask, Numbers
from outings.answers.search.understanding.moments import When
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.values import DAY
from outings.contract.vocabulary import WEEKDAYS, Vocabulary

_HOUR, _MINUTE = 3600, 60
# Of what is lost, how much is where only the day is the one that was asked for, or where it is in another week.
_NEAR = 0.5
# Of some words of time, on a day: working them out takes 0.1 ms.
_SELECTIONS = 256
_Window = tuple[str, date, date | None]


class Moment(Struct, frozen=True, eq=False):
    """The time that a query states. `keep` returns those of some ascending rows that take place then; `keep_near` those
    for which a part of it is true."""

    keep: Keep
    keep_near: Keep

    def find_others(self, rows: Numbers, are_meant: Callable[[Numbers], Mask] | None) -> Numbers:
        """Return for each row how far its time differs: 0, a half, or 1. `are_meant`: marks rows that are places of the
        kind that is searched for, which exist at any time."""
        left = np.flatnonzero(~np.isin(rows, self.keep(rows)))
        if are_meant is not None:
            left = left[~are_meant(rows[left])]
        others = np.zeros(rows.size)
        others[left] = np.where(np.isin(rows[left], self.keep_near(rows[left])), _NEAR, 1)
        return others


def make_moment(when: When, collections: Mapping[str, CollectionQuery], opened: SnapshotReader) -> Moment:
    """Make the moment. `collections`: the query of each type, without words of time."""
    # A place takes none of the filters that say when.
    windows = tuple(
        (name, each.selection.start, each.filters.get_date("to"))
        for name, each in collections.items()
        if name != "place"
    )

    def keep(rows: Numbers, whens: Iterable[When]) -> Numbers:
        evaluator = open_evaluator(opened)
        selections = [each for when in whens for each in _list_selections(when, windows, opened.vocabulary)]
        kept: Numbers = np.unique(np.concatenate([rows[:0], *(evaluator.keep_rows(each, rows) for each in selections)]))
        return kept

    return Moment(lambda rows: keep(rows, [when]), lambda rows: keep(rows, when.list_parts()))


@lru_cache(maxsize=_SELECTIONS)
def _list_selections(when: When, windows: tuple[_Window, ...], vocabulary: Vocabulary) -> tuple[Selection, ...]:
    """`windows`: by type, the first day and the last."""
    return tuple(
        Selection(
            type=name,
            conditions=make_conditions(name, _list_values(name, begin, end, when), vocabulary),
            start=begin,
            has_cards=False,
        )
        for name, begin, end in windows
    )


def _list_values(listing_type: str, begin: date, end: date | None, when: When) -> dict[str, object]:
    """Return the filters of the type's list that state this time."""
    days = when.find_days(begin)
    first, last = (begin, end) if days is None else days
    # A term and its days are apart: on July 12th there is only what meets on Sundays.
    own = _list_weekdays(*days) if days is not None and listing_type == "class" else ()
    weekdays = when.weekdays or own
    low, high = when.hours or (0, DAY)
    values = {
        "from": max(first, begin),
        "to": last,
        "weekday": tuple(WEEKDAYS[each] for each in weekdays) or None,
        "start_after": _make_time(low) if low > 0 else None,
        "start_before": _make_time(high) if high < DAY else None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _list_weekdays(first: date, last: date) -> tuple[int, ...]:
    """Return the weekdays of a span of days, or () if it has all of them."""
    days = (last - first).days + 1
    return tuple((first + timedelta(days=each)).weekday() for each in range(days)) if days < len(WEEKDAYS) else ()


def _make_time(seconds: int) -> time:
    hour, rest = divmod(seconds, _HOUR)
    return time(hour, rest // _MINUTE)
