"""A `Selection`: what a request selects of one snapshot's listings of a type, an evaluator's whole input.

A route over all collections asks each for its own list's filters and defaults. A filter that a collection does not have
does not narrow it.
"""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct

from outings.answers.rows.conditions import Conditions
from outings.answers.rows.filters import NAMES, EffectiveFilters, Values, fill_defaults, make_conditions
from outings.answers.rows.paging import Position
from outings.contract.entitlement import Entitlement
from outings.contract.instants import number_day
from outings.contract.parameter import DateDefault, Parameter
from outings.contract.query import Query
from outings.contract.route import list_defaults
from outings.contract.routes import LISTS, ROUTES
from outings.contract.values import Value
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from outings.contract.window import LIST_DAYS_AFTER


class Selection(Struct, frozen=True, kw_only=True):
    """A query for the listings of a type in one snapshot. `start` is the first date of the window: orders and cards
    look on from it.

    Without cards every class is its own. By update the order is that of a mirror, in which no listing can be missed.
    """

    type: str
    conditions: Conditions
    start: date
    has_cards: bool = True
    by_update: bool = False


class Span(Struct, frozen=True, kw_only=True):
    """A part of a list: after a position, or from an offset."""

    limit: int
    offset: int = 0
    after: Position | None = None


def knows_cards(query: Query) -> bool:
    """Return True if a program of several listings is one item: not where listings are named, mirrored, or asked one
    by one."""
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


class CollectionQuery(Struct, frozen=True, kw_only=True):
    """`window`: the first and the last day, since 1970, on which an item's next date may lie; not before today, unless
    all of the window does."""

    filters: EffectiveFilters
    selection: Selection
    window: tuple[int, int | None]


class CollectionScope(Struct, frozen=True, kw_only=True):
    """`route`: the name of the one that asks, whose window's defaults hold in place of the lists'; `ages` are those of
    a search's words. With `is_now` no window begins before today."""

    route: str
    today: date
    vocabulary: Vocabulary
    ages: tuple[int, int | None] | None = None
    is_now: bool = False


def choose_types(query: Query, entitlement: Entitlement) -> tuple[str, ...]:
    """Return the types of a request that its key may read, singular: its `types`, else all. The caller refuses a
    type that the key may not read."""
    named = query.get_words("types") or tuple(COLLECTIONS.values())
    return tuple(
        listing_type
        for listing_type, collection in COLLECTIONS.items()
        if collection in named and entitlement.allows_type(listing_type)
    )


class CollectionQueries(Struct, frozen=True):
    """`collections` by type, singular; `defaults` are the filters of any of them that came from a default."""

    collections: Mapping[str, CollectionQuery]
    defaults: tuple[str, ...]


def query_collections(
    given: tuple[tuple[str, Value], ...], types: tuple[str, ...], scope: CollectionScope
) -> CollectionQueries:
    """`given`: filters of any of the types. Raises what a list raises for a window."""
    collections = {each: _query_collection(each, dict(given), scope) for each in types}
    filters = [each.filters for each in collections.values()]
    return CollectionQueries(
        collections, tuple(name for name in NAMES if any(name in each.defaults for each in filters))
    )


def _query_collection(listing_type: str, given: Mapping[str, Value], scope: CollectionScope) -> CollectionQuery:
    """Return the query of one collection. Filters that it does not take do not narrow it."""
    rows, today = _PARAMETERS[scope.route][listing_type], scope.today
    filters = fill_defaults(
        list_defaults(rows), {name: value for name, value in given.items() if name in rows}, today=today
    )
    filters.check_window(most_days_after=LIST_DAYS_AFTER)
    start, end = filters.get_date("from"), filters.get_date("to")
    of_words: Values = {} if scope.ages is None else {"age": scope.ages}
    is_past = scope.is_now and start is not None and start < today
    of_now: Values = {"from": today} if is_past else {}
    selection = Selection(
        type=listing_type,
        conditions=make_conditions(listing_type, {**filters.values, **of_words, **of_now}, scope.vocabulary),
        start=today if is_past else start or today,
        has_cards=False,
    )
    is_over = start is not None and end is not None and end < today
    low = start if start is not None and is_over and not scope.is_now else max(start or today, today)
    window = (number_day(low), None if end is None else number_day(end))
    return CollectionQuery(filters=filters, selection=selection, window=window)


def _take_window(rows: Mapping[str, Parameter], own: Mapping[str, Parameter]) -> Mapping[str, Parameter]:
    """A list's rows, with a route's default end of the window where it has one."""
    end = own.get("to")
    has_end = "to" in rows and end is not None and isinstance(end.default, DateDefault)
    return {**rows, "to": end} if has_end and end is not None else rows


_PARAMETERS = {
    route.name: {name: _take_window(each.parameters, route.parameters) for name, each in LISTS.items()}
    for route in ROUTES
    if "types" in route.parameters
}
