"""Run a SELECT that can reach nothing but the table `feed`, within limits, and leave out the rows on which it fails."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import duckdb
from duckdb import DuckDBPyConnection

from outings.contract.did_you_mean import list_nearest
from outings.contract.vocabulary import Vocabulary
from outings.select_statement import bound_time, parse_select
from pipeline.fetch.table.ranges import run_readers
from pipeline.records.kinds import Members, Table
from pipeline.records.record import make_members

# Errors that a value can cause. Others come from the statement or from this machine.
_DATA_ERRORS = (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.OutOfRangeException)
# A statement that fails on more rows than these is wrong itself.
_MOST_FAULTS = 200
# A column of the result by this name is no member: it says which row of `feed` a record was made of.
ROW = "rowid"
# Written without brackets they look like columns.
_CLOCK_WORDS = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "today"}
)  # fmt: skip
# DuckDB's catalogue calls them constant; they read the clock all the same. `age` does with one argument.
_UNLISTED_CLOCKS = {"current_localtime", "current_localtimestamp"}


class RowFault(NamedTuple):
    """A row on which the statement fails. `row`: its `rowid` in `feed`; `value`: the row as JSON; `source_id`: its
    record's id."""

    row: int
    reason: str
    value: str
    source_id: str | None


class Selection(NamedTuple):
    """The records of a statement as JSON objects, and the rows that it fails on."""

    records: Iterator[str]
    faults: Sequence[RowFault] = ()


def select_records(connection: DuckDBPyConnection, query: str, vocabulary: Vocabulary, *, seconds: float) -> Selection:
    """Run the query over `feed`. Raises ValueError for an invalid query before it returns any record."""
    faults: Sequence[RowFault] = ()
    with bound_time(connection, seconds=seconds, setting="max_seconds"), run_readers():
        _check_statement(connection, query)
        result = connection.sql(query)
        if twice := [name for name, count in Counter(result.columns).items() if count > 1]:
            raise ValueError(f"has the column {twice[0]} twice")
        columns = [column for column in zip(result.columns, result.types, strict=True) if column[0] != ROW]
        _check_columns(columns, make_members(vocabulary).values())
        try:
            _make_records(connection, query)
        except _DATA_ERRORS:
            faults = _remove_faulty_rows(connection, query)
            _make_records(connection, query)
    rows = iter(connection.execute("SELECT record FROM records").fetchone, None)
    return Selection((record for (record,) in rows), faults)


def _make_records(connection: DuckDBPyConnection, query: str) -> None:
    listings = connection.sql(query)
    listings.query("listing", "SELECT to_json(listing)::VARCHAR AS record FROM listing").create("records")


def _remove_faulty_rows(connection: DuckDBPyConnection, query: str) -> list[RowFault]:
    """Delete the rows on which the query fails, and describe them. Raises its error again if it fails on every row, or
    on too many.

    DuckDB does not say on which row a statement failed, so it is run over halves of the table, down to single rows.
    """
    ((count, most),) = connection.execute("SELECT count(*), coalesce(max(rowid) + 1, 0) FROM feed").fetchall()
    faults: list[RowFault] = []
    errors: dict[int, duckdb.Error] = {}
    ahead = [(0, most)]
    while ahead:
        low, high = ahead.pop()
        try:
            with _leave_rows(connection, low=low, high=high):
                _make_records(connection, query)
        except _DATA_ERRORS as error:
            if high - low > 1:
                middle = (low + high) // 2
                ahead += [(middle, high), (low, middle)]
                continue
            errors[low] = error
            faults += _describe_row(connection, query, row=low, error=error)
            if len(faults) > _MOST_FAULTS or len(errors) == count:
                raise next(iter(errors.values())) from None
    connection.execute("DELETE FROM feed WHERE rowid IN (SELECT unnest(?::BIGINT[]))", [[*errors]])
    return faults


def _describe_row(connection: DuckDBPyConnection, query: str, *, row: int, error: duckdb.Error) -> list[RowFault]:
    """Return a fault for each record that the query would make of this row."""
    with _leave_rows(connection, low=row, high=row + 1):
        ((value,),) = connection.execute("SELECT to_json(feed)::VARCHAR FROM feed").fetchall()
        try:  # without the columns that fail
            rows = connection.sql(f"SELECT source_id FROM (\n{query.rstrip().rstrip(';')}\n)").fetchall()
        except duckdb.Error:
            rows = []
    names: list[str | None] = [name for (name,) in rows if isinstance(name, str)]
    reason = f"wrong_type: the SELECT fails on this row: {_explain(error)}"
    return [RowFault(row, reason, value, name) for name in names or [None]]


def _explain(error: duckdb.Error) -> str:
    """Return DuckDB's message without the kind of error before it and the statement behind it."""
    text = str(error).partition("\n\nLINE ")[0].strip()
    kind, colon, what = text.partition(" Error: ")
    return " ".join((what if colon and kind.replace(" ", "").isalpha() else text).split())


@contextmanager
def _leave_rows(connection: DuckDBPyConnection, *, low: int, high: int) -> Iterator[None]:
    """Reduce `feed` to the rows from `low` to before `high` within the block. They keep their `rowid`."""
    connection.execute("BEGIN")
    try:
        connection.execute("DELETE FROM feed WHERE rowid < ? OR rowid >= ?", [low, high])
        yield
    finally:
        connection.execute("ROLLBACK")


def _check_statement(connection: DuckDBPyConnection, query: str) -> None:
    """Raise ValueError unless this is one plain SELECT, without functions whose results vary."""
    moving = connection.execute("SELECT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT'")
    functions = _UNLISTED_CLOCKS | {name for (name,) in moving.fetchall()}
    words = _CLOCK_WORDS - {column.casefold() for column in connection.table("feed").columns}
    for node in parse_select(connection, query, readable="feed"):
        named = functions & {str(node.get("function_name")).casefold()}
        if node.get("function_name") == "age" and len(node["children"]) == 1:
            named = {"age with one argument"}
        for name in named | words.intersection(map(str.casefold, node.get("column_names", [])[:1])):
            raise ValueError(f"uses {name}: the same feed would not give the same listings twice")


def _check_columns(
    columns: Iterable[tuple[str, Any]], tables: Iterable[Members], *, what: str = "column ", path: str = ""
) -> None:
    """Raise ValueError unless every column, and every member of a struct, is a member of a record of some type."""
    inner: dict[str, list[Members]] = {}
    for table in tables:
        for name, kind in table.items():
            inner.setdefault(name, []).extend([kind.members] if isinstance(kind, Table) else [])
    for name, type_ in columns:
        if name not in inner:
            nearest = list_nearest(name, list(inner))
            near = f"the nearest: {', '.join(nearest)}" if nearest else f"allowed: {', '.join(sorted(inner))}"
            raise ValueError(f"has the {what}{path}{name}, which no record has; {near}")
        while type_.id == "list":
            type_ = type_.children[0][1]
        if type_.id == "struct" and inner[name]:
            _check_columns(type_.children, inner[name], what="member ", path=f"{path}{name}.")
