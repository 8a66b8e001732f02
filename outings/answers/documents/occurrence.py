"""The `occurrence` block of an event: made when answering, from its occurrences and the local date."""

import weakref
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Raw

from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.series import Moment, Next
from outings.contract.resources.listings import Occurrence
from outings.contract.values import format_instant

# Blocks made lately, of all metros together: 300 bytes each.
_BLOCKS = 32_768
_encoder = msgspec.json.Encoder()
# An event's members as they stand in its document, in their order.
_decoder = msgspec.json.Decoder(dict[str, Raw])


def read_event(reader: SnapshotReader, row: int, today: date) -> bytes:
    """An event's document, with the occurrence of that date where it is a series."""
    document = reader.read_document(row)
    if not reader.series.is_series(row):
        return document
    return b"%b,%b" % (document[:-1], _read_next(reader.reference, row, today))


def view_events(reader: SnapshotReader, rows: Sequence[int], today: date) -> list[bytes | memoryview]:
    """`read_event` of each, where it lies, in pieces to be joined by commas: what a series ends with is a piece of its
    own, for between the members of an item stands the same sign as between two items."""
    documents, are_series, of = reader.view_documents(rows), reader.series.list_series(rows), reader.reference
    pairs = zip(rows, are_series, strict=True)
    endings = [_read_next(of, row, today) if is_series else None for row, is_series in pairs]
    return [
        piece
        for document, ending in zip(documents, endings, strict=True)
        for piece in ((document,) if ending is None else (document[:-1], ending))
    ]


@lru_cache(maxsize=_BLOCKS)
def _read_next(of: "weakref.ref[SnapshotReader]", row: int, today: date) -> bytes:
    """How the document of a series ends then, behind a comma: with its next occurrence on or after the date. Making one
    takes 12 µs, of which most is in formatting two instants: 600 µs of a page of 50."""
    reader = of()
    assert reader is not None
    block = _encoder.encode(Occurrence(**_show_next(reader.series.find_next(row, today))))
    return b'"occurrence":%b}' % block


def read_occurrence(reader: SnapshotReader, row: int, number: int, today: date) -> bytes:
    """An event's document with the times of one of its occurrences, and the block of that one, a single event's too:
    `number` is its place in the table."""
    members = _decoder.decode(reader.read_document(row))
    moment, following = reader.series.read_moment(number), reader.series.find_next(row, today)
    times = _show_times(moment)
    local = times["starts_local"]
    block = Occurrence(
        **_show_next(following),
        key=f"{msgspec.json.decode(members['id'])}_{local.translate(_COMPACT)}",
        **times,
        date_on=local[:10],
        index=moment.index,
        is_first=moment.index == 1,
        is_last=moment.index == following.total,
    )
    if bytes(members["has_time"]) == b"true":
        times = {**times, "start_time": local[11:]}
    for name, value in {**times, "occurrence": block}.items():
        members[name] = Raw(_encoder.encode(value))
    return _encoder.encode(members)


_COMPACT = str.maketrans("", "", "-:")


def _show_next(following: Next) -> dict[str, Any]:
    return {
        "next_starts_at": None if following.starts_at is None else format_instant(following.starts_at),
        "next_starts_local": None if following.starts_local is None else show_local(following.starts_local),
        "remaining": following.remaining,
        "total": following.total,
    }


def _show_times(moment: Moment) -> Mapping[str, Any]:
    return {
        "starts_at": format_instant(moment.starts_at),
        "starts_local": show_local(moment.starts_local),
        "ends_at": None if moment.ends_at is None else format_instant(moment.ends_at),
        "ends_local": None if moment.ends_local is None else show_local(moment.ends_local),
    }


def show_local(seconds: int) -> str:
    """Seconds of the local clock."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
