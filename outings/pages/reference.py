"""The page that shows every route, parameter, member and error, made from the tables of the contract."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, get_args

import msgspec
from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from outings.contract import errors
from outings.contract.envelope import NOTICES
from outings.contract.members import RESOURCES
from outings.contract.openapi.document import make_document
from outings.contract.openapi.examples import Example, find_example
from outings.contract.openapi.operations import make_body
from outings.contract.openapi.schemas import is_struct
from outings.contract.pricing_plans import PLANS
from outings.contract.routes import (
    CALENDAR_DAYS_AFTER,
    EXPANSION_DAYS_AFTER,
    JSON,
    LIST_DAYS_AFTER,
    LISTS,
    ROUTES,
    Group,
    Route,
)
from outings.contract.vocabulary import Vocabulary
from outings.pages.assets import Page
from outings.pages.layout import name_words, render_page
from outings.release.site import SiteSettings

# How the page calls each, and what its markup does.
LANGUAGES = {"curl": "curl", "python": "Python", "javascript": "JavaScript"}


def write_code(example: Example, *, origin: str, needs_key: bool, key: str) -> Mapping[str, str]:
    """Return code that sends the request, by language. `key`: one that every visitor may use; if empty, the code reads
    `KEY`."""
    url = origin + example.request
    is_json = example.media == JSON
    return {
        "curl": _write_curl(url, key=key, needs_key=needs_key),
        "python": _write_python(url, key=key, needs_key=needs_key, is_json=is_json),
        "javascript": _write_javascript(url, key=key, needs_key=needs_key, is_json=is_json),
    }


def _write_curl(url: str, *, key: str, needs_key: bool) -> str:
    header = f'-H "X-API-Key: {key or "$KEY"}" \\\n  ' if needs_key else ""
    return f'curl {header}"{url}"'


def _write_python(url: str, *, key: str, needs_key: bool, is_json: bool) -> str:
    secret = f'"{key}"' if key else 'os.environ["KEY"]'
    modules = [*(["json"] if is_json else []), *(["os"] if needs_key and not key else [])]
    lines = [f"import {', '.join(modules)}"] if modules else []
    lines += ["from urllib.request import Request, urlopen", "", f'request = Request("{url}")']
    if needs_key:
        lines.append(f'request.add_header("X-API-Key", {secret})')
    lines.append("with urlopen(request) as answer:")
    lines.append("    print(json.load(answer))" if is_json else "    print(answer.read().decode())")
    return "\n".join(lines)


def _write_javascript(url: str, *, key: str, needs_key: bool, is_json: bool) -> str:
    secret = f'"{key}"' if key else "process.env.KEY"
    sent = f', {{\n  headers: {{ "X-API-Key": {secret} }},\n}}' if needs_key else ""
    return f'const answer = await fetch("{url}"{sent});\nconsole.log(await answer.{"json" if is_json else "text"}());'


Schema = Mapping[str, Any]

# What says more than the type.
_FORMATS = ("uuid", "date", "date-time")
# With spaces at which no line ends.
_TO = "\u00a0…\u00a0"
_PREFIX = "#/components/schemas/"


class Form(Struct, frozen=True, kw_only=True):
    """The form of a value. `name`: a type such as `integer`, or the name of the object `shape`. `words`: all allowed
    values, `sample`: an example of one."""

    name: str
    shape: str = ""
    is_array: bool = False
    is_map: bool = False
    is_nullable: bool = False
    words: tuple[str, ...] = ()
    sample: str = ""
    bounds: str = ""
    default: str = ""


def read_form(schema: Schema) -> Form:
    """Describe the type of a parameter or a member. If several types are allowed, name all."""
    default = _write_value(schema["x-default"]) if "x-default" in schema else ""
    kinds = _list_types(schema)
    if "array" in kinds:
        inner = _read_single(schema.get("items", {}))
        most = f"≤ {schema['maxItems']}" if schema.get("maxItems") and not inner.bounds else inner.bounds
        return _derive(inner, is_array=True, is_nullable="null" in kinds, bounds=most, default=default)
    if "additionalProperties" in schema and "properties" not in schema:
        inner = _read_single(schema["additionalProperties"] if isinstance(schema["additionalProperties"], dict) else {})
        return _derive(inner, is_map=True, is_nullable="null" in kinds, default=default)
    return _derive(_read_single(schema), default=default)


def _read_single(schema: Schema) -> Form:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_PREFIX)
        # What `fields` takes: the paths of an object's members.
        return Form(name="path" if name.endswith("Path") else name, shape=name.removesuffix("Path"))
    if "anyOf" in schema:
        return _join(schema["anyOf"])
    kinds = _list_types(schema)
    words = schema.get("enum", [schema["const"]] if "const" in schema else [])
    plain = [each for each in kinds if each != "null"]
    name = schema["format"] if schema.get("format") in _FORMATS else " | ".join(plain)
    return Form(
        name=name or ("string" if words else "any"),
        is_nullable="null" in kinds or None in words,
        words=tuple(_write_value(word) for word in words if word is not None),
        sample=next(iter(schema.get("examples", [])), ""),
        bounds=_write_bounds(schema),
    )


def _join(choices: Iterable[Schema]) -> Form:
    forms = [_read_single(each) for each in choices if each != {"type": "null"}]
    shapes = [each.shape for each in forms if each.shape and not each.shape.endswith("Part")]
    is_nullable = len(forms) < len(list(choices)) or any(each.is_nullable for each in forms)
    name = " | ".join(dict.fromkeys(each.name for each in forms if not each.name.endswith("Part")))
    return Form(name=name, shape=shapes[0] if len(shapes) == 1 else "", is_nullable=is_nullable)


def _derive(form: Form, **changes: Any) -> Form:
    given = {name: value for name, value in changes.items() if value or name == "is_array"}
    return replace(form, **given)


def _list_types(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def _write_bounds(schema: Schema) -> str:
    """Return the bounds of a number, or of the length of a text."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None and most < 2**53:
        return f"{_write_value(least)}{_TO}{_write_value(most)}"
    if least is not None:
        return f"≥ {_write_value(least)}"
    longest = schema.get("maxLength")
    return f"1{_TO}{longest}" if longest and schema.get("minLength") else ""


def _write_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(_write_value, value))
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) and abs(value) >= 10_000 else str(value)


# What `fields` leaves of a resource, and the names that it takes, are told with the parameter.
_OF_FIELDS = ("Part", "Path")


class MemberEntry(Struct, frozen=True, kw_only=True):
    """A member of an object. `is_optional`: it is present only if requested or useful."""

    name: str
    form: Form
    meaning: str
    is_optional: bool


class ShapeEntry(Struct, frozen=True, kw_only=True):
    name: str
    meaning: str
    members: Sequence[MemberEntry]


def list_shapes(document: Mapping[str, Any]) -> Sequence[ShapeEntry]:
    """Every object of every answer, by name."""
    schemas = document["components"]["schemas"]
    return [
        ShapeEntry(name=name, meaning=schema.get("description", ""), members=_list_members(schema))
        for name, schema in schemas.items()
        if not name.endswith(_OF_FIELDS)
    ]


def _list_members(schema: Mapping[str, Any]) -> Sequence[MemberEntry]:
    required = schema.get("required", ())
    return [
        MemberEntry(name=name, form=read_form(member), meaning=member["description"], is_optional=name not in required)
        for name, member in schema["properties"].items()
    ]


class ParameterEntry(Struct, frozen=True, kw_only=True):
    """A parameter on one route, or as its shared row says it."""

    name: str
    form: Form
    meaning: str
    example: str = ""
    is_in_path: bool = False
    is_required: bool = False
    is_deprecated: bool = False
    stability: str = "stable"


class RouteEntry(Struct, frozen=True, kw_only=True):
    """A route. `like`: the list whose parameters the route shares: then `parameters` has only those that differ, and
    `without` names those that it does not take. `body` describes the members beside `data`."""

    route: Route
    operation: Mapping[str, Any]
    parameters: Sequence[ParameterEntry]
    like: Route | None
    without: Sequence[str]
    example: Example | None
    answered: Form | None
    meta: str
    failures: Sequence[str]


def list_groups(document: Mapping[str, Any], vocabulary: Vocabulary) -> Mapping[str, Sequence[RouteEntry]]:
    """Every route of the table under its group, those of a collection side by side."""
    return {
        group: [
            _make_entry(route, document=document, vocabulary=vocabulary)
            for collection in dict.fromkeys(route.collection for route in ROUTES if route.group == group)
            for route in ROUTES
            if route.collection == collection
        ]
        for group in get_args(Group)
    }


def read_parameter(node: Mapping[str, Any], shared: Mapping[str, Any]) -> ParameterEntry:
    """Read a parameter of the OpenAPI document: the object itself, or a reference to one of `shared`."""
    parameter = shared[node["$ref"].rpartition("/")[2]] if "$ref" in node else node
    return ParameterEntry(
        name=parameter["name"],
        form=read_form(parameter["schema"]),
        meaning=parameter["description"],
        example=_write_example(parameter.get("example")),
        is_in_path=parameter["in"] == "path",
        is_required=parameter.get("required", False),
        is_deprecated=parameter.get("deprecated", False),
        stability=parameter.get("x-stability", "stable"),
    )


def _make_entry(route: Route, *, document: Mapping[str, Any], vocabulary: Vocabulary) -> RouteEntry:
    operation = document["paths"][route.path]["get"]
    shared = document["components"]["parameters"]
    listed = [read_parameter(node, shared) for node in operation["parameters"]]
    like = _find_like(route)
    of_list = [] if like is None else document["paths"][like.path]["get"]["parameters"]
    known = [read_parameter(node, shared) for node in of_list]
    names = {each.name for each in listed}
    return RouteEntry(
        route=route,
        operation=operation,
        parameters=[each for each in listed if each not in known],
        like=like,
        without=[each.name for each in known if each.name not in names and not each.is_in_path],
        example=find_example(route, vocabulary),
        answered=_read_answered(route),
        meta=route.meta.__name__ if route.meta else "",
        failures=[status for status in operation["responses"] if int(status) >= 400],
    )


def _find_like(route: Route) -> Route | None:
    """Return the list of the route's type, if the route has most of its parameters."""
    like = None if route.type is None else LISTS[route.type]
    if like is None or like == route:
        return None
    shared = like.parameters.keys() & route.parameters.keys()
    return like if len(shared) > len(like.parameters) / 2 else None


def _read_answered(route: Route) -> Form | None:
    """Describe what is in `data`, or the whole body of a route without a key. Return None for anything but our JSON."""
    if not is_struct(route.item):
        return None
    if route.shown:
        name = RESOURCES[route.shown].__name__
        return Form(name=name, shape=name, is_array=not route.is_one)
    body = make_body(route)
    return read_form(body["properties"]["data"] if route.needs_key else body)


def _write_example(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


PATH = "reference/"
# What a client may send beside a request, by its word of the page.
REQUEST_HEADERS = {
    "X-API-Key": "sends_key",
    "If-None-Match": "sends_etag",
    "Accept-Encoding": "sends_coding",
    "X-Trace-Id": "sends_trace",
    "traceparent": "sends_traceparent",
}
STABILITIES = ("stable", "beta", "experimental")
_WINDOWS = (
    ("window_lists", LIST_DAYS_AFTER + 1),
    ("window_calendar", CALENDAR_DAYS_AFTER + 1),
    ("window_expansion", EXPANSION_DAYS_AFTER + 1),
)


def render_reference(settings: SiteSettings, vocabulary: Vocabulary) -> Page:
    """Render the page, once in a process for the same arguments."""
    return _render(msgspec.json.encode(settings, order="sorted"), vocabulary)


@cache
def _render(encoded: bytes, vocabulary: Vocabulary) -> Page:
    settings = msgspec.json.decode(encoded, type=SiteSettings)
    document = make_document(vocabulary)
    groups = list_groups(document, vocabulary)
    entries = [entry for group in groups.values() for entry in group]
    values = {
        "groups": groups,
        "parameters": _list_parameters(document, entries),
        "shapes": list_shapes(document),
        "codes": [(code, *each) for code, each in errors.CODES.items()],
        "code_of": {str(each.status): code for code, each in reversed(list(errors.CODES.items()))},
        "reasons": errors.REASONS,
        "notices": NOTICES,
        "request_headers": REQUEST_HEADERS,
        "headers": {name: each["description"] for name, each in document["components"]["headers"].items()},
        "stabilities": STABILITIES,
        "plans": PLANS.values(),
        "windows": _WINDOWS,
        "sizes": _list_sizes(entries),
        "languages": LANGUAGES,
        "origin": name_words(settings, "home")["origin"],
        "write_code": lambda entry, origin: write_code(
            entry.example, origin=origin, needs_key=entry.route.needs_key, key=settings.key
        ),
        "write_answer": _write_answer,
        "mark": _mark_code,
        "plain": _escape,
        # The contract speaks English, whatever the language of the page.
        "english": Markup("") if settings.language == "en" else Markup(' lang="en"'),
    }
    return render_page(PATH, "reference.html", settings=settings, page_words="reference", values=values)


def _list_parameters(
    document: Mapping[str, Any], entries: Sequence[RouteEntry]
) -> Sequence[tuple[ParameterEntry, Sequence[str]]]:
    """Each name once, what stands in paths first, with the routes that take it themselves."""
    shared = document["components"]["parameters"]
    taken = [each for entry in entries for each in entry.parameters]
    rows = {(True, each.name): each for each in taken if each.is_in_path}
    rows |= {(False, name): read_parameter(node, shared) for name, node in shared.items()}
    for each in taken:
        # `fields` names the members of another object on each route.
        rows.setdefault((each.is_in_path, each.name), replace(each, form=replace(each.form, shape="")))
    return [(row, [entry.route.name for entry in entries if _takes(entry, row)]) for row in rows.values()]


def _takes(entry: RouteEntry, row: ParameterEntry) -> bool:
    return any((each.name, each.is_in_path) == (row.name, row.is_in_path) for each in entry.parameters)


def _list_sizes(entries: Iterable[RouteEntry]) -> Sequence[tuple[str, ParameterEntry]]:
    """Return the name and the parameter `limit` of each route that has one."""
    return [(entry.route.name, each) for entry in entries for each in entry.parameters if each.name == "limit"]


def _write_answer(example: Example) -> Markup:
    answer = example.answer
    text = answer if isinstance(answer, str) else msgspec.json.format(msgspec.json.encode(answer), indent=2).decode()
    return _escape(text.rstrip("\n"))


def _escape(text: str) -> Markup:
    """For text between tags alone: quotation marks stay as they are, of which answers have thousands."""
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))  # noqa: S704 it is escaped


def _mark_code(text: str) -> Markup:
    """Return a sentence of the contract as HTML, with the parts between backticks as code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>%s</code>") % _escape(part) if number % 2 else _escape(part) for number, part in enumerate(parts)
    )


__all__ = ["render_reference"]
