"""A SQLite file → the rows of one of its tables."""

import sqlite3
from array import array
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from duckdb import DuckDBPyConnection

from outings.configuration import FeedTable
from outings.contract.suggestions import list_nearest
from outings.sql_quoting import quote
from pipeline.feeds.table.json_rows import read_typed
from pipeline.feeds.table.part import Part, TableFile, check_columns, check_rows, number_names

# The bytes of a longest value: a view can make one of any size.
_MOST_CELL = 16 << 20


def open_sqlite(file: TableFile, feed: FeedTable, connection: DuckDBPyConnection, scratch: Path) -> Part:
    """A row's line is its number in the table."""
    try:
        with closing(sqlite3.connect(f"{file.path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_CELL)
            table = choose_table(database, feed.table)
            rows = database.execute(f"SELECT * FROM {quote(table)}")
            check_columns(len(rows.description), feed)
            names = number_names([column[0] for column in rows.description])
            count = 0
            with scratch.open("wb") as target:
                for count, row in enumerate(rows, start=1):
                    check_rows(count, feed)
                    target.write(msgspec.json.encode(dict(zip(names, map(_convert, row), strict=True))) + b"\n")
    except sqlite3.Error as error:
        raise ValueError(f"is a SQLite file that can't be read: {error}. Fetch it again") from error
    if not count:
        raise ValueError(f'has no rows in its table "{table}"')
    query, parameters = read_typed(connection, scratch, names=names)
    return Part(
        query=query, parameters=parameters, lines=array("q", range(1, count + 1)), count=count,
        decided=f'table "{table}"',
    )  # fmt: skip


def choose_table(database: sqlite3.Connection, stated: str) -> str:
    """The one that is stated, or the only one."""
    tables = list_tables(database)
    if stated in tables:
        return stated
    if stated:
        near = ", ".join(list_nearest(stated, tables) or tables)
        raise ValueError(f'has no table "{stated}"; there are: {near}')
    if len(tables) != 1:
        listed = ", ".join(tables) or "none"
        raise ValueError(f'has {len(tables)} tables: {listed}. Say which, as in table = "{(tables or ["events"])[0]}"')
    return tables[0]


def list_tables(database: sqlite3.Connection) -> list[str]:
    """The names of tables and views, without SQLite's own."""
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
    return [name for (name,) in database.execute(query)]


def _convert(value: Any) -> Any:
    """Bytes have no letters: where they are one, it is an error cell's text, which no member takes."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return "#BLOB!"
    return value
