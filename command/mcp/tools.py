"""Make an assistant's tools from `/openapi.json`, and translate their arguments to requests."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct

Schema = dict[str, Any]

# Items in an answer if the assistant does not say how many.
LIMIT = 10
# The operations behind each tool. Where a tool has several, its argument `type` chooses one.
_OPERATIONS = {
    "search": r"search",
    "list_listings": r"(?P<type>events|classes|camps|places)_list",
    "nearby": r"nearby",
    "get_listing": r"(?P<type>events|classes|camps|places|organizations)_detail",
    "calendar": r"events_calendar",
}
# Parameters that change which members an answer has. Tools show the same members whatever these say.
_SHAPE = frozenset({"expand", "facets", "fields", "include", "include_mode"})


class Tool(Struct, frozen=True, kw_only=True):
    """A tool for assistants, made of one or several operations. `paths`: the path by value of the argument `type`, or
    by "" if the tool has no such argument."""

    name: str
    description: str
    schema: Schema
    paths: dict[str, str]

    def write_request(self, arguments: Mapping[str, Any]) -> str:
        """Return the path and query of a call. Raises ValueError for a missing or invalid argument."""
        rest = {name: value for name, value in arguments.items() if value is not None}
        type_ = str(rest.pop("type", "")) if "" not in self.paths else ""
        if type_ not in self.paths:
            raise ValueError(f"type {type_!r}: expected one of {', '.join(self.paths)}")
        path = self.paths[type_]
        for name in re.findall(r"\{(\w+)\}", path):
            if not rest.get(name):
                raise ValueError(f"{name} is missing")
            path = path.replace(f"{{{name}}}", quote(str(rest.pop(name)), safe=""))
        if "limit" in self.schema["properties"]:
            rest = {"limit": LIMIT} | rest
        query = urlencode({name: _write_value(value) for name, value in rest.items()}, safe=",:")
        return f"{path}?{query}" if query else path


def make_tools(document: Schema, *, metros: Sequence[str], has_where: bool) -> list[Tool]:
    """Return the tools of an API. `metros`: those that a key may read; `has_where`: keep parameter `where`."""
    operations = {
        operation["operationId"]: (path, operation)
        for path, methods in document["paths"].items()
        for operation in methods.values()
    }
    tools = []
    for name, pattern in _OPERATIONS.items():
        matches = [(match, *operations[match[0]]) for id_ in operations if (match := re.fullmatch(pattern, id_))]
        if not matches:
            continue  # an older API, or one that answers less
        parameters: dict[str, list[tuple[str, Schema]]] = {}
        paths = {}
        for match, path, operation in matches:
            type_ = match.groupdict().get("type", "")
            paths[type_] = path
            for parameter in _list_parameters(operation, document):
                if has_where or parameter["name"] != "where":
                    parameters.setdefault(parameter["name"], []).append((type_, parameter))
        properties = {key: _merge(rows, of=len(paths)) for key, rows in parameters.items()}
        if "metro" in properties and metros:
            properties["metro"]["enum"] = list(metros)
        required = [key for key, rows in parameters.items() if all(row.get("required") for _, row in rows)]
        if "" not in paths:
            properties = {"type": {"type": "string", "enum": list(paths)}} | properties
            required.insert(0, "type")
        schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        description = " ".join(operation["summary"] for _, _, operation in matches)
        tools.append(Tool(name=name, description=description, schema=schema, paths=paths))
    return tools


def _list_parameters(operation: Schema, document: Schema) -> Iterator[Schema]:
    for parameter in operation["parameters"]:
        if "$ref" in parameter:
            parameter = document["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
        if parameter["name"] not in _SHAPE and not parameter.get("x-ignored") and not parameter.get("deprecated"):
            yield parameter


def _merge(rows: Sequence[tuple[str, Schema]], *, of: int) -> Schema:
    """Merge the schemas of a parameter in several operations: its allowed values are those of all. `of`: how many
    operations the tool has."""
    schema = _reduce(rows[0][1]["schema"])
    for words in _list_words(schema):
        words[:] = dict.fromkeys(
            word for _, row in rows for allowed in _list_words(_reduce(row["schema"])) for word in allowed
        )
    description = rows[0][1].get("description", "")
    if rows[0][1]["name"] == "limit":
        description = re.sub(r"Default: `\d+`", f"Default: `{LIMIT}`", description)
    if len(rows) < of:
        description += f" Taken by {', '.join(type_ for type_, _ in rows)} only."
    return {**schema, "description": description}


def _reduce(schema: Schema) -> Schema:
    """Return a schema without what concerns only how a value is written in a query string."""
    kept = {key: value for key, value in schema.items() if key != "pattern" and not key.startswith("x-")}
    return {**kept, "items": _reduce(kept["items"])} if "items" in kept else kept


def _list_words(schema: Schema) -> Iterator[list[str]]:
    for part in (schema, schema.get("items", {})):
        if "enum" in part:
            part["enum"] = list(part["enum"])
            yield part["enum"]


def _write_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(_write_value, value)) if isinstance(value, list) else str(value)
