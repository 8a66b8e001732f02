"""When places are open, as their hours state."""

from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from outings.answers.snapshot.reader import SnapshotReader
from outings.release.tables import PUBLISHED, read_columns
from outings.texts.opening import WEEK, read_week

Rows = NDArray[np.uint32]


class OpeningHours:
    """The opening hours of the places of one snapshot."""

    def __init__(self, reader: SnapshotReader) -> None:
        stated = read_columns(reader.tables["listings"], "listings", ("row", "status", "opening_hours"))
        spans = [
            (row, begin, end)
            for row, status, text in stated.drop_nulls().iter_rows()
            if status == PUBLISHED
            for begin, end in read_week(text)
        ]
        table = np.array(spans, dtype=np.int64).reshape(-1, 3)
        self._rows, self._begins, self._ends = table[:, 0], table[:, 1], table[:, 2]

    def find_open(self, minute: int) -> Rows:
        """Return the places that are open in a minute since Monday 00:00, ascending. The minute of closing is not."""
        is_open = np.zeros(self._rows.size, dtype=np.bool_)
        for moment in (minute, minute + WEEK):  # open into Monday
            is_open |= (self._begins <= moment) & (moment < self._ends)
        return np.unique(self._rows[is_open]).astype(np.uint32)


def number_minute(local: datetime) -> int:
    """Return the minute of a local time since Monday 00:00."""
    return local.weekday() * 1440 + local.hour * 60 + local.minute
