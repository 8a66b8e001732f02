"""What happens, of many rows at once: rows' occurrences ↔ their table."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from pipeline.dates.occurrences import NO_END, Occurrences, join_occurrences, make_occurrence_columns
from pipeline.listings.rows import Row

_MICROSECOND = 1_000_000


def join_happenings(rows: Sequence[tuple[int, Row]]) -> pl.DataFrame:
    """The table `occurrences` of events and their row numbers, ordered by `starts_at`, id, `index`."""
    found = [(number, row, row.occurrences) for number, row in rows if row.occurrences is not None]
    sizes = np.array([len(occurrences) for _, _, occurrences in found], dtype=np.int64)
    timed = np.array([row.columns["has_time"] for _, row, _ in found], dtype=np.bool_)
    ids = sorted(row.id for _, row, _ in found)
    ranks = dict(zip(ids, range(len(ids)), strict=True))
    columns = make_occurrence_columns(
        join_occurrences([occurrences for _, _, occurrences in found]), has_time=np.repeat(timed, sizes)
    )
    numbers = np.array([number for number, _, _ in found], dtype=np.uint32)
    of_id = np.array([ranks[row.id] for _, row, _ in found], dtype=np.uint32)
    frame = columns.select(
        pl.Series("row", np.repeat(numbers, sizes)), pl.all(), pl.Series("rank", np.repeat(of_id, sizes))
    )
    return frame.sort("starts_at", "rank", "index").drop("rank")


def split_happenings(frame: pl.DataFrame) -> Iterator[tuple[int, Occurrences]]:
    """(row number, its occurrences) of the table, by row."""
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
