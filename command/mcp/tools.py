"""Make an assistant's tools from `/openapi.json`, and translate their arguments to requests."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct

Schema = dict[str, Any]

# Items in an answer if the assistant does not say how many.
LIMIT = 10


class _Kind(Struct, frozen=True):
    """A kind of tool: the operations behind it, and when to use it. If there are several operations, the argument
    `type` chooses one. `only`: the parameters that it takes; all useful ones if empty."""

    operations: str
    use: str
    only: tuple[str, ...] = ()


_KINDS = {
    "search": _Kind(
        r"search", "Find listings of all types by words of their text, such as an activity or a name.",
        ("metro", "q", "types", "from", "to", "age", "free", "neighborhood", "limit", "cursor"),
    ),
    "list_listings": _Kind(
        r"(?P<type>events|classes|camps|places)_list",
        "List one type by date, age, price, topic or area, without words. `facets` also counts all matches by value.",
    ),
    "nearby": _Kind(
        r"nearby", "List what is close to a point, nearest first.",
        ("metro", "lat", "lng", "radius_m", "types", "from", "to", "age", "free", "category", "limit", "cursor",
         "where"),
    ),
    "get_listing": _Kind(
        r"(?P<type>events|classes|camps|places|organizations)_detail",
        "Get all that is known of one listing, by the `type` and `id` of another answer.",
    ),
    "calendar": _Kind(
        r"events_calendar", "Count the events of each day, to choose a day.",
        ("metro", "from", "to", "age", "free", "category", "neighborhood", "where"),
    ),
    "neighborhoods": _Kind(
        r"neighborhoods", "Get the names of neighborhoods that `neighborhood` takes.", ("metro", "q", "limit"),
    ),
    "organizations": _Kind(
        r"organizations_list", "Find an organization's id by its name.", ("metro", "q", "limit"),
    ),
}  # fmt: skip
# Parameters that no tool has: those that change which members an answer has, and those for programs that copy data.
_LEFT_OUT = frozenset(
    {
        "expand", "fields", "include", "include_mode", "include_archived", "changed_since", "ids", "page", "has_time",
        "min_confidence", "schedule_day", "starts_from", "starts_to", "year", "recurring", "sort",
    }
)  # fmt: skip
# Keywords of a parameter's schema that an assistant needs. The API says what else is wrong.
_KEPT = ("type", "enum", "items", "format")


class Tool(Struct, frozen=True, kw_only=True):
    """A tool for assistants, made of one or several operations. `paths`: the path by value of the argument `type`, or
    by "" if the tool has no such argument. `soonest`: the types whose lists can be ordered by their next date."""

    name: str
    description: str
    schema: Schema
    paths: dict[str, str]
    soonest: frozenset[str] = frozenset()

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
        if type_ in self.soonest:
            rest = {"sort": "soonest"} | rest
        if "facets" in self.schema["properties"] and "cursor" not in rest:
            rest = {"facets": ["category"]} | rest  # with how many match in all
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
    for name, kind in _KINDS.items():
        found = (re.fullmatch(kind.operations, operation_id) for operation_id in operations)
        matches = [(match, *operations[match[0]]) for match in found if match]
        if not matches:
            continue  # an older API, or one that answers less
        parameters: dict[str, list[tuple[str, Schema]]] = {}
        paths, soonest = {}, set()
        for match, path, operation in matches:
            type_ = match.groupdict().get("type", "")
            paths[type_] = path
            for parameter in _list_parameters(operation, document):
                key = parameter["name"]
                if key == "sort" and name == "list_listings" and "soonest" in str(parameter["schema"]):
                    soonest.add(type_)
                is_own = key in kind.only if kind.only else key not in _LEFT_OUT
                if is_own and (has_where or key != "where"):
                    parameters.setdefault(key, []).append((type_, parameter))
        properties = {key: _merge(rows, of=len(paths)) for key, rows in parameters.items()}
        if "metro" in properties and metros:
            properties["metro"] = {"enum": list(metros)}
        required = [key for key, rows in parameters.items() if all(row.get("required") for _, row in rows)]
        if "" not in paths:
            properties = {"type": {"enum": list(paths)}} | properties
            required.insert(0, "type")
        schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        tools.append(Tool(name=name, description=kind.use, schema=schema, paths=paths, soonest=frozenset(soonest)))
    return tools


def _list_parameters(operation: Schema, document: Schema) -> Iterator[Schema]:
    """Yield the parameters of an operation, with references resolved."""
    components = document["components"]
    for node in operation["parameters"]:
        parameter = components["parameters"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node
        if parameter.get("x-ignored") or parameter.get("deprecated"):
            continue
        schema = parameter["schema"]
        target = schema.get("items", schema).get("$ref", "").rpartition("/")[2]
        if target:
            words = components["schemas"][target]
            schema = {**schema, "items": words} if "items" in schema else words
        yield {**parameter, "schema": schema}


def _merge(rows: Sequence[tuple[str, Schema]], *, of: int) -> Schema:
    """Merge the schemas of a parameter in several operations: its allowed values are those of all. `of`: how many
    operations the tool has."""
    schema = _reduce(rows[0][1]["schema"])
    for words in _list_words(schema):
        words[:] = dict.fromkeys(
            word for _, row in rows for allowed in _list_words(_reduce(row["schema"])) for word in allowed
        )
    name, description = rows[0][1]["name"], rows[0][1].get("description", "")
    meaning = "" if name in schema.get("items", schema).get("enum", ()) else description.partition(". ")[0].rstrip(".")
    if name == "limit":
        meaning = f"Default {LIMIT}"
    if len(rows) < of:
        meaning = f"{meaning} ({', '.join(type_ for type_, _ in rows)} only)".strip()
    return {**schema, "description": meaning} if meaning else schema


def _reduce(schema: Schema) -> Schema:
    """Return a schema without what the API says in an error."""
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if "enum" in kept:
        del kept["type"]
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
