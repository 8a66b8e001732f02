"""Read iCalendar (RFC 5545), as calendars write it: each VEVENT is an event."""

from collections.abc import Iterable

from pipeline.fetch.formats import FeedSetting, RawRecord, Reader
from pipeline.fetch.ics.reading import read_calendar
from pipeline.fetch.source import SourceFile

__all__ = ["READER", "read_calendar"]


def _read(file: SourceFile, setting: FeedSetting) -> Iterable[RawRecord]:
    return read_calendar(
        file.path.read_bytes(), timezone=setting.timezone, vocabulary=setting.vocabulary,
        is_named="name" in setting.feed.defaults, choice=setting.feed,
    )  # fmt: skip


READER = Reader(read=_read)
