"""`/openapi.json` of a static tree: the same document with the routes and parameters alone that its files answer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from outings.contract.openapi.document import make_document
from outings.contract.route_matching import match_route
from outings.contract.vocabulary import Vocabulary

_ABOUT = """\
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
    """Return the document of the requests that have files."""
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
    document["info"]["description"] = _ABOUT
    document["servers"] = [{"url": "."}]
    document["tags"] = [{"name": name} for name in dict.fromkeys(each["tags"][0] for each in operations.values())]
    del document["security"], document["components"]["securitySchemes"]
    document["paths"] = {
        path: {"get": _reduce(operation, names[path], document) | {"x-file": examples[path]}}
        for path, operation in operations.items()
    }
    components = document["components"]
    needed = set(_list_needed(document["paths"], components, set()))
    reduced = {kind: {k: v for k, v in each.items() if (kind, k) in needed} for kind, each in components.items()}
    document["components"] = {kind: each for kind, each in reduced.items() if each}
    return msgspec.json.encode(document)


def _reduce(operation: Mapping[str, Any], sent: set[str], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return an operation that takes the parameters of its path and those that were sent, and needs no key."""

    def read(parameter: Mapping[str, Any]) -> Mapping[str, Any]:
        name = parameter.get("$ref", "").rpartition("/")[2]
        shared: Mapping[str, Any] = document["components"]["parameters"][name] if name else parameter
        return shared

    parameters = [each for each in operation["parameters"] if read(each)["in"] == "path" or read(each)["name"] in sent]
    success = {name: value for name, value in operation["responses"]["200"].items() if name != "headers"}
    kept = {name: operation[name] for name in ("operationId", "tags", "summary", "x-stability") if name in operation}
    responses = {"200": success, "404": {"description": "There is no such file."}}
    return {**kept, "parameters": parameters, "responses": responses}


def _list_needed(value: Any, components: Mapping[str, Any], visited: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the kind and name of each component that is referred to, also by another."""
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
        for each in value:
            yield from _list_needed(each, components, visited)
