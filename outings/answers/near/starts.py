"""When listings begin: in a window of days, and not before now."""

from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.snapshot.next_starts import SLOTS, NextStarts
from outings.answers.snapshot.reader import SnapshotReader
from outings.configuration import read_zone
from outings.contract.values import DAY, count_seconds, read_date
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER

Rows = NDArray[np.int64]

# By a zone's clock.
_MINUTES = 256

# By type, the first and the last day since 1970.
Windows = Mapping[str, tuple[int, int | None]]


class Now(Struct, frozen=True, kw_only=True):
    """A minute, in seconds since 1970 and in those of the metro's clock."""

    instant: int
    local: int

    @property
    def date(self) -> date:
        return read_date(self.local // DAY)


@lru_cache(maxsize=_MINUTES)
def read_now(minute: datetime, timezone: str) -> Now:
    local = minute.astimezone(read_zone(timezone)).replace(tzinfo=None)
    return Now(instant=int(minute.timestamp()), local=count_seconds(local))


class Start(Struct, frozen=True):
    """When an item begins: seconds of the local clock, NEVER where it does not. Of an event also seconds since 1970,
    and when it ends, by its clock and in those."""

    local: int
    instant: int | None = None
    ends: int | None = None
    ends_at: int | None = None


class Starts(Struct, frozen=True, eq=False):
    """Starts by row, in seconds of the local clock, NEVER where there is none; for an event also the occurrence's
    place in the table, else -1."""

    locals: Rows
    numbers: NDArray[np.int32]


class StartTimes:
    """Find when listings of one snapshot begin. `types`, `has_time`: by row."""

    def __init__(self, reader: SnapshotReader, *, types: NDArray[np.integer], has_time: NDArray[np.bool_]) -> None:
        self._next_starts = NextStarts(reader.open_table(SLOTS))
        self._series = reader.series
        self._types, self._has_time = types, has_time

    def find_class_days(self, rows: Rows, *, start: int) -> Rows:
        """Return the day of each class's next meeting from a day on: cards of programs are chosen by it."""
        return self._next_starts.find_class_starts(rows, start=start) // DAY

    def find_starts(self, rows: Rows, *, windows: Windows, now: Now) -> Starts:
        """Return when each of the rows first begins in the window of its type, not before now."""
        size = self._types.size
        starts = Starts(np.full(size, NEVER, dtype=np.int64), np.full(size, -1, dtype=np.int32))
        for name, (low, high) in windows.items():
            own = rows[self._types[rows] == TYPES.index(name)]
            if name == "event":
                numbers = self._series.find_since(
                    own, low=low, high=high, instant=now.instant, timed=self._has_time[own]
                )
                starts.numbers[own], starts.locals[own] = numbers, self._series.read_local_starts(numbers)
            elif name != "place" and own.size:
                meetings = self._find_meetings(name, own, start=low, now=now)
                starts.locals[own] = (
                    meetings if high is None else np.where(meetings >= (high + 1) * DAY, NEVER, meetings)
                )
        return starts

    def _find_meetings(self, listing_type: str, rows: Rows, *, start: int, now: Now) -> Rows:
        if listing_type == "class":
            return self._next_starts.find_class_starts(rows, start=start, now=now.local)
        return self._next_starts.find_next_camp_starts(rows, start=start, now=now.local)

    def list_starts(self, rows: Rows, starts: Starts) -> list[tuple[int, int | None]]:
        """Return the start of each row by the local clock, and of an event in seconds since 1970."""
        numbers = starts.numbers[rows]
        instants = iter(self._series.read_instants(numbers[numbers >= 0].astype(np.int64)).tolist())
        pairs = zip(starts.locals[rows].tolist(), numbers.tolist(), strict=True)
        return [(local, None if number < 0 else next(instants)) for local, number in pairs]

    def read_starts(self, rows: Rows, starts: Starts) -> list[Start]:
        """Return the start of each row, with when an event ends."""
        pairs = zip(starts.locals[rows].tolist(), starts.numbers[rows].tolist(), strict=True)
        return [Start(local) if number < 0 else self._read_start(number) for local, number in pairs]

    def _read_start(self, number: int) -> Start:
        moment = self._series.read_moment(number)
        return Start(moment.starts_local, moment.starts_at, moment.ends_local, moment.ends_at)
