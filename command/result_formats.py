"""What a query found, as a table for people, CSV, JSON or Parquet. Instants are written as the API writes them."""

import csv
import io
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import BinaryIO

import pyarrow.parquet as pq
from duckdb import DuckDBPyRelation

from outings.contract.values import CONTROL_CHARACTERS
from outings.sql_quoting import quote

_ROWS_AT_ONCE = 2_000
# Kinds of time that are written otherwise than DuckDB writes them.
_TIMES = {"TIMESTAMP WITH TIME ZONE": "%Y-%m-%dT%H:%M:%SZ", "TIMESTAMP": "%Y-%m-%dT%H:%M:%S"}
# Of a cell of a table for people; the other formats leave nothing out.
_WIDEST = 60
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "U")


def write_table(relation: DuckDBPyRelation, out: BinaryIO) -> None:
    titles = [_show(name) for name in relation.columns]
    rows = [[_show(text) for text in row] for row in _fetch_texts(relation)]
    widths = [max(map(_measure, column)) for column in zip(titles, *rows, strict=True)]
    is_number = [str(kind).startswith(_NUMBERS) for kind in relation.types]
    for line in (titles, ["-" * width for width in widths], *rows):
        cells = (_pad(text, width, at_right=right) for text, width, right in zip(line, widths, is_number, strict=True))
        out.write(f"{'  '.join(cells).rstrip()}\n".encode())


def write_csv(relation: DuckDBPyRelation, out: BinaryIO) -> None:
    """A list is its values with a semicolon between them. Null is nothing between two commas, as an empty text is."""
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(relation.columns)
    writer.writerows(_fetch_texts(relation))
    text.detach()


def write_json(relation: DuckDBPyRelation, out: BinaryIO) -> None:
    """One object on one line, whose `rows` are objects."""
    spelled = (
        f"{_spell_time(at, str(kind)) or f'#{at}'} AS {quote(name)}"
        for at, (name, kind) in enumerate(zip(relation.columns, relation.types, strict=True), start=1)
    )
    rows = relation.project(", ".join(spelled)).query("result", "SELECT to_json(result)::VARCHAR FROM result")
    out.write(b'{"rows":[')
    for number, (row,) in enumerate(_fetch(rows)):
        out.write(b"," * (number > 0) + str(row).encode())
    out.write(b"]}\n")


def write_parquet(relation: DuckDBPyRelation, out: BinaryIO) -> None:
    pq.write_table(relation.to_arrow_table(), out, compression="zstd")


FORMATS: Mapping[str, Callable[[DuckDBPyRelation, BinaryIO], None]] = {
    "table": write_table, "csv": write_csv, "json": write_json, "parquet": write_parquet,
}  # fmt: skip


def _fetch_texts(relation: DuckDBPyRelation) -> Iterator[Sequence[str | None]]:
    return _fetch(relation.project(", ".join(_spell(at, str(kind)) for at, kind in enumerate(relation.types, start=1))))


def _fetch(relation: DuckDBPyRelation) -> Iterator[Sequence[str | None]]:
    while rows := relation.fetchmany(_ROWS_AT_ONCE):
        yield from rows


def _spell(at: int, kind: str) -> str:
    """A column, by its number, as text."""
    if kind == "VARCHAR[]":
        return f"list_aggregate(#{at}, 'string_agg', ';')"
    return _spell_time(at, kind) or f"CAST(#{at} AS VARCHAR)"


def _spell_time(at: int, kind: str) -> str | None:
    """None of a column that is no time of these kinds."""
    return f"strftime(#{at}, '{_TIMES[kind]}')" if kind in _TIMES else None


def _show(text: str | None) -> str:
    """On one line, without what would steer a terminal."""
    plain = CONTROL_CHARACTERS.sub(" ", text or "")
    return plain if len(plain) <= _WIDEST else f"{plain[: _WIDEST - 1]}…"


def _measure(text: str) -> int:
    """In columns of a terminal: a letter of East Asia takes two, an accent of its own none."""
    return sum(0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "FW") for sign in text)


def _pad(text: str, width: int, *, at_right: bool) -> str:
    blanks = " " * (width - _measure(text))
    return blanks + text if at_right else text + blanks
