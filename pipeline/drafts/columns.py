"""Read the columns of a table, also those inside objects and lists: their values, and what their names mean."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

from duckdb import DuckDBPyConnection
from msgspec import Struct

from outings.configuration.mapping import MappingError
from outings.sql_quoting import quote
from outings.texts.tokens import LANGUAGES
from pipeline.fetch.table.mapping import find_text
from pipeline.words import fold, merge_words, read_words

# Roles in the order in which a person would name them, then those that no name shows.
ROLES = (*read_words(LANGUAGES[0])["names"], "weekdays")


def tidy(text: str) -> str:
    """Return the text in lower case, without accents and punctuation, its words separated by one space."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text.replace("#", " number ").replace("ß", "ss"))
    return " ".join(re.sub(r"[^a-z0-9&]+", " ", fold(spaced)).split())


# Languages of texts that a file has in several, as in `title.fr` and `title_nb`.
_TONGUES = frozenset(
    ("ca", "cs", "da", "de", "en", "es", "eu", "fi", "fr", "gl", "it", "nb", "nl", "nn", "no", "pl", "pt", "sv")
)
_TONGUE_BEHIND = re.compile(" (ca|cs|de|en|es|eu|fr|gl|it|nb|nl|nn|pl|pt|sv)$")


@cache
def list_spellings(path: str) -> list[str]:
    """List the names by which a column is looked up: its whole path, then the path without its first steps.

    A name without Latin letters and digits has one, "".
    """
    steps = re.split(r"[.\[\]]+", path.strip("[]."))
    while len(steps) > 1 and steps[-1].casefold() in _TONGUES:
        steps.pop()  # `title.fr`
    spelled = [_TONGUE_BEHIND.sub("", tidy(" ".join(steps[first:]))) for first in range(len(steps))]
    return list(dict.fromkeys(spelling for spelling in spelled if spelling)) or [""]


@cache
def rank_name(role: str, path: str) -> tuple[int, int] | None:
    """Return the rank of a column's name for a role, the lower the better; None if the name does not fit.

    A whole path ranks before its last step, and names rank in the order in which the language files list them.
    """
    named = _find_name(role)
    for shortened, spelled in enumerate(list_spellings(path)):
        words, whole = spelled.split(), spelled.replace(" ", "")
        turned = "".join(reversed(words)) if len(words) == 2 else whole  # `datestart`
        places = [named[name] for name in (whole, turned) if name in named]
        if not places and whole and len(path) == _SHAPEFILE_LETTERS:
            places = [_CUT + place for name, place in named.items() if name.startswith(whole)]
        if places:
            return shortened, min(places)
    return _rank_loosely(role, path)


def _names_other(word: str) -> bool:
    """Return True if this word before `name` or `title` names another thing than the listing, as in `room_name`."""
    return any(word in _find_name(role) for role in ("venue", "organization", "category", "city"))


# A shapefile cuts the names of its columns to ten letters: `DENOMINAZI`, `STREET_ADD`.
_SHAPEFILE_LETTERS = 10
_CUT = 200
# Roles that the first or last word of a longer name shows: `Resident Fee`, `lieu_adresse`.
_LOOSE = (
    "source_id", "name", "start_date", "start_time", "venue", "address", "price", "age_text", "description", "category"
)  # fmt: skip
_LOOSELY = 10


def _rank_loosely(role: str, path: str) -> tuple[int, int] | None:
    named = {"id": 0} if role == "source_id" else _find_name(role)
    spellings = [spelled.split() for spelled in list_spellings(path) if " " in spelled] if role in _LOOSE else []
    ranks = [
        (_LOOSELY + (role == "name" and _names_other("".join(words[:-1]))), named[word])
        for words in spellings
        for word in (words[0], words[-1])
        if word in named
    ]
    return min(ranks, default=None)


@cache
def _find_name(role: str) -> Mapping[str, int]:
    """Return the rank of each name of a role, the best in any language."""
    named: dict[str, int] = {}
    for language in LANGUAGES:
        for place, name in enumerate(read_words(language)["names"].get(role, ())):
            key = name.replace(" ", "")
            named[key] = min(place, named.get(key, place))
    return named


def find_meanings(table: str, word: str) -> list[str]:
    """Return the vocabulary words that a feed's text means, by the word beginnings in the language files' `table`."""
    spelled = f" {tidy(word)}"
    return [ours for ours, signs in merge_words(table).items() if any(f" {sign}" in spelled for sign in signs)]


def count_known(names: Iterable[str]) -> int:
    """Count the column names that fit any role."""
    return sum(any(rank_name(role, name) is not None for role in ROLES) for name in names)


_MOST_ROWS = 10_000
_MOST_COLUMNS = 200
_DEEPEST = 3
_EXAMPLES = 5
_EXAMPLE_LETTERS = 30
_POSITIONS = ("coordinates", "point")


class Column(Struct, frozen=True, kw_only=True):
    """A column, or a member inside its objects and lists. `path`: as a mapping names it. `values`: the texts of the
    first rows, None where empty. `many`: each value is a list, joined by `|`."""

    path: str
    values: tuple[str | None, ...]
    many: bool = False

    @property
    def first(self) -> "Column":
        """Return the column with the first entry of each list."""
        firsts = (value and value.split("|")[0] for value in self.values)
        return Column(path=self.path.replace("[]", "[0]"), values=tuple(firsts)) if self.many else self

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


def show_examples(column: Column, *, most: int = 5) -> str:
    shown = (" ".join(value.split()) for value in column.examples[:most])
    return ", ".join(value if len(value) <= _EXAMPLE_LETTERS else value[:_EXAMPLE_LETTERS] + "…" for value in shown)


def list_columns(connection: DuckDBPyConnection) -> list[Column]:
    """Return the columns of the table `feed`, with the members inside objects and lists as columns of their own."""
    table = connection.table("feed")
    types = dict(zip(table.columns, table.types, strict=True))
    paths = (path for name, kind in types.items() for path in _list_paths(connection, name, kind, types))
    columns = (column for path in paths if (column := _read_column(connection, path, types)) is not None)
    return list(islice(columns, _MOST_COLUMNS))


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
    """Yield the path of a column, or of each value inside its objects and lists."""
    if depth > _DEEPEST:
        return
    if kind.id == "struct":
        for name, child in kind.children:
            yield from _list_paths(connection, f"{path}.{name}", child, types, depth + 1)
    elif kind.id == "list":
        child = kind.children[0][1]
        if child.id == "struct" and _count_most(connection, path) == 1:
            yield from _list_paths(connection, f"{path}[0]", child, types, depth)
        elif child.id == "struct":
            for name, _ in child.children:
                yield f"{path}[].{name}"
        elif path.endswith(_POSITIONS) or child.id in ("double", "decimal"):
            yield from (f"{path}[{place}]" for place in (0, 1))
        else:
            yield f"{path}[]" if child.id != "list" else path
    elif kind.id == "varchar" and (inside := _list_inside(connection, path, types)):
        yield from (f"{path}.{member}" for member in inside)
    else:
        yield path


def _count_most(connection: DuckDBPyConnection, path: str) -> int:
    """Return the length of the longest of a column's lists; 0 for a list inside another."""
    if "[" in path:
        return 0
    place = ".".join(map(quote, path.split(".")))
    ((most,),) = connection.execute(f"SELECT max(len({place})) FROM feed").fetchall()
    return int(most or 0)


def _list_inside(connection: DuckDBPyConnection, path: str, types: Mapping[str, Any]) -> Sequence[str]:
    """Return the paths of members inside a text column whose texts are JSON objects, otherwise none."""
    column = _read_column(connection, path, types)
    try:
        texts = column.filled[:50] if column is not None else ()
        objects = [json.loads(value) if value.startswith("{") else None for value in texts]
    except ValueError:
        return ()
    inside = [value for value in objects if isinstance(value, dict)]
    if not inside or len(inside) * 2 < len(objects):
        return ()
    paths = dict.fromkeys(inner for value in inside for inner in _walk(value))
    # A geometry's point says where it is; its corners are lists, and its type is none of the place.
    return [own for own in paths if "point[0]" not in paths or not own.startswith(("coordinates", "type"))]


def _walk(value: dict[str, Any], path: str = "", depth: int = 0) -> Iterator[str]:
    for name, inner in value.items():
        own = f"{path}.{name}" if path else name
        if isinstance(inner, dict) and depth < _DEEPEST:
            yield from _walk(inner, own, depth + 1)
        elif isinstance(inner, list) and name in _POSITIONS:
            yield from (f"{own}[{place}]" for place in (0, 1))
        elif not isinstance(inner, (dict, list)):
            yield own
