"""What answers near a point read of one snapshot, opened at the first of them."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.distance import Vectors
from outings.answers.near.tiles import Rows, Tiles
from outings.answers.near.unplaced import Unplaced
from outings.answers.programs import Programs
from outings.answers.recalled import Recalled
from outings.answers.series import Series
from outings.answers.starts import Slots
from outings.configuration import read_zone
from outings.contract.vocabulary import TYPES
from outings.release.mapped import NEVER, MappedTable

_EPOCH = datetime(1970, 1, 1)
_DAY = 86_400
# What is remembered: of dates, of minutes with a window, of selections.
_DAYS, _MINUTES, _SELECTIONS = 4, 2, 16
# So many starts are found as fast as they are looked up.
_FEW = 500

_Asked = tuple[tuple[tuple[str, tuple[int, int | None]], ...], "Now"]


class Now(Struct, frozen=True, kw_only=True):
    """A minute, in seconds since 1970 and in those of the metro's clock."""

    instant: int
    local: int

    @property
    def date(self) -> date:
        return (_EPOCH + timedelta(seconds=self.local)).date()


def read_now(minute: datetime, timezone: str) -> Now:
    local = minute.astimezone(read_zone(timezone)).replace(tzinfo=None)
    return Now(instant=int(minute.timestamp()), local=(local - _EPOCH) // timedelta(seconds=1))


class Start(Struct, frozen=True):
    """When an item begins: seconds of the local clock, NEVER where it does not. Of an event also seconds since 1970,
    and when it ends, by its clock and in those."""

    local: int
    instant: int | None = None
    ends: int | None = None
    ends_at: int | None = None


class NearIndex:
    """`read` opens a mapped table by its name."""

    def __init__(
        self, read: Callable[[str], MappedTable], *, series: Series, programs: Programs, vectors: Vectors
    ) -> None:
        self.tiles = Tiles(read("tiles"), bounds=read("tile_bounds"))
        self.unplaced = Unplaced(read("unplaced"))
        self.programs = programs
        self.vectors = vectors
        ranks, traits = read("ranks"), read("traits")
        self.id_ranks, self.types = ranks.read_array("id_rank"), ranks.read_array("type")
        self._has_time = traits.read_array("has_time")
        self.is_recurring, self.is_closed = traits.read_array("is_recurring"), traits.read_array("is_closed")
        self.is_free, self.ages = traits.read_array("is_free"), traits.read_array("ages")
        self.confidence, self.categories = traits.read_array("confidence"), traits.read_array("categories")
        self._series = series
        self._slots = Slots(read("slots"))
        self._class_days: Recalled[int, Rows] = Recalled(size=_DAYS)
        self._starts: Recalled[_Asked, Rows] = Recalled(size=_MINUTES)
        self._asked: _Asked | None = None
        # How many rows without coordinates a request's selections leave, wherever its point is.
        self.unplaceable: Recalled[tuple[object, ...], int] = Recalled(size=_SELECTIONS)

    def find_class_days(self, rows: Rows, *, start: int) -> Rows:
        """What cards are dealt by: the day of each class's next meeting from a day on."""
        return self._class_days.read(start, lambda: self._find_class_days(start))[rows]

    def _find_class_days(self, start: int) -> Rows:
        """By row, of what is no class 0."""
        days = np.zeros(self.types.size, dtype=np.int64)
        rows = np.flatnonzero(self.types == TYPES.index("class"))
        days[rows] = self._slots.find_class_starts(rows, start=start) // _DAY
        return days

    def read_starts(self, rows: Rows, *, windows: Mapping[str, tuple[int, int | None]], now: Now) -> list[Start]:
        """Of rows to be shown, in their order."""
        is_event = self.types[rows] == TYPES.index("event")
        others, events = np.flatnonzero(~is_event), np.flatnonzero(is_event)
        starts = [Start(NEVER)] * rows.size
        found = self._find_each(rows[others], windows, now).tolist()
        for at, local in zip(others.tolist(), found, strict=True):
            starts[at] = Start(local)
        if events.size:
            numbers = self._find_occurrences(rows[events], window=windows["event"], now=now)
            for at, number in zip(events.tolist(), numbers.tolist(), strict=True):
                if number >= 0:
                    moment = self._series.read_moment(number)
                    starts[at] = Start(moment.starts_local, moment.starts_at, moment.ends_local, moment.ends_at)
        return starts

    def find_starts(self, rows: Rows, *, windows: Mapping[str, tuple[int, int | None]], now: Now) -> Rows:
        """Seconds of the local clock at which each row first begins in the window of its type, not before now; NEVER
        where it does not. `windows`: by type, the first and the last day since 1970. What is asked twice in a minute is
        worked out for all rows."""
        asked = (tuple(windows.items()), now)
        if asked == self._asked:
            return self._starts.read(asked, lambda: self._find_each(np.arange(self.types.size), windows, now))[rows]
        if rows.size > _FEW:
            self._asked = asked
        return self._find_each(rows, windows, now)

    def _find_each(self, rows: Rows, windows: Mapping[str, tuple[int, int | None]], now: Now) -> Rows:
        types, starts = self.types[rows], np.full(rows.size, NEVER, dtype=np.int64)
        for name, (low, high) in windows.items():
            chosen = np.flatnonzero(types == TYPES.index(name))
            if chosen.size and name != "place":
                found = self._find_starts(name, rows[chosen], window=(low, high), now=now)
                starts[chosen] = found if high is None else np.where(found >= (high + 1) * _DAY, NEVER, found)
        return starts

    def _find_starts(self, listing_type: str, rows: Rows, *, window: tuple[int, int | None], now: Now) -> Rows:
        if listing_type == "class":
            return self._slots.find_class_starts(rows, start=window[0], now=now.local)
        if listing_type == "camp":
            return self._slots.find_next_camp_starts(rows, start=window[0], now=now.local)
        return self._series.read_local_starts(self._find_occurrences(rows, window=window, now=now))

    def _find_occurrences(self, rows: Rows, *, window: tuple[int, int | None], now: Now) -> NDArray[np.int64]:
        """Of events: the place in the table of the occurrence that is shown, else -1."""
        low, high = window
        timed = self._has_time[rows].astype(np.bool_)
        return self._series.find_since(rows, low=low, high=high, instant=now.instant, timed=timed)
