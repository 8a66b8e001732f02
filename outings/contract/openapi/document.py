"""Make `/openapi.json`, the contract as OpenAPI 3.1, for an API with a given vocabulary, or for a tree of static files.

The document has every route of v1, because a path is a promise whichever deployment answers. The description of an
optional route or parameter says that it is optional, and it has a response `501`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from outings import __version__
from outings.contract.openapi.operations import (
    list_parameters,
    list_responses,
    make_failures,
    make_headers,
    make_shared,
)
from outings.contract.openapi.schemas import Schema, make_schemas
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
is planned to be charged, `x-add-ons` the plans that have a value of `include`, those whose keys may be granted it, and
what it is planned to add.
"""
_KEY = "ApiKey"
# The two parameters of a calendar's signed address, which replace the key, by their security schemes.
_SIGNED = {
    "CalendarKeyId": ("key_id", "The id of the key that the address was made with."),
    "CalendarSignature": ("signature", "Over the key's id, the path and all other parameters."),
}


def make_document(vocabulary: Vocabulary) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "outings",
            "version": __version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{_KEY: []}],
        "tags": [{"name": name} for name in dict.fromkeys(_tag_route(route) for route in ROUTES)],
        "paths": {route.path: {"get": _make_operation(route, vocabulary=vocabulary)} for route in ROUTES},
        "components": {
            "securitySchemes": {
                _KEY: {"type": "apiKey", "in": "header", "name": "X-API-Key"},
                **{
                    scheme: {"type": "apiKey", "in": "query", "name": name, "description": meaning}
                    for scheme, (name, meaning) in _SIGNED.items()
                },
            },
            "parameters": make_shared(vocabulary),
            "headers": make_headers(),
            "responses": make_failures(),
            "schemas": make_schemas(vocabulary),
        },
    }


def encode_document(vocabulary: Vocabulary) -> bytes:
    """Encode the OpenAPI document of a vocabulary as JSON. Equal vocabularies give equal bytes."""
    return msgspec.json.encode(make_document(vocabulary))


def _tag_route(route: Route) -> str:
    return route.collection if route.needs_key else "service"


def _make_operation(route: Route, *, vocabulary: Vocabulary) -> Schema:
    operation: Schema = {
        "operationId": route.name.replace(".", "_"),
        "tags": [_tag_route(route)],
        "summary": route.meaning,
        "parameters": list_parameters(route, vocabulary=vocabulary),
        "responses": list_responses(route, vocabulary=vocabulary),
        "x-plan": route.plan,
        "x-credits": {"planned": route.credits.amount, "per": route.credits.per},
    }
    if "include" in route.parameters:
        operation["x-add-ons"] = {
            name: {**Offer().describe_permission(name), "credits": {"planned": ADD_ON_CREDITS[name], "per": "record"}}
            for name in route.parameters["include"].allowed or ()
        }
    if not route.needs_key:
        operation["security"] = []
    if route.takes_signature:
        operation["security"] = [{_KEY: []}, {scheme: [] for scheme in _SIGNED}]
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
    document["tags"] = [{"name": name} for name in tags]
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
    success = {name: value for name, value in operation["responses"]["200"].items() if name != "headers"}
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
