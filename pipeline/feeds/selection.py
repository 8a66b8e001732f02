"""An operator's SELECT, run where it can reach nothing but the table `feed`, within bounds of memory and time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection, DuckDBPyRelation

from outings.contract.suggestions import list_nearest
from outings.contract.vocabulary import Vocabulary
from outings.select_statement import bound_time, parse_select
from pipeline.feeds.row_faults import DATA_ERRORS, RowFault, remove_faulty_rows
from pipeline.records.kinds import Members, Table
from pipeline.records.members import make_members

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
    """`records`: the rows as JSON objects. `faults`: rows of `feed` on which the statement fails; they are in none."""

    records: Iterator[str]
    faults: Sequence[RowFault] = ()


def select_records(connection: DuckDBPyConnection, query: str, vocabulary: Vocabulary, *, seconds: float) -> Selection:
    """Raises `ValueError` with what is wrong with the query, before the first row."""
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
    """Within a transaction that is rolled back."""
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
    """Functions whose value is another one the next time, and the words for such that no column of the feed is."""
    functions = connection.execute(
        "SELECT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT'"
    ).fetchall()
    columns = {column.casefold() for column in connection.table("feed").columns}
    return _UNSAID | {name for (name,) in functions}, set(_CLOCK_WORDS - columns)


def _check_columns(
    columns: Iterable[tuple[str, Any]], tables: Iterable[Members], *, what: str = "column ", path: str = ""
) -> None:
    """Every column, and every member of a struct, with its type, is a member of a record of some type."""
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
