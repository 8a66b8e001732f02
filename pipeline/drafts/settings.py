"""Where the rows of a file lie: its format, the lines before the names of its columns, a sheet, a table, a path."""

import json
import sqlite3
import zipfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from python_calamine import CalamineWorkbook, SheetVisibleEnum

from outings.configuration import FeedTable
from outings.sql_quoting import quote
from pipeline.drafts.words import count_known
from pipeline.fetch.table.delimited import DELIMITERS, find_header, read_rows
from pipeline.fetch.table.json_rows import is_lines, list_wrapped, read_json
from pipeline.fetch.table.sheets import format_cell, list_tables, read_cells
from pipeline.fetch.text_files import decode_text
from pipeline.fetch.unpacking import ENDINGS, TableFile

# A header stands among the first lines of a file.
_LOOKED_AT = 25
_MOST_RATED = 100


def find_format(content: bytes) -> str:
    """`ics`, `jsonld`, `rpde`, `ndjson` of canonical records, or `table`."""
    start = content[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.upper().startswith(b"BEGIN:VCALENDAR"):
        return "ics"
    if start.startswith(b"<") and b"application/ld+json" in content:
        return "jsonld"
    if not start.startswith((b"{", b"[")):
        return "table"
    try:
        first = json.loads(content.strip().partition(b"\n")[0] if is_lines(content) else content)
    except ValueError:
        return "table"
    return _find_json_format(first[0] if isinstance(first, list) and first else first)


def _find_json_format(first: Any) -> str:
    if not isinstance(first, dict):
        return "table"
    if isinstance(first.get("items"), list) and "next" in first and ("license" in first or _is_rpde(first["items"])):
        return "rpde"
    if "@context" in first or "@graph" in first or "@type" in first:
        return "jsonld"
    if {"type", "source_id"} <= first.keys():
        return "ndjson"
    return "table"


def _is_rpde(items: list[Any]) -> bool:
    return bool(items) and isinstance(items[0], dict) and {"state", "modified", "id"} <= items[0].keys()


def find_packed(path: Path) -> dict[str, Any]:
    """Of a ZIP with several tables the largest."""
    with zipfile.ZipFile(path) as packed:
        tables = [entry for entry in packed.infolist() if PurePosixPath(entry.filename).suffix.lower() in ENDINGS]
    largest = max(tables, key=lambda entry: entry.file_size, default=None)
    return {"file": largest.filename} if largest is not None and len(tables) > 1 else {}


def find_settings(file: TableFile, feed: FeedTable) -> dict[str, Any]:
    """What has to be said of a table to read it, beside its name; `feed` is what is said already."""
    if file.kind == "csv":
        return _find_skip_of_text(file, feed)
    if file.kind == "sheets":
        return _find_sheet(file.path, feed)
    if file.kind == "json":
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
    """Names that we know count, and so does it to be a row of many texts."""
    fields = fields[:_MOST_RATED]
    texts = [field for field in fields if len(field) < 60 and not field.replace(".", "").replace("/", "").isdigit()]
    return 4 * count_known(fields) + len(texts) - 2 * (len(fields) - len(texts))


def _find_sheet(path: Path, feed: FeedTable) -> dict[str, Any]:
    rated = []
    with CalamineWorkbook.from_path(path) as workbook:
        names = [each.name for each in workbook.sheets_metadata if each.visible == SheetVisibleEnum.Visible]
        for name in names:
            cells = read_cells(workbook.get_sheet_by_name(name), path)
            for place, row in enumerate(cells[:_LOOKED_AT]):
                fields = [text for cell in row if (text := format_cell(cell))]
                if len(fields) > 1 and len(cells) > place + 1:
                    rated.append((_rate_header(fields), -place, name, cells))
    if not rated:
        return {}
    _, place, name, cells = max(rated, key=lambda each: each[:2])
    first = next(number for number, row in enumerate(cells) if any(map(format_cell, row)))
    settings: dict[str, Any] = {"sheet": name} if len(names) > 1 and not feed.sheet else {}
    return settings | ({"skip": -place} if -place > first else {})


def _find_records(file: TableFile, feed: FeedTable) -> dict[str, Any]:
    content = read_json(file, feed)
    if is_lines(content):
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
        for name in list_tables(database):
            columns = [column[0] for column in database.execute(f"SELECT * FROM {quote(name)} LIMIT 0").description]
            rated.append((count_known(columns), name))
    return {"table": max(rated)[1]} if len(rated) > 1 else {}
