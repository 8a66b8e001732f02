"""`meta` of a list, and of what else has filters, from the values in effect."""

from typing import Any

import msgspec

from outings.answers.rows.filters import EffectiveFilters
from outings.answers.rows.paging import name_walk, read_limit, read_page
from outings.contract.meta import ListMeta, Window
from outings.contract.query import Query
from outings.contract.values import echo_value
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def encode_meta(
    query: Query,
    filters: EffectiveFilters,
    *,
    snapshot: Snapshot,
    count: int,
    next_cursor: str | None,
    missing: tuple[str, ...] = (),
) -> bytes:
    """`count`: the items of this answer; `missing`: of `ids`, those that there are not."""
    meta = ListMeta(
        limit=read_limit(query),
        count=count,
        has_more=next_cursor is not None,
        next_cursor=next_cursor,
        page=read_page(query) if _has_pages(query) else None,
        missing_ids=missing,
        **describe_filters(filters, snapshot=snapshot),
    )
    return _encoder.encode(meta)


def describe_filters(filters: EffectiveFilters, *, snapshot: Snapshot) -> dict[str, Any]:
    """The members that a list, a calendar and a density have in common."""
    return {
        "applied_filters": {name: echo_value(value) for name, value in filters.values.items()},
        "defaults_applied": filters.defaults,
        "min_confidence": filters.min_confidence,
        "window": Window(from_=filters.get_date("from"), to=filters.get_date("to"), timezone=snapshot.metro.timezone),
        "metro": snapshot.metro.slug,
        "generated_at": name_walk(snapshot),
    }


def _has_pages(query: Query) -> bool:
    return query.cursor is None and "ids" not in query.values and "changed_since" not in query.values
