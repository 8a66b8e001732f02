"""Find an event's occurrences: one by its number, the next on a date, how many are left. Put them into documents."""

import weakref
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from msgspec import Raw, Struct
from numpy.typing import NDArray

from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.series_tables import BEYOND, BY_DATES, MOMENTS, SERIES, UNKNOWN
from outings.contract.resources.listings import Occurrence
from outings.contract.values import DAY, format_instant, number_day
from outings.release.mapped_table import NEVER


class Next(Struct, frozen=True, kw_only=True):
    """The start of the next occurrence, in seconds since 1970, in UTC and by the local clock; None if there is none.
    `remaining`: the number of occurrences from the next one on, None, like `total`, if the series has no end."""

    starts_at: int | None
    starts_local: int | None
    remaining: int | None
    total: int | None


class Moment(Struct, frozen=True, kw_only=True):
    """The start and end of one occurrence, in seconds as in `Next`. `index` is 1 for the first of the series."""

    index: int
    starts_at: int
    starts_local: int
    ends_at: int | None
    ends_local: int | None


class Series:
    """The series and occurrences of one snapshot. An occurrence's number is its row in the table of moments."""

    def __init__(self, reader: SnapshotReader) -> None:
        table, moments = reader.open_table(SERIES), reader.open_table(MOMENTS)
        self._recurring, self._totals = table.view_array("is_recurring"), table.view_array("occurrences_total")
        self._ends = table.view_array("end")
        self._beyond = [table.view_array(name) for name in BEYOND]
        self._recurrences = table.read_texts("recurrence")
        self._indexes, self._instants = moments.view_array("index"), moments.view_array("starts_at")
        self._offsets = moments.view_array("offset")
        self._lasts, self._lasts_local = moments.view_array("lasts"), moments.view_array("lasts_local")
        self._days, self._numbers = moments.view_array("day"), moments.view_array("number")

    def is_series(self, row: int) -> bool:
        return bool(self._recurring[row])

    def has_dates(self, row: int) -> bool:
        """Return True if an event has a date, or had one."""
        return self.is_series(row) or self._ends[row] > (self._ends[row - 1] if row else 0)

    def are_series(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(self._recurring)[rows].astype(np.bool_)

    def read_moment(self, number: int) -> Moment:
        starts_at = self._instants[number]
        starts_local = starts_at + self._offsets[number]
        lasts, lasts_local = self._lasts[number], self._lasts_local[number]
        return Moment(
            index=self._indexes[number],
            starts_at=starts_at,
            starts_local=starts_local,
            ends_at=None if lasts == UNKNOWN else starts_at + lasts,
            ends_local=None if lasts_local == UNKNOWN else starts_local + lasts_local,
        )

    def list_moments(self, row: int) -> list[Moment]:
        """Return every occurrence of a row that the build listed, in order."""
        first = self._ends[row - 1] if row else 0
        return [self.read_moment(self._numbers[at]) for at in range(first, self._ends[row])]

    def read_recurrence(self, row: int) -> str | None:
        """Return the RRULE, EXDATE and RDATE lines of a series; None if it can only be written as single dates."""
        recurrence = self._recurrences[row]
        return None if recurrence == BY_DATES else recurrence

    def read_local_starts(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the starts of the occurrences with these numbers, in seconds of the local clock; NEVER for -1."""
        starts = np.asarray(self._instants)[numbers] + np.asarray(self._offsets)[numbers] if len(self._instants) else 0
        return np.where(numbers < 0, NEVER, starts)

    def read_instants(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the starts of the occurrences with these numbers, in seconds since 1970."""
        instants: NDArray[np.int64] = np.asarray(self._instants)[numbers] if numbers.size else numbers
        return instants

    def find_firsts(
        self,
        rows: NDArray[np.int64],
        *,
        low: int,
        high: int | None,
        instant: int = 0,
        timed: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """Return the number of each row's first occurrence from day `low` to `high`, both included and since 1970; else
        -1. In rows that are True in `timed`, the occurrence must begin at `instant` or later."""
        ends, days, numbers = np.asarray(self._ends), np.asarray(self._days), np.asarray(self._numbers)
        at, last = np.where(rows > 0, ends[rows - 1], 0).astype(np.int64), ends[rows].astype(np.int64)
        above = last.copy()
        while (open_ := at < above).any():  # a binary search for `low` in the days of all rows at once
            middle = (at + above) >> 1
            is_before = days[np.where(open_, middle, 0)] < low
            at, above = np.where(open_ & is_before, middle + 1, at), np.where(open_ & ~is_before, middle, above)
        late = np.flatnonzero(False if timed is None else timed & (at < last))
        while late.size:  # once for each date that an event had today
            late = late[at[late] < last[late]]
            late = late[np.asarray(self._instants)[numbers[at[late]]] < instant]
            at[late] += 1
        exists = at < last
        if high is not None:
            exists[exists] = days[at[exists]] <= high
        firsts = np.full(at.size, -1, dtype=np.int64)
        firsts[exists] = numbers[at[exists]]
        return firsts

    def find_next(self, row: int, today: date) -> Next:
        """Return the first occurrence on or after the date, however far away."""
        first, last = self._ends[row - 1] if row else 0, self._ends[row]
        at = bisect_left(self._days, number_day(today), first, last)
        total = None if self._totals[row] == UNKNOWN else self._totals[row]
        if at < last:
            moment = self.read_moment(self._numbers[at])
            remaining = None if total is None else total - moment.index + 1
            return Next(starts_at=moment.starts_at, starts_local=moment.starts_local, remaining=remaining, total=total)
        index, starts_at, starts_local = (column[row] for column in self._beyond)
        if index == NEVER:  # not stored, so it follows the last occurrence that is
            index = 1 + (self._indexes[self._numbers[last - 1]] if last > first else 0)
        remaining = None if total is None else total - index + 1
        if starts_local == NEVER or starts_local // DAY < number_day(today):
            return Next(starts_at=None, starts_local=None, remaining=remaining, total=total)
        return Next(starts_at=starts_at, starts_local=starts_local, remaining=remaining, total=total)


def open_series(reader: SnapshotReader) -> Series:
    return reader.open_index(Series)


# Cached blocks `occurrence` of all metros together, 300 bytes each.
_BLOCKS = 32_768
_encoder = msgspec.json.Encoder()
# An event's members as raw JSON, in their order.
_decoder = msgspec.json.Decoder(dict[str, Raw])


def read_event(reader: SnapshotReader, row: int, today: date) -> bytes:
    """Return the document of an event; if it has a date, with its next occurrence from `today` on."""
    return b",".join(view_events(reader, [row], today))


def view_events(reader: SnapshotReader, rows: Sequence[int], today: date) -> list[bytes | memoryview]:
    """Return the documents of events in pieces to be joined by commas, without copying them. One with a date has two
    pieces, the second with its next occurrence from `today` on."""
    series, pieces = open_series(reader), list[bytes | memoryview]()
    for document, row in zip(reader.view_documents(rows), rows, strict=True):
        if series.has_dates(row):
            pieces += (document[:-1], _read_next(reader.reference, row, today))
        else:
            pieces.append(document)
    return pieces


@lru_cache(maxsize=_BLOCKS)
def _read_next(reference: "weakref.ref[SnapshotReader]", row: int, today: date) -> bytes:
    """Return the end of an event's document as JSON, with the block `occurrence` about its next occurrence on or after
    the date. Making one takes 12 µs, most of it to format two instants."""
    reader = reference()
    assert reader is not None, "callers hold the reader"
    block = _encoder.encode(Occurrence(**_show_next(open_series(reader).find_next(row, today))))
    return b'"occurrence":%b}' % block


def read_occurrence(reader: SnapshotReader, row: int, number: int, today: date) -> bytes:
    """Return the document of an event, single or a series, with the times and the block `occurrence` of one occurrence.
    `number`: the occurrence's row in the table of moments."""
    members = _decoder.decode(reader.read_document(row))
    moment, following = open_series(reader).read_moment(number), open_series(reader).find_next(row, today)
    times = _show_times(moment)
    local = times["starts_local"]
    block = Occurrence(
        **_show_next(following),
        key=f"{msgspec.json.decode(members['id'])}_{local.translate(_COMPACT)}",
        **times,
        date_on=local[:10],
        index=moment.index,
        is_first=moment.index == 1,
        is_last=moment.index == following.total,
    )
    if bytes(members["has_time"]) == b"true":
        times = {**times, "start_time": local[11:]}
    for name, value in {**times, "occurrence": block}.items():
        members[name] = Raw(_encoder.encode(value))
    return _encoder.encode(members)


_COMPACT = str.maketrans("", "", "-:")


def _show_next(following: Next) -> dict[str, Any]:
    return {
        "next_starts_at": None if following.starts_at is None else format_instant(following.starts_at),
        "next_starts_local": None if following.starts_local is None else show_local(following.starts_local),
        "remaining": following.remaining,
        "total": following.total,
    }


def _show_times(moment: Moment) -> Mapping[str, Any]:
    return {
        "starts_at": format_instant(moment.starts_at),
        "starts_local": show_local(moment.starts_local),
        "ends_at": None if moment.ends_at is None else format_instant(moment.ends_at),
        "ends_local": None if moment.ends_local is None else show_local(moment.ends_local),
    }


def show_local(seconds: int) -> str:
    """Format seconds of a local clock as `2026-08-10T18:00:00`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
