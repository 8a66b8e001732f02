"""The few kinds of condition that a filter can make, over columns of the snapshot's tables.

What evaluates them knows these kinds and nothing of filters. Every bound is inclusive; None is no bound.
"""

from datetime import date

from msgspec import Struct

from outings.contract.text import TextQuery

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
