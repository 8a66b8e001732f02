"""What a route answers: its body by route, its failures, its headers."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from outings.contract import errors
from outings.contract.envelope import encode_error
from outings.contract.includes import Offer
from outings.contract.members import RESOURCES
from outings.contract.openapi.schemas import Schema, name_part, refer
from outings.contract.resources.export import EXPORT_TYPES
from outings.contract.routes import Route

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
    "Unavailable": (503, "Not for a moment.", (errors.unavailable(5),), ("Retry-After",)),
}  # fmt: skip

# Of routes whose answer is neither a list nor one of the resources.
# Prometheus' text.
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# Bodies that are no JSON.
_TEXTS: Mapping[str, Schema] = {
    "metrics": {METRICS_TYPE: {"schema": {"type": "string"}}},
    "events.ics": {EXPORT_TYPES["ics"]: {"schema": {"type": "string"}}},
    "export.file": {media: {"schema": {"type": "string", "format": "binary"}} for media in EXPORT_TYPES.values()},
}


def choose_part(resource: str) -> Schema:
    """The whole of it, or what `fields` left of it."""
    return {"anyOf": [refer(RESOURCES[resource].__name__), refer(name_part(resource))]}


def _wrap_plain(item: Schema, *, meta: str) -> Schema:
    """A list whose items and meta are structs of their own."""
    return _wrap_object({"type": "array", "items": item}, meta=meta)


def _wrap_object(data: Schema, *, meta: str) -> Schema:
    return {
        "type": "object",
        "properties": {
            "data": data,
            "notices": {"type": "array", "items": refer("Notice")},
            "meta": refer(meta),
        },
        "required": ["data", "meta"],
    }


_BODIES: Mapping[str, Schema] = {
    "metros": _wrap_plain(refer("Metro"), meta="MetrosMeta"),
    "search": _wrap_plain(refer("SearchResult"), meta="SearchMeta"),
    "nearby": _wrap_plain(choose_part("nearby_item"), meta="NearbyMeta"),
    "export": _wrap_plain(refer("ExportFile"), meta="ExportMeta"),
    "around": _wrap_object(refer("Around"), meta="AroundMeta"),
    "activity": _wrap_object(refer("AreaActivity"), meta="ActivityMeta"),
    "changes": _wrap_plain(refer("Change"), meta="ChangesMeta"),
    "versions": _wrap_plain(refer("ListingVersion"), meta="VersionsMeta"),
    "openapi": {"type": "object", "required": ["openapi", "info", "paths"]},
    "healthz": refer("Health"),
    "readyz": refer("Readiness"),
}


def make_headers() -> dict[str, Schema]:
    return {
        name: {"description": meaning, "required": name not in _SOMETIMES, "schema": schema}
        for name, (meaning, schema) in _HEADERS.items()
    }


def make_failures() -> dict[str, Schema]:
    """The components of what is refused or fails."""
    return {
        name: {
            "description": meaning,
            "headers": _refer_headers(*_UNCACHED, *headers, *(() if name == "Unauthorized" else _LIMITS)),
            "content": _wrap_json(_narrow_failure(examples), examples=examples),
        }
        for name, (_, meaning, examples, headers) in _FAILURES.items()
    }


def list_responses(route: Route) -> dict[str, Schema]:
    """By status."""
    responses: dict[str, Schema] = {}
    if route.implemented:
        responses["200"] = _make_success(route)
        if _is_cached(route):
            responses["304"] = {
                "description": "What `If-None-Match` names is what would be answered.",
                "headers": _refer_headers(*_CACHED, *_list_limits(route)),
            }
    for name in _list_failures(route):
        responses[str(_FAILURES[name][0])] = refer(name, kind="responses")
    return responses


def make_body(route: Route) -> Schema:
    """The schema of a success. KeyError for a route that has none yet."""
    kind = route.name.partition(".")[2]
    resource = route.shown
    if resource is not None and kind in ("detail", "slug"):
        return _wrap_data(choose_part(resource))
    if resource is not None and kind in ("list", "of_organization", "at_place"):
        meta = "ListMeta" if route.type else "DirectoryMeta"
        return _wrap_list(route, choose_part(resource), meta=meta)
    if route.name == "coverage":
        return _wrap_list(route, refer("Coverage"), meta="CoverageMeta", is_object=True)
    if route.name == "neighborhoods":
        return _wrap_list(route, refer("Neighborhood"), meta="DirectoryMeta")
    if kind == "calendar":
        return _wrap_list(route, refer("CalendarDay"), meta="CalendarMeta")
    return _BODIES[route.name]


def _make_success(route: Route) -> Schema:
    return {
        "description": route.meaning,
        "headers": _refer_headers(*(_CACHED if _is_cached(route) else _UNCACHED), *_list_limits(route)),
        "content": _TEXTS.get(route.name) or _wrap_json(make_body(route)),
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
    is_whole = all(row.implemented for row in route.parameters.values())
    # A deployment may have no geocoder.
    if not route.implemented or not is_whole or "address" in route.parameters:
        yield "NotImplemented"
    yield "Unavailable"


def _wrap_data(data: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {"data": data, "notices": {"type": "array", "items": refer("Notice")}},
        "required": ["data"],
    }


def _wrap_list(route: Route, item: Schema, *, meta: str, is_object: bool = False) -> Schema:
    """`meta`: the struct of it, whose filters are those of the route. An object is its one item."""
    filters = sorted(name for name, row in route.parameters.items() if row.is_filter and not row.replaced_by)
    properties: Schema = {
        "data": item if is_object else {"type": "array", "items": item},
        "notices": {"type": "array", "items": refer("Notice")},
    }
    if "facets" in route.parameters:
        properties["facets"] = refer("Facets")
    properties["meta"] = {
        **refer(meta),
        "properties": {
            "applied_filters": {"propertyNames": {"enum": filters}},
            "defaults_applied": {"items": {"enum": filters}},
        },
    }
    return {"type": "object", "properties": properties, "required": ["data", "meta"]}


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
