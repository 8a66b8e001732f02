"""Read iCalendar (RFC 5545), as calendars write it: each VEVENT is an event."""

from pipeline.fetch.formats import Reader
from pipeline.fetch.ics.reading import read_calendar

READER = Reader(read=lambda file, setting: read_calendar(file.path.read_bytes(), setting))
