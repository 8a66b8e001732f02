"""When the events of a record are, as a build finds it."""

from collections.abc import Callable
from datetime import UTC, date, datetime

from pipeline.clean.feed_read import FeedRead
from pipeline.dates.recurrence import expand_recurrence
from pipeline.records.record import EventRecord, Record
from tests.pipeline.dates.expanding import list_occurrences

ReadIcs = Callable[..., FeedRead]
METRO_ZONE = "America/Los_Angeles"


def read_event(feed: FeedRead) -> EventRecord:
    (record,) = feed.records
    assert isinstance(record, EventRecord)
    return record


def find_start(record: EventRecord) -> datetime | None:
    return record.starts_local or (datetime.combine(record.date_on, datetime.min.time()) if record.date_on else None)


def list_instants(record: Record) -> list[str]:
    """List the instants that a build finds: the starts, and the first with its end."""
    assert isinstance(record, EventRecord)
    expansion = expand_recurrence(
        starts_local=find_start(record), ends_local=record.ends_local,
        has_time=record.starts_local is not None and not record.all_day, rrule=record.rrule, exdates=record.exdates,
        rdates=record.rdates, timezone=record.timezone or METRO_ZONE, horizon=(date(2026, 1, 1), date(2027, 12, 31)),
    )  # fmt: skip
    return [show_instant(occurrence.starts_at) for occurrence in list_occurrences(expansion)]


def find_end(record: Record) -> int | None:
    assert isinstance(record, EventRecord)
    expansion = expand_recurrence(
        starts_local=find_start(record), ends_local=record.ends_local, has_time=True, rrule=None, exdates=(), rdates=(),
        timezone=record.timezone or METRO_ZONE, horizon=(date(2026, 1, 1), date(2027, 12, 31)),
    )  # fmt: skip
    return expansion.anchor.ends_at if expansion.anchor else None


def show_instant(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%m-%d %H:%M}"
