"""Resolve a request near a point: where, when, and the filters of each collection."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from outings.answers.expressions.evaluation import Expressions
from outings.answers.near.index import Now, read_now
from outings.answers.plan import AnswerContext
from outings.answers.rows.filters import (
    NAMES,
    CollectionQuery,
    CollectionScope,
    ExpressionSet,
    NotBefore,
    choose_types,
    query_collections,
)
from outings.answers.snapshot.distance import Point, make_unit_vector
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.answers.snapshot.zips import find_centre
from outings.contract.envelope import Notice, hidden_rows, outside_metro
from outings.contract.query import Query
from outings.contract.resources.finding import Origin
from outings.contract.resources.meta import SearchWindow, Window
from outings.contract.values import Value, echo_value, format_instant
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

# Resolved filters that are cached: nearly all requests of a minute have the same.
_CACHED = 256
_PLACES = {name: place for place, name in enumerate(NAMES)}
# The parameters of the circle, in their order among the filters.
_CIRCLE = ("lat", "lng", "radius_m", "near_zip")


Collections = Mapping[str, CollectionQuery]


class NearFilters(Struct, frozen=True, kw_only=True, eq=False):
    """The filters of each collection, resolved without the request's point.

    Attributes:
        sent: the filters in the request.
        defaults: the names of the filters that came from a default.
        window: the dates of all dated collections; empty if none is requested.
        audience: that of the first requested collection, as is `min_confidence`.
        by_type: the window and the minimum confidence of each collection, as `meta` shows them.
    """

    sent: tuple[tuple[str, Value], ...]
    collections: Collections
    defaults: tuple[str, ...]
    window: Window
    audience: Value
    min_confidence: float
    by_type: Mapping[str, SearchWindow]


# A function of the filters that were sent, the types, the route's name and the minute.
FindFilters = Callable[[tuple[tuple[str, Value], ...], tuple[str, ...], str, Now], NearFilters]


class Near(Struct, frozen=True, kw_only=True):
    """A request about what is near a point, resolved.

    Attributes:
        point: the origin as a unit vector on the sphere.
        minute: the current time.
        filters: all filters but the circle.
        circle: the parameters of the circle as `applied_filters` shows them.
        defaults: the names of filters that have their default.
    """

    query: Query
    snapshot: Snapshot
    origin: Origin
    point: Point
    radius_m: int
    minute: datetime
    now: Now
    filters: NearFilters
    circle: Mapping[str, str | int | float | bool | list[str]]
    defaults: tuple[str, ...]


def resolve_near(query: Query, *, snapshot: Snapshot, context: AnswerContext, minute: datetime) -> Near:
    """Resolve the request. Raises ApiError for a window of dates that lists would refuse."""
    now, values = read_now(minute, snapshot.metro.timezone), query.values
    sent = [name for name in values if name in _PLACES and name not in _CIRCLE]
    given = tuple((name, values[name]) for name in sorted(sent, key=_PLACES.__getitem__))
    find_filters = open_snapshot(snapshot).open_index(open_filters)
    filters = find_filters(given, choose_types(query, context.entitlement), query.route, now)
    radius = values.get("radius_m", query.match.route.parameters["radius_m"].default)
    assert isinstance(radius, int)
    shown = {"radius_m": radius, **values}
    circle = {name: echo_value(shown[name]) for name in ("address", *_CIRCLE) if name in shown}
    if "address" in query.values:
        assert context.address_center is not None, "callers have resolved the address"
        origin = Origin(lat=context.address_center.lat, lng=context.address_center.lng, source="address")
    else:
        center = find_centre(query, open_snapshot(snapshot))
        assert center is not None
        source = "zip" if "near_zip" in values else "coordinates"
        origin = Origin(lat=center[0], lng=center[1], source=source)
    return Near(
        query=query,
        snapshot=snapshot,
        origin=origin,
        point=make_unit_vector(origin.lat, origin.lng),
        radius_m=radius,
        minute=minute,
        now=now,
        filters=filters,
        circle=circle,
        defaults=filters.defaults if "radius_m" in values else (*filters.defaults, "radius_m"),
    )


def open_filters(reader: SnapshotReader) -> FindFilters:
    """Return a function that resolves filters. For equal filters it returns the same object, so that results can be
    cached by identity."""
    vocabulary, timezone, open_later = reader.vocabulary, reader.metro.timezone, reader.defer(Expressions)

    def mark(text: str, listing_type: str) -> ExpressionSet:
        return open_later().mark(text, listing_type)

    @lru_cache(maxsize=_CACHED)
    def find_filters(given: tuple[tuple[str, Value], ...], types: tuple[str, ...], route: str, now: Now) -> NearFilters:
        scope = CollectionScope(route=route, today=now.date, vocabulary=vocabulary, is_now=True, mark=mark)
        queries, defaults = query_collections(given, types, scope)
        collections = {name: _skip_begun(collection, now) for name, collection in queries.items()}
        effective = {name: collection.filters for name, collection in collections.items()}
        dates = {name: (filters.get_date("from"), filters.get_date("to")) for name, filters in effective.items()}
        start, end = next((window for window in dates.values() if window[0] is not None), (None, None))
        return NearFilters(
            sent=given,
            collections=collections,
            defaults=defaults,
            window=Window(from_=start, to=end, timezone=timezone),
            audience=next((filters.values["audience"] for filters in effective.values()), ("not_adults",)),
            min_confidence=next((filters.min_confidence for filters in effective.values()), 0),
            by_type={
                COLLECTIONS[name]: SearchWindow(
                    from_=dates[name][0], to=dates[name][1], min_confidence=filters.min_confidence
                )
                for name, filters in effective.items()
            },
        )

    return find_filters


def read_minute(context: AnswerContext) -> datetime:
    assert context.minute is not None, "a now-dependent answer needs its minute"
    return context.minute.astimezone(UTC).replace(second=0, microsecond=0)


def _skip_begun(collection: CollectionQuery, now: Now) -> CollectionQuery:
    """Add the condition that events have not begun yet."""
    if collection.selection.type != "event":
        return collection
    conditions = collection.selection.conditions
    since = NotBefore(now.instant, now.date)
    conditions = replace(conditions, occurrence=(*conditions.occurrence, since))
    return replace(collection, selection=replace(collection.selection, conditions=conditions))


def is_outside(near: Near) -> bool:
    """Return True if the point lies outside the metro's bounds, which may cross the date line."""
    bounds, origin = near.snapshot.metro.bounds, near.origin
    is_east, is_west = origin.lng >= bounds.west, origin.lng <= bounds.east
    is_between = is_east and is_west if bounds.west <= bounds.east else is_east or is_west
    return not (is_between and bounds.south <= origin.lat <= bounds.north)


def list_notices(near: Near, *, hidden: int) -> tuple[Notice, ...]:
    """Return the query's notices, one more if the point lies outside the metro, and one if rows are hidden."""
    outside = (outside_metro(near.snapshot.metro.name),) if is_outside(near) else ()
    return (*near.query.notices, *outside, *((hidden_rows(hidden),) if hidden else ()))


def describe_near(near: Near) -> dict[str, Any]:
    """Return the members of `meta` that every answer near a point has."""
    filters = near.filters
    sent = {name: echo_value(value) for name, value in (*filters.sent, ("audience", filters.audience))}
    # The filters that all collections share, the address first, then those by type.
    shared = sorted({**sent, **near.circle}.items(), key=lambda pair: _PLACES.get(pair[0], -1))
    return {
        "metro": near.snapshot.metro.slug,
        "window": filters.window,
        "types": tuple(COLLECTIONS[listing_type] for listing_type in near.filters.collections),
        "applied_filters": {**dict(shared), "by_type": filters.by_type},
        "defaults_applied": near.defaults,
        "min_confidence": filters.min_confidence,
        "generated_at": format_instant(near.minute),
        "radius_m": near.radius_m,
    }
