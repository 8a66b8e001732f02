"""`/v1/{metro}/{events,classes,camps}/calendar`: the occurrences that the expanded list of events would show, or the
classes or camps that meet, counted by local date.

The build decides which day an occurrence is of (pipeline/dates/recurrence.py)."""

from datetime import date, timedelta

import msgspec
import numpy as np
from msgspec import UNSET
from msgspec.structs import replace

from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.listings.lists import describe_filters, resolve_filters, select_query, tag_list
from outings.answers.plan import AnswerContext, AnswerPlan
from outings.answers.rows.counting import DayCounts
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import EffectiveFilters
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.envelope import encode_list
from outings.contract.query import Query
from outings.contract.resources.directories import CalendarDay
from outings.contract.resources.meta import CalendarMeta
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def plan_calendar(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    filters = resolve_filters(query, context.dates[snapshot.metro.slug])
    tag = tag_list(query, snapshot, context)
    return AnswerPlan(
        tag,
        lambda: answer_calendar(query, filters, snapshot=snapshot, context=context),
        is_quick=query.resource == "event" and "where" not in query.values,
    )


def answer_calendar(
    query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, context: AnswerContext
) -> list[bytes]:
    """Count the listings of each day and return the calendar's body as chunks of bytes."""
    start = filters.get_date("from")
    assert start is not None
    today = context.dates[snapshot.metro.slug]
    if query.resource == "event":
        selection = select_query(query, filters, snapshot=snapshot, today=today)
        counted = open_evaluator(open_snapshot(snapshot)).count_days(selection, days=filters.count_days())
    else:
        counted = _count_meetings(query, filters, snapshot=snapshot, today=today)
    forecasts = ForecastBlocks(query, snapshot=snapshot, context=context)
    entries = _name_days(start, counted, words=snapshot.vocabulary.categories, forecasts=forecasts)
    meta = CalendarMeta(total=int(counted.counts.sum()), **describe_filters(filters, snapshot=snapshot))
    notices = (*query.notices, *forecasts.notices)
    return encode_list([_encoder.encode(entries)[1:-1]], meta=_encoder.encode(meta), notices=notices)


def _count_meetings(query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, today: date) -> DayCounts:
    """Count the classes or camps that meet on each day of the window, each day by a list of its own."""
    start = filters.get_date("from")
    assert start is not None
    evaluator, counted = open_evaluator(open_snapshot(snapshot)), []
    for day in (start + timedelta(days=number) for number in range(filters.count_days())):
        own = replace(filters, values={**filters.values, "from": day, "to": day})
        selection = select_query(query, own, snapshot=snapshot, today=today)
        counted.append(evaluator.count_buckets(selection, ("category", "price_band"), is_expanded=False))
    return DayCounts(
        counts=np.array([day.total for day in counted]),
        free=np.array([day.counts["price_band"][0] for day in counted]),
        categories=np.array([day.counts["category"] for day in counted])[:, : len(snapshot.vocabulary.categories)],
    )


def _name_days(
    start: date, counted: DayCounts, *, words: tuple[str, ...], forecasts: ForecastBlocks
) -> list[CalendarDay]:
    days = [start + timedelta(days=number) for number in range(counted.counts.size)]
    columns = (days, counted.counts.tolist(), counted.free.tolist(), counted.categories.tolist())
    return [
        CalendarDay(
            date=day.isoformat(),
            count=count,
            free_count=free,
            categories={word: count for word, count in zip(words, categories, strict=True) if count},
            forecast=forecasts.make_day(day) or UNSET,
        )
        for day, count, free, categories in zip(*columns, strict=True)
    ]
