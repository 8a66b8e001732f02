"""Files and addresses that nobody has described yet → drafts of their feeds."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection
from msgspec import Struct
from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.failures import WrongSetting
from pipeline.drafts.columns import Column, list_columns
from pipeline.drafts.metro import MetroDraft
from pipeline.drafts.roles import Roles, find_roles
from pipeline.drafts.rules import TELLING, choose_type, draft_rules, list_used
from pipeline.drafts.settings import find_format, find_packed, find_settings
from pipeline.fetch.bounded_task import run_bounded
from pipeline.fetch.reader import open_sources
from pipeline.fetch.source import FeedError, SourceFile
from pipeline.fetch.table.mapping import compile_mapping
from pipeline.fetch.table.reading import open_engine, open_table, shorten
from pipeline.fetch.unpacking import find_kind, list_tables

# Any mapping: columns of cells stay as they are.
_UNMAPPED: Mapping[str, Any] = {"name": "name"}
_SNIFFED = 1 << 22


class OpenedFile(Struct, frozen=True, kw_only=True):
    """One file, or a pattern of such, as it was found. `columns` and `types`, of DuckDB, are of tables alone; `known`
    are the rules of its preset."""

    feed: FeedTable
    known: Mapping[str, Any] = {}
    columns: tuple[Column, ...] = ()
    decided: tuple[str, ...] = ()
    types: Mapping[str, str] = {}


class FeedDraft(Struct, frozen=True, kw_only=True):
    """`rules` as `[feeds.map]` has them, `own` those of them that no preset says; `roles` what the columns are taken
    for."""

    feed: FeedTable
    columns: tuple[Column, ...] = ()
    decided: tuple[str, ...] = ()
    rules: Mapping[str, Any] = {}
    own: Mapping[str, Any] = {}
    roles: Roles = {}
    sql: str = ""


def open_files(feeds: list[FeedTable], directory: Path, scratch: Path) -> list[OpenedFile]:
    """Look into the files of each feed, whatever their format; `feeds` have a name and a url, or a preset. Raises
    FeedError."""
    sources = open_sources(feeds, Configuration(directory=directory), scratch=scratch)
    return [run_bounded(partial(_open, feed, sources[feed.name].files, scratch), feed) for feed in feeds]


def _open(feed: FeedTable, files: tuple[SourceFile, ...], scratch: Path) -> OpenedFile:
    format_ = feed.format if feed.preset else _sniff(files[0])
    if format_ != "table" or _is_known(feed, files):
        return OpenedFile(feed=replace(feed, format=format_), known=feed.map)
    folder = scratch / f"{feed.name}-table"
    folder.mkdir()
    with open_engine(folder, feed) as connection:
        return _open_tables(feed, files, connection, folder)


def _sniff(file: SourceFile) -> str:
    with file.path.open("rb") as opened:
        return find_format(opened.read(_SNIFFED))


def _is_known(feed: FeedTable, files: tuple[SourceFile, ...]) -> bool:
    """Whether there is nothing to look at, and nothing to find out: pages without a row, and a preset that says all."""
    return "name" in feed.map and all(file.has_rows and not file.path.stat().st_size for file in files)


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
    return OpenedFile(feed=feed, known=known, columns=columns, decided=decided, types=types)


def draft_feed(
    opened: OpenedFile,
    metro: MetroDraft,
    configuration: Configuration,
    *,
    type_: str = "",
    stated: Mapping[str, Sequence[str]] = {},
) -> FeedDraft:
    """`stated`: columns by the roles that the caller gives them."""
    feed = replace(opened.feed, metro=metro.slug)
    if not opened.types:
        return FeedDraft(feed=feed, rules=opened.known)

    def draft() -> FeedDraft:
        with TemporaryDirectory() as folder, open_engine(Path(folder), feed) as connection:
            return _draft_table(opened, feed, metro, configuration, connection, type_=type_, stated=stated)

    return run_bounded(draft, feed)


def _draft_table(
    opened: OpenedFile,
    feed: FeedTable,
    metro: MetroDraft,
    configuration: Configuration,
    connection: DuckDBPyConnection,
    *,
    type_: str,
    stated: Mapping[str, Sequence[str]],
) -> FeedDraft:
    roles: Roles = {}
    own: Mapping[str, Any] = {}
    if "name" not in opened.known:
        placed = list_used(opened.known) - {path for paths in stated.values() for path in paths}
        free = [column for column in opened.columns if column.path not in placed]
        roles = find_roles(free, connection, months_first=metro.is_american, stated=stated)
        if not roles.keys() & {"source_id", *TELLING}:
            there = ", ".join(column.path for column in free)
            raise WrongSetting(
                f"feed {feed.name}: no column is known as a name; say --column name=…; there are: {there}"
            )
        drafted = draft_rules(roles, type_=type_ or choose_type(roles), currency=choose_currency(roles, metro))
        own = _choose_own(drafted, opened.known, roles)
    rules = {**opened.known, **own}
    types = {name: duckdb.sqltype(type_) for name, type_ in opened.types.items()}
    sql = compile_mapping(rules, types, vocabulary=configuration.vocabulary, zone=metro.timezone)
    return FeedDraft(
        feed=replace(feed, map=rules), columns=opened.columns, decided=opened.decided, rules=rules, own=own,
        roles=roles, sql=sql,
    )  # fmt: skip


def _choose_own(drafted: Mapping[str, Any], known: Mapping[str, Any], roles: Roles) -> dict[str, Any]:
    """What a preset says is not drafted, but for an identity that has a column of its own: that one outlives a dataset
    that is loaded anew."""
    return {
        member: rule
        for member, rule in drafted.items()
        if member not in known or (member == "source_id" and "source_id" in roles)
    }


def choose_currency(roles: Roles, metro: MetroDraft) -> str:
    """That of the sign beside the prices, else of the country; empty where neither says it."""
    prices = "" if "price" not in roles else " ".join(roles["price"].column.distinct)
    if "€" in prices or "euro" in prices.casefold():
        return "EUR"
    if "£" in prices:
        return "GBP"
    return "USD" if metro.is_american else ""
