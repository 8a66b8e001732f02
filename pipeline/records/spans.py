"""Find the days of an event of several days. One that states no rule is a series of its days."""

from datetime import date, datetime, timedelta

from msgspec.structs import replace

from pipeline.records.record import EventRecord

_DAY = timedelta(days=1)


def find_last_day(record: EventRecord) -> date | None:
    """Return the last local date of an event that is longer than 24 hours and states no other dates, else None."""
    return None if record.rdates or (record.rrule or "").strip() else _find_last(record)


def _find_last(record: EventRecord) -> date | None:
    """Return the last day of the event's first date. The day of its end is one if the end's clock time is after the
    start's."""
    starts, ends = record.begins, record.ends_local
    if starts is None or ends is None or ends - starts <= _DAY:
        return None
    return ends.date() if ends.time() > starts.time() else ends.date() - _DAY


def count_days(record: EventRecord) -> int:
    """Count the days on which each date of the event happens."""
    starts, last = record.begins, _find_last(record)
    return 1 if starts is None or last is None else (last - starts.date()).days + 1


def end_day(record: EventRecord) -> datetime | None:
    """Return the end of the first day of an event of several days; None if its clock time is not after the start's."""
    starts, ends = record.begins, record.ends_local
    if starts is None or ends is None or ends.time() <= starts.time():
        return None
    return datetime.combine(starts.date(), ends.time())


def spread_days(record: EventRecord) -> EventRecord:
    """Return the event as a daily series to its last day, each day with the event's clock times.

    Days have no end if it would not be after their start. Events of one day, and series, are returned unchanged.
    """
    starts, last = record.begins, find_last_day(record)
    if starts is None or last is None:
        return record
    until = f"{datetime.combine(last, starts.time()):%Y%m%dT%H%M%S}" if record.has_time else f"{last:%Y%m%d}"
    return replace(record, rrule=f"FREQ=DAILY;UNTIL={until}", ends_local=end_day(record))
