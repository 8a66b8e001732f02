"""A list's `meta`, from the values in effect."""


import msgspec

from outings.answers.window import Settled
from outings.contract.instants import format_instant
from outings.contract.meta import ListMeta, Window
from outings.contract.query import Query
from outings.contract.values import echo_value
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def encode_meta(
    query: Query, settled: Settled, *, snapshot: Snapshot, count: int, next_cursor: str | None
) -> bytes:
    """`count`: the items of this answer."""
    confidence = settled.values["min_confidence"]
    assert isinstance(confidence, float | int)
    meta = ListMeta(
        limit=read_limit(query),
        count=count,
        has_more=next_cursor is not None,
        next_cursor=next_cursor,
        page=None if query.cursor is not None else read_page(query),
        applied_filters={name: echo_value(value) for name, value in settled.values.items()},
        defaults_applied=settled.defaults,
        min_confidence=confidence,
        window=Window(
            from_=settled.get_date("from"), to=settled.get_date("to"), timezone=snapshot.metro.timezone
        ),
        metro=snapshot.metro.slug,
        generated_at=format_instant(snapshot.stamp),
    )
    return _encoder.encode(meta)


def read_limit(query: Query) -> int:
    limit = query.get_as("limit", int)
    assert limit is not None
    return limit


def read_page(query: Query) -> int:
    return query.get_as("page", int) or 1
