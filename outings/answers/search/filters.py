"""The filters of a search in each collection: the list's own filters and defaults, with the query's age."""

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from outings.answers.plan import AnswerContext, settle_now
from outings.answers.rows.filters import CollectionQuery, CollectionScope, Selection, choose_types, query_collections
from outings.answers.search.understanding.query import Age
from outings.contract.query import Query
from outings.contract.values import Value
from outings.release.snapshot import Snapshot

_OWN = frozenset({"q", "sort", "match", "types", "limit", "cursor"})
_ORIGIN = ("lat", "lng", "near_zip")
# Filters that only listings of one type can pass.
_DECIDES = {"team": "event"}
# Parameters that replace the age in the query's words.
_OVERRIDES = ("age", "age_min", "age_max", "audience")
# The window, which changes the next date of a listing.
_WINDOW = ("from", "to")
# Filters that choose among a listing's dates, beside the window.
_MOMENTS = ("weekday", "schedule_day", "start_after", "start_before", "ends_after")
# Filters of searches that send none: by the types that a key may read, and by the query's age.
MOST_USUAL = 256


# (Type, (first day, last day)), in days since 1970.
Windows = tuple[tuple[str, tuple[int, int | None]], ...]


class SearchFilters(Struct, frozen=True, kw_only=True, eq=False):
    """The filters of a search. `collections`: the query of each type; `given`: the filters that the request sends;
    `defaults`: the names of filters set by default; `has_usual_window`: True if the request sends no window."""

    collections: Mapping[str, CollectionQuery]
    given: Mapping[str, Value]
    defaults: tuple[str, ...]
    selections: tuple[Selection, ...]
    windows: Windows
    has_usual_window: bool

    @property
    def is_usual(self) -> bool:
        """Return True if the request has no filter."""
        return not self.given

    @property
    def says_when(self) -> bool:
        """Return True if a filter for weekdays or times was sent. Matching listings may have other dates, too."""
        return not self.given.keys().isdisjoint(_MOMENTS)


def find_search_filters(
    query: Query,
    *,
    age: Age | None,
    read: Mapping[str, Value],
    context: AnswerContext,
    snapshot: Snapshot,
) -> SearchFilters:
    """Find the filters of a search. `age`: that of the query's words; `read`: other parameters that they state. Raises
    ApiError for a wrong window."""
    values = settle_now({**read, **query.values}, context, snapshot.metro)
    given = {name: value for name, value in values.items() if name not in _OWN}
    decided = [only for name, only in _DECIDES.items() if name in query.values]
    types = tuple(entry for entry in choose_types(query, context.entitlement) if all(entry == only for only in decided))
    is_origin_alone = query.get("sort") == "nearest" and "radius_m" not in query.values
    left_out = _ORIGIN if is_origin_alone else ()
    filters = {name: value for name, value in given.items() if name not in left_out}
    ages = None if age is None or find_override(query) else age.spans or ((age.min, age.max),)
    today = context.dates[snapshot.metro.slug]
    scope = CollectionScope(route=query.route, today=today, vocabulary=snapshot.vocabulary, ages=ages)
    return _find_filters(filters, given, types, scope) if given else _find_usual(types, scope)


def _find_filters(
    filters: Mapping[str, Value], given: Mapping[str, Value], types: tuple[str, ...], scope: CollectionScope
) -> SearchFilters:
    collections, defaults = query_collections(tuple(filters.items()), types, scope)
    return SearchFilters(
        collections=collections,
        given=given,
        defaults=defaults,
        selections=tuple(collection.selection for collection in collections.values()),
        windows=tuple((name, collection.window) for name, collection in collections.items()),
        has_usual_window=given.keys().isdisjoint(_WINDOW),
    )


@lru_cache(maxsize=MOST_USUAL)
def _find_usual(types: tuple[str, ...], scope: CollectionScope) -> SearchFilters:
    """Return the filters of a request without any: the same object each time."""
    return _find_filters({}, {}, types, scope)


def find_override(query: Query) -> str | None:
    """Return the parameter of the request that replaces the age in the query, or None."""
    return next((name for name in _OVERRIDES if name in query.values), None)
