"""The occurrences of events: one by its place in the table, the next of a row on a date, and how many are left."""

from bisect import bisect_left, bisect_right
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
from msgspec import Struct

from outings.answers.arrays import view_array

_EPOCH = date(1970, 1, 1).toordinal()
_MICROSECONDS = 1_000_000
_UNKNOWN = -1


class Next(Struct, frozen=True, kw_only=True):
    """Seconds since 1970, of the instant and of the local clock; None when nothing is left.

    `remaining` counts from the next one; it and `total` are None when the series has no end.
    """

    starts_at: int | None
    starts_local: int | None
    remaining: int | None
    total: int | None


class Moment(Struct, frozen=True, kw_only=True):
    """One occurrence, in seconds as those of `Next`; `index` counts from 1 at the anchor."""

    index: int
    starts_at: int
    starts_local: int
    ends_at: int | None
    ends_local: int | None


class Series:
    """Of one snapshot: arrays in the table's order, which is by start, and by row and date the places in it.

    Local times and ends are kept as distances from the start's instant: a metro has millions of occurrences.
    """

    def __init__(self, *, listings: Path, occurrences: Path) -> None:
        rows = pl.read_parquet(listings, columns=["is_recurring", "occurrences_total"])
        self._recurring = view_array(rows["is_recurring"].fill_null(value=False).to_numpy())
        self._totals = view_array(rows["occurrences_total"].cast(pl.Int64()).fill_null(_UNKNOWN))
        self._read_moments(occurrences)
        frame = pl.read_parquet(occurrences, columns=["row", "index", "date"])
        frame = frame.with_row_index("number").sort("row", "date", "index")
        self._starts = view_array(np.searchsorted(frame["row"].to_numpy(), np.arange(rows.height + 1)))
        self._days = view_array(frame["date"].to_physical())
        self._numbers = view_array(frame["number"])

    def _read_moments(self, occurrences: Path) -> None:
        frame = pl.read_parquet(occurrences, columns=["index", "starts_at", "ends_at", "starts_local", "ends_local"])
        starts_at, starts_local = frame["starts_at"], frame["starts_local"].to_physical() // _MICROSECONDS
        lasts = frame["ends_at"] - starts_at
        lasts_local = frame["ends_local"].to_physical() // _MICROSECONDS - starts_local
        self._indexes = view_array(frame["index"])
        self._instants = view_array(starts_at)
        self._offsets = view_array((starts_local - starts_at).cast(pl.Int32()))
        self._lasts = view_array(lasts.fill_null(_UNKNOWN).cast(pl.Int32()))
        self._lasts_local = view_array(lasts_local.fill_null(_UNKNOWN).cast(pl.Int32()))

    def is_series(self, row: int) -> bool:
        return bool(self._recurring[row])

    def read_moment(self, number: int) -> Moment:
        """`number`: the occurrence's place in the table."""
        starts_at = self._instants[number]
        starts_local = starts_at + self._offsets[number]
        lasts, lasts_local = self._lasts[number], self._lasts_local[number]
        return Moment(
            index=self._indexes[number],
            starts_at=starts_at,
            starts_local=starts_local,
            ends_at=None if lasts == _UNKNOWN else starts_at + lasts,
            ends_local=None if lasts_local == _UNKNOWN else starts_local + lasts_local,
        )

    def find_ties(self, starts_at: int) -> tuple[int, int]:
        """The number of the first occurrence at that instant or later, and of the first after it."""
        return bisect_left(self._instants, starts_at), bisect_right(self._instants, starts_at)

    def find_next(self, row: int, today: date) -> Next:
        """The first live occurrence on or after the date."""
        first, last = self._starts[row], self._starts[row + 1]
        at = bisect_left(self._days, today.toordinal() - _EPOCH, first, last)
        total = None if self._totals[row] == _UNKNOWN else self._totals[row]
        if at < last:
            found = self.read_moment(self._numbers[at])
            remaining = None if total is None else total - found.index + 1
            return Next(
                starts_at=found.starts_at, starts_local=found.starts_local, remaining=remaining, total=total
            )
        # What lies past the build's horizon is counted, though its dates are not known here.
        past = self._indexes[self._numbers[last - 1]] if last > first else 0
        return Next(
            starts_at=None, starts_local=None, remaining=None if total is None else total - past, total=total
        )
