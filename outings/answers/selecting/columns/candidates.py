"""Conditions → a set of rows and the tests that its rows have yet to pass.

Knows kinds of condition, and nothing of filters: what a column's values have sets for is answered by the sets, the rest
by tests of the rows that are left.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from msgspec import Struct

from outings.answers.selecting.columns.bitsets import Mask, Rows, make_empty, test_set
from outings.answers.selecting.columns.columns import Columns, TypeColumns, find_happenings
from outings.answers.selecting.columns.conditions import make_test, number_value
from outings.answers.selecting.columns.dates import find_events, read_dates
from outings.answers.selecting.predicate import (
    AnyOf,
    Between,
    Condition,
    Either,
    Is,
    NearZip,
    NotBefore,
    Overlaps,
    RowCondition,
    Shares,
    Within,
)
from outings.answers.selecting.row_finder import RowFinder
from outings.answers.selecting.selection import Selection
from outings.release.mapped_table import Words
from outings.release.tables import HAPPENINGS, PUBLISHED

# Rows, numbered within their type, → which of them pass.
Test = Callable[[Rows], Mask]


class Candidates(Struct, frozen=True, eq=False):
    """The rows of a type that can match, and what is still to be tested of each."""

    words: Words
    tests: tuple[Test, ...] = ()

    def keep_rows(self, rows: Rows) -> Rows:
        """Those of the set's rows that pass."""
        for test in self.tests:
            if rows.size:
                rows = rows[test(rows)]
        return rows


def find_candidates(selection: Selection, columns: Columns, finder: RowFinder) -> Candidates:
    """Before cards: published rows, all conditions of the listing, and one happening that meets all of its own."""
    own = columns.types[selection.type]
    parts: list[SetOrTest] = [own.read_set("is", "status", PUBLISHED)]
    parts += [_find_set_or_test(condition, columns, own) for condition in selection.conditions.listing]
    if selection.conditions.happening:
        parts.append(_find_happening_set(selection, columns, own))
    # Circles last: they cost most a row.
    for by_row in sorted(selection.conditions.by_row, key=lambda each: isinstance(each, Within | NearZip)):
        parts.append(_find_row_set(by_row, selection.type, columns, finder))
    return _join(parts)


SetOrTest = Words | Test


def _join(parts: Sequence[SetOrTest]) -> Candidates:
    """Of all rows that are in every set, what passes every test. One part at least is a set."""
    sets: list[Words] = []
    tests: list[Test] = []
    for each in parts:
        if isinstance(each, np.ndarray):
            sets.append(each)
        else:
            tests.append(each)
    return Candidates(reduce(np.bitwise_and, sets), tuple(tests))


def _find_set_or_test(condition: Condition, columns: Columns, own: TypeColumns) -> SetOrTest:
    match condition:
        case AnyOf(column, values):
            return own.read_any("is", column, values)
        case Shares(column, bits):
            return own.read_any("has", column, tuple(bit for bit in range(bits.bit_length()) if bits >> bit & 1))
        case Is(column, str(value)):
            return own.pack_rows(columns.find_text(column, value))
        case Is(column, value):
            return own.read_set("is", column, number_value(value))
        case Between(column, low, high):
            words = _find_between(own, column, number_value(low), number_value(high))
        case Overlaps(first, last, low, high):
            words = _find_overlapping(own, first, last, number_value(low), number_value(high))
        case NotBefore():
            words = None
        case Either(alternatives):
            return _find_either(alternatives, columns, own)
    return words if words is not None else _test_rows(condition, columns, own)


def _test_rows(condition: Condition, columns: Columns, own: TypeColumns) -> Test:
    test = make_test(condition, columns.rows)
    return lambda rows: test(rows + own.first)


def _find_between(own: TypeColumns, column: str, low: float | None, high: float | None) -> Words | None:
    """None where the column's values have no sets."""
    values = own.list_values(column)
    if values is None:
        return None
    first = 0 if low is None else bisect_left(values, low)
    return own.read_between(column, first, len(values) if high is None else bisect_right(values, high))


def _find_overlapping(own: TypeColumns, first: str, last: str, low: float | None, high: float | None) -> Words | None:
    firsts, lasts = own.list_values(first), own.list_values(last)
    if (firsts is None and high is not None) or (lasts is None and low is not None):
        return None
    return own.read_overlap(
        (first, None if high is None or firsts is None else bisect_right(firsts, high)),
        (last, None if low is None or lasts is None else bisect_left(lasts, low)),
    )


def _find_either(alternatives: Sequence[Sequence[Condition]], columns: Columns, own: TypeColumns) -> SetOrTest:
    """A set where all of it is answered by sets, else one test of all."""
    sides = [
        _join([~make_empty(own.size), *(_find_set_or_test(each, columns, own) for each in side)])
        for side in alternatives
    ]
    if not any(side.tests for side in sides):
        return reduce(np.bitwise_or, [side.words for side in sides])
    return lambda rows: reduce(np.logical_or, (_pass_side(side, rows) for side in sides))


def _pass_side(side: Candidates, rows: Rows) -> Mask:
    return reduce(np.logical_and, (test(rows) for test in side.tests), test_set(side.words, rows))


def _find_row_set(condition: RowCondition, listing_type: str, columns: Columns, finder: RowFinder) -> SetOrTest:
    own = columns.types[listing_type]
    if isinstance(condition, Within | NearZip):
        return lambda rows: finder.test_near(condition, rows + own.first)
    return own.pack_rows(finder.find_rows(condition, listing_type))


def _find_happening_set(selection: Selection, columns: Columns, own: TypeColumns) -> SetOrTest:
    """One happening that meets all: of an event by its days, else by what its sections or sessions say."""
    conditions = selection.conditions.happening
    if selection.type == "event":
        return find_events(read_dates(conditions), columns)
    tests = [make_test(each, columns.happenings[HAPPENINGS[selection.type]]) for each in conditions]

    def test_happenings(rows: Rows) -> Mask:
        numbers, starts = find_happenings(columns, rows + own.first)
        is_match = reduce(np.logical_and, (test(numbers) for test in tests))
        passed: Mask = np.logical_or.reduceat(is_match, starts)
        return passed

    return test_happenings
