"""iCalendar (RFC 5545), as calendars write it: each VEVENT is an event."""

from collections.abc import Iterable

from pipeline.feeds.ics.lines import count_lines
from pipeline.feeds.ics.reading import read_calendar
from pipeline.feeds.reader import FeedSetting, RawRecord, Reader
from pipeline.feeds.source import SourceFile

__all__ = ["READER", "count_lines", "read_calendar"]


def _read_file(file: SourceFile, setting: FeedSetting, lines_before: int) -> Iterable[RawRecord]:
    return read_calendar(
        file.path.read_bytes(), timezone=setting.timezone, vocabulary=setting.vocabulary, lines_before=lines_before,
        is_named="name" in setting.feed.defaults,
    )  # fmt: skip


READER = Reader(read_file=_read_file, count_lines=count_lines)
