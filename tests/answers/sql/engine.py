"""DuckDB as an evaluator: one database in memory a process, with views over each snapshot's Parquet under a schema."""

import importlib.util
import itertools
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
from duckdb import DuckDBPyConnection
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.rows.filters import list_columns
from outings.release.tables import TABLES, make_schema
from outings.sql_quoting import literal

Rows = NDArray[np.uint32]

# What conditions and orders use; the rest of a row is read by number (`names`), never by a query.
_LISTINGS = ", ".join((
    "row", "type", "status", "id", "name_key", "audience", "age_min", "age_max", "price_min", "neighborhood_slug",
    "neighborhood_key", "starts_at", "program_key", "updated_at", *list_columns(),
))  # fmt: skip
_VIEWS: Mapping[str, str] = {
    "listings": f"SELECT {_LISTINGS} FROM source",
    # `number`: an occurrence's place in the table, which is the order of the expanded list.
    "occurrences": """SELECT row, date, weekday, time, starts_at, CAST(file_row_number AS UINTEGER) AS number
        FROM source""",
    "sections": "SELECT * EXCLUDE (file_row_number) FROM source",
    "sessions": """SELECT * EXCLUDE (file_row_number), bool_and(starts_on IS NULL) OVER (PARTITION BY row) AS is_undated
        FROM source""",
}
# A table of this program's columns without rows stands before the file: a column that the file has not is null.
_SOURCE = """WITH source AS (
    FROM {schema}.known_{name} UNION ALL BY NAME FROM read_parquet({path}, file_row_number = true)
)"""


# For every bound value DuckDB tries to import pandas, twice; where it is not installed, each try searches the whole
# path again: 3 of the 5 ms of a list. A None here says at once what the search would find.
if importlib.util.find_spec("pandas") is None:
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]


class Statement(Struct, frozen=True):
    """SQL over one snapshot's tables; `values` are bound."""

    text: str
    values: tuple[object, ...]


class Tables:
    """One snapshot's tables inside the engine; dropped when nothing refers to them."""

    def __init__(self, connection: DuckDBPyConnection, *, schema: str) -> None:
        self._connection = connection
        self.schema = schema
        weakref.finalize(self, _drop_schema, connection, schema).atexit = False

    def fetch_rows(self, statement: Statement, chosen: Rows | None = None) -> list[tuple[Any, ...]]:
        """Safe from any thread: a cursor a call, which sees its own table `chosen` of row numbers alone."""
        with self._execute(statement, chosen) as cursor:
            return cursor.fetchall()

    def fetch_columns(self, statement: Statement, chosen: Rows | None = None) -> Mapping[str, NDArray[Any]]:
        """Return the rows' columns by name. There may be many rows, and none has nulls. Thread-safe."""
        with self._execute(statement, chosen) as cursor:
            return cursor.fetchnumpy()

    @contextmanager
    def _execute(self, statement: Statement, chosen: Rows | None) -> Iterator[DuckDBPyConnection]:
        cursor = self._connection.cursor()
        try:
            if chosen is not None:
                cursor.register("chosen", {"row": chosen})
            yield cursor.execute(statement.text, list(statement.values))
        finally:
            cursor.close()


def _drop_schema(connection: DuckDBPyConnection, schema: str) -> None:
    cursor = connection.cursor()
    cursor.execute(f"DROP SCHEMA {schema} CASCADE")
    cursor.close()


class Engine:
    """A DuckDB connection to the tables. It does not survive a fork: a child opens its own."""

    def __init__(self) -> None:
        # One thread a query: several are answered beside each other, and a small one gains nothing from two.
        self._connection = duckdb.connect(":memory:", config={"threads": 1, "preserve_insertion_order": True})
        self._numbers = itertools.count()

    def open_tables(self, files: Mapping[str, Path]) -> Tables:
        """Raises duckdb.Error where a file is missing or broken."""
        schema = f"snapshot_{next(self._numbers)}"
        cursor = self._connection.cursor()
        try:
            cursor.execute(f"CREATE SCHEMA {schema}")
            for name, query in _VIEWS.items():
                cursor.register("columns", pl.DataFrame(schema=make_schema(TABLES[name])).to_arrow())
                cursor.execute(f"CREATE TABLE {schema}.known_{name} AS FROM columns")
                rows = _SOURCE.format(schema=schema, name=name, path=literal(str(files[name])))
                cursor.execute(f"CREATE VIEW {schema}.{name} AS {rows} {query}")
        finally:
            cursor.close()
        return Tables(self._connection, schema=schema)


_engine: Engine | None = None
_lock = threading.Lock()


def open_engine() -> Engine:
    """The engine of this process."""
    global _engine
    with _lock:
        if _engine is None:
            _engine = Engine()
        return _engine
