"""The `occurrence` block of a series: made when answering, from its occurrences and the local date."""

from datetime import UTC, date, datetime

import msgspec

from outings.answers.series import Series
from outings.contract.instants import format_instant
from outings.contract.resources.event import Occurrence

_encoder = msgspec.json.Encoder()


def splice_occurrence(document: bytes, *, series: Series, row: int, today: date) -> bytes:
    """The event's document as it is where it is no series; else with the block as its last member."""
    if not series.is_series(row):
        return document
    found = series.find_next(row, today)
    block = Occurrence(
        next_starts_at=None if found.starts_at is None else format_instant(found.starts_at),
        next_starts_local=None if found.starts_local is None else _format_local(found.starts_local),
        remaining=found.remaining,
        total=found.total,
    )
    return b"%b,\"occurrence\":%b}" % (document[:-1], _encoder.encode(block))


def _format_local(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
