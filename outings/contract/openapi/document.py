"""Makes the OpenAPI 3.1 document from the tables of the contract and the deployment's vocabulary.

The document has every route of v1, because a path is a promise whichever deployment answers. What some deployments
answer and others do not says so in words, and has `501` among its responses.
"""

from typing import Any

import msgspec

from outings import __version__
from outings.contract.includes import Offer
from outings.contract.openapi.parameters import list_parameters, make_shared
from outings.contract.openapi.responses import list_responses, make_failures, make_headers
from outings.contract.openapi.schemas import Schema, make_schemas
from outings.contract.pricing_plans import ADD_ON_CREDITS
from outings.contract.route import Route
from outings.contract.routes import ROUTES
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
# What takes its place in the address of a calendar, both together: scheme → parameter, and what it is.
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
    """Equal vocabularies give equal bytes."""
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
        operation["x-add-ons"] = _describe_add_ons(route)
    if not route.needs_key:
        operation["security"] = []
    if route.takes_signature:
        operation["security"] = [{_KEY: []}, {scheme: [] for scheme in _SIGNED}]
    if route.stability != "stable":
        operation["x-stability"] = route.stability
    return operation


def _describe_add_ons(route: Route) -> Schema:
    return {
        name: {**Offer().describe_permission(name), "credits": {"planned": ADD_ON_CREDITS[name], "per": "record"}}
        for name in route.parameters["include"].allowed or ()
    }
