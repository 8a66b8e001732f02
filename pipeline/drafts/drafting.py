"""Draft the settings of a feed from a file or address that nobody has described yet: format, position of the rows,
mapping."""

import json
import re
import shlex
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import msgspec
from duckdb import DuckDBPyConnection
from msgspec import Struct
from msgspec.structs import replace
from python_calamine import CalamineWorkbook, SheetVisibleEnum

from outings.configuration import Configuration, ConfigurationError, FeedTable, list_countries
from outings.configuration.decoder import Decoder
from outings.configuration.presets import apply_presets, recognize_preset
from outings.failures import WrongSetting
from outings.sql_quoting import quote
from pipeline.clean.cleaning import Origin
from pipeline.drafts.columns import Column, count_known, list_columns, show_examples
from pipeline.drafts.metro import MetroDraft
from pipeline.drafts.roles import IGNORED, Roles, find_roles, fits, is_other_date, open_roles
from pipeline.drafts.rules import choose_type, draft_rules
from pipeline.drafts.time_notation import TimeNotation
from pipeline.drafts.trial import Change, Trial, improve, weigh
from pipeline.drafts.values import show_values
from pipeline.fetch.bounded_task import run_bounded
from pipeline.fetch.opening import open_sources
from pipeline.fetch.source import FeedError, SourceFile
from pipeline.fetch.table.delimited import DELIMITERS, find_header, read_rows
from pipeline.fetch.table.json_rows import is_lines, list_wrapped, parse_features, read_json
from pipeline.fetch.table.mapping import compile_mapping, list_used
from pipeline.fetch.table.reading import open_engine, open_table, shorten
from pipeline.fetch.table.sheets import format_cell, read_cells
from pipeline.fetch.table.sheets import list_tables as list_database_tables
from pipeline.fetch.text_files import decode_text
from pipeline.fetch.unpacking import TableFile, choose_tables, find_kind, list_tables

# Instead of a preset's name: an address is not taken for one of a known system.
NO_PRESET = "none"


def make_feed(
    name: str, url: str, *, preset: str, allow_private: bool, config: Path, environ: Mapping[str, str]
) -> FeedTable:
    """Make the settings of a feed to inspect. `preset`: if "", that of the address. Raises ConfigurationError."""
    preset = "" if preset == NO_PRESET else preset or recognize_preset(url) or ""
    raw: dict[str, Any] = {"name": name, "url": url, "allow_private": allow_private}
    if not preset:
        return FeedTable(**raw, format="ndjson")
    document = {"feeds": [{**raw, "preset": preset}]}
    decoder = Decoder(config, environ)
    for key, wrong in apply_presets(document, environ):
        decoder.report(key, wrong)
    values = decoder.decode_table(document["feeds"][0], FeedTable, f"feeds.{name}")
    if decoder.problems:
        raise ConfigurationError(tuple(decoder.problems))
    return msgspec.convert(values, FeedTable)


# A header is among the first lines of a file.
_LOOKED_AT = 25
_MOST_RATED = 100


def find_format(content: bytes) -> str:
    """Return the format of a file: `ics`, `jsonld`, `rpde`, `ndjson` (canonical records), or `table`."""
    start = content[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.upper().startswith(b"BEGIN:VCALENDAR"):
        return "ics"
    if start.startswith(b"<") and (b"application/ld+json" in content or b"itemscope" in content):
        return "jsonld"
    if not start.startswith((b"{", b"[")):
        return "table"
    try:
        first = json.loads(content.strip().partition(b"\n")[0] if is_lines(content) else content)
    except ValueError:
        return "table"
    return _find_json_format(first[0] if isinstance(first, list) and first else first)


# A page of results (Hydra) is a table: what is in it has a form of its own.
_COLLECTION = re.compile(r"Collection$")
# Other vocabularies are tables too.
_SCHEMA = re.compile(r"schema\.org|openactive")


def _find_json_format(first: Any) -> str:
    if not isinstance(first, dict):
        return "table"
    items = first.get("items")
    if isinstance(items, list) and "next" in first:
        item = items[0] if items and isinstance(items[0], dict) else {}
        if "license" in first or {"state", "modified", "id"} <= item.keys():
            return "rpde"
    is_linked = first.keys() & {"@context", "@graph", "@type"} and _SCHEMA.search(
        str(first.get("@context", "schema.org"))
    )
    if is_linked and not _COLLECTION.search(str(first.get("@type", ""))):
        return "jsonld"
    return "ndjson" if {"type", "source_id"} <= first.keys() else "table"


def find_packed(path: Path) -> dict[str, Any]:
    """Return the setting `file` for the largest table of a ZIP that has several, else {}."""
    with zipfile.ZipFile(path) as packed:
        tables = choose_tables(packed.infolist())
    largest = max(tables, key=lambda entry: entry.file_size, default=None)
    return {"file": largest.filename} if largest is not None and len(tables) > 1 else {}


def find_settings(file: TableFile, feed: FeedTable) -> dict[str, Any]:
    """Return the settings that reading a table needs: `skip`, `sheet`, `records` or `table`. `feed`: those known
    already."""
    if file.kind == "csv":
        return _find_skip_of_text(file, feed)
    if file.kind == "sheets":
        return _find_sheet(file.path, feed)
    if file.kind in ("json", "xml"):
        return _find_records(file, feed)
    if file.kind == "sqlite":
        return _find_table(file.path)
    return {}


def _find_skip_of_text(file: TableFile, feed: FeedTable) -> dict[str, Any]:
    decoded = decode_text(file.path.read_bytes(), stated=feed.encoding, charset=file.charset)
    lines = decoded.text.splitlines(keepends=True)
    if not lines:
        return {}
    ratings: list[tuple[int, int]] = []
    for delimiter in DELIMITERS:
        for row in read_rows(lines[:_LOOKED_AT], delimiter, first=0):
            fields = [field for field in row.fields if field.strip()]
            if len(fields) > 1:
                ratings.append((_rate_header(fields), -row.line))
    line = -max(ratings, default=(0, -1))[1]
    own = find_header(lines, skip=0)[0] + 1
    return {} if line <= own else {"skip": line - 1}


def _rate_header(fields: Sequence[str]) -> int:
    """Rate a row as a header: known column names count most, then other texts; numbers count against it."""
    fields = fields[:_MOST_RATED]
    texts = [field for field in fields if len(field) < 60 and not field.replace(".", "").replace("/", "").isdigit()]
    return 4 * count_known(fields) + len(texts) - 2 * (len(fields) - len(texts))


def _find_sheet(path: Path, feed: FeedTable) -> dict[str, Any]:
    rated = []
    with CalamineWorkbook.from_path(path) as workbook:
        names = [sheet.name for sheet in workbook.sheets_metadata if sheet.visible == SheetVisibleEnum.Visible]
        for name in names:
            cells = read_cells(workbook.get_sheet_by_name(name), path)
            for place, row in enumerate(cells[:_LOOKED_AT]):
                fields = [text for cell in row if (text := format_cell(cell))]
                if len(fields) > 1 and len(cells) > place + 1:
                    rated.append((_rate_header(fields), -place, name, cells))
    if not rated:
        return {}
    _, place, name, cells = max(rated, key=lambda rating: rating[:2])
    first = next(number for number, row in enumerate(cells) if any(map(format_cell, row)))
    settings: dict[str, Any] = {"sheet": name} if len(names) > 1 and not feed.sheet else {}
    return settings | ({"skip": -place} if -place > first else {})


def _find_records(file: TableFile, feed: FeedTable) -> dict[str, Any]:
    content = read_json(file, feed)
    if is_lines(content) or (file.kind == "xml" and parse_features(content) is not None):
        return {}
    try:
        msgspec.json.decode(content, type=list[msgspec.Raw])
    except (ValueError, RecursionError):
        lists = list_wrapped(content)
        return {"records": max(lists, key=lambda path: lists[path])} if lists else {}
    return {}


def _find_table(path: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
        rated = []
        for name in list_database_tables(database):
            columns = [column[0] for column in database.execute(f"SELECT * FROM {quote(name)} LIMIT 0").description]
            rated.append((count_known(columns), name))
    return {"table": max(rated)[1]} if len(rated) > 1 else {}


# Any mapping: columns of cells stay as they are.
_UNMAPPED: Mapping[str, Any] = {"name": "name"}
_SNIFFED = 1 << 22
# So much of a file tells its language.
_TOLD = 1 << 18


class OpenedFile(Struct, frozen=True, kw_only=True):
    """The inspected files of a feed. `columns` and `types` (DuckDB's) are only set for tables, `text` (the beginning of
    the first file) only for other formats; `known`: the rules of its preset."""

    feed: FeedTable
    files: tuple[SourceFile, ...] = ()
    known: Mapping[str, Any] = {}
    columns: tuple[Column, ...] = ()
    decided: tuple[str, ...] = ()
    types: Mapping[str, str] = {}
    text: str = ""


class FeedDraft(Struct, frozen=True, kw_only=True):
    """A drafted feed. `own`: the rules of its mapping that its preset lacks; `roles`: the columns by their roles;
    `changes`: what its rows changed in the first guess; `doubts`: what is still wrong with many of them;
    `candidates`: the changes that were tried last, by how bad each is beside `score`; `shown`: of each column, values
    as they were and as they are read."""

    feed: FeedTable
    columns: tuple[Column, ...] = ()
    decided: tuple[str, ...] = ()
    own: Mapping[str, Any] = {}
    roles: Roles = {}
    changes: tuple[Change, ...] = ()
    doubts: tuple[str, ...] = ()
    candidates: tuple[Change, ...] = ()
    score: float = 0
    shown: Mapping[str, Sequence[tuple[str, str]]] = {}
    sql: str = ""


def open_files(feeds: list[FeedTable], directory: Path, scratch: Path) -> list[OpenedFile]:
    """Open and inspect the files of each feed. The format of a feed without a preset is found by its content. Raises
    FeedError."""
    sources = open_sources(feeds, Configuration(directory=directory), scratch=scratch)
    return [run_bounded(partial(_open, feed, sources[feed.name].files, scratch), feed) for feed in feeds]


def _open(feed: FeedTable, files: tuple[SourceFile, ...], scratch: Path) -> OpenedFile:
    with files[0].path.open("rb") as opened:
        content = opened.read(_SNIFFED)
    format_ = feed.format if feed.preset else find_format(content)
    # A preset has the mapping, and without a row on any page there is nothing to inspect.
    is_known = "name" in feed.map and all(file.has_rows and not file.path.stat().st_size for file in files)
    if format_ != "table" or is_known:
        text = content[:_TOLD].decode("utf-8", "replace")
        return OpenedFile(feed=replace(feed, format=format_), known=feed.map, text=text)
    folder = scratch / f"{feed.name}-table"
    folder.mkdir()
    with open_engine(folder, feed) as connection:
        return _open_tables(feed, files, connection, folder)


def _open_tables(
    feed: FeedTable, files: tuple[SourceFile, ...], connection: DuckDBPyConnection, folder: Path
) -> OpenedFile:
    known = feed.map
    feed = replace(feed, format="table", map=dict(_UNMAPPED))
    try:
        if not files[0].has_rows and find_kind(files[0].path, files[0].name) == "zip":
            feed = replace(feed, **find_packed(files[0].path))
        looked = folder / "looked"
        looked.mkdir()
        first = next(iter(list_tables(files[0], feed, looked)))
        feed = replace(feed, **find_settings(first, feed))
    except (ValueError, duckdb.Error) as error:
        raise FeedError(feed.name, files[0].name, shorten(str(error))) from error
    opened = open_table(connection, feed, files, scratch=folder)
    connection.execute("SET TimeZone = 'UTC'")
    columns = tuple(list_columns(connection))
    if not any(column.filled for column in columns) and "name" not in known:
        names = ", ".join(column.path for column in columns)
        raise FeedError(feed.name, files[0].name, f"has no rows to learn from, only the columns {names}; add one")
    decided = tuple(f"{file.name}: {part.decided}" for file, part in opened if part.decided)
    table = connection.table("feed")
    types = dict(zip(table.columns, map(str, table.types), strict=True))
    return OpenedFile(feed=feed, files=files, known=known, columns=columns, decided=decided, types=types)


def draft_feed(
    opened: OpenedFile,
    metro: MetroDraft,
    configuration: Configuration,
    *,
    type_: str = "",
    stated: Mapping[str, Sequence[str]] = {},
) -> FeedDraft:
    """Draft a feed's mapping. `type_`: of its records, if known; `stated`: columns that the caller names, by role."""
    feed = replace(opened.feed, metro=metro.slug)
    if not opened.types:
        return FeedDraft(feed=feed)

    types = {name: duckdb.sqltype(kind) for name, kind in opened.types.items()}
    placed = set(list_used(opened.known)).difference(*stated.values()) | set(stated.get(IGNORED, ()))
    free = [column for column in opened.columns if column.path not in placed]

    def draft_own(roles: Roles) -> dict[str, Any]:
        own = draft_rules(
            roles, free, type_=type_ or choose_type(roles, subject=feed.name), currency=choose_currency(roles, metro),
            subject=feed.name,
        )  # fmt: skip
        if "name" not in own:
            raise WrongSetting(explain_nameless(feed, free))
        # A column of ids replaces the preset's `source_id` too: such ids survive when the dataset is loaded again.
        for member in opened.known.keys() - ({"source_id"} if "source_id" in roles else set()):
            own.pop(member, None)
        return own

    def compile_rules(own: Mapping[str, Any]) -> str:
        rules = {**opened.known, **own}
        return compile_mapping(rules, types, vocabulary=configuration.vocabulary, zone=metro.timezone)

    def draft() -> FeedDraft:
        if "name" in opened.known:
            return FeedDraft(
                feed=replace(feed, map={**opened.known}), columns=opened.columns, decided=opened.decided,
                sql=compile_rules({}),
            )  # fmt: skip
        with TemporaryDirectory() as folder, open_engine(Path(folder), feed) as connection:
            make_role = open_roles(free, connection, months_first=metro.is_american)
            roles = find_roles(free, connection, make_role, stated=stated)
            draft_own(roles)
            open_table(connection, feed, opened.files, scratch=Path(folder))
            origin = Origin(
                feed=feed.name, metro=metro.slug, delta=False, metros={metro.slug: metro.slug},
                vocabulary=configuration.vocabulary, is_mapped=True,
            )  # fmt: skip
            trial = Trial(connection, origin, lambda tried: compile_rules(draft_own(tried)), seconds=feed.max_seconds)
            best = improve(roles, free, trial, make_role, stated=[*stated, "type"] if type_ else stated)
        own = draft_own(best.roles)
        rules = {**opened.known, **own}
        return FeedDraft(
            feed=replace(feed, map=rules), columns=opened.columns, decided=opened.decided, own=own, roles=best.roles,
            changes=tuple(best.changes), doubts=tuple(best.doubts), candidates=tuple(best.candidates),
            score=round(weigh(best.outcome), 3), shown=show_values(opened.columns, rules, best.outcome.read),
            sql=compile_rules(own),
        )  # fmt: skip

    return run_bounded(draft, feed)


def explain_nameless(feed: FeedTable, columns: Sequence[Column]) -> str:
    """Return a message that no column is known as the name, with the columns and the command that names one."""
    filled = [column for column in columns if column.filled]
    texts = [column for column in filled if fits("name", column, TimeNotation()) and not is_other_date(column.path)]
    best = max(texts or filled, key=lambda column: len(column.distinct))
    there = ", ".join(f"{column.path} ({show_examples(column, most=2)})" for column in filled)
    return (
        f"no column of {PurePosixPath(feed.url).name} is known as the name; it has: {there}\n"
        f"Say which it is, as in:\n  outings init {shlex.quote(feed.url)} --column {shlex.quote(f'name={best.path}')}"
    )


# Where prices have no sign, by codes of countries.
_CURRENCIES = {
    "EUR": "AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK", "USD": "US PR VI GU AS MP UM", "GBP": "GB",
    "CHF": "CH LI", "CAD": "CA", "AUD": "AU", "NZD": "NZ", "SEK": "SE", "NOK": "NO", "DKK": "DK", "PLN": "PL",
    "MXN": "MX", "BRL": "BR", "JPY": "JP",
}  # fmt: skip
_DOLLARS = ("USD", "CAD", "AUD", "NZD", "MXN", "BRL")


def choose_currency(roles: Roles, metro: MetroDraft) -> str:
    """Return the currency by the sign beside the prices, otherwise by the country; "" if neither tells."""
    priced = [roles[role].column for role in ("price", "price_min", "price_max") if role in roles]
    prices = " ".join(word for column in priced for word in column.distinct)
    if "€" in prices or "euro" in prices.casefold():
        return "EUR"
    if "£" in prices:
        return "GBP"
    country = list_countries().get(metro.timezone)
    own = next((currency for currency, countries in _CURRENCIES.items() if country in countries.split()), "")
    return "" if "$" in prices and own not in _DOLLARS else own
