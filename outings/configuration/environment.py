"""The environment laid over a configuration: `OUTINGS_…` variables, and `${NAME}` inside texts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, structs

from outings.configuration.annotations import find_struct, is_list_of_tables, is_scalar
from outings.configuration.tables import DERIVED, Configuration
from outings.contract.did_you_mean import suggest

PREFIX = "OUTINGS_"
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

# An entry of an array of tables is named by this key: OUTINGS_FEEDS_SPL_URL. The key itself is no variable.
NAMING_KEYS = {"metros": "slug", "feeds": "name"}

Path = tuple[str, ...]


class FromEnvironment(str):
    """A text that a variable gave: numbers and booleans are read from it."""

    __slots__ = ()


def overlay_environment(document: dict[str, Any], environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Sets in `document` each scalar that a variable names. Returns (variable, what is wrong with it).

    A variable that begins with no table's name (`OUTINGS_TEST_CASES`) is somebody else's.
    """
    settings: dict[str, list[Path]] = {}
    for path in _list_scalars(document, Configuration, ()):
        settings.setdefault(name_variable(path), []).append(path)
    ours = tuple(name_variable((table,)) + "_" for table in list_tables())
    wrong = []
    for variable in sorted(name for name in environ if name.startswith(ours)):
        paths = settings.get(variable, [])
        if len(paths) == 1:
            _set_scalar(document, paths[0], FromEnvironment(environ[variable]))
        elif paths:
            wrong.append((variable, "could be " + " or ".join(".".join(path) for path in paths)))
        else:
            near = suggest(variable, settings)
            wrong.append((variable, f"is not the name of a setting with a single value{near}"))
    return wrong


def list_tables() -> list[str]:
    return [field.name for field in structs.fields(Configuration) if field.name not in DERIVED]


def name_variable(path: Path) -> str:
    return PREFIX + "_".join(path).upper().replace("-", "_")


def expand_references(text: str, environ: Mapping[str, str]) -> tuple[str, list[str]]:
    """`text` with each `${NAME}` replaced, and the names that the environment does not have."""
    missing = [name for name in _REFERENCE.findall(text) if name not in environ]
    return _REFERENCE.sub(lambda match: environ.get(match[1], match[0]), text), missing


def _list_scalars(document: Any, table: type[Struct], path: Path) -> Iterator[Path]:
    """The path of every scalar that these tables have, entries of arrays by their name."""
    raw = document if isinstance(document, dict) else {}
    for field in structs.fields(table):
        here = (*path, field.name)
        inner = find_struct(field.type)
        if inner is None:
            if is_scalar(field.type) and path and NAMING_KEYS.get(path[0]) != field.name:
                yield here
        elif is_list_of_tables(field.type):
            for name, entry in _list_entries(raw.get(field.name), field.name):
                yield from _list_scalars(entry, inner, (*here, name))
        else:
            yield from _list_scalars(raw.get(field.name), inner, here)


def _list_entries(entries: Any, array: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for entry in entries if isinstance(entries, list) else []:
        name = entry.get(NAMING_KEYS[array]) if isinstance(entry, dict) else None
        if isinstance(name, str):
            yield name, entry


def _set_scalar(document: dict[str, Any], path: Path, value: FromEnvironment) -> None:
    """What stands in the way (a table given as a text) is left for the decoder to report."""
    head, *rest = path
    if not rest:
        document[head] = value
    elif head in NAMING_KEYS:
        for name, entry in _list_entries(document[head], head):
            if name == rest[0]:
                _set_scalar(entry, tuple(rest[1:]), value)
    elif isinstance(inner := document.setdefault(head, {}), dict):
        _set_scalar(inner, tuple(rest), value)
