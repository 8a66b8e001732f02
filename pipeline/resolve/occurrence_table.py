"""Convert occurrences of events to and from their table, many rows at once."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from outings.answers.dates import find_weekday
from outings.contract.values import DAY
from outings.release.tables import OCCURRENCES, make_schema
from pipeline.dates.recurrence import NO_END, Occurrences

_MICROSECOND = 1_000_000


def join_occurrence_table(dated: Sequence[tuple[int, Occurrences, bool]]) -> pl.DataFrame:
    """Join the dates of events to the table `occurrences`. `dated`: for each event its number, which the table has
    in place of `row`, its dates, and True if they have a time of day."""
    sizes = [occurrences.index.size for _, occurrences, _ in dated]
    numbers = np.array([number for number, _, _ in dated], dtype=np.uint32)
    timed = np.array([has_time for _, _, has_time in dated], dtype=np.bool_)
    empty = np.empty(0, dtype=np.int64)
    joined = {
        name: pl.Series(np.concatenate([empty, *(getattr(occurrences, name) for _, occurrences, _ in dated)]))
        for name in Occurrences.__struct_fields__
    }
    local, ends_local, ends_at = joined["starts_local"], joined["ends_local"], joined["ends_at"]
    columns = {
        "index": joined["index"],
        "starts_at": joined["starts_at"],
        "ends_at": ends_at.set(ends_at == NO_END, None),
        "starts_local": (local * _MICROSECOND).cast(pl.Datetime("us")),
        "ends_local": (ends_local.set(ends_local == NO_END, None) * _MICROSECOND).cast(pl.Datetime("us")),
        "date": (local // DAY).cast(pl.Int32).cast(pl.Date),
        "weekday": find_weekday((local // DAY).to_numpy()),
        "time": (local % DAY).set(pl.Series(np.repeat(~timed, sizes)), None),
    }
    frame = pl.DataFrame(columns, schema_overrides=make_schema({name: OCCURRENCES[name] for name in columns}))
    return frame.select(pl.Series("number", np.repeat(numbers, sizes), dtype=pl.UInt32()), pl.all())


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
