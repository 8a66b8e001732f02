"""Make OpenAPI components from the resources' structs and the deployment's vocabulary."""

from collections.abc import Collection, Iterable
from itertools import chain
from typing import Any, TypeGuard

import msgspec
from msgspec import Struct

from outings.contract.envelope import Notice
from outings.contract.errors import Failure, Problem
from outings.contract.members import EVERYWHERE, RESOURCES
from outings.contract.resources.directories import Facets
from outings.contract.resources.listings import LISTINGS, Organization, OrganizationEntry, find_structs
from outings.contract.routes import ROUTES, Route
from outings.contract.vocabulary import TYPES, Vocabulary

Schema = dict[str, Any]


def is_struct(item: object) -> TypeGuard[type[Struct]]:
    return isinstance(item, type) and issubclass(item, Struct)


# The types of `data` and `meta`, and of the other members of answers.
_BODIES: tuple[type[Struct], ...] = (
    *dict.fromkeys(filter(is_struct, (struct for route in ROUTES for struct in (route.item, route.meta)))),
    Facets,
    Notice,
    Failure,
    Problem,
)

# Answers always have all members of these types. Members of other types whose default is UNSET may be left out.
_ALWAYS_WHOLE = (Organization,)


def refer(name: str, *, kind: str = "schemas") -> Schema:
    return {"$ref": f"#/components/{kind}/{name}"}


def list_words(words: Collection[str]) -> Schema:
    """Make a schema that allows only these words. Without words it uses `not`, since some tools refuse an empty
    `enum`."""
    return {"type": "string", "enum": list(words)} if words else {"not": {}}


def make_body(route: Route) -> Schema:
    """Return the schema of a successful answer, a component that is named by what the answer has."""
    if not is_struct(route.item):
        return {"type": "object"}  # the document itself
    return refer(name_body(route) if has_envelope(route) else route.item.__name__)


def has_envelope(route: Route) -> bool:
    """Return True if the answer has its content in `data`."""
    return is_struct(route.item) and route.group != "service"


def name_body(route: Route) -> str:
    assert is_struct(route.item)
    return f"{route.item.__name__}{'Answer' if route.is_one else 'List'}"


def _make_envelopes() -> dict[str, Schema]:
    """Make the schemas of whole answers, by name."""
    envelopes: dict[str, Schema] = {}
    for route in ROUTES:
        if not has_envelope(route):
            continue
        assert is_struct(route.item)
        item = refer(route.item.__name__)
        properties: Schema = {
            "data": item if route.is_one else {"type": "array", "items": item},
            "notices": {"type": "array", "items": refer("Notice")},
        }
        if "facets" in route.parameters:
            properties["facets"] = refer("Facets")
        if route.meta is not None:
            properties["meta"] = refer(route.meta.__name__)
        required = ["data"] if route.meta is None else ["data", "meta"]
        envelope = {"type": "object", "properties": properties, "required": required}
        same = envelopes.setdefault(name_body(route), envelope)
        same["properties"] |= properties  # `facets` is of some lists
    return envelopes


def make_schemas(vocabulary: Vocabulary) -> dict[str, Schema]:
    """Make all schema components, by name."""
    _, components = msgspec.json.schema_components(_BODIES, ref_template="#/components/schemas/{name}")
    named: dict[str, Schema] = {}
    schemas = {name: _tidy(schema, vocabulary, named) for name, schema in components.items()}
    for struct in chain.from_iterable(map(_walk_structs, _BODIES)):
        schemas[struct.__name__]["required"] = list(_list_present(struct))
        for member, schema in schemas[struct.__name__]["properties"].items():
            # A KeyError here: the member has neither `means` beside its type nor a line in `members.py`.
            schema["description"] = schema.pop("description", None) or EVERYWHERE[member]
    schemas |= named | _make_envelopes()
    for resource, struct in RESOURCES.items():
        members = schemas[struct.__name__]["properties"]
        members["type"] = {**_describe_type(resource), "description": members["type"]["description"]}
    schemas["CalendarDay"]["properties"]["categories"]["propertyNames"] = refer("Category")
    return dict(sorted(schemas.items()))


def _describe_type(resource: str) -> Schema:
    """Return the schema of the member `type` of a resource."""
    if resource in LISTINGS:
        return {"const": resource}
    if RESOURCES[resource] in (Organization, OrganizationEntry):
        return {"const": "organization"}
    return {"type": "string", "enum": list(TYPES)}


def _list_present(struct: type[Struct]) -> Iterable[str]:
    """Yield the members that answers always have."""
    config = struct.__struct_config__
    for field in msgspec.structs.fields(struct):
        left_out = config.omit_defaults and not field.required
        if struct in _ALWAYS_WHOLE or not (left_out or field.default is msgspec.UNSET):
            yield field.encode_name


def _walk_structs(annotation: object) -> Iterable[type[Struct]]:
    """Yield the structs that an annotation contains, and those that their members contain, recursively."""
    for struct in find_structs(annotation):
        yield struct
        for field in msgspec.structs.fields(struct):
            yield from _walk_structs(field.type)


def _tidy(schema: Any, vocabulary: Vocabulary, named: dict[str, Schema]) -> Any:
    """Return the schema with the deployment's words and with null as a type, without Python's default values, which
    answers do not have. Words with a name are added to `named`."""
    if isinstance(schema, list):
        return [_tidy(inner, vocabulary, named) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    tidy: Schema = {
        # A member may be named as one of the keywords that are left out.
        key: {name: _tidy(member, vocabulary, named) for name, member in value.items()}
        if key == "properties"
        else _tidy(value, vocabulary, named)
        for key, value in schema.items()
        if key not in ("default", "required", "title")
    }
    if isinstance(tidy.get("description"), str):
        tidy["description"] = " ".join(tidy["description"].split())
    words = tidy.pop("x-vocabulary", None)
    if words is not None:
        tidy |= list_words(getattr(vocabulary, words))
    if tidy.get("format") == "date-time":
        tidy = {key: value for key, value in tidy.items() if key not in ("pattern", "examples")}
    if "enum" in tidy:
        tidy.setdefault("type", "string")
    if (name := tidy.pop("x-name", None)) is not None:
        others = {key: tidy.pop(key) for key in ("description", "title") if key in tidy}
        named[name] = tidy
        return {**refer(name), **others}
    if (pair := tidy.pop("prefixItems", None)) is not None:
        tidy["items"] = pair[0]  # tools that make clients know arrays of one type alone
    return _join_null(tidy)


def _join_null(schema: Schema) -> Schema:
    """Replace `anyOf` a plain type and null by one schema with both as `type`."""
    choices = schema.get("anyOf", [])
    plain = [choice for choice in choices if choice != {"type": "null"}]
    if len(choices) != 2 or len(plain) != 1 or not isinstance(plain[0].get("type"), str):
        return schema
    others = {key: value for key, value in schema.items() if key != "anyOf"}
    joined = {**plain[0], "type": [plain[0]["type"], "null"], **others}
    if "enum" in joined or joined.pop("not", None) is not None:
        joined["enum"] = [*joined.get("enum", ()), None]
    return joined
