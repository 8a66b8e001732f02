"""Render the reference: an overview, a page for each group of routes, and pages that list parameters, objects, errors
and headers. All come from the contract's tables and its OpenAPI document."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from outings.contract import errors
from outings.contract.envelope import NOTICES
from outings.contract.openapi.document import make_document, resolve_parameter
from outings.contract.openapi.examples import Example, find_example
from outings.contract.openapi.schemas import Schema, is_struct
from outings.contract.pricing_plans import PLANS
from outings.contract.routes import (
    CALENDAR_DAYS_AFTER,
    EXPANSION_DAYS_AFTER,
    JSON,
    LIST_DAYS_AFTER,
    LISTS,
    ROUTES,
    Route,
)
from outings.contract.vocabulary import Vocabulary
from outings.pages.assets import Page
from outings.pages.highlighting import highlight_code
from outings.pages.layout import name_words, open_environment, render_page
from outings.release.site import SiteSettings

PATH = "reference/"
# Pages of routes in the order of the navigation: listings by collection, all others by group.
GROUPS = ("events", "classes", "camps", "places", "finding", "directories", "sync", "service")
# Pages of tables.
TABLES = ("parameters", "objects", "errors", "headers")
# Languages of the example requests: their names, and what Pygments calls them.
LANGUAGES = {"curl": ("curl", "sh"), "python": ("Python", "python"), "javascript": ("JavaScript", "javascript")}
# Headers that a client may send, and the word that explains each.
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
_FORMATS = ("uuid", "date", "date-time")
# With spaces that keep both ends on one line.
_TO = "\u00a0…\u00a0"
_PREFIX = "#/components/schemas/"


def write_code(example: Example, *, origin: str, needs_key: bool, key: str) -> Mapping[str, str]:
    """Return code that sends the request, by language. Without `key`, a key that every visitor may use, the code reads
    `KEY`."""
    environment = open_environment(is_html=False)
    values = {"url": origin + example.request, "is_json": example.media == JSON, "needs_key": needs_key, "key": key}
    templates = {language: environment.get_template(f"requests/{language}.txt") for language in LANGUAGES}
    return {language: template.render(values).rstrip() for language, template in templates.items()}


class Form(Struct, frozen=True, kw_only=True):
    """The type of a value. `name`: `integer`, or the object `shape`; `containers`: the words of the arrays and maps
    around it, outermost first; `words`: all allowed values; `sample`: an example of one."""

    name: str
    shape: str = ""
    containers: tuple[str, ...] = ()
    is_nullable: bool = False
    words: tuple[str, ...] = ()
    sample: str = ""
    bounds: str = ""
    default: str = ""


def read_form(schema: Schema) -> Form:
    """Describe the type of a parameter or a member. If several types are allowed, name all."""
    types = schema.get("type", [])
    kinds = [types] if isinstance(types, str) else types
    default = _write_value(schema["x-default"]) if "x-default" in schema else ""
    is_map = "additionalProperties" in schema and "properties" not in schema
    if "array" in kinds or is_map:
        inner = schema.get("additionalProperties" if is_map else "items")
        form = read_form(inner if isinstance(inner, dict) else {})
        return replace(
            form, containers=("map_of" if is_map else "array_of", *form.containers), default=default,
            is_nullable=form.is_nullable or "null" in kinds,
            bounds=form.bounds or (f"≤ {schema['maxItems']}" if "maxItems" in schema else ""),
        )  # fmt: skip
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_PREFIX)
        return Form(name=name, shape=name, default=default)
    if "anyOf" in schema:
        return _join_forms([read_form(choice) for choice in schema["anyOf"]])
    words = schema.get("enum", [schema["const"]] if "const" in schema else [])
    plain = " | ".join(kind for kind in kinds if kind != "null")
    return Form(
        name=schema["format"] if schema.get("format") in _FORMATS else plain or ("string" if words else "any"),
        is_nullable="null" in kinds or None in words,
        words=tuple(_write_value(word) for word in words if word is not None),
        sample=next(iter(schema.get("examples", [])), ""),
        bounds=_write_bounds(schema),
        default=default,
    )


def _join_forms(forms: Sequence[Form]) -> Form:
    """Return the form of a value that has one of these. `{"type": "null"}` is one of them."""
    named = [form for form in forms if form != _NULL]
    shapes = [form.shape for form in named if form.shape]
    return Form(
        name=" | ".join(dict.fromkeys(form.name for form in named)),
        shape=shapes[0] if len(shapes) == 1 else "",
        words=tuple(word for form in named for word in form.words),
        is_nullable=any(form.is_nullable for form in forms),
    )


_NULL = Form(name="any", is_nullable=True)


def _write_bounds(schema: Schema) -> str:
    """Return the bounds of a number, or of the length of a text, with commas between thousands."""
    least, most, longest = schema.get("minimum"), schema.get("maximum"), schema.get("maxLength")
    if least is not None:
        is_bounded = most is not None and most < 2**53
        return f"{least:,}{_TO}{most:,}" if is_bounded else f"≥ {least:,}"
    return f"1{_TO}{longest:,}" if longest and schema.get("minLength") else ""


def _write_value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_write_value, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _write_example(value: Any) -> str:
    """Return a parameter's example as in a query string."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else _write_value(value)


class RouteEntry(Struct, frozen=True, kw_only=True):
    """A route. `like`: the list whose parameters the route shares: then `parameters` has only those that differ, and
    `without` names those that it does not take. `answered` describes `data`; `meta` names the object beside it."""

    route: Route
    page: str
    parameters: Sequence[Schema]
    like: Route | None
    without: Sequence[str]
    example: Example | None
    answered: Form | None
    meta: str
    failures: Sequence[str]

    @property
    def title(self) -> str:
        return self.route.meaning.removesuffix(".")


# All statuses that have a code; 416 has no body.
_FAILURES = {str(status) for status, _ in errors.CODES.values()}


def list_entries(document: Schema, vocabulary: Vocabulary) -> Sequence[RouteEntry]:
    """Return every route, those of a page side by side."""
    entries = [_make_entry(route, document=document, vocabulary=vocabulary) for route in ROUTES]
    return sorted(entries, key=lambda entry: GROUPS.index(entry.page.strip("/")))


def _make_entry(route: Route, *, document: Schema, vocabulary: Vocabulary) -> RouteEntry:
    def read(path: str) -> list[Schema]:
        return [resolve_parameter(node, document) for node in document["paths"][path]["get"]["parameters"]]

    parameters = read(route.path)
    like = _find_like(route)
    earlier = read(like.path) if like else []
    names = {parameter["name"] for parameter in parameters}
    return RouteEntry(
        route=route,
        page=f"{route.collection if route.type else route.group}/",
        parameters=[parameter for parameter in parameters if parameter not in earlier],
        like=like,
        without=[item["name"] for item in earlier if item["name"] not in names and item["in"] != "path"],
        example=find_example(route, vocabulary),
        answered=_read_answered(route),
        meta=route.meta.__name__ if route.meta else "",
        failures=[status for status in document["paths"][route.path]["get"]["responses"] if status in _FAILURES],
    )


def _find_like(route: Route) -> Route | None:
    """Return the list of the route's type, if the route has most of its parameters."""
    like = None if route.type is None else LISTS[route.type]
    if like is None or like == route:
        return None
    return like if len(like.parameters.keys() & route.parameters.keys()) > len(like.parameters) / 2 else None


def _read_answered(route: Route) -> Form | None:
    """Describe what is in `data`, or the whole body of a route without a key. Return None for anything but our JSON."""
    if not is_struct(route.item):
        return None
    name = route.item.__name__
    return Form(name=name, shape=name, containers=() if route.is_one else ("array_of",))


def _spell_words(document: Schema) -> Schema:
    """Return the document with lists of words and maps where it refers to them, because the pages show each where it
    applies."""
    schemas = document["components"]["schemas"]

    def spell(node: Any) -> Any:
        if isinstance(node, list):
            return [spell(inner) for inner in node]
        if not isinstance(node, dict):
            return node
        target = schemas.get(str(node.get("$ref", "")).removeprefix(_PREFIX), {})
        if target and "properties" not in target:
            return {**target, **{key: value for key, value in node.items() if key != "$ref"}}
        return {key: spell(inner) for key, inner in node.items()}

    spelled: Schema = spell(document)
    return spelled


def render_reference(settings: SiteSettings, vocabulary: Vocabulary) -> tuple[Page, ...]:
    """Render the pages, once in a process for the same arguments."""
    return _render(msgspec.json.encode(settings, order="sorted"), vocabulary)


@cache
def _render(encoded: bytes, vocabulary: Vocabulary) -> tuple[Page, ...]:
    settings = msgspec.json.decode(encoded, type=SiteSettings)
    words = name_words(settings, "reference")
    document = _spell_words(make_document(vocabulary))
    # Not the lists and answers as a whole, which each route describes.
    schemas = {
        name: schema
        for name, schema in document["components"]["schemas"].items()
        if "properties" in schema and "data" not in schema["properties"]
    }
    headers = {name: header["description"] for name, header in document["components"]["headers"].items()}
    entries = list_entries(document, vocabulary)
    parameters = _list_parameters(document, entries)
    targets = [
        *((entry.route.name, entry.page, entry.route.path, entry.route.meaning) for entry in entries),
        *((_anchor(row), "parameters/", row["name"], row["description"]) for row, _ in parameters),
        *((name, "objects/", name, schema.get("description", "")) for name, schema in schemas.items()),
        *(
            (f"{name}.{member}", "objects/", f"{name}.{member}", row["description"])
            for name, schema in schemas.items()
            for member, row in schema["properties"].items()
        ),
        *((f"code-{code}", "errors/", code, meaning) for code, (_, meaning) in errors.CODES.items()),
        *((f"reason-{reason}", "errors/", reason, meaning) for reason, meaning in errors.REASONS.items()),
        *((f"notice-{notice}", "errors/", notice, meaning) for notice, meaning in NOTICES.items()),
        *((f"header-{name}", "headers/", name, words[word]) for name, word in REQUEST_HEADERS.items()),
        *((f"answer-{name}", "headers/", name, meaning) for name, meaning in headers.items()),
        *((f"plan-{name}", "headers/", name, "") for name in PLANS),
    ]
    pages = {anchor: page for anchor, page, _, _ in targets}
    origin = name_words(settings, "home")["origin"]

    def show_code(entry: RouteEntry) -> Mapping[str, Markup]:
        assert entry.example is not None
        code = write_code(entry.example, origin=origin, needs_key=entry.route.needs_key, key=settings.key)
        return {name: highlight_code(text, LANGUAGES[name][1], origin=origin) for name, text in code.items()}

    values = {
        "base": PATH,
        "groups": {group: [entry for entry in entries if entry.page == f"{group}/"] for group in GROUPS},
        "tables": TABLES,
        "pages": pages,
        "parameters": parameters,
        "schemas": schemas,
        "codes": errors.CODES,
        "code_of": {str(status): code for code, (status, _) in reversed(list(errors.CODES.items()))},
        "reasons": errors.REASONS,
        "notices": NOTICES,
        "request_headers": REQUEST_HEADERS,
        "headers": headers,
        "stabilities": STABILITIES,
        "plans": PLANS.values(),
        "by_record": [entry.route.name for entry in entries if entry.route.credits.per == "record"],
        "windows": _WINDOWS,
        "sizes": [(entry.route.name, row) for entry in entries for row in entry.parameters if row["name"] == "limit"],
        "languages": {name: shown for name, (shown, _) in LANGUAGES.items()},
        "anchor": _anchor,
        "read_form": read_form,
        "write_example": _write_example,
        "write_answer": _write_answer,
        "show_code": show_code,
        "mark": _mark_code,
        # The contract speaks English, whatever the language of the page.
        "english": Markup("") if settings.language == "en" else Markup(' lang="en"'),
    }

    def render(name: str, template: str) -> Page:
        path = f"{PATH}{name}/" if name else PATH
        own = {**values, "page": name}
        return render_page(path, template, settings=settings, page_words="reference", values=own)

    index = [dict(zip(("id", "page", "name", "about"), target, strict=True)) for target in targets]
    return (
        render("", "reference_overview.html"),
        *(render(group, "reference_routes.html") for group in GROUPS),
        *(render(table, f"reference_{table}.html") for table in TABLES),
        Page(path=f"{PATH}index.json", media=JSON, data=msgspec.json.encode(index)),
    )


def _anchor(parameter: Schema) -> str:
    return f"{'path' if parameter['in'] == 'path' else 'parameter'}-{parameter['name']}"


def _list_parameters(
    document: Schema, entries: Iterable[RouteEntry]
) -> Sequence[tuple[Schema, Sequence[tuple[str, str]]]]:
    """List each name once, parameters in paths first, with the page and the name of the routes that take it."""
    taken = [(_anchor(row), row, entry) for entry in entries for row in entry.parameters]
    rows = {anchor: row for anchor, row, _ in taken if row["in"] == "path"}
    rows |= {_anchor(row): row for row in document["components"]["parameters"].values()}
    for anchor, row, _ in taken:
        rows.setdefault(anchor, row)
    # `fields` names the members of another object on each route.
    rows["parameter-fields"] = {**rows["parameter-fields"], "schema": {"type": "array", "items": {"type": "path"}}}
    return [
        (row, [(entry.page, entry.route.name) for name, _, entry in taken if name == anchor])
        for anchor, row in rows.items()
    ]


def _write_answer(example: Example) -> Markup:
    answer = example.answer
    text = answer if isinstance(answer, str) else msgspec.json.format(msgspec.json.encode(answer), indent=2).decode()
    return _escape(text.rstrip("\n"))


def _escape(text: str) -> Markup:
    """Escape text between tags: quotation marks, of which answers have thousands, are unchanged."""
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))  # noqa: S704 it is escaped


def _mark_code(text: str) -> Markup:
    """Return a sentence of the contract as HTML, with the parts between backticks as code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>%s</code>") % _escape(part) if number % 2 else _escape(part) for number, part in enumerate(parts)
    )
