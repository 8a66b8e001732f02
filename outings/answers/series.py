"""The occurrences of recurring events, by row: the next one on a date, and how many are left."""

from bisect import bisect_left
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
from msgspec import Struct

from outings.answers.arrays import view_array

_EPOCH = date(1970, 1, 1).toordinal()
_UNKNOWN = -1


class Next(Struct, frozen=True, kw_only=True):
    """Seconds since 1970, of the instant and of the local clock; None when nothing is left.

    `remaining` counts from the next one; it and `total` are None when the series has no end.
    """

    starts_at: int | None
    starts_local: int | None
    remaining: int | None
    total: int | None


class Series:
    """Of one snapshot: arrays ordered by row and date, and where each row's begin."""

    def __init__(self, *, listings: Path, occurrences: Path) -> None:
        rows = pl.read_parquet(listings, columns=["is_recurring", "occurrences_total"])
        recurring = rows["is_recurring"].fill_null(value=False).to_numpy()
        self._recurring = view_array(recurring)
        self._totals = view_array(rows["occurrences_total"].cast(pl.Int64()).fill_null(_UNKNOWN))
        columns = ["row", "index", "starts_at", "starts_local", "date"]
        frame = pl.read_parquet(occurrences, columns=columns)
        frame = frame.filter(pl.lit(recurring).gather(pl.col("row"))) if frame.height else frame
        frame = frame.sort("row", "date", "index")
        owners = frame["row"].to_numpy()
        self._starts = view_array(np.searchsorted(owners, np.arange(rows.height + 1)))
        self._days = view_array(frame["date"].to_physical())
        self._indexes = view_array(frame["index"])
        self._instants = view_array(frame["starts_at"])
        self._locals = view_array(frame["starts_local"].to_physical() // 1_000_000)

    def is_series(self, row: int) -> bool:
        return bool(self._recurring[row])

    def find_next(self, row: int, today: date) -> Next:
        """The first live occurrence on or after the date."""
        first, last = self._starts[row], self._starts[row + 1]
        at = bisect_left(self._days, today.toordinal() - _EPOCH, first, last)
        total = None if self._totals[row] == _UNKNOWN else self._totals[row]
        if at < last:
            remaining = None if total is None else total - self._indexes[at] + 1
            return Next(
                starts_at=self._instants[at], starts_local=self._locals[at], remaining=remaining, total=total
            )
        # What lies past the build's horizon is counted, though its dates are not known here.
        past = self._indexes[last - 1] if last > first else 0
        return Next(
            starts_at=None, starts_local=None, remaining=None if total is None else total - past, total=total
        )
