"""Read TOML, overridden by environment variables, into the settings of its tables, or report every problem."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, time
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Struct, structs

from outings.configuration.tables import DERIVED, REMOVED, Configuration
from outings.contract.did_you_mean import suggest
from outings.failures import WrongSetting


class ConfigurationProblem(Struct, frozen=True, kw_only=True):
    """A problem of one setting. `key` is dotted (`feeds.spl.max_shrink`), or None for the whole file."""

    file: Path
    key: str | None
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.key}: {self.message}" if self.key else f"{self.file}: {self.message}"


class ConfigurationError(WrongSetting):
    """Every problem of one configuration, in the file's order."""

    def __init__(self, problems: tuple[ConfigurationProblem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


_SCALARS = (str, int, float, bool, Path)


def strip_annotation(declared: Any) -> Any:
    """Return the type `declared` without its bounds and without `| None`."""
    if get_origin(declared) is Annotated:
        return strip_annotation(get_args(declared)[0])
    if get_origin(declared) in (Union, UnionType):
        kinds = [kind for kind in get_args(declared) if kind is not NoneType]
        return strip_annotation(kinds[0]) if len(kinds) == 1 else declared
    return declared


def find_struct(declared: Any) -> type[Struct] | None:
    """Return the struct of a setting that is a table or an array of tables; None for a plain setting."""
    kind = strip_annotation(declared)
    if get_origin(kind) is tuple:
        kind = strip_annotation(get_args(kind)[0])
    return kind if isinstance(kind, type) and issubclass(kind, Struct) else None


def is_scalar(declared: Any) -> bool:
    kind = strip_annotation(declared)
    if get_origin(kind) in (Union, UnionType):
        return any(is_scalar(one) for one in get_args(kind))
    return kind in _SCALARS or get_origin(kind) is Literal


def list_choices(declared: Any) -> tuple[str, ...]:
    """Return the words that a setting, or each entry of a list, may have; empty if it may have any value."""
    kind = strip_annotation(declared)
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(choice for one in get_args(kind) for choice in list_choices(one))


_PLAIN = {
    str: "a text", int: "a whole number", float: "a number", bool: "true or false", Path: "a path", dict: "a table",
}  # fmt: skip


def describe_type(declared: Any) -> str:
    """Describe the values that a setting may have in words: its bounds if they are declared, otherwise its kind."""
    alternatives = get_args(declared) if get_origin(declared) in (Union, UnionType) else ()
    for one in (declared, *alternatives):
        for note in getattr(one, "__metadata__", ()):
            if note.description:
                return str(note.description)
    if choices := list_choices(declared):
        return ("a list of " if get_origin(strip_annotation(declared)) is tuple else "") + ", ".join(choices)
    kind = strip_annotation(declared)
    if get_origin(kind) is tuple:
        return f"a list, each {describe_type(get_args(kind)[0])}"
    if inner := find_struct(kind):
        return "a table of " + ", ".join(inner.__struct_fields__)
    return _PLAIN[get_origin(kind) or kind]


PREFIX = "OUTINGS_"
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

# The setting that names an entry of an array of tables, as in OUTINGS_FEEDS_SPL_URL. It has no variable itself.
NAMING_KEYS = {"metros": "slug", "feeds": "name"}

SettingPath = tuple[str, ...]


class FromEnvironment(str):
    """A text from an environment variable, which the decoder parses into numbers and booleans where needed."""

    __slots__ = ()


def overlay_environment(document: dict[str, Any], environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Overwrite settings in `document` by environment variables, in place. Return pairs of a variable and its problem.

    A variable that does not begin with a table's name (`OUTINGS_TEST_CASES`) is ignored.
    """
    settings: dict[str, list[SettingPath]] = {}
    for path in _list_scalars(document, Configuration, ()):
        settings.setdefault(name_variable(path), []).append(path)
    ours = tuple(f"{name_variable((field.name,))}_" for field in _list_settings(Configuration))
    removed = {name_variable(tuple(key.split("."))): reason for key, reason in REMOVED.items()}
    wrong = []
    for variable in sorted(name for name in environ if name.startswith(ours)):
        paths = settings.get(variable, [])
        if len(paths) == 1:
            _set_scalar(document, paths[0], FromEnvironment(environ[variable]))
        elif paths:
            wrong.append((variable, "could be " + " or ".join(".".join(path) for path in paths)))
        elif variable in removed:
            wrong.append((variable, removed[variable]))
        else:
            near = suggest(variable, settings)
            wrong.append((variable, f"is not the name of a setting with a single value{near}"))
    return wrong


def _list_settings(table: type[Struct]) -> list[structs.FieldInfo]:
    return [field for field in structs.fields(table) if field.name not in DERIVED]


def name_variable(path: SettingPath) -> str:
    return PREFIX + "_".join(path).upper().replace("-", "_")


def expand_references(text: str, environ: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the text with each `${NAME}` replaced, and a list of the names that are not set."""
    missing = [name for name in _REFERENCE.findall(text) if name not in environ]
    return _REFERENCE.sub(lambda match: environ.get(match[1], match[0]), text), missing


def _list_scalars(document: Any, table: type[Struct], path: SettingPath) -> Iterator[SettingPath]:
    """Yield the path of every scalar setting of a table. In an array of tables, an entry's name is part of the path."""
    raw = document if isinstance(document, dict) else {}
    for field in structs.fields(table):
        here = (*path, field.name)
        inner = find_struct(field.type)
        if inner is None:
            if is_scalar(field.type) and path and NAMING_KEYS.get(path[0]) != field.name:
                yield here
        elif field.name in NAMING_KEYS:
            for name, entry in _list_entries(raw.get(field.name), field.name):
                yield from _list_scalars(entry, inner, (*here, name))
        else:
            yield from _list_scalars(raw.get(field.name), inner, here)


def _list_entries(entries: Any, array: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for entry in entries if isinstance(entries, list) else []:
        name = entry.get(NAMING_KEYS[array]) if isinstance(entry, dict) else None
        if isinstance(name, str):
            yield name, entry


def _set_scalar(document: dict[str, Any], path: SettingPath, value: FromEnvironment) -> None:
    """Set the value at this path of the document. Skip a text where a table is needed: the decoder reports it."""
    head, *rest = path
    if not rest:
        document[head] = value
    elif head in NAMING_KEYS:
        for name, entry in _list_entries(document[head], head):
            if name == rest[0]:
                _set_scalar(entry, tuple(rest[1:]), value)
    elif isinstance(inner := document.setdefault(head, {}), dict):
        _set_scalar(inner, tuple(rest), value)


class Decoder:
    """Decodes the tables of a file and collects their `problems`, so that one run reports all of them."""

    def __init__(self, file: Path, environ: Mapping[str, str]) -> None:
        self.file = file
        self.directory = file.absolute().parent
        self.environ = environ
        self.problems: list[ConfigurationProblem] = []

    def report(self, key: str | None, message: str) -> None:
        self.problems.append(ConfigurationProblem(file=self.file, key=key, message=message))

    def read_document(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.file.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            self.report(None, "there is no such file; name another with -c")
        except OSError as error:
            self.report(None, f"can't be read: {error.strerror}")
        except UnicodeDecodeError as error:
            self.report(None, f"is not UTF-8 (byte {error.start}); save it as UTF-8")
        except tomllib.TOMLDecodeError as error:
            self.report(None, f"is not TOML: {error}")
        raise ConfigurationError(tuple(self.problems))

    def decode_table(self, raw: Any, table: type[Struct], key: str = "") -> dict[str, Any]:
        """Return the valid settings of `raw` by their names in the struct `table`, with defaults. Wrong and missing
        ones are left out and reported."""
        fields = {field.name: field for field in _list_settings(table)}
        if not isinstance(raw, dict):
            self.report(key, f"is {_show(raw)}; allowed: a table of {', '.join(fields)}")
            return {}
        prefix = f"{key}." if key else ""
        for name in raw:
            if name not in fields:
                wrong = f"is not a setting{suggest(name, fields)}; allowed: {', '.join(fields)}"
                self.report(prefix + name, REMOVED.get(prefix + name, wrong))
        values: dict[str, Any] = {}
        for name, field in fields.items():
            if name in raw:
                self._decode_setting(raw[name], field, prefix + name, values)
            else:
                self._take_default(field, prefix + name, values)
        return values

    def _take_default(self, field: structs.FieldInfo, key: str, values: dict[str, Any]) -> None:
        if isinstance(field.default, Struct):
            values[field.name] = self.decode_table({}, type(field.default), key)
        elif isinstance(field.default, Path):
            values[field.name] = self.directory / field.default
        elif field.default is not NODEFAULT:
            values[field.name] = field.default
        elif field.default_factory is not NODEFAULT:
            values[field.name] = field.default_factory()
        else:
            self.report(key, f"is missing; allowed: {describe_type(field.type)}")

    def _decode_setting(self, raw: Any, field: structs.FieldInfo, key: str, values: dict[str, Any]) -> None:
        inner = find_struct(field.type)
        if inner is None:
            self._decode_value(raw, field, key, values)
        elif field.name not in NAMING_KEYS:
            values[field.name] = self.decode_table(raw, inner, key)
        elif isinstance(raw, list):
            values[field.name] = [
                self.decode_table(entry, inner, name_entry(key, number, entry)) for number, entry in enumerate(raw)
            ]
        else:
            self.report(key, f"is {_show(raw)}; allowed: an array of tables, [[{key}]]")

    def _decode_value(self, raw: Any, field: structs.FieldInfo, key: str, values: dict[str, Any]) -> None:
        expanded = self._expand(raw, key)
        if expanded is None:
            return
        lax = isinstance(raw, FromEnvironment)
        try:
            values[field.name] = msgspec.convert(expanded, field.type, strict=not lax, dec_hook=self._decode_path)
        except msgspec.ValidationError:
            where = f" (from {name_variable(tuple(key.split('.')))})" if lax else ""
            choices = list_choices(field.type)
            near = suggest(expanded, choices) if isinstance(expanded, str) else ""
            self.report(key, f"is {_show(expanded)}{where}{near}; allowed: {describe_type(field.type)}")

    def _expand(self, raw: Any, key: str) -> Any:
        """Return `raw` with `${NAME}` replaced in all its texts. Report variables that are not set, and return None."""
        if isinstance(raw, str):
            text, missing = expand_references(raw, self.environ)
            for name in missing:
                self.report(key, f"names ${{{name}}}, which is not set in the environment")
            return None if missing else text
        if isinstance(raw, list):
            items = [self._expand(item, key) for item in raw]
            return None if None in items else items
        if isinstance(raw, dict):
            members = {name: self._expand(value, f"{key}.{name}") for name, value in raw.items()}
            return None if None in members.values() else members
        # A date among free values, such as defaults of records, becomes a text.
        return raw.isoformat() if isinstance(raw, date | time) else raw

    def _decode_path(self, kind: type, value: Any) -> Any:
        """Return a path made absolute, relative to the folder of the configuration."""
        if kind is Path and isinstance(value, str) and value and "\0" not in value:
            return self.directory / value
        raise ValueError("expected a path")


def name_entry(key: str, number: int, entry: Any) -> str:
    """Return the dotted key of an array's entry: with the entry's name, or else its index from 0."""
    name = entry.get(NAMING_KEYS[key]) if isinstance(entry, dict) else None
    return f"{key}.{name}" if isinstance(name, str) and name else f"{key}[{number}]"


def _show(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"' if value else "empty"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text if len(text) <= 80 else text[:80] + "…"
