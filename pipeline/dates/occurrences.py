"""The live dates of an event, as columns: a metro has millions, and a tuple of objects each would not fit.

A date counts on the local day on which it starts, also if it ends after midnight.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.dates import find_weekday
from outings.contract.values import DAY, read_local
from outings.release.tables import OCCURRENCES

Seconds = NDArray[np.int64]

# Stands in an `ends_*` column for an end that is not stated.
NO_END = np.iinfo(np.int64).min


class Occurrence(Struct, frozen=True, kw_only=True):
    """One live date. `index` counts from 1 in order of time; local times are naive, instants seconds since 1970."""

    index: int
    starts_local: datetime
    ends_local: datetime | None
    starts_at: int
    ends_at: int | None


class Occurrences(Struct, frozen=True, kw_only=True, eq=False):
    """Columns of one length, in order of time. Local times are seconds since 1970 in their own wall-clock time."""

    index: Seconds
    starts_local: Seconds
    ends_local: Seconds
    starts_at: Seconds
    ends_at: Seconds

    def __len__(self) -> int:
        return len(self.index)

    def __iter__(self) -> Iterator[Occurrence]:
        columns = (self.index, self.starts_local, self.ends_local, self.starts_at, self.ends_at)
        for index, starts_local, ends_local, starts_at, ends_at in zip(*(c.tolist() for c in columns), strict=True):
            yield Occurrence(
                index=index,
                starts_local=read_local(starts_local),
                ends_local=None if ends_local == NO_END else read_local(ends_local),
                starts_at=starts_at,
                ends_at=None if ends_at == NO_END else ends_at,
            )


def join_occurrences(parts: Sequence[Occurrences]) -> Occurrences:
    """Join columns one after the other."""
    names = Occurrences.__struct_fields__
    empty = np.empty(0, dtype=np.int64)
    return Occurrences(**{name: np.concatenate([empty, *(getattr(part, name) for part in parts)]) for name in names})


def make_occurrence_columns(occurrences: Occurrences, *, has_time: NDArray[np.bool_]) -> pl.DataFrame:
    """Return the table `occurrences` without its `row`. `has_time` tells for each date if its event has a clock
    time."""
    local = occurrences.starts_local
    columns = {
        "index": occurrences.index,
        "starts_at": occurrences.starts_at,
        "ends_at": _hide_missing(occurrences.ends_at),
        "starts_local": pl.Series(local * 1_000_000).cast(pl.Datetime("us")),
        "ends_local": (_hide_missing(occurrences.ends_local) * 1_000_000).cast(pl.Datetime("us")),
        "date": pl.Series(local // DAY).cast(pl.Int32).cast(pl.Date),
        "weekday": find_weekday(local // DAY),
        "time": pl.Series(local % DAY).set(pl.Series(~has_time), None),
    }
    return pl.DataFrame(columns, schema_overrides={name: OCCURRENCES[name] for name in columns})


def _hide_missing(ends: Seconds) -> pl.Series:
    series = pl.Series(ends)
    return series.set(series == NO_END, None)
