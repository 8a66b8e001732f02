"""Columns of a snapshot's tables, from Parquet. Of what an older program did not keep nothing is stated: a column that
its table has not is null, a table that there is not is empty."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from outings.release.tables import TABLES


def read_columns(path: Path | None, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """All of the table's if none are named. Raises what Polars raises where the file is broken."""
    kinds = TABLES[table]
    names = list(kinds if columns is None else columns)
    if path is None:
        return pl.DataFrame(schema={name: kinds[name] for name in names})
    known = pl.read_parquet_schema(path)
    frame = pl.read_parquet(path, columns=[name for name in names if name in known])
    missing = (pl.lit(None, dtype=kinds[name]).alias(name) for name in names if name not in known)
    return frame.with_columns(missing).select(names)
