"""`meta` of answers near a point: the filters, the circle and the window that are in effect."""

from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from itertools import chain
from typing import Any

import msgspec
from msgspec import Raw

from outings.answers.near.request import Near, NearFilters
from outings.answers.rows.filters import NAMES
from outings.contract.resources.meta import ActivityMeta, AroundMeta, NearbyMeta, NearCoverage
from outings.contract.values import echo_value, format_instant
from outings.contract.vocabulary import COLLECTIONS

_encoder = msgspec.json.Encoder()
_PLACES = {name: place for place, name in enumerate(("address", *NAMES))}
# Stands for what depends on the point: no JSON has this byte.
_SLOT = b"\0"
# Of filters that are asked for again and again, about other points.
_FRAMES = 256


def list_dates(near: Near) -> tuple[date, date] | None:
    """The window's from today on, or all of one that is over; None without any."""
    window = near.filters.meta.window
    if window.from_ is None or window.to is None:
        return None
    return window.from_ if window.to < near.today else max(window.from_, near.today), window.to


def encode_near_meta(near: Near, *, limit: int | None = None) -> bytes:
    """Encode `meta` of `activity`, or with a `limit` that of `around`."""
    members = {
        **_list_members(near.filters, near.circle, near.minute, near.snapshot.metro.slug, near.defaults),
        "radius_m": near.radius_m,
    }
    return _encoder.encode(ActivityMeta(**members) if limit is None else AroundMeta(**members, limit=limit))


def encode_nearby_meta(near: Near, *, limit: int, count: int, next_cursor: str | None, hidden: int) -> bytes:
    """Encode `meta` of a page of `nearby`."""
    texts = _make_frame(
        near.filters, (*near.circle,), near.minute, near.snapshot.metro.slug, near.defaults, limit=limit
    )
    values = (
        count, next_cursor is not None, next_cursor, *near.circle.values(), near.origin, near.radius_m,
        NearCoverage(hidden_nearby=hidden),
    )  # fmt: skip
    # A line for each value, and none behind the last text.
    lines = _encoder.encode_lines(values).split(b"\n")
    return b"".join(chain.from_iterable(zip(texts, lines, strict=True)))


@lru_cache(maxsize=_FRAMES)
def _make_frame(
    filters: NearFilters, circle: tuple[str, ...], minute: datetime, slug: str, defaults: tuple[str, ...], *, limit: int
) -> list[bytes]:
    """Return the texts of `meta` that are the same for every point, between the values that are not."""
    slot = Raw(_SLOT)
    members: dict[str, Any] = {
        **_list_members(filters, dict.fromkeys(circle, slot), minute, slug, defaults),
        **dict.fromkeys(("count", "has_more", "next_cursor", "origin", "radius_m", "coverage"), slot),
        "limit": limit,
        "page": None,
    }
    return _encoder.encode(NearbyMeta(**members)).split(_SLOT)


def _list_members(
    filters: NearFilters, circle: Mapping[str, Any], minute: datetime, slug: str, defaults: tuple[str, ...]
) -> dict[str, Any]:
    """List the members of every answer near a point. `circle`: its parameters as they are shown."""
    return {
        "metro": slug,
        "window": filters.meta.window,
        "types": tuple(COLLECTIONS[each] for each in filters.collections),
        "applied_filters": show_filters(filters, circle),
        "defaults_applied": defaults,
        "min_confidence": filters.meta.min_confidence,
        "generated_at": format_instant(minute),
    }


def show_filters(filters: NearFilters, circle: Mapping[str, Any]) -> dict[str, Any]:
    """Return the filters in effect: of all collections, then in `by_type` those that differ."""
    sent = {name: echo_value(value) for name, value in (*filters.sent, ("audience", filters.meta.audience))}
    shown = sorted({**sent, **circle}.items(), key=_read_place)
    return {**dict(shown), "by_type": filters.meta.by_type}


def _read_place(pair: tuple[str, Any]) -> int:
    return _PLACES[pair[0]]
