"""Make OpenAPI components from the resources' structs and the deployment's vocabulary."""

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import Any, TypeGuard

import msgspec
from msgspec import Struct

from outings.contract.envelope import Notice
from outings.contract.errors import Failure
from outings.contract.members import EVERYWHERE, MEMBERS, RESOURCES
from outings.contract.resources.directories import Facets
from outings.contract.resources.listings import LISTINGS, Organization, OrganizationEntry, find_structs
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, TIME_BLOCKS, TYPES, UNSPECIFIED, WEEKDAYS, Vocabulary

Schema = dict[str, Any]


def is_struct(item: object) -> TypeGuard[type[Struct]]:
    return isinstance(item, type) and issubclass(item, Struct)


# The types of `data` and `meta`, and of the other members of answers.
_BODIES: tuple[type[Struct], ...] = (
    *dict.fromkeys(filter(is_struct, (struct for route in ROUTES for struct in (route.item, route.meta)))),
    Facets,
    Notice,
    Failure,
)

# Answers always have all members of these types. Members of other types whose default is UNSET may be left out.
_ALWAYS_WHOLE = (Organization,)


def refer(name: str, *, kind: str = "schemas") -> Schema:
    return {"$ref": f"#/components/{kind}/{name}"}


def list_words(words: Collection[str]) -> Schema:
    """Make a schema that allows only these words. Without words it uses `not`, since some tools refuse an empty
    `enum`."""
    return {"enum": list(words)} if words else {"not": {}}


def name_path(resource: str) -> str:
    """Return the name of the component for the values of `fields`, the paths of a resource's members."""
    return f"{RESOURCES[resource].__name__}Path"


def name_part(resource: str) -> str:
    """Return the name of the component for a resource that `fields` reduced to some members."""
    return f"{RESOURCES[resource].__name__}Part"


def make_schemas(vocabulary: Vocabulary) -> dict[str, Schema]:
    """Make all schema components, by name."""
    _, components = msgspec.json.schema_components(_BODIES, ref_template="#/components/schemas/{name}")
    schemas = {name: _tidy(schema, vocabulary) for name, schema in components.items()}
    for struct in chain.from_iterable(map(_walk_structs, _BODIES)):
        schemas[struct.__name__]["required"] = list(_list_present(struct))
        for member, schema in schemas[struct.__name__]["properties"].items():
            # A KeyError here: the member has neither `means` beside its type nor a line in `members.py`.
            schema["description"] = schema.pop("description", None) or EVERYWHERE[member]
    for resource, struct in RESOURCES.items():
        members = schemas[struct.__name__]["properties"]
        members["type"] = {**_describe_type(resource), "description": members["type"]["description"]}
        schemas[name_part(resource)] = _make_part(resource)
        schemas[name_path(resource)] = {"type": "string", "enum": sorted(MEMBERS[resource])}
    buckets: Mapping[str, Iterable[str]] = {
        "category": vocabulary.categories, "weekday": WEEKDAYS, "time_block": TIME_BLOCKS, "price_band": PRICE_BANDS,
        "age_band": AGE_BANDS,
    }  # fmt: skip
    for name, words in buckets.items():
        values = schemas["Facets"]["properties"][name]
        values["items"] = {**refer("FacetValue"), "properties": {"value": {"enum": [*words, UNSPECIFIED]}}}
    schemas["CalendarDay"]["properties"]["categories"]["propertyNames"] = {"enum": list(vocabulary.categories)}
    return dict(sorted(schemas.items()))


def _describe_type(resource: str) -> Schema:
    """Return the schema of the member `type` of a resource."""
    if resource in LISTINGS:
        return {"const": resource}
    if RESOURCES[resource] in (Organization, OrganizationEntry):
        return {"const": "organization"}
    return {"type": "string", "enum": list(TYPES)}


def _make_part(resource: str) -> Schema:
    return {
        "title": name_part(resource),
        "description": f"With `fields`: those members of {RESOURCES[resource].__name__} alone that were asked for.",
        "type": "object",
        "properties": {"id": {"type": "string", "format": "uuid"}, "type": _describe_type(resource)},
        "required": ["id", "type"],
    }


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


def _tidy(schema: Any, vocabulary: Vocabulary) -> Any:
    """Return the schema with the deployment's words and with null as a type, without Python's default values, which
    answers do not have."""
    if isinstance(schema, list):
        return [_tidy(inner, vocabulary) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    tidy = {key: _tidy(value, vocabulary) for key, value in schema.items() if key not in ("default", "required")}
    if isinstance(tidy.get("description"), str):
        tidy["description"] = " ".join(tidy["description"].split())
    words = tidy.pop("x-vocabulary", None)
    if words is not None:
        tidy |= list_words(getattr(vocabulary, words))
    if "prefixItems" in tidy:
        del tidy["items"]  # False. `maxItems` says the same, and some generators can't read a schema that is no object
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
