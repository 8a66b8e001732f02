"""The tables of a snapshot as DuckDB views, for `outings query`."""

from collections.abc import Mapping, Sequence
from datetime import date
from io import BytesIO
from typing import Any

import duckdb
import polars as pl
from duckdb import DuckDBPyConnection, DuckDBPyRelation
from msgspec import Struct

from outings.answers.live_counts import select_default
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import Span
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.vocabulary import (
    AUDIENCES,
    COLLECTIONS,
    ENROLLMENT_TYPES,
    REGISTRATION_STATUSES,
    SETS,
    TYPES,
    VERIFICATION_STATUSES,
    WEEKDAYS,
    Vocabulary,
)
from outings.release.snapshot import Snapshot
from outings.release.store import Bytes
from outings.release.tables import PUBLISHED, TABLES, make_schema
from outings.select_statement import bound_time, lock, parse_select
from outings.sql_quoting import literal


class ViewColumn(Struct, frozen=True):
    """A column of a view. `sql` is an expression over a row `l` of listings, `h` of occurrences, sections or sessions,
    or `o` of organizations; a name in braces is a list of words."""

    name: str
    kind: str
    sql: str
    meaning: str


class View(Struct, frozen=True, kw_only=True):
    """A view of all metros. `source`: its FROM clause and condition, over the tables of a metro's `{schema}`."""

    columns: tuple[ViewColumn, ...]
    source: str
    meaning: str


def list_words(vocabulary: Vocabulary) -> Mapping[str, tuple[str, ...]]:
    """Return the lists of words whose names an expression may have in braces."""
    fixed = {
        "types": TYPES, "audiences": AUDIENCES, "weekdays": WEEKDAYS, "enrollments": ENROLLMENT_TYPES,
        "registrations": REGISTRATION_STATUSES, "verifications": VERIFICATION_STATUSES,
    }  # fmt: skip
    return {**fixed, "type_hints": vocabulary.type_hints, **{name: getattr(vocabulary, name) for name in SETS}}


_TEXT, _TEXTS, _BOOLEAN, _NUMBER, _WHOLE = "VARCHAR", "VARCHAR[]", "BOOLEAN", "DOUBLE", "INTEGER"
_INSTANT, _LOCAL, _DATE, _TIME = "TIMESTAMP WITH TIME ZONE", "TIMESTAMP", "DATE", "TIME"


def _plain(name: str, kind: str, meaning: str, *, table: str = "l") -> ViewColumn:
    return ViewColumn(name, kind, f"{table}.{name}", meaning)


def _word(name: str, words: str, meaning: str, *, table: str = "l") -> ViewColumn:
    """Make a column of one of `words`, stored as its index from 0."""
    return ViewColumn(name, _TEXT, f"{{{words}}}[{table}.{name} + 1]", meaning)


def _words(name: str, words: str, meaning: str, *, table: str = "l") -> ViewColumn:
    """Make a column of some of `words`, stored as a bit set."""
    bits = f"CAST(coalesce({table}.{name}, 0) AS UBIGINT)"
    chosen = f"[word FOR word, place IN {{{words}}} IF ({bits} >> CAST(place - 1 AS UBIGINT)) & 1 = 1]"
    return ViewColumn(name, _TEXTS, chosen, meaning)


def _instant(name: str, meaning: str, *, table: str = "l") -> ViewColumn:
    return ViewColumn(name, _INSTANT, f"to_timestamp({table}.{name})", meaning)


_CLOCK = "make_time(h.time // 3600, h.time // 60 % 60, CAST(h.time % 60 AS DOUBLE))"
_METRO = ViewColumn("metro", _TEXT, "{metro}", "slug of the metro")
_PRICE = (
    _plain("price_min", _NUMBER, "least price; null if not stated"),
    _plain("is_free", _BOOLEAN, "whether it is free; null if not stated"),
)
_AGES = (
    _plain("age_min", _WHOLE, "youngest age in years; null if not stated"),
    _plain("age_max", _WHOLE, "oldest age in years; null if not stated"),
)

_LISTING = (
    _METRO,
    _plain("id", _TEXT, "the listing"),
    _word("type", "types", "`event`, `class`, `camp` or `place`"),
    _plain("slug", _TEXT, "its name in addresses"),
    _plain("name", _TEXT, "its name for people"),
    ViewColumn(
        "card", _TEXT, "coalesce(l.program_key, l.id)", "what a list counts: classes of one program share a card"
    ),
    ViewColumn(
        "position", _WHOLE, "p.position",
        "its place in the list without parameters on `metros.today`, from 1; null if that list does not show it",
    ),
    _plain("organization_id", _TEXT, "who offers it"),
    ViewColumn("organization", _TEXT, "o.name", "name of that organization"),
    _plain("place_id", _TEXT, "where it is held"),
    _word("audience", "audiences", "for whom"),
    _words("categories", "categories", "what it is about"),
    _words("seasons", "seasons", "`traits.seasons`"),
    _words("occasions", "occasions", "feasts and holidays"),
    _words("teams", "teams", "local teams"),
    _plain("confidence", _NUMBER, "0 to 1"),
    *_AGES,
    *_PRICE,
    _plain("address", _TEXT, "`location.address`"),
    _plain("city", _TEXT, "`location.city`"),
    _plain("lat", _NUMBER, "latitude; null if not known"),
    _plain("lng", _NUMBER, "longitude; null if not known"),
    _plain("neighborhood", _TEXT, "neighborhood as stated"),
    _plain("neighborhood_slug", _TEXT, "neighborhood as the filter takes it"),
    _plain("zip", _TEXT, "postal code"),
    _plain("is_indoor", _BOOLEAN, "null if not known"),
    _plain("is_outdoor", _BOOLEAN, "null if not known"),
    _plain("good_for_rainy", _BOOLEAN, "null if not known"),
    _plain("is_sensory_friendly", _BOOLEAN, "null if not known"),
    _plain("opening_hours", _TEXT, "of a place: spans of minutes since Monday 00:00, as `600-1020,2040-2460`"),
    _plain("has_image", _BOOLEAN, "whether it has a picture"),
    _plain("has_price", _BOOLEAN, "whether it says anything of a price"),
    _plain("has_clock", _BOOLEAN, "whether it has a clock time; of a place, opening hours"),
    _plain("has_date", _BOOLEAN, "whether it has any date; null of a place"),
    _instant("created_at", "when it was first published"),
    _instant("updated_at", "when it last changed"),
    _instant("verified_at", "when its source was last verified"),
    _instant("crawled_at", "when its source was last read"),
    _word("verification", "verifications", "what the last check of its source found"),
    _plain("source_url", _TEXT, "its source"),
)  # fmt: skip

_OWN: Mapping[str, tuple[ViewColumn, ...]] = {
    "event": (
        _instant("starts_at", "first date of a series; null without a date"),
        _plain("starts_local", _LOCAL, "the same by the local clock", table="x"),
        _plain("ends_local", _LOCAL, "its end by the local clock; null if not stated", table="x"),
        _plain("has_time", _BOOLEAN, "whether it states a clock time"),
        _plain("is_recurring", _BOOLEAN, "whether it is a series"),
        _plain("occurrences_total", _WHOLE, "dates of the series; null if it has no end"),
    ),
    "class": (
        _word("enrollment_type", "enrollments", "how to enroll"),
        _word("registration", "registrations", "whether registration is open"),
    ),
    "camp": (
        _plain("year", _WHOLE, "the year it states"),
        _plain("is_overnight", _BOOLEAN, "null if not stated"),
    ),
    "place": (
        _word("type_hint", "type_hints", "kind of place"),
        _plain("has_birthday_parties", _BOOLEAN, "null if not stated"),
        _plain("has_classes", _BOOLEAN, "null if not stated"),
    ),
}

_OF_OCCURRENCE = (
    _METRO,
    ViewColumn("id", _TEXT, "l.id", "the listing"),
)
_DAYS = _words("days", "weekdays", "days of the week on which it meets; empty if not stated", table="h")
_TERM = (
    _plain("starts_on", _DATE, "first day", table="h"),
    _plain("ends_on", _DATE, "last day", table="h"),
    _DAYS,
    ViewColumn("time", _TIME, _CLOCK, "when it begins, by the local clock"),
    *(ViewColumn(column.name, column.kind, f"h.{column.name}", column.meaning) for column in (*_AGES, *_PRICE)),
    _plain("openings", _BOOLEAN, "whether seats are free; null if not known", table="h"),
)

_FROM_LISTINGS = """{schema}.listings l LEFT JOIN {schema}.positions p USING (row)
    LEFT JOIN {schema}.stated x ON x.id = l.id
    LEFT JOIN {schema}.organizations o ON o.id = l.organization_id AND o.status = {published}
    WHERE l.status = {published}"""
_UNITED_ORGANIZATIONS = """SELECT * REPLACE (coalesce(t.categories, 0) | coalesce((
        SELECT bit_or(l.categories) FROM {schema}.listings l
        WHERE l.organization_id = t.id AND l.status = {published}
    ), 0) AS categories) FROM {schema}.organizations t"""
_FROM_OCCURRENCES = """{{schema}}.{table} h JOIN {{schema}}.listings l ON l.row = h.row
    LEFT JOIN {{schema}}.stated x ON x.id = l.id WHERE l.status = {{published}}"""


def _of_type(number: int, meaning: str) -> View:
    return View(
        columns=(*_LISTING, *_OWN[TYPES[number]]), source=f"{_FROM_LISTINGS} AND l.type = {number}", meaning=meaning
    )


def _of_table(table: str, columns: tuple[ViewColumn, ...], meaning: str) -> View:
    return View(columns=(*_OF_OCCURRENCE, *columns), source=_FROM_OCCURRENCES.format(table=table), meaning=meaning)


VIEWS: Mapping[str, View] = {
    "metros": View(
        columns=(
            _METRO,
            _plain("name", _TEXT, "its name", table="m"),
            _plain("timezone", _TEXT, "its time zone", table="m"),
            _plain("today", _DATE, "the local date of which `position` speaks: `--date`, or today", table="m"),
            _plain("release", _TEXT, "the release that is read", table="m"),
            _instant("changed_at", "when a release last changed the metro", table="m"),
        ),
        source="{schema}.metro m",
        meaning="the metros of the release",
    ),
    "listings": View(columns=_LISTING, source=_FROM_LISTINGS, meaning="every published listing"),
    **{
        name: _of_type(number, f"published {name}, with what only they have")
        for number, name in enumerate(("events", "classes", "camps", "places"))
    },
    "occurrences": _of_table(
        "occurrences",
        (
            _plain("index", _WHOLE, "number of the date in its series, from 1", table="h"),
            _plain("date", _DATE, "local date", table="h"),
            _word("weekday", "weekdays", "its day of the week", table="h"),
            ViewColumn("time", _TIME, _CLOCK, "when it begins, by the local clock; null without a clock time"),
            _instant("starts_at", "when it begins", table="h"),
            _instant("ends_at", "when it ends", table="h"),
            *(
                ViewColumn(f"{end}_local", _LOCAL, f"to_timestamp(h.{end}_at) AT TIME ZONE x.timezone",
                           "the same by the local clock")
                for end in ("starts", "ends")
            ),
        ),
        "the dates of events, within a year of the build",
    ),
    "sections": _of_table(
        "sections",
        (_plain("section", _WHOLE, "number in its class", table="h"), *_TERM),
        "the sections of classes; a class without any is its own one",
    ),
    "sessions": _of_table(
        "sessions",
        (
            _plain("session", _WHOLE, "number in its camp", table="h"),
            *_TERM,
            _plain("is_overnight", _BOOLEAN, "null if not stated", table="h"),
        ),
        "the sessions of camps; a camp without any is its own one",
    ),
    "organizations": View(
        columns=(
            _METRO,
            _plain("id", _TEXT, "the organization", table="o"),
            _plain("slug", _TEXT, "its name in addresses", table="o"),
            _plain("name", _TEXT, "its name for people", table="o"),
            _plain("website_url", _TEXT, "its website", table="o"),
            _plain("domain", _TEXT, "domain of the website", table="o"),
            _words("categories", "categories", "of its record and of its listings", table="o"),
            _instant("updated_at", "when it last changed", table="o"),
        ),
        source=f"({_UNITED_ORGANIZATIONS}) o WHERE o.status = {{published}} AND o.home IS NULL",
        meaning="published organizations",
    ),
    "neighborhoods": View(
        columns=(
            _METRO,
            _plain("slug", _TEXT, "as the filter takes it", table="n"),
            _plain("name", _TEXT, "its name", table="n"),
            _plain("lat", _NUMBER, "latitude of its middle", table="n"),
            _plain("lng", _NUMBER, "longitude of its middle", table="n"),
            _plain("south", _NUMBER, "southern bound; null where no map has it", table="n"),
            _plain("west", _NUMBER, "western bound", table="n"),
            _plain("north", _NUMBER, "northern bound", table="n"),
            _plain("east", _NUMBER, "eastern bound", table="n"),
        ),
        source="{schema}.neighborhoods n",
        meaning="neighborhoods of the metro's map, and those that listings state",
    ),
}  # fmt: skip


SECONDS = 300.0
MEMORY = 2_000_000_000
_ALL = 1 << 40
_USED = ("listings", "occurrences", "sections", "sessions", "organizations", "neighborhoods")
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
    """A metro to read. `today`: the date for which the API's lists give rows their `position`. `exports`: the bytes of
    its Parquet exports, which have members that no table has."""

    snapshot: Snapshot
    today: date
    exports: tuple[Bytes, ...] = ()


class ViewDatabase:
    """The views over one release's tables, in DuckDB."""

    def __init__(self, metros: Sequence[MetroTables], *, release_id: str, memory: int = MEMORY) -> None:
        """Open the tables. Raises duckdb.Error, and the errors of Polars if a table is broken."""
        self._connection = duckdb.connect(":memory:", config={**_SETTINGS, "memory_limit": f"{memory}B"})
        self._connection.execute("SET enable_progress_bar = false")
        for number, metro in enumerate(metros):
            _add_metro(self._connection, metro, schema=f"metro_{number}", release_id=release_id)
        for name, view in VIEWS.items():
            selects = [_compile_view(view, metro.snapshot, schema=f"metro_{at}") for at, metro in enumerate(metros)]
            self._connection.execute(f'CREATE VIEW "{name}" AS {" UNION ALL ".join(selects)}')
        self._connection.execute("CREATE SCHEMA output")
        paths = [literal(str(file.path)) for metro in metros for file in metro.snapshot.tables.values()]
        self._connection.execute(f"SET allowed_paths = [{', '.join(paths)}]")
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
    """Add the tables of a metro. A column that an older release lacks is null, by a union with an empty table of all
    columns."""
    snapshot = metro.snapshot
    connection.execute(f"CREATE SCHEMA {schema}")
    for name in _USED:
        _register(connection, f"{schema}.known_{name}", pl.DataFrame(schema=make_schema(TABLES[name])))
        stored = f"FROM read_parquet({literal(str(snapshot.tables[name].path))})"
        connection.execute(f"CREATE VIEW {schema}.{name} AS FROM {schema}.known_{name} UNION ALL BY NAME {stored}")
    _register(connection, f"{schema}.positions", _number_lists(metro))
    _register(connection, f"{schema}.stated", _read_stated(metro))
    context = {
        "name": snapshot.metro.name, "timezone": snapshot.metro.timezone, "today": metro.today, "release": release_id,
        "changed_at": int(snapshot.stamp.timestamp()),
    }  # fmt: skip
    _register(connection, f"{schema}.metro", pl.DataFrame([context]))


def _read_stated(metro: MetroTables) -> pl.DataFrame:
    """Return the members of listings that no table has, by the names of the API."""
    columns = ("id", "starts_local", "ends_local", "timezone")
    frames = [pl.DataFrame(schema=dict.fromkeys(columns, pl.String()))]
    for content in metro.exports:
        frame = pl.read_parquet(BytesIO(content[:]))
        texts = [pl.col(name).cast(pl.String()) for name in columns if name in frame.columns]
        frames.append(frame.select(*texts))
    stated = pl.concat(frames, how="diagonal")
    return stated.with_columns(pl.col("timezone").fill_null(metro.snapshot.metro.timezone))


def _register(connection: DuckDBPyConnection, name: str, frame: pl.DataFrame) -> None:
    connection.register("given", frame.to_arrow())
    connection.execute(f"CREATE TABLE {name} AS FROM given")
    connection.unregister("given")


def _number_lists(metro: MetroTables) -> pl.DataFrame:
    """Return the rows that each type's list has without query parameters, with their positions from 1."""
    evaluator = open_evaluator(open_snapshot(metro.snapshot))
    selections = (select_default(listing_type, metro.snapshot, metro.today) for listing_type in COLLECTIONS)
    lists = [evaluator.list_rows(selection, Span(limit=_ALL)).rows for selection in selections]
    pairs = [(row, place) for rows in lists for place, row in enumerate(rows, 1)]
    return pl.DataFrame(pairs, schema={"row": pl.UInt32(), "position": pl.UInt32()}, orient="row")


def _compile_view(view: View, snapshot: Snapshot, *, schema: str) -> str:
    literals = {
        name: f"CAST([{', '.join(map(literal, words))}] AS VARCHAR[])"
        for name, words in list_words(snapshot.vocabulary).items()
    }
    literals["metro"] = literal(snapshot.metro.slug)
    columns = ", ".join(
        f'CAST({column.sql.format(**literals)} AS {column.kind}) AS "{column.name}"' for column in view.columns
    )
    return f"SELECT {columns} FROM {view.source.format(schema=schema, published=PUBLISHED)}"
