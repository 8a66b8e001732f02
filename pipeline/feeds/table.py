"""Tables as cities publish them (CSV, JSON, Parquet, GeoJSON) → rows that are canonical records, by one SELECT.

A text in the file is a text in the table: whether this week's column looks like dates must not decide its type.
"""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import msgspec
from duckdb import DuckDBPyConnection
from msgspec import Raw, Struct

from outings.configuration import FeedTable
from pipeline.feeds.ndjson import decode_record, mend_signs
from pipeline.feeds.raw import RawRecord
from pipeline.feeds.reader import FeedSetting, Reader
from pipeline.feeds.selection import lock, select_records
from pipeline.feeds.source import FeedError, SelectError, SourceFile, read_select
from pipeline.scratch import open_scratch

# One thread: with more, an order that the SELECT leaves open would be another one each time.
_SETTINGS: dict[str, str | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "threads": 1,
    "memory_limit": "1GB",
    "max_temp_directory_size": "16GB",
}
_MESSAGE_CHARACTERS = 600
_GUESSED_TYPES = {"date", "timestamp", "timestamp with time zone", "time", "uuid"}


def read_rows(files: Sequence[SourceFile], setting: FeedSetting) -> Iterator[RawRecord]:
    """The rows of the feed's `select` over its files; a row's line is its number in the result, from 1."""
    feed = setting.feed
    assert feed.select is not None  # the configuration holds it
    query = read_select(feed.name, feed.select)
    with (
        open_scratch() as folder,
        duckdb.connect(":memory:", config={**_SETTINGS, "temp_directory": f"{folder}/spill"}) as connection,
    ):
        # In an interactive Python (`python -c` is one) DuckDB would draw a bar over the `--json` on standard output.
        connection.execute("SET enable_progress_bar = false")
        open_table(connection, feed, files, scratch=folder)
        lock(connection)
        try:
            rows = select_records(connection, query, setting.vocabulary)
        except ValueError as error:
            raise SelectError(feed.name, f"select {feed.select}", str(error)) from error
        for number, row in enumerate(rows, start=1):
            yield decode_record(row.encode(), line=number)


def open_table(connection: DuckDBPyConnection, feed: FeedTable, files: Sequence[SourceFile], *, scratch: Path) -> None:
    """Makes the table `feed` of all files, joined by the names of their columns. Raises `FeedError`."""
    parts: list[str] = []
    parameters: list[Any] = []
    for number, file in enumerate(files):
        reader = READERS.get(file.path.suffix.lower())
        if reader is None:
            raise FeedError(feed.name, file.name, f"is no table; allowed endings: {', '.join(READERS)}")
        try:
            part, bound = reader(connection, file.path, scratch / f"{number}.ndjson")
            parts.append(part)
            parameters += bound
            if file is files[-1]:
                connection.execute(f"CREATE TABLE feed AS {' UNION ALL BY NAME '.join(parts)}", parameters)
        except OSError as error:
            raise FeedError(feed.name, file.name, f"can't be read: {error.strerror}") from error
        except (duckdb.Error, ValueError) as error:
            raise FeedError(feed.name, file.name, _shorten(str(error))) from error


def _read_csv(connection: DuckDBPyConnection, path: Path, scratch: Path) -> tuple[str, list[Any]]:  # noqa: ARG001
    """The header says the delimiter and the columns; a row with another number of them is an error with its line."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        first = file.readline()
        delimiter = max(",;\t|", key=first.count)
        file.seek(0)
        header = next(csv.reader(file, delimiter=delimiter), [])
    if not header:
        raise ValueError("is empty; expected a line of column names")
    columns = dict.fromkeys((name.strip() or f"column{number}" for number, name in enumerate(header)), "VARCHAR")
    if len({name.casefold() for name in columns}) < len(header):
        raise ValueError(f"names a column twice: {', '.join(header)}")
    options = "auto_detect=false, header=true, delim=?, quote='\"', escape='\"', columns=?"
    return f"SELECT * FROM read_csv(?, {options})", [str(path), delimiter, columns]


def _read_json(connection: DuckDBPyConnection, path: Path, scratch: Path) -> tuple[str, list[Any]]:
    content = path.read_bytes()
    if (mended := mend_signs(content)) is not content:
        scratch.write_bytes(mended)
        path = scratch
    size = max(16 << 20, path.stat().st_size + 1)
    guess = "SELECT * FROM read_json(?, sample_size=-1, maximum_object_size=?)"
    source = connection.sql(guess, params=[str(path), size])
    types = {name: _keep_text(kind) for name, kind in zip(source.columns, source.types, strict=True)}
    if types.keys() == {"json"}:
        raise ValueError("holds no objects; expected a list of them, or one a line")
    return "SELECT * FROM read_json(?, columns=?, maximum_object_size=?)", [str(path), types, size]


def _keep_text(kind: Any) -> str:
    """The type that DuckDB found, with VARCHAR for what it only read from the look of texts."""
    if kind.id == "struct":
        members = [f"{_quote(name)} {_keep_text(child)}" for name, child in kind.children]
        return f"STRUCT({', '.join(members)})"
    if kind.id == "list":
        return f"{_keep_text(kind.children[0][1])}[]"
    if kind.id == "map":
        return "JSON"
    return "VARCHAR" if kind.id in _GUESSED_TYPES else str(kind)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _read_parquet(connection: DuckDBPyConnection, path: Path, scratch: Path) -> tuple[str, list[Any]]:  # noqa: ARG001
    return "SELECT * FROM read_parquet(?)", [str(path)]


class _Feature(Struct):
    properties: dict[str, Raw] | None = None
    geometry: Raw = Raw(b"null")
    id: Raw = Raw(b"null")


class _FeatureCollection(Struct):
    features: list[Raw]


def _parse_feature(raw: Raw) -> _Feature:
    """One that is none is a row that states nothing: its record is quarantined, and the others are read."""
    try:
        return msgspec.json.decode(raw, type=_Feature)
    except ValueError:
        return _Feature()


def _read_geojson(connection: DuckDBPyConnection, path: Path, scratch: Path) -> tuple[str, list[Any]]:
    """A row a feature: its properties as columns, `geometry` as JSON, and its `id` where no property is named so."""
    try:
        collection = msgspec.json.decode(mend_signs(path.read_bytes()), type=_FeatureCollection)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is no GeoJSON FeatureCollection: {error}") from error
    with scratch.open("wb") as file:
        for feature in map(_parse_feature, collection.features):
            row = {"id": feature.id, **(feature.properties or {}), "geometry": feature.geometry}
            file.write(msgspec.json.encode(row).replace(b"\n", b" ") + b"\n")
    part, parameters = _read_json(connection, scratch, scratch)
    parameters[1]["geometry"] = "JSON"
    return part, parameters


FileReader = Callable[[DuckDBPyConnection, Path, Path], tuple[str, list[Any]]]
READERS: dict[str, FileReader] = {
    ".csv": _read_csv, ".tsv": _read_csv, ".json": _read_json, ".ndjson": _read_json, ".jsonl": _read_json,
    ".parquet": _read_parquet, ".geojson": _read_geojson,
}  # fmt: skip


def _shorten(message: str) -> str:
    """What is wrong, without DuckDB's advice on its own options, in one line."""
    told = re.split(r"Possible (fixes|solutions?):?", message, maxsplit=1, flags=re.IGNORECASE)[0]
    return " ".join(told.split())[:_MESSAGE_CHARACTERS]


READER = Reader(read_files=read_rows)
