"""The exports of a release as DuckDB views, for `outings query`. Their columns are the members of the API's
resources."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import duckdb
import polars as pl
from duckdb import DuckDBPyConnection, DuckDBPyRelation
from msgspec import Struct

from outings.answers.expressions.evaluation import convert_column
from outings.answers.live_counts import select_default
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import Span
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.expression_columns import OCCURRENCE_COLUMNS, PREFIXES
from outings.contract.vocabulary import COLLECTIONS, VERIFICATION_STATUSES
from outings.release.cache import MappedFile
from outings.release.snapshot import Snapshot
from outings.release.tables import OCCURRENCE_TABLES, PUBLISHED, read_columns
from outings.select_statement import bound_time, lock, parse_select
from outings.sql_quoting import literal, quote

SECONDS = 300.0
MEMORY = 2_000_000_000
_ALL = 1 << 40
# The result's table has a schema of its own, so that `SHOW TABLES` lists only the views.
_RESULT = "output.result"
_SETTING_FUNCTIONS = frozenset({"current_setting", "getvariable", "getenv"})
_SETTINGS: dict[str, str | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "temp_directory": "",
}


class MetroTables(Struct, frozen=True, kw_only=True):
    """A metro to read. `today`: the date for which the API's lists give rows their `position`. `exports`: the Parquet
    files of its export, by collection."""

    snapshot: Snapshot
    today: date
    exports: Mapping[str, MappedFile]


class ViewDatabase:
    """The views over one release, in DuckDB."""

    def __init__(self, metros: Sequence[MetroTables], *, release_id: str, memory: int = MEMORY) -> None:
        """Open the files. Raises duckdb.Error, and the errors of Polars if a table is broken."""
        self._connection = duckdb.connect(":memory:", config={**_SETTINGS, "memory_limit": f"{memory}B"})
        self._connection.execute("SET enable_progress_bar = false")
        views: dict[str, list[str]] = defaultdict(list)
        for number, metro in enumerate(metros):
            for name, source in _add_metro(self._connection, metro, schema=f"metro_{number}", release_id=release_id):
                views[name].append(f"SELECT {literal(metro.snapshot.metro.slug)} AS metro, {source}")
        for name in filter(views.__contains__, COLLECTIONS.values()):  # each has other links
            views["listings"].append(f'SELECT * EXCLUDE (links) FROM "{name}"')
        for name, selects in views.items():
            self._connection.execute(f'CREATE VIEW "{name}" AS {" UNION ALL BY NAME ".join(selects)}')
        self._views = tuple(views)
        self._connection.execute("CREATE SCHEMA output")
        files = [file for metro in metros for file in (*metro.exports.values(), *metro.snapshot.tables.values())]
        self._connection.execute(f"SET allowed_paths = {literal([str(file.path) for file in files])}")
        lock(self._connection)

    def __enter__(self) -> "ViewDatabase":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def run(self, query: str, *, seconds: float = SECONDS) -> DuckDBPyRelation:
        """Run a SELECT over the views. Its result is valid until the next call. Raises ValueError for a wrong query."""
        with bound_time(self._connection, seconds=seconds, setting="--max-seconds"):
            self._check_names(parse_select(self._connection, query, readable="the views"))
            self._connection.execute(f"DROP TABLE IF EXISTS {_RESULT}")
            self._connection.sql(query).create(_RESULT)
            return self._connection.table(_RESULT)

    def _check_names(self, nodes: Sequence[Mapping[str, Any]]) -> None:
        """Raise ValueError if the statement reads a setting, or a table other than views and its own common tables."""
        internal = self._connection.execute("SELECT view_name FROM duckdb_views() WHERE internal").fetchall()
        common = {
            common_table["key"].casefold() for node in nodes for common_table in node.get("cte_map", {}).get("map", ())
        }
        readable = common.difference(name for (name,) in internal).union(self._views)
        for node in nodes:
            kind, name = node.get("type"), str(node.get("table_name"))
            if kind == "SHOW_REF" and node["show_type"] == "SHOW_UNQUALIFIED" and name == '"tables"':
                continue
            if kind == "BASE_TABLE" or (kind == "SHOW_REF" and node["show_type"] not in ("DESCRIBE", "SUMMARY")):
                place = ".".join(filter(None, (node["catalog_name"], node["schema_name"])))
                if place not in ("", "main") or name.casefold() not in readable:
                    shown = f"{place}.{name}" if place else name
                    raise ValueError(f"reads {shown}; allowed: the views {', '.join(self._views)}")
            if str(node.get("function_name")).casefold() in _SETTING_FUNCTIONS:
                raise ValueError(f"uses {node['function_name']}(…), which shows a setting; allowed: the views")


def _add_metro(
    connection: DuckDBPyConnection, metro: MetroTables, *, schema: str, release_id: str
) -> Iterator[tuple[str, str]]:
    """Add the tables of a metro. Yield the name of each view, and the SELECT of its rows after the column `metro`."""
    snapshot = metro.snapshot
    connection.execute(f"CREATE SCHEMA {schema}")
    context = {
        "name": snapshot.metro.name, "timezone": snapshot.metro.timezone, "today": metro.today, "release": release_id,
        "changed_at": snapshot.stamp,
    }  # fmt: skip
    _register(connection, f"{schema}.metros", pl.DataFrame([context]))
    yield "metros", f"* FROM {schema}.metros"
    _register(connection, f"{schema}.listings", _read_notes(metro))
    for name, file in metro.exports.items():
        source = f"* EXCLUDE (metro) FROM read_parquet({literal(str(file.path))})"
        if name in COLLECTIONS.values():
            yield name, f"{source} JOIN {schema}.listings USING (id)"
        else:
            yield name, source.replace(" EXCLUDE (metro)", "")
    for listing_type in ("class", "camp"):
        table = OCCURRENCE_TABLES[listing_type]
        _register(connection, f"{schema}.{table}", _read_offers(snapshot, listing_type))
        yield table, f"{_nest(listing_type)} FROM {schema}.{table}"
    neighborhoods = read_columns(snapshot.tables.get("neighborhoods"), "neighborhoods")
    _register(connection, f"{schema}.neighborhoods", neighborhoods.drop("key"))
    yield "neighborhoods", f"* FROM {schema}.neighborhoods"


def _read_notes(metro: MetroTables) -> pl.DataFrame:
    """Return what operators know of each listing beside its members: its `card`, its `position` in the list without
    parameters, and its source."""
    evaluator = open_evaluator(open_snapshot(metro.snapshot))
    selections = (select_default(listing_type, metro.snapshot, metro.today) for listing_type in COLLECTIONS)
    lists = [evaluator.list_rows(selection, Span(limit=_ALL)).rows for selection in selections]
    pairs = [(row, place) for rows in lists for place, row in enumerate(rows, 1)]
    positions = pl.DataFrame(pairs, schema={"row": pl.UInt32(), "position": pl.Int32()}, orient="row")
    columns = ("row", "id", "program_key", "source_url", "crawled_at", "verification")
    return (
        read_columns(metro.snapshot.tables["listings"], "listings", columns)
        .join(positions, on="row", how="left")
        .select(
            "id",
            pl.coalesce("program_key", "id").alias("card"),
            "position",
            "source_url",
            pl.from_epoch("crawled_at").dt.replace_time_zone("UTC"),
            pl.col("verification").replace_strict(dict(enumerate(VERIFICATION_STATUSES)), return_dtype=pl.String()),
        )
    )


def _read_offers(snapshot: Snapshot, listing_type: str) -> pl.DataFrame:
    """Return the sections or sessions of a type's listings, with the listing's id."""
    table = OCCURRENCE_TABLES[listing_type]
    listings = read_columns(snapshot.tables["listings"], "listings", ("row", "id", "status"))
    published = listings.filter(pl.col("status") == PUBLISHED)
    return read_columns(snapshot.tables[table], table).join(published, on="row")


def _nest(listing_type: str) -> str:
    """Return the columns of a SELECT over sections or sessions: the members that `where=` has, nested as in the API."""
    nested: dict[str, dict[str, str]] = defaultdict(dict)
    for path, column in OCCURRENCE_COLUMNS[listing_type].items():
        name, _, member = path.removeprefix(f"{PREFIXES[listing_type]}.").partition(".")
        nested[name][member] = f"CAST({convert_column(quote(column.column), column.kind)} AS {column.kind})"
    columns = [f"id AS {listing_type}_id"]
    for name, members in nested.items():
        packed = ", ".join(f"{quote(member)} := {value}" for member, value in members.items())
        columns.append(f"{members.get('') or f'struct_pack({packed})'} AS {quote(name)}")
    return ", ".join(columns)


def _register(connection: DuckDBPyConnection, name: str, frame: pl.DataFrame) -> None:
    connection.register("given", frame.to_arrow())
    connection.execute(f"CREATE TABLE {name} AS FROM given")
    connection.unregister("given")
