"""Read CSV as people and programs write it to rows with the columns of its header and the number of their line."""

import csv
from array import array
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
from duckdb import DuckDBPyConnection

from outings.configuration import FeedTable
from pipeline.fetch.table.json_rows import Fault, Part, check_columns, number_names, read_columns
from pipeline.fetch.text_files import decode_text
from pipeline.fetch.unpacking import TableFile

DELIMITERS = ",;\t|"
_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
# Lines that are looked at to find the delimiter.
_SAMPLE = 100
_SHOWN = 120
_MOST_LETTERS = 1 << 17
csv.field_size_limit(_MOST_LETTERS)


class Row(NamedTuple):
    """A row of a CSV file. `error`: what is wrong with its quotes; then `fields` has only its line."""

    line: int
    fields: list[str]
    error: str | None = None


def open_delimited(file: TableFile, feed: FeedTable, connection: DuckDBPyConnection, scratch: Path) -> Part:  # noqa: ARG001
    """Read a CSV file. A row that does not fit the header is reported as a fault. Raises ValueError if none fits."""
    decoded = decode_text(file.path.read_bytes(), stated=feed.encoding, charset=file.charset)
    lines = list(StringIO(decoded.text, newline=""))
    first, delimiter = find_header(lines, skip=feed.skip)
    rows = read_rows(lines, delimiter, first=first)
    header = next(rows)
    if header.error is not None:
        raise ValueError(f"line {header.line}, the names of the columns: {_cut_code(header.error)}")
    least = len(_trim(header.fields))
    names = header.fields[: _count_columns(lines, delimiter, first=first, least=least, most=len(header.fields))]
    check_columns(len(names), feed)
    columns = number_names(names)
    numbers, faults = array("q"), list[Fault]()
    with scratch.open("wb") as target:
        for row in rows:
            fields = _trim(row.fields)
            if not fields:
                continue
            if (reason := row.error or _find_fault(row.fields, fields, names, least=least)) is not None:
                faults.append(Fault(row.line, reason, delimiter.join(row.fields)[:_SHOWN]))
                continue
            numbers.append(row.line)
            cells = {name: field for name, field in zip(columns, fields, strict=False) if field}
            target.write(msgspec.json.encode(cells) + b"\n")
    _check_end(lines, faults, delimiter, least=least)
    if faults and not numbers:
        fault = f"line {faults[0].line} {_cut_code(faults[0].reason)}; no row fits the header"
        header_as_read = f"The header was read as: {', '.join(_trim(names)[:12])}"
        further = "Where the header is further down, say skip = the number of lines before it"
        raise ValueError(f"{fault}. {header_as_read}. {further}")
    # What is not plainly UTF-8 with commas and its header first.
    decided = [f"read as {decoded.encoding} (by {decoded.how})"] if decoded.how else []
    decided += [f"fields are parted by {_NAMES[delimiter]}"] if delimiter != "," else []
    decided += [f"the names of its columns are in line {header.line}"] if header.line != 1 else []
    query, parameters = read_columns(scratch, dict.fromkeys(columns, "VARCHAR"))
    return Part(query=query, parameters=parameters, lines=numbers, faults=tuple(faults), decided=", ".join(decided))


def find_header(lines: Sequence[str], *, skip: int) -> tuple[int, str]:
    """Return the number of lines before the header, and the delimiter by which most rows have as many fields as the
    header."""
    first = skip
    while first < len(lines) and not lines[first].strip("".join((DELIMITERS, " \r\n\ufeff\0"))):
        first += 1
    if first >= len(lines):
        none = f"has no line after the {skip} that skip leaves out" if skip else "is empty"
        raise ValueError(f"{none}; expected a line of column names")
    if lines[first].lower().startswith("sep=") and len(lines[first].strip()) == 5:
        return first + 1, lines[first][4]
    fits = {}
    for delimiter in DELIMITERS:
        rows = list(islice(read_rows(lines, delimiter, first=first), _SAMPLE))
        width, most = len(_trim(rows[0].fields)), len(rows[0].fields)
        same = sum(len(_trim(row.fields)) <= most and width <= len(row.fields) for row in rows[1:] if _trim(row.fields))
        fits[delimiter] = (width > 1, same * (width > 1), width)
    return first, max(DELIMITERS, key=lambda delimiter: fits[delimiter])


def read_rows(lines: Sequence[str], delimiter: str, *, first: int) -> Iterator[Row]:
    """Yield rows. A line with wrong quotes becomes a row with an error, and the next line is read."""
    at = first
    while at < len(lines):
        reader = csv.reader(islice(lines, at, None), delimiter=delimiter, strict=True)
        begins = at
        try:
            for fields in reader:
                yield Row(begins + 1, fields)
                begins = at + reader.line_num
            return
        except csv.Error as error:
            yield Row(begins + 1, [lines[begins].rstrip("\r\n")[:_MOST_LETTERS]], _explain(error, lines[begins]))
            at = begins + 1


def _count_columns(lines: Sequence[str], delimiter: str, *, first: int, least: int, most: int) -> int:
    """Return the number of columns. Those without a name at the end count if most rows fill them; otherwise the few
    such rows have a delimiter too many."""
    if most == least:
        return least
    rows = islice(read_rows(lines, delimiter, first=first), 1, None)
    lengths = [length for row in rows if (length := len(_trim(row.fields)))]
    return most if sum(length > least for length in lengths) * 2 > len(lengths) else least


def _explain(error: csv.Error, line: str) -> str:
    if "limit" in str(error):
        return f"too_long: a field has more than {_MOST_LETTERS:,} letters; a quote before it may not be closed"
    if "end of data" in str(error):
        return _UNCLOSED
    count = line.count('"')
    return f'unreadable: a quote (") is where none may be: inside a quoted field it is written twice ({count} here)'


_UNCLOSED = 'unreadable: a quote (") is opened and never closed'


def _find_fault(row: list[str], fields: list[str], names: list[str], *, least: int) -> str | None:
    """Return what is wrong with a row. `fields`: `row` without empty ones at its end; `least`: how many columns have
    names."""
    for place, field in enumerate(fields):
        if not field.isascii() and any("\ud800" <= letter <= "\udfff" for letter in field):
            column = names[place] if place < len(names) else "behind the last"
            return f'unreadable: a letter in column "{column}" is no UTF-8, as the rest of the file is'
    if len(fields) > len(names):
        counts = f"has {len(fields)} fields and the header {least}"
        return f"unreadable: {counts}: a value with a delimiter in it needs quotes round it"
    if len(row) < least:
        return f"unreadable: has {len(row)} fields and the header {least}: a delimiter is missing in it"
    return None


def _check_end(lines: Sequence[str], faults: list[Fault], delimiter: str, *, least: int) -> None:
    """Raise ValueError if the file is cut off: the rows that it lacks would be removed."""
    for fault in faults:
        if fault.reason == _UNCLOSED:
            raise ValueError(
                f'line {fault.line}: a quote (") is opened and never closed. Where the file is cut off, fetch it '
                f"again; else write the quote twice: {fault.value}"
            )
    last = lines[-1]
    if not last.endswith(("\n", "\r")) and last.count(delimiter) < least - 1 and last.strip():
        raise ValueError(
            f"line {len(lines)}, the last, breaks off in the middle of a row; fetch the file again: {last[:_SHOWN]}"
        )


def _trim(fields: list[str]) -> list[str]:
    """Remove empty fields at the end: programs write a delimiter after the last field, or leave out empty ones."""
    count = len(fields)
    while count and not fields[count - 1].strip():
        count -= 1
    return fields[:count]


def _cut_code(reason: str) -> str:
    return reason.partition(": ")[2] or reason
