"""`meta` of an answer, as structs whose field order is the order in JSON."""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct

from outings.contract.resources.words import Id, Instant


class Window(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Local dates in effect, inclusive; null where there is no bound, both for places."""

    from_: date | None
    to: date | None
    timezone: str


class ListMeta(Struct, frozen=True, kw_only=True):
    """Of a list. `page` is null in a walk by cursor; `missing_ids` is empty where `ids` was not sent."""

    limit: int
    count: int
    has_more: bool
    next_cursor: str | None
    page: int | None
    applied_filters: Mapping[str, str | int | float | bool | list[str]]
    defaults_applied: tuple[str, ...]
    min_confidence: float
    window: Window
    metro: str
    generated_at: Instant
    missing_ids: tuple[Id, ...] = ()


class CalendarMeta(Struct, frozen=True, kw_only=True):
    """Of the events calendar. `total`: all occurrences in the window."""

    metro: str
    window: Window
    min_confidence: float
    total: int
    applied_filters: Mapping[str, str | int | float | bool | list[str]]
    defaults_applied: tuple[str, ...]
    generated_at: Instant


class MetrosMeta(Struct, frozen=True, kw_only=True):
    """Of `/v1/metros`: the stamp is the latest of any metro."""

    count: int
    generated_at: Instant | None


class ChangesMeta(Struct, frozen=True, kw_only=True):
    """Of `/v1/changes`. `next_cursor`: the last id that was looked at, the request's own where there is nothing new;
    `scope` stands for the metros and types that the key may read: when it changes, read anew from 0."""

    limit: int
    count: int
    has_more: bool
    next_cursor: int
    earliest_version_id: int
    latest_version_id: int
    scope: str
    generated_at: Instant | None


class VersionsMeta(Struct, frozen=True, kw_only=True):
    """Of `/v1/listings/{id}/versions`."""

    limit: int
    count: int
    has_more: bool
    next_cursor: str | None
    generated_at: Instant
