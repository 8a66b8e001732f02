"""When rows begin: in a window of days, and not before now."""

from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.cache import LruCache
from outings.answers.near.tiles import Rows
from outings.answers.snapshot.next_starts import NextStarts
from outings.answers.snapshot.series import Series
from outings.configuration import read_zone
from outings.contract.instants import DAY, count_seconds, read_date
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER, MappedTable

_EVENT, _CLASS = TYPES.index("event"), TYPES.index("class")
# Dates and minutes with windows, and days of classes, that are remembered; who asked, of which one may be asked again.
_STARTS, _DAYS, _REQUESTED = 2, 4, 64
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


_StartsKey = tuple[tuple[tuple[str, tuple[int, int | None]], ...], Now]


class Starts(Struct, frozen=True, eq=False):
    """By row: its start in seconds of the local clock, NEVER where it has none, and of an event the occurrence's place
    in the table, else -1. `key`: of which windows, and since when."""

    key: _StartsKey
    locals: Rows
    numbers: NDArray[np.int32]

    def choose(self, rows: Rows) -> tuple[Rows, Rows]:
        return self.locals[rows], self.numbers[rows].astype(np.int64)


class StartTimes:
    """Of one snapshot. `types`, `has_time`: by row. What is asked twice of a minute and windows is worked out for all
    rows: as at the day's first second, and since then what has begun."""

    def __init__(
        self, meetings: MappedTable, *, series: Series, types: NDArray[np.integer], has_time: NDArray[np.integer]
    ) -> None:
        self._next_starts = NextStarts(meetings)
        self._series = series
        self._types, self._has_time = types, has_time
        self._class_days: LruCache[int, Rows] = LruCache(size=_DAYS)
        self._days: LruCache[_StartsKey, Starts] = LruCache(size=_STARTS)
        self._minutes: LruCache[_StartsKey, Starts] = LruCache(size=_STARTS)
        self._requested: LruCache[_StartsKey, bool] = LruCache(size=_REQUESTED)

    def find_class_days(self, rows: Rows, *, start: int) -> Rows:
        """What cards are chosen by: the day of each class's next meeting from a day on."""
        return self._class_days.read(start, lambda: self._find_class_days(start))[rows]

    def _find_class_days(self, start: int) -> Rows:
        """By row, of what is no class 0."""
        days = np.zeros(self._types.size, dtype=np.int64)
        rows = np.flatnonzero(self._types == _CLASS)
        days[rows] = self._next_starts.find_class_starts(rows, start=start) // DAY
        return days

    def read_starts(self, rows: Rows, *, windows: Windows, now: Now) -> list[Start]:
        """Of rows to be shown, in their order."""
        starts, numbers = self._find(rows, windows=windows, now=now)
        pairs = zip(starts.tolist(), numbers.tolist(), strict=True)
        return [Start(local) if number < 0 else self._read_start(number) for local, number in pairs]

    def list_starts(
        self, rows: Rows, *, windows: Windows, now: Now, known: Starts | None = None
    ) -> list[tuple[int, int | None]]:
        """Of rows to be shown, in their order: by the local clock, and of an event in seconds since 1970. `known`: as
        `note` gave it."""
        starts, numbers = self._find(rows, windows=windows, now=now) if known is None else known.choose(rows)
        instants = iter(self._series.read_instants(numbers[numbers >= 0]).tolist())
        pairs = zip(starts.tolist(), numbers.tolist(), strict=True)
        return [(local, None if number < 0 else next(instants)) for local, number in pairs]

    def _read_start(self, number: int) -> Start:
        moment = self._series.read_moment(number)
        return Start(moment.starts_local, moment.starts_at, moment.ends_local, moment.ends_at)

    def find_starts(self, rows: Rows, *, windows: Windows, now: Now) -> Rows:
        """Seconds of the local clock at which each row first begins in the window of its type, not before now; NEVER
        where it does not."""
        return self._find(rows, windows=windows, now=now)[0]

    def note(self, windows: Windows, now: Now) -> Starts | None:
        """Once for each request that will ask: what somebody asked before is worked out. None of what nobody did."""
        key = (tuple(windows.items()), now)
        known = self._minutes.find(key)
        if known is None and key in self._requested:
            known = self._minutes.read(key, lambda: self._find_starts(windows, now))
        elif known is None:
            self._requested.read(key, lambda: True)
        return known

    def recall_starts(self, windows: Windows, now: Now) -> Starts | None:
        """None where they are not worked out."""
        return self._minutes.find((tuple(windows.items()), now))

    def _find_starts(self, windows: Windows, now: Now) -> Starts:
        midnight = Now(instant=0, local=now.local // DAY * DAY)
        key = (tuple(windows.items()), midnight)
        day = self._days.read(key, lambda: self._find_firsts(key, windows))
        starts, numbers = day.locals.copy(), day.numbers.copy()
        events = np.flatnonzero(numbers >= 0)
        is_late = starts < now.local
        # Where a clock is set back it tells one time twice.
        instants = self._series.read_instants(numbers[events].astype(np.int64))
        is_late[events] = self._has_time[events].astype(np.bool_) & (instants < now.instant)
        late = np.flatnonzero(is_late)
        starts[late], numbers[late] = self._look_up(late, windows, now)
        return Starts((key[0], now), starts, numbers)

    def _find_firsts(self, key: _StartsKey, windows: Windows) -> Starts:
        starts, numbers = self._look_up(np.arange(self._types.size), windows, key[1])
        return Starts(key, starts, numbers.astype(np.int32))

    def _find(self, rows: Rows, *, windows: Windows, now: Now) -> tuple[Rows, Rows]:
        known = self.recall_starts(windows, now)
        return self._look_up(rows, windows, now) if known is None else known.choose(rows)

    def _look_up(self, rows: Rows, windows: Windows, now: Now) -> tuple[Rows, Rows]:
        types, starts = self._types[rows], np.full(rows.size, NEVER, dtype=np.int64)
        numbers = np.full(rows.size, -1, dtype=np.int64)
        for name, (low, high) in windows.items():
            chosen = np.flatnonzero(types == TYPES.index(name))
            if chosen.size and name == "event":
                numbers[chosen] = self._find_occurrences(rows[chosen], window=(low, high), now=now)
                starts[chosen] = self._series.read_local_starts(numbers[chosen])
            elif chosen.size and name != "place":
                meetings = self._find_meetings(name, rows[chosen], start=low, now=now)
                starts[chosen] = meetings if high is None else np.where(meetings >= (high + 1) * DAY, NEVER, meetings)
        return starts, numbers

    def _find_meetings(self, listing_type: str, rows: Rows, *, start: int, now: Now) -> Rows:
        if listing_type == "class":
            return self._next_starts.find_class_starts(rows, start=start, now=now.local)
        return self._next_starts.find_next_camp_starts(rows, start=start, now=now.local)

    def _find_occurrences(self, rows: Rows, *, window: tuple[int, int | None], now: Now) -> Rows:
        """Of events: the place in the table of the occurrence that is shown, else -1."""
        low, high = window
        timed = self._has_time[rows].astype(np.bool_)
        return self._series.find_since(rows, low=low, high=high, instant=now.instant, timed=timed)
