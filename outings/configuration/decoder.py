"""One decoded TOML document → the values of its tables, with every problem and not only the first."""

import tomllib
from collections.abc import Mapping
from datetime import date, time
from pathlib import Path
from typing import Any

import msgspec
from msgspec import NODEFAULT, Struct, structs

from outings.configuration.annotations import describe_type, find_struct, is_list_of_tables, list_choices
from outings.configuration.environment import NAMING_KEYS, FromEnvironment, expand_references, name_variable
from outings.configuration.problems import ConfigurationError, ConfigurationProblem
from outings.configuration.tables import DERIVED
from outings.contract.did_you_mean import suggest


class Decoder:
    """Walks one file's tables and gathers `problems`. What it returns of a table is only what was right in it."""

    def __init__(self, file: Path, environ: Mapping[str, str]) -> None:
        self.file = file
        self.directory = file.absolute().parent
        self.environ = environ
        self.problems: list[ConfigurationProblem] = []

    def report(self, key: str | None, message: str) -> None:
        self.problems.append(ConfigurationProblem(file=self.file, key=key, message=message))

    def read_document(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            self.report(None, "there is no such file; name another with -c")
        except OSError as error:
            self.report(None, f"can't be read: {error.strerror}")
        except UnicodeDecodeError as error:
            self.report(None, f"is not UTF-8 (byte {error.start})")
        except tomllib.TOMLDecodeError as error:
            self.report(None, f"is not TOML: {error}")
        raise ConfigurationError(tuple(self.problems))

    def decode_table(self, raw: Any, table: type[Struct], key: str = "") -> dict[str, Any]:
        """The right values of `raw` by their names in `table`, with defaults; a wrong or missing one is absent."""
        if not isinstance(raw, dict):
            self.report(key, f"is {_show(raw)}; allowed: a table of {_list_names(table)}")
            return {}
        prefix = f"{key}." if key else ""
        fields = {field.name: field for field in structs.fields(table) if field.name not in DERIVED}
        for name in raw:
            if name not in fields:
                near = suggest(name, fields)
                self.report(prefix + name, f"is not a setting{near}; allowed: {', '.join(fields)}")
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
        elif not is_list_of_tables(field.type):
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
        """`raw` with `${NAME}` replaced in every text of it, or None where a variable is not set."""
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
        # In a table of free values a date is as a record would state it: a text.
        return raw.isoformat() if isinstance(raw, date | time) else raw

    def _decode_path(self, kind: type, value: Any) -> Any:
        """Relative paths are relative to the file."""
        if kind is Path and isinstance(value, str) and value and "\0" not in value:
            return self.directory / value
        raise ValueError("expected a path")


def name_entry(key: str, number: int, entry: Any) -> str:
    """An array's entry by its own name where it has one, else by its number from 0."""
    name = entry.get(NAMING_KEYS[key]) if isinstance(entry, dict) else None
    return f"{key}.{name}" if isinstance(name, str) and name else f"{key}[{number}]"


def _show(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"' if value else "empty"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text if len(text) <= 80 else text[:80] + "…"


def _list_names(table: type[Struct]) -> str:
    return ", ".join(field.name for field in structs.fields(table) if field.name not in DERIVED)
