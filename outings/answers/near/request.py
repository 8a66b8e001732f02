"""Resolve a request near a point: where, when, and the filters of each collection."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.expressions.evaluation import open_expressions
from outings.answers.near.index import Now, Windows, read_now
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
from outings.contract.resources.directories import Center
from outings.contract.resources.finding import Origin
from outings.contract.resources.meta import ActivityMeta, AroundMeta, NearbyMeta, NearCoverage, SearchWindow, Window
from outings.contract.values import Value, echo_value, format_instant
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

# Nearly all requests of a minute ask with the same filters.
_MEMORY = 256
_PLACES = {name: place for place, name in enumerate(NAMES)}
# In their order among the filters.
_CIRCLE = ("lat", "lng", "radius_m", "near_zip")


Collections = Mapping[str, CollectionQuery]


class FiltersMeta(Struct, frozen=True, kw_only=True):
    """The members of `meta` about filters, in every answer near a point.

    Attributes:
        window: the dates of all dated collections; empty if none is requested.
        audience: that of the first requested collection, as is `min_confidence`.
        by_type: the window and the minimum confidence of each collection.
    """

    window: Window
    audience: Value
    min_confidence: float
    by_type: Mapping[str, SearchWindow]


class NearFilters(Struct, frozen=True, kw_only=True, eq=False):
    """The filters of each collection, resolved without the request's point. `sent`: the filters in the request;
    `defaults`: the names of those that came from a default."""

    sent: tuple[tuple[str, Value], ...]
    collections: Collections
    windows: Windows
    defaults: tuple[str, ...]
    meta: FiltersMeta


# By the filters that were sent, the types, the route's name and the minute.
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

    @property
    def today(self) -> date:
        return self.now.date

    @property
    def collections(self) -> Collections:
        return self.filters.collections

    @property
    def windows(self) -> Windows:
        return self.filters.windows


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
    origin = find_origin(query, spot=context.spot, snapshot=snapshot)
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
    vocabulary, timezone, open_later = reader.vocabulary, reader.metro.timezone, reader.defer(open_expressions)

    def mark(text: str, listing_type: str) -> ExpressionSet:
        return open_later().mark(text, listing_type)

    @lru_cache(maxsize=_MEMORY)
    def find_filters(given: tuple[tuple[str, Value], ...], types: tuple[str, ...], route: str, now: Now) -> NearFilters:
        scope = CollectionScope(route=route, today=now.date, vocabulary=vocabulary, is_now=True, mark=mark)
        filters = query_collections(given, types, scope)
        collections = {name: _leave_past(collection, now) for name, collection in filters.collections.items()}
        windows = {name: collection.window for name, collection in collections.items()}
        meta = _make_meta(collections, timezone)
        return NearFilters(sent=given, collections=collections, windows=windows, defaults=filters.defaults, meta=meta)

    return find_filters


def _make_meta(collections: Mapping[str, CollectionQuery], timezone: str) -> FiltersMeta:
    filters = {name: collection.filters for name, collection in collections.items()}
    windows = [(effective.get_date("from"), effective.get_date("to")) for effective in filters.values()]
    start, end = next((window for window in windows if window[0] is not None), (None, None))
    return FiltersMeta(
        window=Window(from_=start, to=end, timezone=timezone),
        audience=next((effective.values["audience"] for effective in filters.values()), ("not_adults",)),
        min_confidence=next((effective.min_confidence for effective in filters.values()), 0),
        by_type={
            COLLECTIONS[name]: SearchWindow(
                from_=effective.get_date("from"), to=effective.get_date("to"), min_confidence=effective.min_confidence
            )
            for name, effective in filters.items()
        },
    )


def read_minute(context: AnswerContext) -> datetime:
    assert context.minute is not None, "a now-dependent answer needs its minute"
    return context.minute.astimezone(UTC).replace(second=0, microsecond=0)


def find_origin(query: Query, *, spot: Center | None, snapshot: Snapshot) -> Origin:
    """Return the point of a request: an address, a postal code or coordinates. `spot`: the resolved address."""
    if "address" in query.values:
        assert spot is not None, "who asks resolves the address before"
        return Origin(lat=spot.lat, lng=spot.lng, source="address")
    centre = find_centre(query, open_snapshot(snapshot))
    assert centre is not None
    return Origin(lat=centre[0], lng=centre[1], source="zip" if "near_zip" in query.values else "coordinates")


def _leave_past(collection: CollectionQuery, now: Now) -> CollectionQuery:
    """Leave out of a collection the events that have begun."""
    if collection.selection.type != "event":
        return collection
    conditions = collection.selection.conditions
    since = NotBefore(now.instant, now.date)
    conditions = replace(conditions, happening=(*conditions.happening, since))
    return replace(collection, selection=replace(collection.selection, conditions=conditions))


def is_outside(near: Near) -> bool:
    """Return True if the point lies outside the metro's bounds."""
    bounds, origin = near.snapshot.metro.bounds, near.origin
    is_inside = bounds.south <= origin.lat <= bounds.north and _lies_between(bounds.west, origin.lng, bounds.east)
    return not is_inside


def list_notices(near: Near, *, hidden: int) -> tuple[Notice, ...]:
    """Return the query's notices, one more if the point lies outside the metro, and one if rows are hidden."""
    outside = (outside_metro(near.snapshot.metro.name),) if is_outside(near) else ()
    return (*near.query.notices, *outside, *((hidden_rows(hidden),) if hidden else ()))


def _lies_between(west: float, lng: float, east: float) -> bool:
    """Return True if a longitude lies between two others, also across the date line."""
    return west <= lng <= east if west <= east else lng >= west or lng <= east


_encoder = msgspec.json.Encoder()


def list_dates(near: Near) -> tuple[date, date] | None:
    """Return the first and last date of the window from today on, or of a past window; None without a window."""
    window = near.filters.meta.window
    if window.from_ is None or window.to is None:
        return None
    return window.from_ if window.to < near.today else max(window.from_, near.today), window.to


def encode_near_meta(near: Near, *, limit: int | None = None) -> bytes:
    """Encode the `meta` of `activity` or, with a `limit`, that of `around`."""
    members = _list_members(near)
    return _encoder.encode(ActivityMeta(**members) if limit is None else AroundMeta(**members, limit=limit))


def encode_nearby_meta(near: Near, *, limit: int, count: int, next_cursor: str | None, hidden: int) -> bytes:
    """Encode `meta` of a page of `nearby`."""
    members = _list_members(near)
    return _encoder.encode(
        NearbyMeta(
            **members,
            limit=limit,
            page=None,
            count=count,
            has_more=next_cursor is not None,
            next_cursor=next_cursor,
            origin=near.origin,
            coverage=NearCoverage(hidden_nearby=hidden),
        )
    )


def _list_members(near: Near) -> dict[str, Any]:
    """Return the members of `meta` that every answer near a point has."""
    meta = near.filters.meta
    return {
        "metro": near.snapshot.metro.slug,
        "window": meta.window,
        "types": tuple(COLLECTIONS[listing_type] for listing_type in near.collections),
        "applied_filters": _show_filters(near),
        "defaults_applied": near.defaults,
        "min_confidence": meta.min_confidence,
        "generated_at": format_instant(near.minute),
        "radius_m": near.radius_m,
    }


def _show_filters(near: Near) -> dict[str, Any]:
    """Return the filters in effect, as `meta` shows them: the shared ones, then `by_type`."""
    filters = near.filters
    sent = {name: echo_value(value) for name, value in (*filters.sent, ("audience", filters.meta.audience))}
    # The address comes first.
    shown = sorted({**sent, **near.circle}.items(), key=lambda pair: _PLACES.get(pair[0], -1))
    return {**dict(shown), "by_type": filters.meta.by_type}
