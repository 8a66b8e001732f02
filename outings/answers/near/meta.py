"""What is in effect in an answer near a point, as its `meta` says it."""

from datetime import date
from typing import Any

import msgspec

from outings.answers.near.request import Near
from outings.answers.selecting.filters import NAMES
from outings.contract.instants import format_instant
from outings.contract.meta import ActivityMeta, AroundMeta, SearchWindow, Window
from outings.contract.values import echo_value
from outings.contract.vocabulary import COLLECTIONS

_encoder = msgspec.json.Encoder()


def find_window(near: Near) -> Window:
    """Of the dated collections, which have one and the same; without any, none."""
    filters = [each.filters for each in near.collections.values()]
    dated = next((each for each in filters if each.get_date("from") is not None), None)
    return Window(
        from_=None if dated is None else dated.get_date("from"),
        to=None if dated is None else dated.get_date("to"),
        timezone=near.snapshot.metro.timezone,
    )


def list_dates(near: Near) -> tuple[date, date] | None:
    """The window's from today on, or all of one that is over; None without any."""
    window = find_window(near)
    if window.from_ is None or window.to is None:
        return None
    return window.from_ if window.to < near.today else max(window.from_, near.today), window.to


def encode_near_meta(near: Near, *, limit: int | None = None) -> bytes:
    """Of what is no list; with a `limit` where there are groups."""
    members: dict[str, Any] = {
        "metro": near.snapshot.metro.slug,
        "radius_m": near.radius_m,
        "window": find_window(near),
        "types": tuple(COLLECTIONS[each] for each in near.collections),
        "applied_filters": show_filters(near),
        "defaults_applied": near.defaults,
        "min_confidence": find_confidence(near),
        "generated_at": format_instant(near.minute),
    }
    return _encoder.encode(ActivityMeta(**members) if limit is None else AroundMeta(**members, limit=limit))


def find_confidence(near: Near) -> float:
    """Of the first collection that was asked."""
    return next((each.filters.min_confidence for each in near.collections.values()), 0)


def show_filters(near: Near) -> dict[str, Any]:
    """Those in effect: of all collections, then `by_type` what differs."""
    filters = {name: each.filters for name, each in near.collections.items()}
    audience = next((each.values["audience"] for each in filters.values()), ("not_adults",))
    of_all = {**near.given, "radius_m": near.radius_m, "audience": audience}
    by_type = {
        COLLECTIONS[name]: SearchWindow(
            from_=each.get_date("from"), to=each.get_date("to"), min_confidence=each.min_confidence
        )
        for name, each in filters.items()
    }
    address = {name: echo_value(value) for name, value in near.query.values.items() if name == "address"}
    return {**address, **{name: echo_value(of_all[name]) for name in NAMES if name in of_all}, "by_type": by_type}
