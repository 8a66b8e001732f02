"""Run an operator's SELECT, which can reach nothing but the table `feed`, within limits of memory and time.

DuckDB reports that a statement failed, but not on which row. So it is then run over halves of the table, again and
again, down to single rows. Rows keep their `rowid` meanwhile: the others are deleted in a transaction that is rolled
back.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import duckdb
import orjson
from duckdb import DuckDBPyConnection, DuckDBPyRelation

from outings.contract.did_you_mean import list_nearest
from outings.contract.vocabulary import Vocabulary
from outings.select_statement import bound_time, parse_select
from pipeline.records.kinds import Members, Table
from pipeline.records.record import make_members

# What a value can be wrong for. Other errors are of the statement, or of this machine.
DATA_ERRORS = (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.OutOfRangeException)
# A statement that fails on more rows than these is wrong itself.
_MOST_FAULTS = 200

Run = Callable[[str], Iterator[str]]


class RowFault(NamedTuple):
    """A row on which the statement fails. `row`: its `rowid` in `feed`; `value`: the row as JSON; `source_id`: that of
    its record."""

    row: int
    reason: str
    value: str
    source_id: str | None


def remove_faulty_rows(connection: DuckDBPyConnection, query: str, run: Run) -> list[RowFault]:
    """Delete the rows on which the query fails by themselves. `run` returns its rows as JSON, or raises duckdb.Error.

    Raises that error again if it fails on every row, or on too many of them.
    """
    ((count, most),) = connection.execute("SELECT count(*), coalesce(max(rowid) + 1, 0) FROM feed").fetchall()
    faults: list[RowFault] = []
    first: duckdb.Error | None = None
    ahead = [(0, most)]
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
    """Return the error of the statement with the rows from `low` to before `high`."""
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
    """Yield a fault for each record that the row would have been."""
    with _leave_rows(connection, low=row, high=row + 1):
        ((value,),) = connection.execute("SELECT to_json(feed)::VARCHAR FROM feed").fetchall()
        source_ids = _list_source_ids(query, run)
    reason = f"wrong_type: the SELECT fails on this row: {explain_error(error)}"
    for source_id in source_ids or [None]:
        yield RowFault(row, reason, value, source_id)


def _list_source_ids(query: str, run: Run) -> Sequence[str | None]:
    """Run the statement for its `source_id` alone, which leaves out what fails in other columns."""
    try:
        records = [orjson.loads(record) for record in run(f"SELECT source_id FROM (\n{query.rstrip().rstrip(';')}\n)")]
    except duckdb.Error:
        return []
    return [each["source_id"] for each in records if isinstance(each.get("source_id"), str)]


def explain_error(error: duckdb.Error) -> str:
    """Return DuckDB's own words, without the kind of error before them and the statement behind."""
    text = str(error).partition("\n\nLINE ")[0].strip()
    kind, colon, what = text.partition(" Error: ")
    return " ".join((what if colon and kind.replace(" ", "").isalpha() else text).split())


@contextmanager
def _leave_rows(connection: DuckDBPyConnection, *, low: int, high: int) -> Iterator[None]:
    """Leave only the rows from `low` to before `high` in `feed` for a while."""
    connection.execute("BEGIN")
    try:
        connection.execute("DELETE FROM feed WHERE rowid < ? OR rowid >= ?", [low, high])
        yield
    finally:
        connection.execute("ROLLBACK")


_ROWS_AT_ONCE = 1_000
# A column of the result by this name is no member: it says which row of `feed` a record was made of.
ROW = "rowid"

# Written without brackets they look like columns.
_CLOCK_WORDS = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "today"}
)  # fmt: skip
# Their catalogue calls them constant; they read the clock all the same. `age` does with one argument.
_UNSAID = {"current_localtime", "current_localtimestamp"}


class Selection(NamedTuple):
    """The result of the statement. `records`: the rows as JSON objects. `faults`: rows of `feed` that are left out
    because the statement fails on them."""

    records: Iterator[str]
    faults: Sequence[RowFault] = ()


def select_records(connection: DuckDBPyConnection, query: str, vocabulary: Vocabulary, *, seconds: float) -> Selection:
    """Run the query. Raises `ValueError` with what is wrong with it, before the first row."""
    faults: Sequence[RowFault] = ()
    with bound_time(connection, seconds=seconds, setting="max_seconds"):
        _check_statement(connection, query)
        result = connection.sql(query)
        if twice := [name for name, count in Counter(result.columns).items() if count > 1]:
            raise ValueError(f"has the column {twice[0]} twice")
        columns = [each for each in zip(result.columns, result.types, strict=True) if each[0] != ROW]
        _check_columns(columns, make_members(vocabulary).values())
        try:
            _make_table(result)
        except DATA_ERRORS:
            faults = remove_faulty_rows(connection, query, lambda query: _run(connection, query))
            _make_table(connection.sql(query))
    return Selection(_fetch(connection.execute("SELECT record FROM records")), faults)


def _make_table(result: DuckDBPyRelation) -> None:
    result.query("listing", "SELECT to_json(listing)::VARCHAR AS record FROM listing").create("records")


def _run(connection: DuckDBPyConnection, query: str) -> Iterator[str]:
    """Run the query within a transaction that is rolled back."""
    _make_table(connection.sql(query))
    return _fetch(connection.execute("SELECT record FROM records"))


def _fetch(result: DuckDBPyConnection) -> Iterator[str]:
    while rows := result.fetchmany(_ROWS_AT_ONCE):
        for (record,) in rows:
            yield record


def _check_statement(connection: DuckDBPyConnection, query: str) -> None:
    functions, words = _list_moving(connection)
    for node in parse_select(connection, query, readable="feed"):
        named = functions & {str(node.get("function_name")).casefold()}
        if node.get("function_name") == "age" and len(node["children"]) == 1:
            named = {"age with one argument"}
        for name in named | words.intersection(map(str.casefold, node.get("column_names", [])[:1])):
            raise ValueError(f"uses {name}: the same feed would not give the same listings twice")


def _list_moving(connection: DuckDBPyConnection) -> tuple[set[str], set[str]]:
    """List functions whose value changes, and the words for such that no column of the feed is."""
    functions = connection.execute(
        "SELECT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT'"
    ).fetchall()
    columns = {column.casefold() for column in connection.table("feed").columns}
    return _UNSAID | {name for (name,) in functions}, set(_CLOCK_WORDS - columns)


def _check_columns(
    columns: Iterable[tuple[str, Any]], tables: Iterable[Members], *, what: str = "column ", path: str = ""
) -> None:
    """Raise ValueError unless every column, and every member of a struct, is a member of a record of some type."""
    inner: dict[str, list[Members]] = {}
    for table in tables:
        for name, kind in table.items():
            inner.setdefault(name, []).extend([kind.members] if isinstance(kind, Table) else [])
    for name, type_ in columns:
        _check_name(name, list(inner), f"{what}{path}{name}")
        while type_.id == "list":
            type_ = type_.children[0][1]
        if type_.id == "struct" and inner[name]:
            _check_columns(type_.children, inner[name], what="member ", path=f"{path}{name}.")


def _check_name(name: str, known: list[str], what: str) -> None:
    if name not in known:
        nearest = list_nearest(name, known)
        near = f"the nearest: {', '.join(nearest)}" if nearest else f"allowed: {', '.join(sorted(known))}"
        raise ValueError(f"has the {what}, which no record has; {near}")
