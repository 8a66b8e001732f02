"""`/v1/{metro}/events.ics`: what the list of events has under the same filters, all of it, as one calendar."""

from datetime import date

from outings.answers.context import AnswerContext
from outings.answers.ical.calendar import encode_calendar
from outings.answers.ical.events import render_event
from outings.answers.listings.lists import select_rows, settle_list
from outings.answers.plan import AnswerPlan, make_tag
from outings.answers.rows.filters import EffectiveFilters
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.errors import bad_request
from outings.contract.query import Query
from outings.contract.resources.export import EXPORT_TYPES
from outings.release.snapshot import Snapshot

MOST_EVENTS = 5_000
# With the dates of series that no rule says: each is an entry.
MOST_ENTRIES = 50_000


def plan_calendar_file(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    today = about.dates[snapshot.metro.slug]
    filters = settle_list(query, today)
    return AnswerPlan(
        make_tag("ics", snapshot.hash, query.text, today, about.entitlement.digest),
        lambda: answer_calendar_file(query, filters, snapshot=snapshot, today=today),
        media=EXPORT_TYPES["ics"],
    )


def answer_calendar_file(query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, today: date) -> list[bytes]:
    """The file as parts. Raises `out_of_range` where more events or dates match than a calendar is good for."""
    opened = open_snapshot(snapshot)
    rows = select_rows(query, filters, snapshot=snapshot, today=today, limit=MOST_EVENTS + 1)
    if len(rows) > MOST_EVENTS:
        raise bad_request(
            reason="out_of_range",
            message=f"More than {MOST_EVENTS} events match: narrow the window or the filters, or fetch the export.",
            max=MOST_EVENTS,
        )
    unruled = (row for row in rows if opened.series.is_series(row) and opened.series.read_recurrence(row) is None)
    if sum(map(opened.series.count_moments, unruled)) > MOST_ENTRIES:
        raise bad_request(
            reason="out_of_range",
            message=f"Series without a rule have more than {MOST_ENTRIES} dates: narrow the window or the filters, or"
            " fetch the export.",
            max=MOST_ENTRIES,
        )
    entries = [render_event(opened.read_document(row), series=opened.series, row=row) for row in rows]
    return encode_calendar(snapshot, entries)
