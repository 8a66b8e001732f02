"""The values in effect → what they ask of a snapshot: an evaluator's whole input."""

from datetime import date

from msgspec import Struct

from outings.answers.selecting.cursors import Position
from outings.answers.selecting.defaults import EffectiveFilters
from outings.answers.selecting.filters import make_conditions
from outings.answers.selecting.predicate import Conditions
from outings.contract.query import Query
from outings.contract.vocabulary import Vocabulary


class Selection(Struct, frozen=True, kw_only=True):
    """What a list asks of one snapshot. `start` is the first date of the window: orders and cards look on from it.

    Without cards every class is its own; by update the order is that of a mirror, in which no listing can be missed.
    """

    type: str
    conditions: Conditions
    start: date
    has_cards: bool = True
    by_update: bool = False


class Span(Struct, frozen=True, kw_only=True):
    """Which part of the list: after a position, or from an offset."""

    limit: int
    offset: int = 0
    after: Position | None = None


def knows_cards(query: Query) -> bool:
    """Whether a program of several listings is one item: not where they are named, mirrored, or asked one by one."""
    values = query.values
    return "ids" not in values and "changed_since" not in values and "sessions" not in query.get_words("expand")


def select_listings(
    listing_type: str, filters: EffectiveFilters, *, vocabulary: Vocabulary, today: date, has_cards: bool = True
) -> Selection:
    return Selection(
        type=listing_type,
        conditions=make_conditions(listing_type, filters.values, vocabulary),
        start=filters.get_date("from") or today,
        has_cards=has_cards,
        by_update="changed_since" in filters.values,
    )
