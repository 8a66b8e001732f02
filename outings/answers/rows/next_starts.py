"""Find when classes and camps next begin, by meeting or session, in seconds of the local clock."""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.dates import find_weekday
from outings.answers.rows.column_tables import open_columns
from outings.answers.rows.columns import Columns, find_occurrences
from outings.answers.rows.filters import Condition, Shares
from outings.answers.rows.row_sets import test_all
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.values import DAY
from outings.release.mapped_table import NEVER, NOT_STATED

_DAYS = 7

Numbers = NDArray[np.int64]


def find_meetings(begins: Numbers, ends: Numbers, days: Numbers, *, start: int) -> Numbers:
    """Return the day of each section's next meeting from day `start` on, or its first day if it states no weekdays;
    NEVER if that is before `start`, or after its end."""
    first = np.maximum(begins, start)
    # The bits of the weekdays of two weeks, shifted so that bit 0 is the weekday of the first possible date: the lowest
    # bit that is set is the number of days to wait.
    turned = ((days | days << _DAYS) >> find_weekday(first)) & 127
    meeting = first + np.bitwise_count((turned & -turned) - 1)
    meetings = np.where(days == 0, np.where(begins >= start, begins, NEVER), meeting)
    meetings[(ends != NOT_STATED) & (meetings > ends)] = NEVER
    return meetings


class NextStarts:
    """A finder of when classes and camps of one snapshot next begin.

    `rows` are numbered in the whole table; each needs a section or a session. `conditions`: those that a section or
    session must meet.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    def find_class_days(self, rows: Numbers, *, start: int) -> Numbers:
        """Return the day of each class's earliest meeting from day `start` (since 1970) on, whatever the hour."""
        return self.find_class_starts(rows, start=start) // DAY

    def find_class_starts(
        self, rows: Numbers, *, start: int, now: int | None = None, conditions: Sequence[Condition] = ()
    ) -> Numbers:
        """Return when each class first meets from day `start` (since 1970) on, in seconds of the local clock: at
        midnight without a stated time; with one, not before `now`."""
        slots = self._read_slots("sections", rows, conditions)
        begins, ends, days = slots.begins, slots.ends, slots.days
        meetings = find_meetings(begins, ends, days, start=start)
        late = np.flatnonzero(slots.are_past(meetings, now))
        meetings[late] = find_meetings(begins[late], ends[late], days[late], start=start + 1)
        return slots.find_least(meetings)

    def find_camp_starts(self, rows: Numbers, *, start: int, conditions: Sequence[Condition] = ()) -> Numbers:
        """Return the start of each camp's first session that has not ended by day `start`."""
        slots = self._read_slots("sessions", rows, conditions)
        is_over = np.where(slots.ends == NOT_STATED, slots.begins, slots.ends) < start
        return slots.find_least(np.where(is_over | (slots.begins == NOT_STATED), NEVER, slots.begins))

    def find_next_camp_starts(self, rows: Numbers, *, start: int, now: int) -> Numbers:
        """Return the start of each camp's first session that begins on day `start` or later. A session that states a
        time must not begin before `now`, in seconds of the local clock."""
        slots = self._read_slots("sessions", rows)
        is_past = (slots.begins < start) | slots.are_past(slots.begins, now)
        return slots.find_least(np.where(is_past, NEVER, slots.begins))

    def _read_slots(self, table: str, rows: Numbers, conditions: Sequence[Condition] = ()) -> "_Slots":
        numbers, firsts = find_occurrences(self._columns, rows)
        columns = self._columns.occurrence_tables[table]
        begins, ends, days, times = (
            columns[name][numbers].astype(np.int64) for name in ("starts_on", "ends_on", "days", "time")
        )
        if not conditions:
            return _Slots(firsts, begins, ends, days, times)
        on_days = (test.bits for test in conditions if isinstance(test, Shares) and test.column == "days")
        wanted = reduce(np.bitwise_and, on_days, days)
        is_match = test_all(conditions, columns)(numbers)
        return _Slots(firsts, begins, ends, np.where(wanted, wanted, days), times, is_match)


class _Slots(Struct, frozen=True, eq=False):
    """Sections or sessions of several rows, row after row. `firsts`: the index at which each row's begin; `days`: the
    weekdays that conditions allow; `is_match`: which meet the conditions, None if there are none."""

    firsts: Numbers
    begins: Numbers
    ends: Numbers
    days: Numbers
    times: Numbers
    is_match: NDArray[np.bool_] | None = None

    def are_past(self, days: Numbers, now: int | None) -> NDArray[np.bool_]:
        """Mark the slots that state a time that is before `now` on their day."""
        if now is None:
            return np.zeros(days.size, dtype=np.bool_)
        is_past: NDArray[np.bool_] = (self.times != NOT_STATED) & (days <= now // DAY) & (days * DAY + self.times < now)
        return is_past

    def find_least(self, days: Numbers) -> Numbers:
        """Return the earliest start of each row, in seconds. `days`: a day for each slot."""
        if not self.firsts.size:
            return self.firsts
        is_never = days == NEVER if self.is_match is None else (days == NEVER) | ~self.is_match
        seconds = np.where(is_never, NEVER, days * DAY + np.maximum(self.times, 0))
        least: Numbers = np.minimum.reduceat(seconds, self.firsts)
        return least


def open_next_starts(reader: SnapshotReader) -> NextStarts:
    return NextStarts(reader.open_index(open_columns))
