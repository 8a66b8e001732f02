"""What is in effect in an answer near a point, as its `meta` says it."""

from datetime import date
from typing import Any

import msgspec

from outings.answers.near.request import Near
from outings.answers.selecting.filters import NAMES
from outings.contract.instants import format_instant
from outings.contract.meta import ActivityMeta, AroundMeta
from outings.contract.values import Value, echo_value
from outings.contract.vocabulary import COLLECTIONS

_encoder = msgspec.json.Encoder()
_PLACES = {name: place for place, name in enumerate(NAMES)}


def list_dates(near: Near) -> tuple[date, date] | None:
    """The window's from today on, or all of one that is over; None without any."""
    window = near.filters.meta.window
    if window.from_ is None or window.to is None:
        return None
    return window.from_ if window.to < near.today else max(window.from_, near.today), window.to


def encode_near_meta(near: Near, *, limit: int | None = None) -> bytes:
    """Of what is no list; with a `limit` where there are groups."""
    members = list_members(near)
    return _encoder.encode(ActivityMeta(**members) if limit is None else AroundMeta(**members, limit=limit))


def list_members(near: Near) -> dict[str, Any]:
    """Those of every answer near a point."""
    return {
        "metro": near.snapshot.metro.slug,
        "radius_m": near.radius_m,
        "window": near.filters.meta.window,
        "types": tuple(COLLECTIONS[each] for each in near.collections),
        "applied_filters": show_filters(near),
        "defaults_applied": near.defaults,
        "min_confidence": near.filters.meta.min_confidence,
        "generated_at": format_instant(near.minute),
    }


def show_filters(near: Near) -> dict[str, Any]:
    """Those in effect: of all collections, then `by_type` what differs."""
    known = near.filters.meta
    of_all = {**near.given, "radius_m": near.radius_m, "audience": known.audience}
    address = {name: echo_value(value) for name, value in near.query.values.items() if name == "address"}
    shown = {name: echo_value(value) for name, value in sorted(of_all.items(), key=_read_place)}
    return {**address, **shown, "by_type": known.by_type}


def _read_place(pair: tuple[str, Value]) -> int:
    return _PLACES[pair[0]]
