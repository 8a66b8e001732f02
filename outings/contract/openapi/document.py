"""Make `/openapi.json`, the contract as OpenAPI 3.1, for an API with a given vocabulary, or for a tree of static files.

The document has every route of v1, because a path is a promise whichever deployment answers. The description of an
optional route or parameter says that it is optional, and it has a response `501`.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from outings import __version__
from outings.contract.openapi.operations import (
    join_failures,
    list_parameters,
    list_responses,
    make_headers,
    make_responses,
    make_shared,
)
from outings.contract.openapi.schemas import Schema, make_schemas, refer
from outings.contract.pricing_plans import ADD_ON_CREDITS, Offer
from outings.contract.routes import ROUTES, Route, match_route
from outings.contract.vocabulary import Vocabulary

_ABOUT = """\
Family activities of several cities, read-only: events, classes, camps, places and who offers them.

Every path takes `GET`, `HEAD` and `OPTIONS`; any other method is `405`. Arrays are repeated or joined by commas.
`*_at` is an instant in UTC, `*_local` a local time to be read in the object's own `timezone`, `*_on` a date. Null is
"the source did not say", never "no".

v1 is frozen: what is in it stays. Parameters, members, and error codes may be added at any time, so parse
permissively. `x-stability` marks what is outside of that promise, `x-default` what holds for a parameter that is not
sent (beside some others it may not be sent, so it is no `default`), `x-plan` the plans that may ask, `x-credits` what
is planned to be charged, and `x-add-ons` the plans that have a value of `include`, those whose keys may be granted it,
and what it is planned to add.

Every response has the headers `X-Request-Id`, `X-Trace-Id`, `Vary` and `Cache-Control`, and for a known key those of
the limits that a failure lists. `fields` leaves members out of an answer, also those that its schema requires.

A list is also a CSV file where its path ends with `.csv`, such as `/v1/{metro}/events.csv`, and where its items have a
`location`, GeoJSON with `.geojson`. The parameters are the same, and the header `Link` leads to the next page.
"""
_KEY, _BEARER = "ApiKey", "Bearer"
# The two parameters of a calendar's signed address, which replace the key, by their security schemes.
_SIGNED = {
    "CalendarKeyId": ("key_id", "The id of the key that the address was made with."),
    "CalendarSignature": ("signature", "Over the key's id, the path and all other parameters."),
}


def make_document(vocabulary: Vocabulary, *, refused: Collection[str] = ()) -> dict[str, Any]:
    """Make the document. `refused`: the parameters that this deployment answers with `501`; they are left out."""
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "outings",
            "version": __version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{_KEY: []}, {_BEARER: []}],
        "tags": [
            {"name": name, "description": _TAGS[name]} for name in dict.fromkeys(_tag_route(route) for route in ROUTES)
        ],
        "paths": {
            route.path: {"get": _make_operation(route, vocabulary=vocabulary, refused=refused)} for route in ROUTES
        },
        "x-add-ons": {
            name: {**Offer().describe_permission(name), "credits": {"planned": planned, "per": "record"}}
            for name, planned in ADD_ON_CREDITS.items()
        },
        "components": {
            "securitySchemes": {
                _KEY: {"type": "apiKey", "in": "header", "name": "X-API-Key"},
                _BEARER: {"type": "http", "scheme": "bearer", "description": "The key as a token."},
                **{
                    scheme: {"type": "apiKey", "in": "query", "name": name, "description": meaning}
                    for scheme, (name, meaning) in _SIGNED.items()
                },
            },
            "parameters": make_shared(vocabulary),
            "headers": make_headers(),
            "responses": make_responses(),
            "schemas": make_schemas(vocabulary),
        },
    }
    shared = document["components"]
    _share_parameters(document["paths"], shared["parameters"])
    return _name_words({**document, "components": {**shared, "schemas": {}}}, shared["schemas"])


def _share_parameters(paths: Mapping[str, Any], shared: dict[str, Schema]) -> None:
    """Replace each parameter that several operations state by a reference to a component, and drop unused ones."""
    lists = [path["get"]["parameters"] for path in paths.values()]
    encoded = [[msgspec.json.encode(node) for node in nodes] for nodes in lists]
    uses = Counter(chain.from_iterable(encoded))
    names: dict[bytes, str] = {}
    for nodes, texts in zip(lists, encoded, strict=True):
        for at, (node, text) in enumerate(zip(nodes, texts, strict=True)):
            if "$ref" in node or uses[text] == 1:
                continue
            if text not in names:
                like = sum(name.partition(".")[0] == node["name"] for name in shared)
                names[text] = f"{node['name']}.{like + 1}" if like else node["name"]
                shared[names[text]] = node
            nodes[at] = refer(names[text], kind="parameters")
    used = {node["$ref"].rpartition("/")[2] for nodes in lists for node in nodes if "$ref" in node}
    for name in shared.keys() - used:
        del shared[name]


def _name_words(document: dict[str, Any], schemas: Mapping[str, Schema]) -> dict[str, Any]:
    """Return the document with these schemas, and in place of each list of words the name of the schema that has it."""
    names = {tuple(schema["enum"]): name for name, schema in schemas.items() if schema.keys() == {"type", "enum"}}

    def replace(node: Any) -> Any:
        if isinstance(node, list):
            return [replace(inner) for inner in node]
        if not isinstance(node, dict):
            return node
        if node.keys() == {"type", "enum"} and tuple(node["enum"]) in names:
            return refer(names[tuple(node["enum"])])
        return {key: inner if key in ("example", "examples") else replace(inner) for key, inner in node.items()}

    named = {name: schema if name in names.values() else replace(schema) for name, schema in schemas.items()}
    replaced: dict[str, Any] = replace(document)
    replaced["components"]["schemas"] = named
    return replaced


def encode_document(vocabulary: Vocabulary, *, refused: Collection[str] = ()) -> bytes:
    """Encode the OpenAPI document of a vocabulary as JSON, with one response for all failures of an operation. Equal
    arguments give equal bytes."""
    return msgspec.json.encode(join_failures(make_document(vocabulary, refused=refused)))


def _tag_route(route: Route) -> str:
    return "service" if route.group == "service" else route.collection


_TAGS: Mapping[str, str] = {
    "directory": "Where the API begins.",
    "vocabulary": "The words of members and parameters, as people read them.",
    "metros": "The cities that there are.",
    "events": "What takes place on a date, or on several.",
    "classes": "Programs with terms, schedules and sections.",
    "camps": "Camps, by their sessions.",
    "places": "Where something is held, or what can be visited.",
    "organizations": "Who publishes listings.",
    "search": "Words over all collections.",
    "suggest": "Words that complete what somebody types.",
    "around": "What is near a point or an address, in groups.",
    "activity": "How lively a point is.",
    "nearby": "What is near a point, nearest first.",
    "density": "How many listings each square of the map has.",
    "neighborhoods": "Parts of a city, with counts.",
    "coverage": "How much, how fresh and how clean the data of a city is.",
    "changes": "All changes in order, for mirrors.",
    "listings": "What changed of one listing.",
    "versions": "What changed of one listing.",
    "export": "Whole collections as files.",
    "service": "About this deployment.",
}


def _describe_operation(route: Route) -> str:
    """Return what a caller should know beyond the summary."""
    if "min_confidence" in route.parameters and "audience" in route.parameters:
        return "Leaves out what is for adults alone, and what is below `min_confidence`, unless asked for."
    return "Parquet files take `Range`." if route.item is bytes else route.meaning


def _make_operation(route: Route, *, vocabulary: Vocabulary, refused: Collection[str]) -> Schema:
    parameters = list_parameters(route, vocabulary=vocabulary)
    operation: Schema = {
        "operationId": route.name.replace(".", "_"),
        "tags": [_tag_route(route)],
        "summary": route.meaning,
        "description": _describe_operation(route),
        "parameters": [
            node for node in parameters if (node.get("name") or node["$ref"].rpartition("/")[2]) not in refused
        ],
        "responses": list_responses(route),
        "x-plan": route.plan,
        "x-credits": {"planned": route.credits.amount, "per": route.credits.per},
    }
    if not route.needs_key:
        operation["security"] = []
    if route.takes_signature:
        operation["security"] = [{_KEY: []}, {_BEARER: []}, {scheme: [] for scheme in _SIGNED}]
    if route.stability != "stable":
        operation["x-stability"] = route.stability
    return operation


_STATIC_ABOUT = """\
Family activities of several cities as plain files, read-only, without a key.

A request and its answer are those of the API; only requests that `v1/index.json` lists have a file. To find it, write
the request in its standard form: parameters by name, several values in the order of the alphabet, no defaults. The
query becomes one more part of the path, and `.json` follows: `/v1/seattle/events?category=arts_creative&page=2` is
`v1/seattle/events/category=arts_creative&page=2.json`. A path that ends with a file's format keeps it at the end
instead: `/v1/seattle/events.ics?free=true` is `v1/seattle/events/free=true.ics`. Any byte but small letters, digits,
`-`, `.`, `_`, and in a query `=`, `&` and `,`, is `!` with two hexadecimal digits. `x-file` of an operation is an
example. Names are relative to the folder of this document.
"""


def encode_static_document(vocabulary: Vocabulary, files_by_request: Mapping[str, Sequence[str]]) -> bytes:
    """Encode the OpenAPI document of the requests that have static files. `files_by_request`: the files of each
    canonical request's pages."""
    document = make_document(vocabulary)
    names: dict[str, set[str]] = {}
    examples: dict[str, dict[str, str]] = {}
    for request, files in files_by_request.items():
        path, _, query = request.partition("?")
        match = match_route(path)
        assert match is not None, request
        sent = names.setdefault(match.route.path, set())
        sent |= {pair.partition("=")[0] for pair in query.split("&") if pair}
        if len(files) > 1:
            sent.add("cursor" if match.route.name == "changes" else "page")
        examples[match.route.path] = {"request": request, "file": files[0]}
    operations = {path: document["paths"][path]["get"] for path in names}
    document["info"]["description"] = _STATIC_ABOUT
    document["servers"] = [{"url": "."}]
    tags = dict.fromkeys(operation["tags"][0] for operation in operations.values())
    document["tags"] = [tag for tag in document["tags"] if tag["name"] in tags]
    del document["security"], document["components"]["securitySchemes"]
    document["paths"] = {
        path: {"get": _reduce(operation, names[path], document) | {"x-file": examples[path]}}
        for path, operation in operations.items()
    }
    components = document["components"]
    needed = set(_list_needed(document["paths"], components, set()))
    reduced = {
        kind: {k: v for k, v in component.items() if (kind, k) in needed} for kind, component in components.items()
    }
    document["components"] = {kind: part for kind, part in reduced.items() if part}
    return msgspec.json.encode(document)


def resolve_parameter(node: Mapping[str, Any], document: Mapping[str, Any]) -> Schema:
    """Return the parameter that an operation lists, or refers to."""
    name = node.get("$ref", "").rpartition("/")[2]
    parameter: Schema = document["components"]["parameters"][name] if name else dict(node)
    return parameter


def _reduce(operation: Mapping[str, Any], sent: set[str], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the operation without a key, and with only the parameters in its path and those in `sent`."""
    described = [(node, resolve_parameter(node, document)) for node in operation["parameters"]]
    parameters = [node for node, row in described if row["in"] == "path" or row["name"] in sent]
    shared = operation["responses"]["200"].get("$ref", "").rpartition("/")[2]
    whole = document["components"]["responses"][shared] if shared else operation["responses"]["200"]
    success = {name: value for name, value in whole.items() if name != "headers"}
    kept = {name: operation[name] for name in ("operationId", "tags", "summary", "x-stability") if name in operation}
    responses = {"200": success, "404": {"description": "There is no such file."}}
    return {**kept, "parameters": parameters, "responses": responses}


def _list_needed(value: Any, components: Mapping[str, Any], visited: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the kind and name of each component that a value refers to, directly or by other components."""
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str):
            kind, name = target.removeprefix("#/components/").split("/", 1)
            if (kind, name) not in visited:
                visited.add((kind, name))
                yield kind, name
                yield from _list_needed(components[kind][name], components, visited)
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _list_needed(inner, components, visited)
