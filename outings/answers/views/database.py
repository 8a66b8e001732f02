"""DuckDB over the tables of a release, through views. It can read these tables and nothing else."""

from collections.abc import Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import Any

import duckdb
import polars as pl
from duckdb import DuckDBPyConnection, DuckDBPyRelation
from msgspec import Struct

from outings.answers.counts import select_default
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.selection import Span
from outings.answers.snapshot.reader import open_snapshot
from outings.answers.views.columns import VIEWS, View, list_words
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot
from outings.release.tables import PUBLISHED, TABLES
from outings.select_statement import bound_time, lock, parse_select
from outings.sql_quoting import literal

SECONDS = 300.0
MEMORY = 2_000_000_000
_ALL = 1 << 40
_USED = ("listings", "occurrences", "sections", "sessions", "organizations", "neighborhoods")
# In a schema of its own, so that `SHOW TABLES` names the views alone.
_RESULT = "output.result"
_SETTING_FUNCTIONS = frozenset({"current_setting", "getvariable", "getenv"})
_SETTINGS: dict[str, str | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "temp_directory": "",
}


class MetroTables(Struct, frozen=True, kw_only=True):
    """A metro to be read: of `today` its lists without parameters are numbered."""

    snapshot: Snapshot
    today: date


class ViewDatabase:
    """Of one release. `run` gives what a SELECT over the views finds."""

    def __init__(self, metros: Sequence[MetroTables], *, release_id: str, memory: int = MEMORY) -> None:
        """Raises duckdb.Error and what Polars raises where a table is broken."""
        self._connection = duckdb.connect(":memory:", config={**_SETTINGS, "memory_limit": f"{memory}B"})
        self._connection.execute("SET enable_progress_bar = false")
        for number, metro in enumerate(metros):
            _add_metro(self._connection, metro, schema=f"metro_{number}", release_id=release_id)
        for name, view in VIEWS.items():
            selects = [_compile_view(view, each.snapshot, schema=f"metro_{at}") for at, each in enumerate(metros)]
            self._connection.execute(f'CREATE VIEW "{name}" AS {" UNION ALL ".join(selects)}')
        self._connection.execute("CREATE SCHEMA output")
        paths = [literal(str(file.path)) for metro in metros for file in metro.snapshot.tables.values()]
        self._connection.execute(f"SET allowed_paths = [{', '.join(paths)}]")
        lock(self._connection)

    def __enter__(self) -> "ViewDatabase":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.close()

    def run(self, query: str, *, seconds: float = SECONDS) -> DuckDBPyRelation:
        """What the query finds, kept until the next one. Raises ValueError with what is wrong with the query."""
        with bound_time(self._connection, seconds=seconds, setting="--max-seconds"):
            self._check_names(parse_select(self._connection, query, readable="the views"))
            self._connection.execute(f"DROP TABLE IF EXISTS {_RESULT}")
            self._connection.sql(query).create(_RESULT)
            return self._connection.table(_RESULT)

    def _check_names(self, nodes: Sequence[Mapping[str, Any]]) -> None:
        """Raise ValueError if the statement reads anything but views and its own common tables, or a setting."""
        internal = self._connection.execute("SELECT view_name FROM duckdb_views() WHERE internal").fetchall()
        common = {each["key"].casefold() for node in nodes for each in node.get("cte_map", {}).get("map", ())}
        readable = common.difference(name for (name,) in internal) | VIEWS.keys()
        for node in nodes:
            kind, name = node.get("type"), str(node.get("table_name"))
            if kind == "SHOW_REF" and node["show_type"] == "SHOW_UNQUALIFIED" and name == '"tables"':
                continue
            if kind == "BASE_TABLE" or (kind == "SHOW_REF" and node["show_type"] not in ("DESCRIBE", "SUMMARY")):
                place = ".".join(filter(None, (node["catalog_name"], node["schema_name"])))
                if place not in ("", "main") or name.casefold() not in readable:
                    shown = f"{place}.{name}" if place else name
                    raise ValueError(f"reads {shown}; allowed: the views {', '.join(VIEWS)}")
            if str(node.get("function_name")).casefold() in _SETTING_FUNCTIONS:
                raise ValueError(f"uses {node['function_name']}(…), which shows a setting; allowed: the views")


def _add_metro(connection: DuckDBPyConnection, metro: MetroTables, *, schema: str, release_id: str) -> None:
    """A column that an older release does not have is null, as a table of this program's columns stands before each."""
    snapshot = metro.snapshot
    connection.execute(f"CREATE SCHEMA {schema}")
    for name in _USED:
        _register(connection, f"{schema}.known_{name}", pl.DataFrame(schema=dict(TABLES[name])))
        source = f"FROM {schema}.known_{name}"
        if name in snapshot.tables:
            source += f" UNION ALL BY NAME FROM read_parquet({literal(str(snapshot.tables[name].path))})"
        connection.execute(f"CREATE VIEW {schema}.{name} AS {source}")
    _register(connection, f"{schema}.positions", _number_lists(metro))
    about = {
        "name": snapshot.metro.name, "timezone": snapshot.metro.timezone, "today": metro.today, "release": release_id,
        "changed_at": int(snapshot.stamp.timestamp()),
    }  # fmt: skip
    _register(connection, f"{schema}.metro", pl.DataFrame([about]))


def _register(connection: DuckDBPyConnection, name: str, frame: pl.DataFrame) -> None:
    connection.register("given", frame.to_arrow())
    connection.execute(f"CREATE TABLE {name} AS FROM given")
    connection.unregister("given")


def _number_lists(metro: MetroTables) -> pl.DataFrame:
    """Each row that a list without parameters shows, with its place there."""
    evaluator = open_evaluator(open_snapshot(metro.snapshot))
    lists = [
        list(evaluator.list_rows(select_default(kind, metro.snapshot, metro.today), Span(limit=_ALL)).rows)
        for kind in COLLECTIONS
    ]
    rows = [row for each in lists for row in each]
    places = [place for each in lists for place in range(1, len(each) + 1)]
    return pl.DataFrame({"row": rows, "position": places}, schema={"row": pl.UInt32(), "position": pl.UInt32()})


def _compile_view(view: View, snapshot: Snapshot, *, schema: str) -> str:
    words = {name: _list(each) for name, each in list_words(snapshot.vocabulary).items()}
    known = {**words, "metro": literal(snapshot.metro.slug)}
    columns = ", ".join(f'CAST({each.sql.format(**known)} AS {each.kind}) AS "{each.name}"' for each in view.columns)
    return f"SELECT {columns} FROM {view.source.format(schema=schema, published=PUBLISHED)}"


def _list(words: Sequence[str]) -> str:
    return f"CAST([{', '.join(map(literal, words))}] AS VARCHAR[])"
