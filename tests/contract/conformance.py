"""Strict checks that a response is what `/openapi.json` says: it has all promised members and no others. The published
document leaves objects open, because readers must accept members that come later; here they are closed. All tests
that request a response pass it through `check_response` or `check_success`."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from jsonschema_rs import Draft202012Validator

from outings.contract.errors import METHODS
from outings.contract.openapi.document import make_document
from outings.contract.routes import LIST_FORMATS, match_route
from outings.contract.vocabulary import Vocabulary

Schema = dict[str, Any]

_DEFAULT = Vocabulary()
_TEXTS = {"events.ics", "export.file"}
# What transport and browsers speak of among themselves.
_OF_HTTP = {
    "content-type", "content-length", "content-encoding", "x-content-type-options", "access-control-allow-origin",
    "access-control-expose-headers", "accept-ranges",
}  # fmt: skip

# What every response has, as the document says in its beginning.
_ALWAYS = {"x-request-id", "x-trace-id", "vary", "cache-control"}


def check_success(target: str, body: bytes, *, vocabulary: Vocabulary = _DEFAULT) -> None:
    """The body of a `200` to `target`: a raw path with its query string. Of what is no JSON, nothing is declared."""
    path, _, query = target.partition("?")
    match = match_route(path)
    assert match is not None, target
    if match.route.name in _TEXTS or match.format:
        return
    cut = "fields" in parse_qs(query)
    _validate(_compile_success(vocabulary, match.route.path, cut), json.loads(body), target)


def check_response(
    target: str,
    *,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    method: str = "GET",
    vocabulary: Vocabulary = _DEFAULT,
) -> None:
    """`headers` by names in lower case; `body` decoded, empty where there is none to see."""
    if method == "OPTIONS" and status == 204:
        assert body == b"", target
        return
    is_page = status < 400 or headers.get("content-type", "").startswith("text/html")
    if is_page and match_route(target.partition("?")[0]) is None:
        _check_page(headers, target=target)
        return
    response = _find_response(vocabulary, target, status, method)
    _check_headers(response, headers, target=target)
    if "content" not in response or method == "HEAD":
        assert body == b"", f"{status} of {target} has a body"
        return
    match = match_route(target.partition("?")[0])
    media = LIST_FORMATS.get(match.format if match and status == 200 else "")
    expected = [media] if media else response["content"]  # the document says in words that lists have other formats
    assert headers["content-type"] in expected, f"{status} of {target} is {headers['content-type']}"
    if status == 200 and headers["content-type"] == "application/json":
        check_success(target, body, vocabulary=vocabulary)
    elif status >= 400 and headers["content-type"] == "application/json":
        _validate(_compile_failure(vocabulary, status), json.loads(body), target)


def _check_page(headers: Mapping[str, str], *, target: str) -> None:
    """Check the headers of a page of the site, which the document leaves out: a page may load only from its own
    site."""
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; "), target
    assert "unsafe" not in policy, target
    assert headers["x-content-type-options"] == "nosniff", target
    assert headers["vary"] in ("Accept-Encoding", "Accept"), target


def _find_response(vocabulary: Vocabulary, target: str, status: int, method: str) -> Schema:
    """Find the response that the document declares. An unknown route or method is refused alike everywhere."""
    document = _make_strict(vocabulary)
    match = match_route(target.partition("?")[0])
    common = match is None and status in (400, 404)
    if common or (status == 405 and method not in METHODS):
        return _name_failures(vocabulary)[status]
    assert match is not None, f"{status} of {target}, which is no route"
    declared = document["paths"][match.route.path]["get"]["responses"]
    assert str(status) in declared, f"{status} of {target} is not declared"
    return _resolve(document, declared[str(status)])


def _check_headers(response: Schema, headers: Mapping[str, str], *, target: str) -> None:
    declared = {name.lower() for name in response["headers"]} | _ALWAYS
    optional = {"x-release", "link", *(name for name in declared if _is_limit(name))}
    assert declared - optional <= set(headers), f"{target} lacks {declared - optional - set(headers)}"
    others = {name for name in set(headers) - declared - _OF_HTTP if not _is_limit(name)}
    assert others == set(), f"{target} has {others}"


def _is_limit(name: str) -> bool:
    return "ratelimit" in name or "quota" in name


def _validate(validator: Draft202012Validator, body: Any, target: str) -> None:
    for error in validator.iter_errors(body):
        where = "/".join(map(str, error.instance_path))
        raise AssertionError(f"{target}: {where}: {error.message[:500]}")


@cache
def _compile_success(vocabulary: Vocabulary, path: str, cut: bool) -> Draft202012Validator:
    document = _make_strict(vocabulary)
    declared = document["paths"][path]["get"]["responses"]
    assert "200" in declared, f"{path} is not to be answered"
    schema = _resolve(document, declared["200"])["content"]["application/json"]["schema"]
    schemas = document["components"]["schemas"]
    return _compile(schema, _cut_resources(schemas) if cut else schemas)


@cache
def _compile_failure(vocabulary: Vocabulary, status: int) -> Draft202012Validator:
    response = _name_failures(vocabulary)[status]
    schemas = _make_strict(vocabulary)["components"]["schemas"]
    content = response["content"]["application/json"]
    members: Schema = {"code": {"enum": list(content["examples"])}}
    if status == 400:
        members["details"] = {"required": ["reason"]}
    own = {"properties": {"error": {"properties": members, "required": ["details"] if status == 400 else []}}}
    return _compile({"allOf": [content["schema"], own]}, schemas)


def _compile(schema: Schema, schemas: Schema) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": {"schemas": schemas}}, validate_formats=True)


@cache
def _name_failures(vocabulary: Vocabulary) -> Mapping[int, Schema]:
    """The component of each status, by the codes that its examples have."""
    document = _make_strict(vocabulary)
    by_status: dict[int, Schema] = {}
    for path in document["paths"].values():
        for status, response in path["get"]["responses"].items():
            if int(status) >= 400:
                by_status[int(status)] = _resolve(document, response)
    return {**by_status, 405: document["components"]["responses"]["MethodNotAllowed"]}


@cache
def _make_strict(vocabulary: Vocabulary) -> Schema:
    closed: Schema = _close(make_document(vocabulary))
    return closed


def _close(schema: Any) -> Any:
    """Close a schema, so that it allows only declared members."""
    if isinstance(schema, list):
        return [_close(value) for value in schema]
    if not isinstance(schema, dict) or "$ref" in schema:
        return schema
    closed = {key: value if key in ("enum", "example", "examples") else _close(value) for key, value in schema.items()}
    if schema.get("format") == "date-time":
        closed["pattern"] = "^[0-9-]{10}T[0-9:]{8}Z$"  # of the forms that RFC 3339 has, the API writes this one
    if schema.get("type") == "object" and "properties" in schema:
        closed.setdefault("additionalProperties", False)
    return closed


def _cut_resources(schemas: Schema) -> Schema:
    """Make members optional as under `fields`: any of a resource and of what is expanded in it, but an item always has
    `id` and `type`."""
    frame = {
        "ListMeta", "DirectoryMeta", "Window", "Notice", "Facets", "FacetValue", "OrganizationFacet",
        "OrganizationCount",
    }  # fmt: skip

    def cut(name: str, schema: Schema) -> Schema:
        if name in frame:
            return schema
        members = schema.get("properties", {})
        if "data" not in members:
            return {**schema, "required": []}
        data, always = members["data"], {"required": ["id", "type"]}
        item = {**data, "items": {**data["items"], **always}} if "items" in data else {**data, **always}
        return {**schema, "properties": {**members, "data": item}}

    return {name: cut(name, schema) for name, schema in schemas.items()}


def _resolve(document: Schema, node: Schema) -> Schema:
    target: Any = document
    for key in node.get("$ref", "#").split("/")[1:]:
        target = target[key]
    return target if "$ref" in node else node
