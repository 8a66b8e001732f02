"""The few kinds of condition that a filter can make, and each as a test of rows.

What evaluates them knows these kinds and nothing of filters. Every bound is inclusive; None is no bound.
"""

from collections.abc import Callable, Mapping
from datetime import date
from functools import reduce
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.rows.columns import Mask, Rows
from outings.contract.text import TextQuery
from outings.contract.values import number_day
from outings.release.mapped_table import NOT_STATED

Scalar = str | int | float | bool | date


class AnyOf(Struct, frozen=True):
    """The column is one of the values. Not stated: dropped."""

    column: str
    values: tuple[int, ...]


class Shares(Struct, frozen=True):
    """The column, a bit set, has one of these bits at least. Not stated: dropped."""

    column: str
    bits: int


class Is(Struct, frozen=True):
    """The column equals the value. Not stated: equal to nothing, so true and false both drop it."""

    column: str
    value: Scalar


class Between(Struct, frozen=True):
    """The column lies between the bounds. Not stated: dropped."""

    column: str
    low: Scalar | None
    high: Scalar | None


class Overlaps(Struct, frozen=True):
    """The range from `first` to `last` (two columns) has a point between the bounds.

    An end that is not stated is open, so a range without both is kept.
    """

    first: str
    last: str
    low: Scalar | None
    high: Scalar | None


class NotBefore(Struct, frozen=True):
    """An occurrence begins at the instant (seconds since 1970) or later; one that states no clock time, on the day or
    later."""

    instant: int
    day: date


class Within(Struct, frozen=True):
    """The listing's coordinates lie in the circle, its edge included. Not stated: dropped; or, where it is approximate,
    the middle of its zip is what counts."""

    lat: float
    lng: float
    radius_m: float
    is_approximate: bool = False


class NearZip(Struct, frozen=True):
    """The listing's coordinates lie in a circle round the middle of a zip."""

    zip: str
    radius_m: float
    is_approximate: bool = False


class InZips(Struct, frozen=True):
    """The listing's address has one of these. Not stated: dropped."""

    zips: tuple[str, ...]


class Matches(Struct, frozen=True):
    """The listing's words answer the query."""

    text: TextQuery


class HasId(Struct, frozen=True):
    """The listing is one of these."""

    ids: tuple[str, ...]


class Either(Struct, frozen=True):
    """All conditions of one of the alternatives hold."""

    alternatives: tuple[tuple["Condition", ...], ...]


# Answered by row numbers that every evaluator takes from one place, so that no two differ at an edge.
RowCondition = Within | NearZip | InZips | Matches | HasId
Condition = AnyOf | Shares | Is | Between | Overlaps | NotBefore | Either


class Conditions(Struct, frozen=True):
    """A listing matches when all of `listing` and `by_row` hold, and one of its happenings meets all of `happening`
    at once."""

    listing: tuple[Condition, ...]
    happening: tuple[Condition, ...]
    by_row: tuple[RowCondition, ...] = ()


Array = NDArray[Any]


def number_value(value: Scalar | None) -> Any:
    """Convert a value to the columns' form: a date to days since 1970, a boolean to 0 or 1."""
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
