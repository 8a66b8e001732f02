"""A `Selection`: what a request selects of a snapshot's listings of a type, an evaluator's whole input. And its pages.

A route over all collections asks each for its own list's filters and defaults. A filter that a collection does not have
does not narrow it.
"""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache

from msgspec import Struct

from outings.answers.rows.conditions import Conditions
from outings.answers.rows.filters import NAMES, EffectiveFilters, Values, fill_defaults, make_conditions
from outings.contract.cursor import Cursor, encode_cursor, is_sealed, malformed_cursor
from outings.contract.query import Entitlement, Query
from outings.contract.routes import LIST_DAYS_AFTER, LISTS, ROUTES, list_defaults
from outings.contract.values import DateDefault, Parameter, Value, format_instant, number_day, parse_date, parse_uuid
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from outings.release.snapshot import Snapshot


def read_limit(query: Query) -> int:
    """Items in one answer at most: `ids` are answered all at once."""
    if "ids" in query.values:
        most = query.match.route.parameters["ids"].most
        assert most is not None
        return most
    limit = query.get_as("limit", int)
    assert limit is not None
    return limit


def read_page(query: Query) -> int:
    return query.get_as("page", int) or 1


def count_items(query: Query) -> int:
    """Return the most items of an answer: the limit, or as many as `ids` names."""
    return len(query.get_words("ids")) if "ids" in query.values else read_limit(query)


# The order's key and the id of a walk's last row: an event's start in seconds, a camp's first session as a date, the
# first characters of a folded name, or, in sync mode, the time of the update in seconds.
Position = tuple[str | int | None, str]

# A cursor has room for 2,000 characters; a name may be longer.
KEY_CHARACTERS = 200
_SECONDS = 1 << 62


def name_walk(snapshot: Snapshot) -> str:
    """Return the name of the snapshot in which a walk began: the metro's stamp.

    The release would not do: a page written ahead holds a cursor, and the release's id is made from its pages.
    """
    return _format_stamp(snapshot.stamp)


# The same in each answer of a snapshot.
_format_stamp = lru_cache(maxsize=64)(format_instant)


def make_cursor(query: Query, position: tuple[str | int | None, ...], *, snapshot: Snapshot, today: date) -> str:
    """Return the cursor to the items after a position, which is of the form of the query's route."""
    cursor = Cursor(route=query.route, release=name_walk(snapshot), date=today, position=position)
    return encode_cursor(cursor, query.walk, snapshot=snapshot.hash)


def check_cursor(query: Query, *snapshots: Snapshot) -> None:
    """Raises `cursor_malformed` for one that names any of these and was made in none. Of one that names another, which
    is gone, nobody can tell."""
    cursor = query.cursor
    if cursor is None:
        return
    named = [each.hash for each in snapshots if name_walk(each) == cursor.release]
    if named and not any(is_sealed(cursor, query.seal, query.walk, snapshot=each) for each in named):
        raise malformed_cursor()


def cut_position(position: Position) -> Position:
    key, row_id = position
    return (key[:KEY_CHARACTERS] if isinstance(key, str) else key), row_id


def read_position(query: Query) -> Position:
    """Read the position of a query's cursor. Raises `cursor_malformed` for one that its list can't have given."""
    assert query.cursor is not None
    if len(query.cursor.position) != 2:
        raise malformed_cursor()
    key, row_id = query.cursor.position
    if query.resource == "event" or "changed_since" in query.values:
        is_key = isinstance(key, int) and abs(key) < _SECONDS
    elif query.resource == "camp":
        is_key = key is None or (isinstance(key, str) and parse_date(key) is not None)
    else:
        is_key = isinstance(key, str)
    if not is_key or not is_id(row_id):
        raise malformed_cursor()
    return key, str(row_id)


def is_id(value: str | int | None) -> bool:
    """Return True for a uuid in lower case, as rows have it."""
    return isinstance(value, str) and parse_uuid(value) == value


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
