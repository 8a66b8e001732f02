"""Turn an event of several days that states no rule into a series of its days."""

from datetime import date, datetime, timedelta

from msgspec.structs import replace

from pipeline.records.record import EventRecord

_DAY = timedelta(days=1)


def find_last_day(record: EventRecord) -> date | None:
    """Return the last local date of an event that is longer than 24 hours and states no other dates; None for others.

    The day of its end is one if the end's clock time is after the start's.
    """
    starts, ends = record.begins, record.ends_local
    is_series = bool(record.rdates or (record.rrule or "").strip())
    if starts is None or ends is None or is_series or ends - starts <= _DAY:
        return None
    return ends.date() if ends.time() > starts.time() else ends.date() - _DAY


def spread_days(record: EventRecord) -> EventRecord:
    """Return the event as a daily series to its last day, each day with the event's clock times.

    Days have no end if it would not be after their start. Events of one day, and series, are returned unchanged.
    """
    starts, last, ends = record.begins, find_last_day(record), record.ends_local
    if starts is None or last is None or ends is None:
        return record
    until = f"{datetime.combine(last, starts.time()):%Y%m%dT%H%M%S}" if record.has_time else f"{last:%Y%m%d}"
    return replace(
        record,
        rrule=f"FREQ=DAILY;UNTIL={until}",
        ends_local=datetime.combine(starts.date(), ends.time()) if ends.time() > starts.time() else None,
    )
