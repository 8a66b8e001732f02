"""Convert occurrences of events to and from their table, many rows at once."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from pipeline.dates.recurrence import NO_END, Occurrences, join_occurrences, make_occurrence_columns

_MICROSECOND = 1_000_000


def join_occurrence_table(dated: Sequence[tuple[int, Occurrences, bool]]) -> pl.DataFrame:
    """Join the dates of events to the table `occurrences`. `dated`: for each event its number, which the table has
    in place of `row`, its dates, and True if they have a time of day."""
    sizes = np.array([len(occurrences) for _, occurrences, _ in dated], dtype=np.int64)
    timed = np.array([has_time for _, _, has_time in dated], dtype=np.bool_)
    numbers = np.array([number for number, _, _ in dated], dtype=np.uint32)
    columns = make_occurrence_columns(
        join_occurrences([occurrences for _, occurrences, _ in dated]), has_time=np.repeat(timed, sizes)
    )
    return columns.select(pl.Series("number", np.repeat(numbers, sizes), dtype=pl.UInt32()), pl.all())


def split_occurrence_table(frame: pl.DataFrame) -> Iterator[tuple[int, Occurrences]]:
    """Yield each row number of the table, ascending, with its occurrences."""
    ordered = frame.sort("row", "index")
    rows = ordered["row"].to_numpy()
    edges = [0, *(np.flatnonzero(np.diff(rows)) + 1).tolist(), len(rows)] if len(rows) else []
    columns = {
        "index": ordered["index"].cast(pl.Int64).to_numpy(),
        "starts_at": ordered["starts_at"].to_numpy(),
        "ends_at": ordered["ends_at"].fill_null(NO_END).to_numpy(),
        "starts_local": (ordered["starts_local"].cast(pl.Int64) // _MICROSECOND).to_numpy(),
        "ends_local": (ordered["ends_local"].cast(pl.Int64) // _MICROSECOND).fill_null(NO_END).to_numpy(),
    }
    for first, last in pairwise(edges):
        yield int(rows[first]), Occurrences(**{name: column[first:last] for name, column in columns.items()})
