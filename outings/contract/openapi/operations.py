"""Make the parameters and responses of a route: its body, its errors and its headers."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from outings.contract import errors
from outings.contract.envelope import PROBLEM, encode_error
from outings.contract.openapi.examples import find_path_values
from outings.contract.openapi.schemas import Schema, has_envelope, list_words, make_body, name_body, refer
from outings.contract.parameters import PARAMETERS
from outings.contract.pricing_plans import Offer
from outings.contract.routes import ROUTES, Route
from outings.contract.values import KINDS, DateDefault, Default, Parameter, list_allowed
from outings.contract.vocabulary import Vocabulary

# Parameters in a path's braces.
_IN_PATH: Mapping[str, Schema] = {
    "metro": {
        "schema": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 63},
        "description": "A metro's slug, or an alias of it.",
    },
    "id": {
        "schema": {
            "type": "string",
            "format": "uuid",
            "pattern": "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
        },
        "description": "Its id.",
    },
    "file": {
        "schema": {"type": "string"},
        "description": "Its name, `<collection>.<format>`, as `links.self` of the export has it.",
    },
    "slug": {"schema": {"type": "string"}, "description": "Its slug."},
}


def make_shared(vocabulary: Vocabulary) -> dict[str, Schema]:
    """Make the components for parameters that are the same on every route."""
    return {name: make_parameter(row, vocabulary=vocabulary) for name, row in PARAMETERS.items()}


def list_parameters(route: Route, *, vocabulary: Vocabulary) -> list[Schema]:
    """Return the parameters of one operation, those of its path first."""
    values = find_path_values(route)
    listed = [
        {"name": name, "in": "path", "required": True, **members, **({"example": values[name]} if values else {})}
        for name, members in _IN_PATH.items()
        if f"{{{name}}}" in route.path
    ]
    for name, row in route.parameters.items():
        is_shared = row == PARAMETERS[name]
        listed.append(refer(name, kind="parameters") if is_shared else make_parameter(row, vocabulary=vocabulary))
    for name in route.ignored:
        meaning = f"Changes nothing for {route.collection}, whatever its value: a notice says so."
        parameter = make_parameter(PARAMETERS[name], vocabulary=vocabulary)
        listed.append({**parameter, "description": meaning, "schema": {}, "x-ignored": True})
    return listed


def make_parameter(row: Parameter, *, vocabulary: Vocabulary) -> Schema:
    """Make a query parameter."""
    schema = _make_schema(row, vocabulary=vocabulary)
    parameter: Schema = {"name": row.name, "in": "query", "description": " ".join(_describe(row)), "schema": schema}
    if row.required:
        parameter["required"] = True
    if row.replaced_by is not None:
        parameter["deprecated"] = True
    allowed, example = list_allowed(row, vocabulary), row.example
    if allowed is not None and not all(word in allowed for word in example.split(",")):
        example = next(iter(allowed), "")  # a word of this deployment
    if example and (row.is_tryable or row.required):
        values = [_read_scalar(row, text) for text in (example.split(",") if row.array else [example])]
        parameter["example"] = values if row.array else values[0]
    if row.stability != "stable":
        parameter["x-stability"] = row.stability
    return parameter


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
    if row.grant is not None:
        yield f"For keys with the grant `{row.grant}`; else `403`."


def _write_default(default: Default) -> str:
    if isinstance(default, DateDefault):
        return default.value
    texts = default if isinstance(default, tuple) else (str(default).lower() if default is False else str(default),)
    return ", ".join(f"`{text}`" for text in texts)


def _make_schema(row: Parameter, *, vocabulary: Vocabulary) -> Schema:
    item: Schema = dict(KINDS[row.kind].form)
    allowed = list_allowed(row, vocabulary)
    if allowed is not None:
        item |= list_words(allowed)
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


def _read_scalar(row: Parameter, text: str) -> Any:
    value = KINDS[row.kind].parse(text)
    return value if isinstance(value, int | float) else text


_REQUEST_ID = "0f8fad5bd9cb469fa165708677289502"

_COUNT: Schema = {"type": "integer", "minimum": 0}

# Meaning and schema of each header.
_HEADERS: Mapping[str, tuple[str, Schema]] = {
    "X-Request-Id": ("Names this request; failures carry it too.", {"type": "string"}),
    "X-Trace-Id": ("The caller's own, where it sent a well-formed one; else the request's id.", {"type": "string"}),
    "X-Release": ("The release that answered.", {"type": "string"}),
    "ETag": ("Sent back as `If-None-Match`, an unchanged answer is `304`. Strong for Parquet.", {"type": "string"}),
    "Cache-Control": ("`private` with `max-age` in seconds or `no-cache`; `no-store` on failures.", {"type": "string"}),
    "Vary": ("The request's headers that a cache must compare.", {"type": "string"}),
    "X-RateLimit-Limit": ("Requests of this key a minute.", _COUNT),
    "X-RateLimit-Remaining": ("How many of them would pass at once.", _COUNT),
    "X-RateLimit-Reset": ("When all of them are left again, if none is sent: unix seconds.", _COUNT),
    "RateLimit-Limit": ("As `X-RateLimit-Limit`.", _COUNT),
    "RateLimit-Remaining": ("As `X-RateLimit-Remaining`.", _COUNT),
    "RateLimit-Reset": ("The same as `X-RateLimit-Reset` in seconds from now.", _COUNT),
    "RateLimit-Policy": ("The limits by name (draft-ietf-httpapi-ratelimit-headers).", {"type": "string"}),
    "RateLimit": ("What is left of each (draft-ietf-httpapi-ratelimit-headers).", {"type": "string"}),
    "X-Quota-Limit": ("Answers of this client's a UTC month; absent where they are not limited.", _COUNT),
    "X-Quota-Remaining": ("How many of them are left.", _COUNT),
    "X-Quota-Reset": ("When the next month begins: unix seconds.", _COUNT),
    "Retry-After": ("Whole seconds to wait; a retry after them passes.", {"type": "integer", "minimum": 1}),
    "WWW-Authenticate": ("How to send a key.", {"type": "string"}),
    "Allow": ("The methods that there are.", {"type": "string"}),
    "Link": ('`rel="next"` is the next page, `rel="service-desc"` this document.', {"type": "string"}),
    "Content-Range": ("Which bytes of how many.", {"type": "string"}),
}
# Headers for known keys alone.
_LIMITS = tuple(name for name in _HEADERS if "RateLimit" in name or "Quota" in name)
_SOMETIMES = ("X-Release", "Link", "Retry-After", "WWW-Authenticate", "Allow", *_LIMITS)
_ALWAYS = ("X-Request-Id", "X-Trace-Id", "Vary")
_UNCACHED = (*_ALWAYS, "Cache-Control")
# Headers that each success states in the document. All responses have those of the failures too, except `Retry-After`.
_CACHED = ("Cache-Control", "ETag")

_PERMITTED = errors.include_not_permitted("source", permission=Offer().describe_permission("source"), links={})

# Responses to failures: status, meaning, an example for each code, and further headers, by component.
_FAILURES: Mapping[str, tuple[int, str, tuple[errors.ApiError, ...], tuple[str, ...]]] = {
    "BadRequest": (
        400, "Wrong or contradictory parameters, or a cursor of another request; `details.reason` says which.",
        (errors.bad_request(param="limit", reason="out_of_range", message="limit is 500; it takes 0 to 200.",
                            min=0, max=200),), (),
    ),
    "Unauthorized": (
        401, "The key is missing, unknown or revoked.", (errors.unauthorized(),), ("WWW-Authenticate",),
    ),
    "Forbidden": (
        403, "The key is not scoped to this metro, type, add-on or feature.",
        (errors.forbidden(metros=["seattle"]), _PERMITTED,
         errors.feature_not_in_plan("where", permission=Offer().describe_permission("where"), links={})), (),
    ),
    "NotFound": (404, "Nothing of that name exists, or it may not be shown.",
                 (errors.not_found("There is no event with this id."),), ()),
    "MethodNotAllowed": (405, "Any method but `GET`, `HEAD` and `OPTIONS`.", (errors.method_not_allowed(),),
                         ("Allow",)),
    "TooMany": (429, "The key's rate, or its client's allowance of this month, is spent.",
                (errors.rate_limited(2), errors.quota_exceeded(86_400)), ("Retry-After",)),
    "Internal": (500, "A fault of the server: try once more, then report `request_id`.", (errors.internal(),), ()),
    "NotImplemented": (501, "Not answered by this version or deployment; trying again will not help.",
                       (errors.not_enabled("zip", param="zip"),), ()),
    "Unavailable": (503, "Not available for a moment.", (errors.unavailable(),), ("Retry-After",)),
}  # fmt: skip


def make_headers() -> dict[str, Schema]:
    return {
        name: {"description": meaning, "required": name not in _SOMETIMES, "schema": schema}
        for name, (meaning, schema) in _HEADERS.items()
    }


def make_responses() -> dict[str, Schema]:
    """Make the components for errors, and for answers that say nothing of the route."""
    content = {"application/vnd.apache.parquet": {"schema": {"type": "string", "format": "binary"}}}
    return {
        "NotModified": {
            "description": "The answer is still the one that `If-None-Match` names.",
            "headers": _refer_headers(*_CACHED),
        },
        "Part": {
            "description": "The part of a Parquet file that `Range` names: `bytes=0-99`, `bytes=100-` or `bytes=-8`.",
            "headers": _refer_headers(*_CACHED, "Content-Range"),
            "content": content,
        },
        "NotSatisfiable": {
            "description": "The file has none of the bytes that `Range` names. `Content-Range` says how many it has.",
            "headers": _refer_headers(*_ALWAYS, *_CACHED, "Content-Range"),
        },
        **{name_body(route): _make_success(route) for route in ROUTES if has_envelope(route)},
    } | {
        name: {
            "description": meaning,
            "headers": _refer_headers(*_UNCACHED, *headers, *(_LIMITS if name == "TooMany" else ())),
            "content": {**_wrap_json(refer("Failure"), examples=examples), PROBLEM: {"schema": refer("Problem")}},
        }
        for name, (_, meaning, examples, headers) in _FAILURES.items()
    }


def join_failures(document: Schema) -> Schema:
    """Return the document with one response for all failures: their bodies have one form, and the codes that tell them
    apart are those of its examples. Typed clients are told of JSON alone: two forms would be no form."""
    components = document["components"]
    kept = {name: node for name, node in components["responses"].items() if name not in _FAILURES}
    statuses = " ".join(f"`{status}`: {meaning}" for status, meaning, _, _ in _FAILURES.values())
    examples = [error for _, _, errors_shown, _ in _FAILURES.values() for error in errors_shown]
    kept["Failure"] = {
        "description": f"A failure. {statuses} With `Accept: {PROBLEM}` it is a `Problem`.",
        "headers": _refer_headers(*(name for name in _HEADERS if name not in ("ETag", "Link", "Content-Range"))),
        "content": _wrap_json(refer("Failure"), examples=examples),
    }
    paths = {path: {"get": _join_failures(node["get"])} for path, node in document["paths"].items()}
    return {**document, "paths": paths, "components": {**components, "responses": kept}}


def _join_failures(operation: Schema) -> Schema:
    others = {status: node for status, node in operation["responses"].items() if status < "400" or status == "416"}
    return {**operation, "responses": {**others, **dict.fromkeys(("4XX", "5XX"), refer("Failure", kind="responses"))}}


def list_responses(route: Route) -> dict[str, Schema]:
    """Return the responses of a route by status."""
    is_shared = has_envelope(route)
    responses = {"200": refer(name_body(route), kind="responses") if is_shared else _make_success(route)}
    if route.item is bytes:
        responses |= {"206": refer("Part", kind="responses"), "416": refer("NotSatisfiable", kind="responses")}
    if _is_cached(route):
        responses["304"] = refer("NotModified", kind="responses")
    for name in _list_failures(route):
        responses[str(_FAILURES[name][0])] = refer(name, kind="responses")
    return responses


def _is_cached(route: Route) -> bool:
    return route.needs_key or route.max_age is not None  # all but the answers of probes


def _make_success(route: Route) -> Schema:
    return {
        "description": "Success.",
        "headers": _refer_headers(*((*_CACHED, "Link") if _is_cached(route) else ("Cache-Control",))),
        "content": _make_content(route),
    }


def _make_content(route: Route) -> Schema:
    """Make the body's schema for each media type of the route."""
    if route.item in (str, bytes):
        text: Schema = {"type": "string"} | ({"format": "binary"} if route.item is bytes else {})
        content: Schema = {media: {"schema": {"type": "object"} if "+json" in media else text} for media in route.media}
    else:
        content = _wrap_json(make_body(route))
    return content


def _list_failures(route: Route) -> Iterable[str]:
    yield "BadRequest"
    if route.needs_key:
        yield "Unauthorized"
        if "{" in route.path or "metro" in route.parameters:
            yield from ("Forbidden", "NotFound")
        yield "TooMany"
    yield "Internal"
    # A deployment may have no geocoder.
    if route.is_optional or route.optional or "center" in route.prepared.values():
        yield "NotImplemented"
    yield "Unavailable"


def _wrap_json(schema: Schema, *, examples: Iterable[errors.ApiError] = ()) -> Schema:
    shown = {error.code: {"value": msgspec.json.decode(encode_error(error, _REQUEST_ID))} for error in examples}
    return {"application/json": {"schema": schema, **({"examples": shown} if shown else {})}}


def _refer_headers(*names: str) -> dict[str, Schema]:
    return {name: refer(name, kind="headers") for name in (*names, "X-Release")}
