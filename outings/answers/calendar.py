"""`/v1/{metro}/events/calendar`: the occurrences that the expanded list would show, counted by local date."""

from datetime import date, timedelta

import msgspec

from outings.answers.buckets import Buckets, Numbers, count_numbers, spread_bits
from outings.answers.happenings import compile_days
from outings.answers.opened import open_snapshot
from outings.answers.selections import select_listings
from outings.answers.window import Settled, settle_filters
from outings.contract.envelope import encode_list
from outings.contract.instants import format_instant
from outings.contract.meta import CalendarMeta, Window
from outings.contract.query import Query
from outings.contract.resources.calendar import CalendarDay
from outings.contract.values import echo_value
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def answer_calendar(query: Query, *, snapshot: Snapshot, today: date) -> list[bytes]:
    """The body as parts."""
    settled = settle_filters(query, today)
    start, end = settled.get_date("from"), settled.get_date("to")
    assert start is not None
    assert end is not None
    opened = open_snapshot(snapshot)
    selection = select_listings("event", settled, opened=opened, vocabulary=snapshot.vocabulary, today=today)
    tables = opened.open_tables()
    found = tables.fetch_columns(compile_days(selection, schema=tables.schema))
    days = [start + timedelta(days=number) for number in range((end - start).days + 1)]
    entries = _count_days(
        days,
        rows=found["row"],
        numbers=found["day"],
        buckets=opened.open_buckets(),
        words=snapshot.vocabulary.categories,
    )
    meta = _make_meta(settled, snapshot=snapshot, total=len(found["row"]))
    return encode_list([_encoder.encode(entry) for entry in entries], meta=_encoder.encode(meta), notices=query.notices)


def _count_days(
    days: list[date], *, rows: Numbers, numbers: Numbers, buckets: Buckets, words: tuple[str, ...]
) -> list[CalendarDay]:
    """`numbers`: of each occurrence, which of the days it is on."""
    size, sets = len(days), buckets.category_sets
    counts = count_numbers(numbers, size).tolist()
    free = count_numbers(numbers[buckets.is_free[rows]], size).tolist()
    together = numbers * sets.size + buckets.categories[rows]
    by_set = count_numbers(together, size * sets.size).reshape(size, sets.size)
    categories = (by_set @ spread_bits(sets, len(words))).tolist()
    return [
        CalendarDay(
            date=day.isoformat(),
            count=counts[number],
            free_count=free[number],
            categories={word: count for word, count in zip(words, categories[number], strict=True) if count},
        )
        for number, day in enumerate(days)
    ]


def _make_meta(settled: Settled, *, snapshot: Snapshot, total: int) -> CalendarMeta:
    return CalendarMeta(
        metro=snapshot.metro.slug,
        window=Window(from_=settled.get_date("from"), to=settled.get_date("to"), timezone=snapshot.metro.timezone),
        min_confidence=settled.min_confidence,
        total=total,
        applied_filters={name: echo_value(value) for name, value in settled.values.items()},
        defaults_applied=settled.defaults,
        generated_at=format_instant(snapshot.stamp),
    )
