"""`/v1/{metro}/{events,classes,camps}/calendar`: the occurrences that the expanded list of events would show, or the
classes or camps that meet, counted by local date.

The build decides to which day an occurrence belongs (pipeline/dates/recurrence.py)."""

from datetime import timedelta

import msgspec
import numpy as np
from msgspec import UNSET

from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.listings.lists import SLOW, ListRequest, resolve_list
from outings.answers.plan import AnswerContext, AnswerPlan
from outings.answers.rows.counting import DayCounts
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.envelope import encode_list
from outings.contract.query import Query
from outings.contract.resources.directories import CalendarDay
from outings.contract.resources.meta import CalendarMeta
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def plan_calendar(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    request = resolve_list(query, snapshot, context)
    is_quick = query.resource == "event" and query.values.keys().isdisjoint(SLOW)
    return AnswerPlan(request.make_tag(), lambda: answer_calendar(request), is_quick=is_quick)


def answer_calendar(request: ListRequest) -> list[bytes]:
    """Count the listings of each day and return the calendar's body as chunks of bytes."""
    query, snapshot = request.query, request.snapshot
    start, end = request.filters.get_date("from"), request.filters.get_date("to")
    assert start is not None
    assert end is not None
    days = [start + timedelta(days=number) for number in range((end - start).days + 1)]
    if query.resource == "event":
        counted = open_evaluator(open_snapshot(snapshot)).count_days(request.select(), days=len(days))
    else:
        counted = _count_meetings([request.narrow_window(day) for day in days])
    forecasts = ForecastBlocks(query, snapshot=snapshot, context=request.context)
    columns = (days, counted.counts.tolist(), counted.free.tolist(), counted.categories.tolist())
    entries = [
        CalendarDay(
            date=day.isoformat(),
            count=count,
            free_count=free,
            categories={
                word: number for word, number in zip(snapshot.vocabulary.categories, categories, strict=True) if number
            },
            forecast=forecasts.make_day(day) or UNSET,
        )
        for day, count, free, categories in zip(*columns, strict=True)
    ]
    meta = CalendarMeta(total=int(counted.counts.sum()), **request.describe_filters())
    notices = (*query.notices, *forecasts.notices)
    return encode_list([_encoder.encode(entries)[1:-1]], meta=_encoder.encode(meta), notices=notices)


def _count_meetings(requests: list[ListRequest]) -> DayCounts:
    """Count the classes or camps that meet on each day. `requests`: a list's request for each of the days."""
    snapshot = requests[0].snapshot
    evaluator = open_evaluator(open_snapshot(snapshot))
    dimensions = ("category", "price_band")
    counted = [evaluator.count_buckets(request.select(), dimensions, is_expanded=False) for request in requests]
    return DayCounts(
        counts=np.array([day.total for day in counted]),
        free=np.array([day.counts["price_band"][0] for day in counted]),
        categories=np.array([day.counts["category"] for day in counted])[:, : len(snapshot.vocabulary.categories)],
    )
