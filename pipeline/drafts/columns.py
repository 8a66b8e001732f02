"""The columns of a table, including those inside objects and lists: their values, and the meaning of their names."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from duckdb import DuckDBPyConnection
from msgspec import Struct

from outings.configuration.mapping import MappingError
from pipeline.fetch.table.mapping import find_text, fold


@cache
def read_words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    tables: dict[str, Any] = tomllib.loads(files("pipeline.drafts").joinpath("words.toml").read_text("utf-8"))
    return {table: {name: tuple(words) for name, words in rows.items()} for table, rows in tables.items()}


def tidy(text: str) -> str:
    """Lower case, without accents, words parted by one blank."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text.replace("#", " number "))
    return " ".join(re.sub(r"[^a-z0-9&]+", " ", fold(spaced)).split())


def list_spellings(path: str) -> list[str]:
    """Return the names under which a column may be known: its whole path, then its last steps."""
    steps = re.split(r"[.\[\]]+", path.strip("[]."))
    spelled = [tidy(" ".join(steps[first:])) for first in range(len(steps))]
    return list(dict.fromkeys(each for each in spelled if each))


def rank_name(role: str, path: str) -> tuple[int, int] | None:
    """Return how well a column's name fits a role, lower being better; None if it does not fit. The whole path is
    better than its last step, then the order of the role's names counts."""
    for shortened, spelled in enumerate(list_spellings(path)):
        for place, pattern in enumerate(_compile_names(role)):
            if pattern.fullmatch(spelled):
                return shortened, place
    return None


@cache
def _compile_names(role: str) -> list[re.Pattern[str]]:
    return [re.compile(re.escape(name).replace(r"\*", r"\w+")) for name in read_words()["names"][role]]


def find_meanings(table: str, word: str) -> list[str]:
    """Our words that a city's one has a sign of, at the beginning of one of its words."""
    spelled = f" {tidy(word)}"
    return [ours for ours, signs in read_words()[table].items() if any(f" {sign}" in spelled for sign in signs)]


def is_free(word: str) -> bool:
    """Return True if the text says that it is free for everybody, unlike `Free for members` or `Free with
    admission`."""
    text, words = tidy(word), read_words()["words"]
    rests = [text[len(each) :].split() for each in words["free"] if each != "0" and f"{text} ".startswith(f"{each} ")]
    return any(rest[:1] == [] or rest[0] not in words["conditions"] for rest in rests)


def count_known(names: Iterable[str]) -> int:
    """Count the names that are names of columns which we know."""
    return sum(any(rank_name(role, name) is not None for role in read_words()["names"]) for name in names)


_MOST_ROWS = 5_000
_MOST_COLUMNS = 200
_DEEPEST = 3
_EXAMPLES = 5


class Column(Struct, frozen=True, kw_only=True):
    """A column, or a value inside its objects and lists. `path`: as a mapping names it. `values`: its texts in the
    first rows, None if empty. `many`: True if each is a list, whose entries are joined by `|`."""

    path: str
    values: tuple[str | None, ...]
    many: bool = False

    @property
    def filled(self) -> list[str]:
        return [value for value in self.values if value]

    @property
    def distinct(self) -> list[str]:
        entries = (entry for value in self.filled for entry in (value.split("|") if self.many else [value]))
        return list(dict.fromkeys(entry.strip() for entry in entries if entry.strip()))

    @property
    def empty(self) -> int:
        return len(self.values) - len(self.filled)

    @property
    def examples(self) -> list[str]:
        return self.distinct[:_EXAMPLES]


def list_columns(connection: DuckDBPyConnection) -> list[Column]:
    """Return the columns of the table `feed`."""
    table = connection.table("feed")
    types = dict(zip(table.columns, table.types, strict=True))
    columns: list[Column] = []
    for name, kind in types.items():
        for path in _list_paths(connection, name, kind, types):
            if len(columns) == _MOST_COLUMNS:
                return columns
            if (column := _read_column(connection, path, types)) is not None:
                columns.append(column)
    return columns


def _read_column(connection: DuckDBPyConnection, path: str, types: Mapping[str, Any]) -> Column | None:
    try:
        text = find_text("", path, types)
    except MappingError:
        return None
    sql = f"nullif(array_to_string({text.sql}, '|'), '')" if text.many else text.sql
    rows = connection.execute(f"SELECT {sql} FROM feed ORDER BY rowid LIMIT {_MOST_ROWS}").fetchall()
    return Column(path=path, values=tuple(value for (value,) in rows), many=text.many)


def _list_paths(
    connection: DuckDBPyConnection, path: str, kind: Any, types: Mapping[str, Any], depth: int = 0
) -> Iterator[str]:
    """Yield the path of each value inside a column."""
    if depth > _DEEPEST:
        return
    if kind.id == "struct":
        for name, child in kind.children:
            yield from _list_paths(connection, f"{path}.{name}", child, types, depth + 1)
    elif kind.id == "list":
        child = kind.children[0][1]
        if child.id == "struct":
            for name, _ in child.children:
                yield f"{path}[].{name}"
        elif path.endswith("coordinates"):
            yield from (f"{path}[{place}]" for place in (0, 1))
        else:
            yield f"{path}[]" if child.id != "list" else path
    elif kind.id == "varchar" and (inside := _list_inside(connection, path, types)):
        yield from (f"{path}.{each}" for each in inside)
    else:
        yield path


def _list_inside(connection: DuckDBPyConnection, path: str, types: Mapping[str, Any]) -> Sequence[str]:
    """Return the paths of members, if the column's texts are JSON objects."""
    column = _read_column(connection, path, types)
    objects = []
    for value in column.filled[:50] if column is not None else ():
        try:
            objects.append(json.loads(value) if value.startswith("{") else None)
        except ValueError:
            return ()
    inside = [each for each in objects if isinstance(each, dict)]
    if not inside or len(inside) * 2 < len(objects):
        return ()
    return list(dict.fromkeys(inner for each in inside for inner in _walk(each)))


def _walk(value: dict[str, Any], path: str = "", depth: int = 0) -> Iterator[str]:
    for name, inner in value.items():
        own = f"{path}.{name}" if path else name
        if isinstance(inner, dict) and depth < _DEEPEST:
            yield from _walk(inner, own, depth + 1)
        elif isinstance(inner, list) and name == "coordinates":
            yield from (f"{own}[{place}]" for place in (0, 1))
        elif not isinstance(inner, (dict, list)):
            yield own
