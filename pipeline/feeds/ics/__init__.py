"""iCalendar (RFC 5545), as calendars write it: each VEVENT is an event."""

from pipeline.feeds.ics.lines import count_lines
from pipeline.feeds.ics.reading import read_calendar

__all__ = ["count_lines", "read_calendar"]
