"""Read the rows of one sheet of a spreadsheet (XLSX, XLS, ODS), or of one table of a SQLite file."""

import re
import sqlite3
import zipfile
from array import array
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import msgspec
from duckdb import DuckDBPyConnection
from lxml import etree
from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from outings.configuration import FeedTable
from outings.contract.did_you_mean import list_nearest
from outings.sql_quoting import quote
from pipeline.fetch.table.json_rows import Part, check_columns, check_rows, number_names, read_typed
from pipeline.fetch.unpacking import TableFile

Cells = list[list[Any]]
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PLACE = re.compile(r"([A-Z]+)(\d+)")


def open_sheet(file: TableFile, feed: FeedTable, connection: DuckDBPyConnection, scratch: Path) -> Part:
    try:
        with CalamineWorkbook.from_path(file.path) as workbook:
            name = choose_sheet(workbook, feed.sheet)
            cells = read_cells(workbook.get_sheet_by_name(name), file.path)
    except (CalamineError, zipfile.BadZipFile, etree.XMLSyntaxError) as error:
        raise ValueError(f"is a spreadsheet that can't be read ({error}); save it again as .xlsx") from error
    first = find_header(cells, skip=feed.skip, sheet=name)
    header, lines = [format_cell(cell) or "" for cell in _trim(cells[first])], array("q")
    check_columns(len(header), feed)
    names = number_names(header)
    with scratch.open("wb") as target:
        for number, row in enumerate(cells[first + 1 :], start=first + 2):
            converted = zip(names, map(convert_cell, row), strict=False)
            if values := {key: value for key, value in converted if value is not None}:
                target.write(msgspec.json.encode(values) + b"\n")
                lines.append(number)
    if not lines:
        raise ValueError(f"has no rows under the header of sheet “{name}”, line {first + 1}: {', '.join(names)}")
    query, parameters = read_typed(connection, scratch, names=names)
    decided = f"sheet “{name}”" + (f", the names of its columns are in line {first + 1}" if first else "")
    return Part(query=query, parameters=parameters, lines=lines, decided=decided)


def choose_sheet(workbook: CalamineWorkbook, stated: str) -> str:
    """Return the stated sheet, or the only visible one with rows. Raises ValueError."""
    sheets = [sheet for sheet in workbook.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    names = [sheet.name for sheet in sheets]
    if stated:
        if stated not in names:
            raise ValueError(f'has no sheet "{stated}"; there are: {", ".join(names)}')
        return stated
    visible = [sheet.name for sheet in sheets if sheet.visible == SheetVisibleEnum.Visible]
    full = [name for name in visible if workbook.get_sheet_by_name(name).height > 1]
    if len(full) != 1:
        quoted = ", ".join(f"“{name}”" for name in full or names)
        example = (full or names)[0]
        raise ValueError(f'has {len(full) or "no"} sheets with rows: {quoted}. Say which, as in sheet = "{example}"')
    return full[0]


def read_cells(sheet: CalamineSheet, path: Path) -> Cells:
    """Return all cells of a sheet from its corner on. Cells merged downwards are repeated in each row; an error is the
    text that the spreadsheet shows."""
    cells: Cells = [list(row) for row in sheet.to_python(skip_empty_area=False)]
    for (top, left), (bottom, _) in sheet.merged_cell_ranges or ():
        for row in range(top + 1, min(bottom + 1, len(cells))):
            cells[row][left] = cells[top][left]
    for (row, column), text in find_errors(path, sheet.name).items():
        if row < len(cells) and column < len(cells[row]):
            cells[row][column] = text
    return cells


def find_errors(path: Path, sheet: str) -> Mapping[tuple[int, int], str]:
    """Return errors (#REF!) and formulas without a value, which calamine leaves empty, by (row, column)."""
    if not zipfile.is_zipfile(path):
        return {}
    with zipfile.ZipFile(path) as packed:
        if (part := _find_part(packed, sheet)) is None:
            return {}
        errors = {}
        with packed.open(part) as opened:
            for _, cell in etree.iterparse(opened, tag=f"{_MAIN}c", resolve_entities=False):
                value = cell.findtext(f"{_MAIN}v")
                if cell.get("t") == "e" or (value is None and cell.find(f"{_MAIN}f") is not None):
                    errors[_parse_place(cell.get("r"))] = value or "#N/A"
                cell.clear()
        return errors


def _find_part(packed: zipfile.ZipFile, sheet: str) -> str | None:
    """Return the name of a sheet's file inside an XLSX, None for another kind of spreadsheet."""
    if not {"xl/workbook.xml", "xl/_rels/workbook.xml.rels"} <= set(packed.namelist()):
        return None
    book = etree.fromstring(packed.read("xl/workbook.xml"))
    links = etree.fromstring(packed.read("xl/_rels/workbook.xml.rels"))
    targets = {link.get("Id"): link.get("Target") for link in links}
    for named in book.iter(f"{_MAIN}sheet"):
        if named.get("name") == sheet and (target := targets.get(named.get(_LINK))):
            part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            return part if part in packed.namelist() else None
    return None


def _parse_place(text: str) -> tuple[int, int]:
    """Convert `B5` to (row, column), counted from 0: (4, 1)."""
    match = _PLACE.fullmatch(text)
    if match is None:
        raise ValueError(f"has a cell at {text!r}, which is no place")
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1


def find_header(cells: Cells, *, skip: int, sheet: str) -> int:
    """Return the index of the first row that is not empty, after `skip` rows. Raises ValueError."""
    first = next((number for number in range(skip, len(cells)) if _trim(cells[number])), None)
    if first is None:
        raise ValueError(f"has no row in sheet “{sheet}”" + (f" after the {skip} that skip leaves out" if skip else ""))
    return first


def convert_cell(cell: Any) -> str | int | float | bool | None:
    """Return a cell's value, None if empty. A whole number loses its `.0`, because most are ids."""
    if isinstance(cell, bool):
        return cell
    if isinstance(cell, (int, float)):
        return int(cell) if float(cell).is_integer() else cell
    return format_cell(cell) or None


def format_cell(cell: Any) -> str:
    if isinstance(cell, datetime):
        return cell.isoformat(sep="T", timespec="seconds")
    if isinstance(cell, (date, time)):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(round(cell.total_seconds()), 60)
        return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _trim(row: Sequence[Any]) -> list[Any]:
    count = len(row)
    while count and not format_cell(row[count - 1]):
        count -= 1
    return list(row[:count])


# The bytes of a longest value: a view can make one of any size.
_MOST_CELL = 16 << 20


def open_sqlite(file: TableFile, feed: FeedTable, connection: DuckDBPyConnection, scratch: Path) -> Part:
    """Read a table of a SQLite file. A row's line is its number in the table."""
    try:
        with closing(sqlite3.connect(f"{file.path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_CELL)
            table = choose_table(database, feed.table)
            rows = database.execute(f"SELECT * FROM {quote(table)}")
            check_columns(len(rows.description), feed)
            names = number_names([column[0] for column in rows.description])
            count = 0
            with scratch.open("wb") as target:
                for count, row in enumerate(rows, start=1):
                    check_rows(count, feed)
                    target.write(msgspec.json.encode(dict(zip(names, map(_convert, row), strict=True))) + b"\n")
    except sqlite3.Error as error:
        raise ValueError(f"is a SQLite file that can't be read: {error}. Fetch it again") from error
    if not count:
        raise ValueError(f'has no rows in its table "{table}"')
    query, parameters = read_typed(connection, scratch, names=names)
    return Part(query=query, parameters=parameters, count=count, decided=f'table "{table}"')


def choose_table(database: sqlite3.Connection, stated: str) -> str:
    """Return the stated table, or the only one. Raises ValueError."""
    tables = list_tables(database)
    if stated in tables:
        return stated
    if stated:
        near = ", ".join(list_nearest(stated, tables) or tables)
        raise ValueError(f'has no table "{stated}"; there are: {near}')
    if len(tables) != 1:
        listed = ", ".join(tables) or "none"
        raise ValueError(f'has {len(tables)} tables: {listed}. Say which, as in table = "{(tables or ["events"])[0]}"')
    return tables[0]


def list_tables(database: sqlite3.Connection) -> list[str]:
    """List tables and views, without SQLite's own."""
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
    return [name for (name,) in database.execute(query)]


def _convert(value: Any) -> Any:
    """Decode bytes as UTF-8. Other bytes become the text of an error cell, which no member accepts."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return "#BLOB!"
    return value
