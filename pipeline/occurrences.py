"""Occurrences of many events ↔ one table, by columns: a year of weekly series is millions of rows."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from outings.release.tables import OCCURRENCES
from pipeline.recurrence import Occurrences
from pipeline.rows import Row

_DAY = 86_400
_MICROSECOND = 1_000_000
_THURSDAY = 3  # 1970-01-01
_NOT_STATED = np.iinfo(np.int64).min


def join_occurrences(rows: Sequence[tuple[int, Row]]) -> pl.DataFrame:
    """The table `occurrences` of (row number, event row), ordered by `starts_at`, id, `index`."""
    found = [(number, row, row.occurrences) for number, row in rows if row.occurrences is not None]
    sizes = np.array([len(each) for _, _, each in found], dtype=np.int64)
    each = [occurrences for _, _, occurrences in found]
    starts_local = _join([one.starts_local for one in each])
    ends_local = _join([_fill(one.ends_local, len(one)) for one in each])
    ends_at = _join([_fill(one.ends_at, len(one)) for one in each])
    numbers = np.repeat(np.array([number for number, _, _ in found], dtype=np.int64), sizes)
    timed = np.repeat(np.array([row.columns["has_time"] for _, row, _ in found], dtype=bool), sizes)
    ranks = np.repeat(_rank_ids([row.id for _, row, _ in found]), sizes)
    days = starts_local // _DAY
    frame = pl.DataFrame(
        {
            "row": numbers,
            "index": _join([one.index for one in each]),
            "starts_at": _join([one.starts_at for one in each]),
            "ends_at": _null(ends_at),
            "starts_local": starts_local * _MICROSECOND,
            "ends_local": _null(ends_local) * _MICROSECOND,
            "date": days,
            "weekday": (days + _THURSDAY) % 7,
            "time": _null(np.where(timed, starts_local % _DAY, _NOT_STATED)),
            "rank": ranks,
        }
    )
    ordered = frame.sort("starts_at", "rank", "index").drop("rank")
    return ordered.with_columns(
        pl.col(name).cast(kind) if name != "date" else pl.col(name).cast(pl.Int32).cast(kind)
        for name, kind in OCCURRENCES.items()
    )


def split_occurrences(frame: pl.DataFrame) -> Iterator[tuple[int, Occurrences]]:
    """(row number, its occurrences) of a table ordered by `row`, `index`."""
    if frame.is_empty():
        return
    rows = frame["row"].to_numpy()
    edges = [0, *(np.flatnonzero(np.diff(rows)) + 1).tolist(), len(rows)]
    index, starts_at = frame["index"].cast(pl.Int64).to_numpy(), frame["starts_at"].to_numpy()
    starts_local = (frame["starts_local"].cast(pl.Int64) // _MICROSECOND).to_numpy()
    ends_at = frame["ends_at"].fill_null(_NOT_STATED).to_numpy()
    ends_local = (frame["ends_local"].cast(pl.Int64) // _MICROSECOND).fill_null(_NOT_STATED).to_numpy()
    for first, last in zip(edges, edges[1:], strict=False):
        part = slice(first, last)
        ended = ends_at[first] != _NOT_STATED
        yield int(rows[first]), Occurrences(
            index=index[part], starts_at=starts_at[part], starts_local=starts_local[part],
            ends_at=ends_at[part] if ended else None, ends_local=ends_local[part] if ended else None,
        )  # fmt: skip


def _rank_ids(ids: Sequence[str]) -> np.ndarray:
    """Each id's place among them: sorting by a small number is sorting by the id."""
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[np.argsort(np.array(ids, dtype="U36"), kind="stable")] = np.arange(len(ids))
    return ranks


def _join(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int64)


def _fill(array: np.ndarray | None, size: int) -> np.ndarray:
    return np.full(size, _NOT_STATED, dtype=np.int64) if array is None else array


def _null(array: np.ndarray) -> pl.Series:
    series = pl.Series(array)
    return series.set(pl.Series(array == _NOT_STATED), None)
