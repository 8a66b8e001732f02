"""Make the row of an event: its members, its columns and its occurrences within the horizon."""

from outings.contract.resources.listings import Event
from outings.contract.values import format_clock, format_instant, format_local, read_local
from pipeline.dates.recurrence import expand_recurrence
from pipeline.records.record import EventRecord, Problem
from pipeline.records.spans import count_days, end_day
from pipeline.resolve.listings.columns import find_timezone, make_dated_members, make_dated_row
from pipeline.resolve.listings.resolved_record import MetroContext, ResolvedRecord
from pipeline.resolve.listings.rows import Row


def make_event_row(resolved: ResolvedRecord[EventRecord], setting: MetroContext) -> Row:
    record = resolved.record
    has_time, is_daily = record.has_time, setting.feeds[record.feed].spans == "daily"
    expansion = expand_recurrence(
        starts_local=record.begins, ends_local=record.ends_local, has_time=has_time, rrule=record.rrule,
        exdates=record.exdates, rdates=record.rdates, timezone=find_timezone(record, setting), horizon=setting.horizon,
        days=count_days(record) if is_daily else 1, day_ends=end_day(record),
    )  # fmt: skip
    anchor = expansion.anchor
    beyond_local, beyond_at = expansion.beyond or (None, None)
    members = Event(
        **make_dated_members(
            resolved,
            setting,
            starts_local=None if anchor is None else format_local(anchor.starts_local),
            ends_local=None if anchor is None or anchor.ends_local is None else format_local(anchor.ends_local),
            start_time=format_clock(anchor.starts_local.time()) if anchor is not None and has_time else None,
            has_time=has_time,
            has_date=anchor is not None,
            timezone=find_timezone(record, setting),
            starts_at=None if anchor is None else format_instant(anchor.starts_at),
            ends_at=None if anchor is None or anchor.ends_at is None else format_instant(anchor.ends_at),
            is_recurring=expansion.is_recurring,
            rrule=expansion.rrule,
            exdates=tuple(format_local(read_local(second)) for second in expansion.excluded),
            rdates=tuple(format_local(read_local(second)) for second in expansion.added),
        )
    )
    row = make_dated_row(
        resolved,
        setting,
        members,
        starts_at=None if anchor is None else anchor.starts_at,
        occurrences_total=expansion.total,
        # These depend on the day although the listing does not change.
        beyond_index=None if expansion.given is None else expansion.given + 1,
        beyond_starts_at=beyond_at,
        beyond_starts_local=beyond_local,
        recurrence=expansion.recurrence,
    )
    row.occurrences = expansion.occurrences
    row.problems = tuple(
        Problem(
            feed=record.feed, line=record.line, source_id=record.source_id, field="rrule", value=record.rrule,
            reason=reason, quarantined=False,
        )
        for reason in expansion.problems
    )  # fmt: skip
    return row
