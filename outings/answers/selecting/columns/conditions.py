"""A condition as a test of rows, or of happenings, by their numbers in a table of arrays.

`candidates.py` answers a condition by sets of rows where it can, and calls these tests for the rest. Which conditions a
filter makes is decided in `outings/answers/selecting/filters.py`.
"""

from collections.abc import Callable, Mapping
from datetime import date
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outings.answers.selecting.columns.bitsets import Mask, Rows
from outings.answers.selecting.predicate import (
    AnyOf,
    Between,
    Condition,
    Either,
    Is,
    NotBefore,
    Overlaps,
    Scalar,
    Shares,
)
from outings.contract.instants import number_day
from outings.release.mapped_table import NOT_STATED

Array = NDArray[Any]


def number_value(value: Scalar | None) -> Any:
    """As the columns have it: a date as days since 1970, a boolean as 0 or 1."""
    if isinstance(value, date):
        return number_day(value)
    return int(value) if isinstance(value, bool) else value


def make_test(condition: Condition, table: Mapping[str, Array]) -> Callable[[Rows], Mask]:
    match condition:
        case AnyOf(column, values):
            return lambda numbers: np.isin(table[column][numbers], values)
        case Shares(column, bits):
            return lambda numbers: (table[column][numbers] & bits) != 0
        case Is(column, value):
            return lambda numbers: table[column][numbers] == number_value(value)
        case Between(column, low, high):
            return lambda numbers: _lies_between(table[column][numbers], number_value(low), number_value(high))
        case Overlaps(first, last, low, high):
            return lambda numbers: _overlaps(
                table[first][numbers], table[last][numbers], number_value(low), number_value(high)
            )
        case NotBefore(instant, day):
            return lambda numbers: _begins(table, numbers, instant=instant, day=number_value(day))
        case Either(alternatives):
            sides = [[make_test(each, table) for each in side] for side in alternatives]
            return lambda numbers: reduce(
                np.logical_or, (reduce(np.logical_and, (test(numbers) for test in side)) for side in sides)
            )


def _lies_between(values: Array, low: Any, high: Any) -> Mask:
    stated = _is_stated(values)
    if low is not None:
        stated &= values >= low
    if high is not None:
        stated &= values <= high
    return stated


def _overlaps(firsts: Array, lasts: Array, low: Any, high: Any) -> Mask:
    kept = np.ones(firsts.shape, dtype=np.bool_)
    if low is not None:
        kept &= ~_is_stated(lasts) | (lasts >= low)
    if high is not None:
        kept &= ~_is_stated(firsts) | (firsts <= high)
    return kept


def _begins(table: Mapping[str, Array], numbers: Rows, *, instant: int, day: int) -> Mask:
    has_time = _is_stated(table["time"][numbers])
    begins: Mask = np.where(has_time, table["starts_at"][numbers] >= instant, table["day"][numbers] >= day)
    return begins


def _is_stated(values: Array) -> Mask:
    stated: Mask = ~np.isnan(values) if values.dtype.kind == "f" else values != NOT_STATED
    return stated
