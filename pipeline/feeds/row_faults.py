"""Rows of the table `feed` on which an operator's SELECT fails: `fee::DOUBLE` of a cell that is no number.

DuckDB says that a statement failed, and not on which row. So it is run over halves of the table, again and again, until
single rows are left. Rows keep their `rowid` meanwhile: the others are deleted in a transaction that is rolled back.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import duckdb
import orjson
from duckdb import DuckDBPyConnection

# What a value can be wrong for. Other errors are of the statement, or of this machine.
DATA_ERRORS = (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.OutOfRangeException)
# A statement that fails on more rows than these is wrong itself.
_MOST_FAULTS = 200
# A function that fails on a bad value → its variant that gives null.
_FORGIVING = {"strptime": "try_strptime"}

Run = Callable[[str], Iterator[str]]


class RowFault(NamedTuple):
    """`row`: its `rowid` in `feed`; `value`: the row as JSON; `source_id`: of the record that it would have been."""

    row: int
    reason: str
    value: str
    source_id: str | None


def remove_faulty_rows(connection: DuckDBPyConnection, query: str, run: Run) -> list[RowFault]:
    """Deletes the rows on which the query fails by themselves. `run` gives its rows as JSON, or raises duckdb.Error.

    Raises that error again if it fails on every row, or on too many of them.
    """
    ((count,),) = connection.execute("SELECT count(*) FROM feed").fetchall()
    faults: list[RowFault] = []
    first: duckdb.Error | None = None
    ahead = [(0, count)]
    while ahead:
        low, high = ahead.pop()
        error = _try_rows(connection, query, run, low=low, high=high)
        if error is None:
            continue
        if high - low > 1:
            middle = (low + high) // 2
            ahead += [(middle, high), (low, middle)]
            continue
        first = first or error
        faults += _describe_row(connection, query, run, row=low, error=error)
        if len(faults) > _MOST_FAULTS:
            raise first
    rows = sorted({fault.row for fault in faults})
    if first is not None and len(rows) == count:
        raise first
    connection.execute("DELETE FROM feed WHERE rowid IN (SELECT unnest(?::BIGINT[]))", [rows])
    return faults


def _try_rows(connection: DuckDBPyConnection, query: str, run: Run, *, low: int, high: int) -> duckdb.Error | None:
    """What goes wrong with the rows from `low` to before `high`."""
    try:
        with _leave_rows(connection, low=low, high=high):
            for _ in run(query):
                pass
    except DATA_ERRORS as error:
        return error
    return None


def _describe_row(
    connection: DuckDBPyConnection, query: str, run: Run, *, row: int, error: duckdb.Error
) -> Iterator[RowFault]:
    """A fault for each record that the row would have been."""
    with _leave_rows(connection, low=row, high=row + 1):
        ((value,),) = connection.execute("SELECT to_json(feed)::VARCHAR FROM feed").fetchall()
        source_ids = _list_source_ids(connection, query, run)
    reason = f"wrong_type: the SELECT fails on this row: {explain_error(error)}"
    for source_id in source_ids or [None]:
        yield RowFault(row, reason, value, source_id)


def _list_source_ids(connection: DuckDBPyConnection, query: str, run: Run) -> Sequence[str | None]:
    """By the same statement with casts that give null. Some statements can't be written so."""
    try:
        records = [orjson.loads(record) for record in run(_forgive(connection, query))]
    except duckdb.Error:
        return []
    return [each["source_id"] for each in records if isinstance(each.get("source_id"), str)]


def _forgive(connection: DuckDBPyConnection, query: str) -> str:
    ((serialized,),) = connection.execute("SELECT json_serialize_sql(?)", [query]).fetchall()
    tree = orjson.loads(serialized)
    ahead: list[Any] = [tree]
    while ahead:
        node = ahead.pop()
        if isinstance(node, list):
            ahead += node
        elif isinstance(node, dict):
            if node.get("class") == "CAST":
                node["try_cast"] = True
            if (name := str(node.get("function_name")).casefold()) in _FORGIVING:
                node["function_name"] = _FORGIVING[name]
            ahead += node.values()
    ((written,),) = connection.execute("SELECT json_deserialize_sql(?::JSON)", [orjson.dumps(tree).decode()]).fetchall()
    return str(written)


def explain_error(error: duckdb.Error) -> str:
    """DuckDB's own words, without the kind of error before them and the text of the statement behind."""
    text = str(error).partition("\n\nLINE ")[0].strip()
    kind, colon, what = text.partition(" Error: ")
    return " ".join((what if colon and kind.replace(" ", "").isalpha() else text).split())


@contextmanager
def _leave_rows(connection: DuckDBPyConnection, *, low: int, high: int) -> Iterator[None]:
    """For a while `feed` has only the rows from `low` to before `high`."""
    connection.execute("BEGIN")
    try:
        connection.execute("DELETE FROM feed WHERE rowid < ? OR rowid >= ?", [low, high])
        yield
    finally:
        connection.execute("ROLLBACK")
