"""Makes OpenAPI parameters from the table of parameters."""

from collections.abc import Iterable, Mapping
from typing import Any

from outings.contract.argument import list_allowed
from outings.contract.openapi.examples import find_path_values
from outings.contract.openapi.schemas import Schema, list_words, name_path, refer
from outings.contract.parameter import DateDefault, Default, Parameter
from outings.contract.parameters import PARAMETERS
from outings.contract.route import Route
from outings.contract.values import KINDS
from outings.contract.vocabulary import Vocabulary

# What stands in a path's braces.
_IN_PATH: Mapping[str, Schema] = {
    "metro": {"schema": {"type": "string"}, "description": "A metro's slug, or an alias of it."},
    "id": {"schema": {"type": "string", "format": "uuid"}, "description": "Its id."},
    "file": {
        "schema": {"type": "string"},
        "description": "Its name, `<collection>.<format>`, as `links.self` of the export has it.",
    },
    "slug": {"schema": {"type": "string"}, "description": "Its slug."},
}


def make_shared(vocabulary: Vocabulary) -> dict[str, Schema]:
    """Components for parameters that are the same on every route."""
    return {name: make_parameter(row, vocabulary=vocabulary) for name, row in PARAMETERS.items() if row.kind != "path"}


def list_parameters(route: Route, *, vocabulary: Vocabulary) -> list[Schema]:
    """The parameters of one operation, those of its path first."""
    values = find_path_values(route)
    listed = [
        {"name": name, "in": "path", "required": True, **members, **({"example": values[name]} if values else {})}
        for name, members in _IN_PATH.items()
        if f"{{{name}}}" in route.path
    ]
    for name, row in route.parameters.items():
        if row == PARAMETERS[name] and row.kind != "path":
            listed.append(refer(name, kind="parameters"))
        else:
            listed.append(make_parameter(row, vocabulary=vocabulary, resource=route.shown))
    return [*listed, *_list_ignored(route, vocabulary=vocabulary)]


def make_parameter(row: Parameter, *, vocabulary: Vocabulary, resource: str | None = None) -> Schema:
    """`resource` is the one whose members a parameter of kind `path` may name."""
    schema = _make_schema(row, vocabulary=vocabulary, resource=resource)
    parameter: Schema = {"name": row.name, "in": "query", "description": " ".join(_describe(row)), "schema": schema}
    if row.required:
        parameter["required"] = True
    if row.replaced_by is not None:
        parameter["deprecated"] = True
    example = _choose_example(row, vocabulary)
    if example and (row.is_tryable or row.required):
        parameter["example"] = _read_example(row, example)
    if row.stability != "stable":
        parameter["x-stability"] = row.stability
    return parameter


def _list_ignored(route: Route, *, vocabulary: Vocabulary) -> Iterable[Schema]:
    for name in route.ignored:
        parameter = make_parameter(PARAMETERS[name], vocabulary=vocabulary)
        meaning = f"Changes nothing for {route.collection}, whatever its value: a notice says so."
        yield {**parameter, "description": meaning, "schema": {}, "x-ignored": True}


def _describe(row: Parameter) -> Iterable[str]:
    yield row.meaning
    if row.array:
        yield "Several are repeated or joined by commas."
    if row.default is not None:
        yield f"Default: {_write_default(row.default)}."
    if not row.is_tryable and not row.required and row.allowed != ():
        yield f"For example `{row.name}={row.example}`."
    if row.replaced_by is not None:
        yield f"Send `{row.replaced_by}`."
    if row.is_optional:
        yield "Answered where the deployment knows postal codes; else `501`."


def _write_default(default: Default) -> str:
    if isinstance(default, DateDefault):
        return default.value
    texts = default if isinstance(default, tuple) else (str(default).lower() if default is False else str(default),)
    return ", ".join(f"`{text}`" for text in texts)


def _make_schema(row: Parameter, *, vocabulary: Vocabulary, resource: str | None) -> Schema:
    item: Schema = dict(KINDS[row.kind].form)
    allowed = list_allowed(row, vocabulary)
    if allowed is not None:
        item |= list_words(allowed)
    if row.kind == "path" and resource is not None:
        item = refer(name_path(resource))
    bounded = row.kind in ("integer", "number")
    for bound, keyword in ((row.minimum, "minimum"), (row.maximum, "maximum")):
        if bound is not None:
            item[keyword if bounded else f"{keyword[:3]}Length"] = int(bound) if bound == int(bound) else bound
    if row.array:
        item = {"type": "array", "items": item, "minItems": 1}
        if row.most is not None:
            item["maxItems"] = row.most
    if row.default is not None and not isinstance(row.default, DateDefault):
        # Not `default`: generated clients send that, and beside `ids` or a cursor it is refused.
        item["x-default"] = list(row.default) if isinstance(row.default, tuple) else row.default
    return item


def _choose_example(row: Parameter, vocabulary: Vocabulary) -> str:
    """A value as it stands in a query string, in the deployment's words; empty where no value is allowed."""
    allowed = list_allowed(row, vocabulary)
    if allowed is None or all(word in allowed for word in row.example.split(",")):
        return row.example
    return next(iter(allowed), "")


def _read_example(row: Parameter, example: str) -> Any:
    if row.array:
        return [_read_scalar(row, text) for text in example.split(",")]
    return _read_scalar(row, example)


def _read_scalar(row: Parameter, text: str) -> Any:
    value = KINDS[row.kind].parse(text)
    return value if isinstance(value, int | float) else text
