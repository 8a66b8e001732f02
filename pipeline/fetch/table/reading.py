"""Read tables as cities publish them to canonical records, by one SELECT: an operator's, or a mapping's.

A text in the file is a text in the table: whether this week's column looks like dates must not decide its type.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from errno import EFBIG
from itertools import accumulate
from pathlib import Path
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection

from outings.configuration import FeedTable
from outings.configuration.mapping import MappingError
from outings.select_statement import lock
from outings.sql_quoting import literal, quote
from pipeline.fetch.formats import FeedSetting, RawRecord
from pipeline.fetch.keep_and_drop import HEADING, compile_words, list_conditions
from pipeline.fetch.ndjson import decode_record
from pipeline.fetch.source import FeedError, SelectError, SettingError, SourceFile, limit_scratch, read_select
from pipeline.fetch.table.delimited import open_delimited
from pipeline.fetch.table.json_rows import (
    OpenPart,
    Part,
    check_columns,
    check_rows,
    open_geojson,
    open_json,
    open_json_lines,
)
from pipeline.fetch.table.mapping import (
    compile_headings,
    compile_mapping,
    find_text,
    list_used,
)
from pipeline.fetch.table.ranges import read_text, register_readers
from pipeline.fetch.table.select_runner import ROW, Selection, select_records
from pipeline.fetch.table.sheets import open_sheet, open_sqlite
from pipeline.fetch.table.text_sources import TextSource, list_texts
from pipeline.fetch.table.time_formats import FIRST_DAY
from pipeline.fetch.table.weekdays import repeat_on_weekdays
from pipeline.fetch.unpacking import TableFile, list_tables
from pipeline.scratch import open_scratch

# One thread: with more, an order that the SELECT leaves open would be another one each time.
_SETTINGS: dict[str, str | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "threads": 1,
}
_MESSAGE_CHARACTERS = 600
# As Excel and LibreOffice write them, in English and Spanish.
_ERRORS = re.compile(
    r"#(REF!|N/A|VALUE!|DIV/0!|NAME\?|NULL!|NUM!|SPILL!|BLOB!|¡REF!|N/D|¡VALOR!|¡DIV/0!|¿NOMBRE\?|¡NULO!|¡NUM!)"
)
# Which entry of a list a path means.
_PLACE = re.compile(r"\[[^\]]*\]")
# Kinds of files whose values are cells, each of a type of its own.
_CELLS = frozenset({"sheets", "sqlite"})
Opened = list[tuple[TableFile, Part]]


def read_tables(files: Sequence[SourceFile], setting: FeedSetting) -> Iterator[RawRecord]:
    """Yield the rows of the feed's files as records, each with its line if the SELECT returns `rowid`."""
    feed = setting.feed
    if all(file.has_rows and not file.path.stat().st_size for file in files):
        return  # pages without a row have no columns either
    query = None if feed.select is None else read_select(feed.name, feed.select)
    with open_scratch() as folder, open_engine(folder, feed, day=setting.day) as connection:
        opened = open_table(connection, feed, files, scratch=folder)
        names = [file.name if len(opened) > 1 else None for file, _ in opened]
        lock(connection)
        yield from _leave_out_rows(connection, feed)
        for file, part in opened:
            if part.decided:
                setting.tell_decided(f"{file.name}: {part.decided}")
        selection = _select(connection, query, setting)
        for name, (_, part) in zip(names, opened, strict=True):
            for fault in part.faults:
                yield RawRecord(fault.line, fault.value, fault.reason, file=name)
        counts = (part.count if part.lines is None else len(part.lines) for _, part in opened)
        starts = [0, *accumulate(counts)][:-1]

        def locate(row: int) -> tuple[int, str | None]:
            """Return the line of a row, numbered from 0, and of several files which."""
            place = bisect_right(starts, row) - 1
            lines, row = opened[place][1].lines, row - starts[place]
            return row + 1 if lines is None or row >= len(lines) else lines[row], names[place]

        for failed in selection.faults:
            line, name = locate(failed.row)
            yield RawRecord(line, failed.value, failed.reason, failed.source_id, file=name)
        for number, row in enumerate(selection.records, start=1):
            raw = decode_record(row.encode(), line=number)
            if isinstance(raw.value, dict) and isinstance(place := raw.value.pop(ROW, None), int):
                line, name = locate(place)
                raw = raw._replace(line=line, file=name)
            yield raw if query is not None else raw._replace(value=_finish_record(raw.value, feed))


def _leave_out_rows(connection: DuckDBPyConnection, feed: FeedTable) -> Iterator[RawRecord]:
    """Delete the rows that `keep` and `drop` exclude, and headings of rows. Yield both, to be counted in reports."""
    types, cases, headings = _list_types(connection), [], ""
    for name, column, words, is_wanted in list_conditions(feed):
        setting = name.partition(" ")[0]
        try:
            text = find_text(f"{setting}.{column}", column, types)
        except MappingError as error:
            raise SettingError(feed.name, error.key, error.message) from error
        texts = text.sql if text.many else f"[{text.sql}]"
        folded = r"lower(strip_accents(trim(regexp_replace(_entry, '\s+', ' ', 'g'))))"
        fits = f"regexp_full_match({folded}, {literal(compile_words(words))})"
        has = f"coalesce(len(list_filter({texts}, lambda _entry: coalesce({fits}, false))), 0) > 0"
        cases.append(f"WHEN {'NOT ' if is_wanted else ''}({has}) THEN {literal(name)}")
    if cases:
        query = f"SELECT rowid, CASE {' '.join(cases)} END AS reason FROM feed WHERE reason IS NOT NULL ORDER BY rowid"
        rows = connection.execute(query).fetchall()
        connection.execute("DELETE FROM feed WHERE rowid IN (SELECT unnest(?::BIGINT[]))", [[row for row, _ in rows]])
        yield from (RawRecord(row + 1, None, passed_over=reason) for row, reason in rows)
    with suppress(MappingError):  # a mapping that is wrong is refused where it is compiled
        headings = compile_headings(feed.map, types)
    for (row,) in connection.execute(f"SELECT rowid FROM feed WHERE {headings}").fetchall() if headings else ():
        yield RawRecord(row + 1, None, passed_over=HEADING)


def _list_types(connection: DuckDBPyConnection) -> dict[str, Any]:
    table = connection.table("feed")
    return dict(zip(table.columns, table.types, strict=True))


def _select(connection: DuckDBPyConnection, query: str | None, setting: FeedSetting) -> Selection:
    feed = setting.feed
    where = "map" if query is None else f"select {feed.select}"
    try:
        if query is None:
            types = _list_types(connection)
            query = compile_mapping(feed.map, types, vocabulary=setting.vocabulary, zone=setting.timezone)
            if FIRST_DAY in query:
                first = connection.sql(f"SELECT {FIRST_DAY}").fetchone()
                setting.tell_decided(f"days without a year are the next from {first[0] if first else ''} on")
            for source in list_texts(feed.map, types, setting.vocabulary):
                _count_texts(connection, source, setting)
            setting.tell_unplaced(list_unplaced(types, list_used(feed.map)))
        return select_records(connection, query, setting.vocabulary, seconds=feed.max_seconds)
    except MappingError as error:
        raise SettingError(feed.name, f"map.{error.key}", error.message) from error
    except ValueError as error:
        raise_excess(error)
        raise (SelectError if feed.select else SettingError)(feed.name, where, str(error)) from error


def list_unplaced(types: Mapping[str, Any], used: Iterable[str]) -> list[str]:
    """Return the paths of columns, and of members inside objects and lists, that a mapping does not use.

    A path that is used stands for all that is inside it, and a text for the members that a mapping finds in it.
    """
    placed = {_PLACE.sub("", path) for path in used}

    def walk(path: str, kind: Any) -> Iterator[str]:
        if path in placed:
            return
        if kind.id == "list":
            yield from walk(path, kind.children[0][1])
        elif kind.id == "struct":
            for name, child in kind.children:
                yield from walk(f"{path}.{name}", child)
        elif not any(own.startswith(f"{path}.") for own in placed):
            yield path

    return list(dict.fromkeys(path for name, kind in types.items() for path in walk(name, kind)))


def _count_texts(connection: DuckDBPyConnection, source: TextSource, setting: FeedSetting) -> None:
    """Count the rows by what a reader makes of their texts."""
    query = f"SELECT {source.sql} AS text, count(*) FROM feed GROUP BY 1 HAVING text IS NOT NULL"
    for text, count in connection.execute(query).fetchall():
        setting.tell_text(source.member, text, read_text(source.kind, text), count)


def _finish_record(value: Any, feed: FeedTable) -> Any:
    """Return a record of a mapping, with the series that its weekdays make."""
    if isinstance(value, dict) and "rrule" not in feed.map and (taken := value.pop("rrule", None)):
        repeat_on_weekdays(value, taken)
    return refuse_errors(value)


def refuse_errors(value: Any) -> Any:
    """Replace a spreadsheet's errors (#REF!) by lists, which no member accepts, so that none is published."""
    if isinstance(value, str):
        return [value] if value.startswith("#") and _ERRORS.fullmatch(value) else value
    if isinstance(value, dict):
        return {name: refuse_errors(inner) for name, inner in value.items()}
    return value


def open_engine(folder: Path, feed: FeedTable, *, day: date | None = None) -> DuckDBPyConnection:
    """Open an empty DuckDB database within the feed's limits. It spills to `folder`. `day`: when the feed is read, by
    default today."""
    own = {
        "temp_directory": f"{folder}/spill", "max_temp_directory_size": f"{limit_scratch(feed)}B",
        "memory_limit": f"{feed.max_memory // 4}B",
    }  # fmt: skip
    connection = duckdb.connect(":memory:", config={**_SETTINGS, **own})
    # In an interactive Python (`python -c` is one) DuckDB would draw a bar over the `--json` on standard output.
    connection.execute("SET enable_progress_bar = false")
    ((today,),) = connection.execute("SELECT today()").fetchall()
    connection.execute("SET VARIABLE feed_day = ?::DATE", [day or today])
    register_readers(connection, today=day or today)
    return connection


def open_table(
    connection: DuckDBPyConnection, feed: FeedTable, files: Sequence[SourceFile], *, scratch: Path
) -> Opened:
    """Create the table `feed` from all files, joined by the names of their columns. Raises `FeedError`."""
    opened: Opened = []
    for number, file in enumerate(files):
        folder = scratch / f"file{number}"
        folder.mkdir()
        try:
            for inner in list_tables(file, feed, folder):
                part = READERS[inner.kind](inner, feed, connection, folder / f"rows{len(opened)}")
                opened.append((inner, part))
            if file is files[-1]:
                parameters: list[Any] = [value for _, part in opened for value in part.parameters]
                query = " UNION ALL BY NAME ".join(part.query for _, part in opened)
                connection.execute(f"CREATE TABLE feed AS {query}", parameters)
                if not feed.map and all(inner.kind in _CELLS for inner, _ in opened):
                    _flatten_cells(connection)
        except OSError as error:
            if error.errno == EFBIG:
                raise
            raise FeedError(feed.name, file.name, f"can't be read: {error.strerror}") from error
        except (duckdb.Error, ValueError) as error:
            raise_excess(error)
            raise FeedError(feed.name, file.name, shorten(str(error))) from error
    return opened


def raise_excess(error: Exception) -> None:
    """Raise MemoryError, or OSError (EFBIG), if an error of DuckDB or SQLite means that a limit was exceeded."""
    if "Out of Memory" in str(error):
        raise MemoryError from error
    if "File too large" in str(error) or "disk I/O error" in str(error):
        raise OSError(EFBIG, "File too large") from error


def _flatten_cells(connection: DuckDBPyConnection) -> None:
    """Convert columns of numbers and texts in spreadsheets and databases to texts. Mappings need no such conversion."""
    for name, kind in _list_types(connection).items():
        if str(kind) == "JSON":
            connection.execute(f"ALTER TABLE feed ALTER {quote(name)} TYPE VARCHAR USING {quote(name)}->>'$'")


def _open_parquet(file: TableFile, feed: FeedTable, connection: DuckDBPyConnection, scratch: Path) -> Part:  # noqa: ARG001
    query = """SELECT num_rows, (SELECT count(*) FROM parquet_schema($path) WHERE num_children IS NULL)
        FROM parquet_file_metadata($path)"""
    rows, columns = connection.execute(query, {"path": str(file.path)}).fetchone() or (0, 0)
    check_rows(rows, feed)
    check_columns(columns, feed)
    return Part(query="SELECT * FROM read_parquet(?)", parameters=(str(file.path),), count=rows)


READERS: Mapping[str, OpenPart] = {
    "csv": open_delimited, "json": open_json, "ndjson": open_json_lines, "geojson": open_geojson,
    "parquet": _open_parquet, "sheets": open_sheet, "sqlite": open_sqlite, "xml": open_json,
}  # fmt: skip


def shorten(message: str) -> str:
    """Return the message in one line, without DuckDB's advice on its own options."""
    text = re.split(r"Possible (fixes|solutions?):?", message, maxsplit=1, flags=re.IGNORECASE)[0]
    return " ".join(text.split())[:_MESSAGE_CHARACTERS]
