"""The times in a query in `match=auto`: which listings take place then, by the filters that would state the same."""

from collections.abc import Mapping
from datetime import date, time, timedelta

import numpy as np

from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import CollectionQuery, Selection, make_conditions
from outings.answers.search.understanding.times import MIDNIGHT, When
from outings.answers.search.word_matches import Mask, Numbers
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.vocabulary import TYPES, WEEKDAYS, Vocabulary

_Window = tuple[str, date, date | None]


def mark_untimely(
    rows: Numbers, when: When, collections: Mapping[str, CollectionQuery], opened: SnapshotReader
) -> Mask:
    """Mark those of ascending rows that do not happen then. A place is there at any time. `collections`: the query of
    each type, without words of time."""
    windows = tuple(
        (name, requested.selection.start, requested.filters.get_date("to"))
        for name, requested in collections.items()
        if name != "place"
    )
    evaluator = open_evaluator(opened)
    kept = [evaluator.keep_rows(selection, rows) for selection in _list_selections(when, windows, opened.vocabulary)]
    is_place = opened.rows.types[rows] == TYPES.index("place")
    marks: Mask = ~is_place & ~np.isin(rows, np.concatenate([rows[:0], *kept]))
    return marks


def _list_selections(when: When, windows: tuple[_Window, ...], vocabulary: Vocabulary) -> tuple[Selection, ...]:
    """`windows`: by type, the first day and the last."""
    return tuple(
        Selection(
            type=name,
            conditions=make_conditions(name, _list_values(name, begin, end, when), vocabulary),
            start=begin,
            folds_programs=False,
        )
        for name, begin, end in windows
    )


def _list_values(listing_type: str, begin: date, end: date | None, when: When) -> dict[str, object]:
    """Return the filters of the type's list that state this time."""
    first, last, weekdays = begin, end, when.weekdays
    if when.ahead is not None:
        first, last = (begin + timedelta(days=number) for number in when.ahead)
        # A term and its days are apart: on a Sunday there is only what meets on Sundays.
        if listing_type == "class" and first == last and not weekdays:
            weekdays = (first.weekday(),)
    low, high = when.hours or (0, MIDNIGHT)
    values = {
        "from": first,
        "to": last,
        "weekday": tuple(WEEKDAYS[weekday] for weekday in weekdays) or None,
        "start_after": time(low) if low > 0 else None,
        "start_before": time(high) if high < MIDNIGHT else None,
    }
    return {name: value for name, value in values.items() if value is not None}
