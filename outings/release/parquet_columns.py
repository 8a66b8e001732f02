"""Columns of a snapshot's tables, from Parquet. Of what an older program did not keep nothing is stated: a column that
its table has not is null, a table that there is not is empty."""

from collections.abc import Sequence
from io import BytesIO

import polars as pl

from outings.release.mapped_file import MappedFile
from outings.release.tables import TABLES


def read_columns(file: MappedFile | None, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """All of the table's if none are named. Raises what Polars raises where the file is broken."""
    kinds = TABLES[table]
    names = list(kinds if columns is None else columns)
    if file is None:
        return pl.DataFrame(schema={name: kinds[name] for name in names})
    data = BytesIO(file.view)
    known = pl.read_parquet_schema(data)
    frame = pl.read_parquet(data, columns=[name for name in names if name in known])
    missing = (pl.lit(None, dtype=kinds[name]).alias(name) for name in names if name not in known)
    return frame.with_columns(missing).select(names)
