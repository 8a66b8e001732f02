"""Makes the responses of a route: its body, its errors and its headers."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from outings.contract import errors
from outings.contract.envelope import encode_error
from outings.contract.includes import Offer
from outings.contract.members import RESOURCES
from outings.contract.meta import Filters
from outings.contract.openapi.examples import find_example
from outings.contract.openapi.schemas import Schema, is_struct, name_part, refer
from outings.contract.route import Route
from outings.contract.vocabulary import Vocabulary

_REQUEST_ID = "0f8fad5bd9cb469fa165708677289502"

_COUNT: Schema = {"type": "integer", "minimum": 0}

# Header → what it says, and its schema.
_HEADERS: Mapping[str, tuple[str, Schema]] = {
    "X-Request-Id": ("Names this request; failures carry it too.", {"type": "string"}),
    "X-Trace-Id": ("The caller's own, where it sent a well-formed one; else the request's id.", {"type": "string"}),
    "X-Release": ("The release that answered.", {"type": "string"}),
    "ETag": ("Weak. Sent back as `If-None-Match`, an unchanged answer is `304`.", {"type": "string"}),
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
}
# What a known key is told, and nobody else.
_LIMITS = tuple(name for name in _HEADERS if "RateLimit" in name or "Quota" in name)
_SOMETIMES = ("X-Release", *_LIMITS)
_ALWAYS = ("X-Request-Id", "X-Trace-Id", "Vary")
_CACHED = (*_ALWAYS, "Cache-Control", "ETag")
_UNCACHED = (*_ALWAYS, "Cache-Control")

_PERMITTED = errors.include_not_permitted("source", permission=Offer().describe_permission("source"), links={})

# Component → status, what it means, an example for each of its codes, headers of its own.
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
         errors.feature_not_in_plan("history")), (),
    ),
    "NotFound": (404, "There is nothing of that name that may be shown.",
                 (errors.not_found("There is no event with this id."),), ()),
    "MethodNotAllowed": (405, "Any method but `GET`, `HEAD` and `OPTIONS`.", (errors.method_not_allowed(),),
                         ("Allow",)),
    "TooMany": (429, "The key's rate, or its client's allowance of this month, is spent.",
                (errors.rate_limited(2), errors.quota_exceeded(86_400)), ("Retry-After",)),
    "Internal": (500, "A fault of the server: try once more, then report `request_id`.", (errors.internal(),), ()),
    "NotImplemented": (501, "Not answered by this version or deployment; trying again will not help.",
                       (errors.not_enabled("zip", param="zip"),), ()),
    "Unavailable": (503, "Not for a moment.", (errors.unavailable(),), ("Retry-After",)),
}  # fmt: skip

# Of the contract itself.
_DOCUMENT: Schema = {"type": "object", "required": ["openapi", "info", "paths"]}


def choose_part(resource: str) -> Schema:
    """The schema of a whole resource, or of what `fields` leaves of it."""
    return {"anyOf": [refer(RESOURCES[resource].__name__), refer(name_part(resource))]}


def make_headers() -> dict[str, Schema]:
    return {
        name: {"description": meaning, "required": name not in _SOMETIMES, "schema": schema}
        for name, (meaning, schema) in _HEADERS.items()
    }


def make_failures() -> dict[str, Schema]:
    """The components for errors."""
    return {
        name: {
            "description": meaning,
            "headers": _refer_headers(*_UNCACHED, *headers, *(() if name == "Unauthorized" else _LIMITS)),
            "content": _wrap_json(_narrow_failure(examples), examples=examples),
        }
        for name, (_, meaning, examples, headers) in _FAILURES.items()
    }


def list_responses(route: Route, *, vocabulary: Vocabulary) -> dict[str, Schema]:
    """The responses of a route by status."""
    responses: dict[str, Schema] = {"200": _make_success(route, vocabulary=vocabulary)}
    if _is_cached(route):
        responses["304"] = {
            "description": "What `If-None-Match` names is what would be answered.",
            "headers": _refer_headers(*_CACHED, *_list_limits(route)),
        }
    for name in _list_failures(route):
        responses[str(_FAILURES[name][0])] = refer(name, kind="responses")
    return responses


def make_body(route: Route) -> Schema:
    """The schema of a success."""
    if not is_struct(route.item):
        return _DOCUMENT
    if not route.needs_key:
        return refer(route.item.__name__)
    item = choose_part(route.shown) if route.shown else refer(route.item.__name__)
    properties: Schema = {
        "data": item if route.is_one else {"type": "array", "items": item},
        "notices": {"type": "array", "items": refer("Notice")},
    }
    if "facets" in route.parameters:
        properties["facets"] = refer("Facets")
    if route.meta is not None:
        properties["meta"] = refer(route.meta.__name__) | _name_filters(route)
    required = ["data"] if route.meta is None else ["data", "meta"]
    return {"type": "object", "properties": properties, "required": required}


def _name_filters(route: Route) -> Schema:
    """The filters that its `meta` may name, where they hold for all that is answered."""
    types = {} if route.meta is None else {each.name: each.type for each in msgspec.structs.fields(route.meta)}
    if types.get("applied_filters") != Filters:
        return {}
    names = sorted(name for name, row in route.parameters.items() if row.is_filter and not row.replaced_by)
    named = {"applied_filters": {"propertyNames": {"enum": names}}, "defaults_applied": {"items": {"enum": names}}}
    return {"properties": named}


def _make_content(route: Route, *, vocabulary: Vocabulary) -> Schema:
    """By media type, with the example under its own."""
    if route.item in (str, bytes):
        text: Schema = {"type": "string"} | ({"format": "binary"} if route.item is bytes else {})
        content: Schema = {media: {"schema": text} for media in route.media}
    else:
        content = _wrap_json(make_body(route))
    example = find_example(route, vocabulary)
    if example is not None:
        content[example.media]["example"] = example.answer
    return content


def _make_success(route: Route, *, vocabulary: Vocabulary) -> Schema:
    return {
        "description": route.meaning,
        "headers": _refer_headers(*(_CACHED if _is_cached(route) else _UNCACHED), *_list_limits(route)),
        "content": _make_content(route, vocabulary=vocabulary),
    }


def _list_limits(route: Route) -> tuple[str, ...]:
    return _LIMITS if route.needs_key else ()


def _is_cached(route: Route) -> bool:
    """Probes are asked anew each time."""
    return route.needs_key or route.max_age is not None


def _list_failures(route: Route) -> Iterable[str]:
    yield "BadRequest"
    if route.needs_key:
        yield "Unauthorized"
        if "{" in route.path or "metro" in route.parameters:
            yield from ("Forbidden", "NotFound")
        yield "TooMany"
    yield "Internal"
    # A deployment may have no geocoder.
    if route.is_optional or route.optional or "address" in route.parameters:
        yield "NotImplemented"
    yield "Unavailable"


def _narrow_failure(examples: Iterable[errors.ApiError]) -> Schema:
    """The envelope with the codes of one status."""
    codes = [error.code for error in examples]
    members: Schema = {"code": {"enum": codes}}
    narrowed: Schema = {"properties": members}
    if codes == ["bad_request"]:
        narrowed["required"] = ["details"]
        members["details"] = {"required": ["reason"]}
    return {**refer("Failure"), "properties": {"error": narrowed}}


def _wrap_json(schema: Schema, *, examples: Iterable[errors.ApiError] = ()) -> Schema:
    shown = {error.code: {"value": _show_failure(error)} for error in examples}
    return {"application/json": {"schema": schema, **({"examples": shown} if shown else {})}}


def _show_failure(error: errors.ApiError) -> Any:
    return msgspec.json.decode(encode_error(error, _REQUEST_ID))


def _refer_headers(*names: str) -> dict[str, Schema]:
    return {name: refer(name, kind="headers") for name in (*names, "X-Release")}
