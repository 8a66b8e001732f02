"""When a class or a camp next begins: its meeting or its session, in seconds of the local clock."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.dates import find_weekday
from outings.answers.snapshot.reader import derive_table
from outings.contract.values import DAY
from outings.release.mapped_table import NEVER, NOT_STATED, MappedTable

_DAYS = 7

Numbers = NDArray[np.int64]

# What they are made of.
SECTIONS = ("row", "section", "starts_on", "ends_on", "days", "time")
SESSIONS = ("row", "session", "starts_on", "ends_on", "time")


def make_slots(sections: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Sections of classes and sessions of camps, by row. `days` 0: none are stated."""
    both = pl.concat(
        (
            sections.select("row", "starts_on", "ends_on", "time", pl.col("days").fill_null(0), at="section"),
            sessions.select("row", "starts_on", "ends_on", "time", pl.lit(0, pl.UInt8()).alias("days"), at="session"),
        )
    )
    days = (pl.col(name).to_physical().fill_null(NOT_STATED).cast(pl.Int32()) for name in ("starts_on", "ends_on"))
    return both.sort("row", "at").select("row", "days", *days, time=pl.col("time").fill_null(NOT_STATED))


SLOTS = derive_table("slots", make_slots, {"sections": SECTIONS, "sessions": SESSIONS})


def find_meetings(begins: Numbers, ends: Numbers, days: Numbers, *, start: int) -> Numbers:
    """Of each section: its next meeting from a day on, where weekdays are stated, else its first day; NEVER where that
    lies before, or after its end."""
    first = np.maximum(begins, start)
    # The days twice beside themselves, shifted to the weekday of the first possible date: the lowest bit is the wait.
    turned = ((days | days << _DAYS) >> find_weekday(first)) & 127
    meeting = first + np.bitwise_count((turned & -turned) - 1)
    meetings = np.where(days == 0, np.where(begins >= start, begins, NEVER), meeting)
    meetings[(ends != NOT_STATED) & (meetings > ends)] = NEVER
    return meetings


class NextStarts:
    """Of the classes and camps of one snapshot."""

    def __init__(self, table: MappedTable) -> None:
        self._rows = table.read_array("row")
        self._begins, self._ends = table.read_array("starts_on"), table.read_array("ends_on")
        self._days, self._times = table.read_array("days"), table.read_array("time")

    def find_class_starts(self, rows: Numbers, *, start: int, now: int | None = None) -> Numbers:
        """Of classes: the earliest meeting from a day on (since 1970), at midnight where it states no time; one that
        does, not before `now`, in seconds of the local clock."""
        numbers, firsts = self._spread(rows)
        begins, ends, days = (each[numbers].astype(np.int64) for each in (self._begins, self._ends, self._days))
        meetings = find_meetings(begins, ends, days, start=start)
        late = np.flatnonzero(self._is_past(meetings, numbers, now))
        meetings[late] = find_meetings(begins[late], ends[late], days[late], start=start + 1)
        return self._find_least(meetings, numbers, firsts)

    def find_camp_starts(self, rows: Numbers, *, start: int) -> Numbers:
        """Of camps: the first session that has not ended by the day."""
        numbers, firsts = self._spread(rows)
        begins, ends = (each[numbers].astype(np.int64) for each in (self._begins, self._ends))
        is_over = np.where(ends == NOT_STATED, begins, ends) < start
        return self._find_least(np.where(is_over | (begins == NOT_STATED), NEVER, begins), numbers, firsts)

    def find_next_camp_starts(self, rows: Numbers, *, start: int, now: int) -> Numbers:
        """Of camps: the first session that begins on the day or later and, where it states a time, not before `now`."""
        numbers, firsts = self._spread(rows)
        begins = self._begins[numbers].astype(np.int64)
        is_past = (begins < start) | self._is_past(begins, numbers, now)
        return self._find_least(np.where(is_past, NEVER, begins), numbers, firsts)

    def _is_past(self, days: Numbers, numbers: Numbers, now: int | None) -> NDArray[np.bool_]:
        """Which slots state a time that is before now on these days."""
        if now is None:
            return np.zeros(days.size, dtype=np.bool_)
        times = self._times[numbers]
        is_past: NDArray[np.bool_] = (times != NOT_STATED) & (days <= now // DAY) & (days * DAY + times < now)
        return is_past

    def _spread(self, rows: Numbers) -> tuple[Numbers, Numbers]:
        """The slots of rows, one row's after the other's, and where each row's begin. Every row has one."""
        first, end = np.searchsorted(self._rows, rows), np.searchsorted(self._rows, rows, side="right")
        counts = end - first
        starts = np.cumsum(counts) - counts
        return np.repeat(first - starts, counts) + np.arange(int(counts.sum())), starts

    def _find_least(self, days: Numbers, numbers: Numbers, firsts: Numbers) -> Numbers:
        if not firsts.size:
            return firsts
        seconds = np.where(days == NEVER, NEVER, days * DAY + np.maximum(self._times[numbers], 0))
        least: Numbers = np.minimum.reduceat(seconds, firsts)
        return least
