"""The objects of answers, and their members."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from outings.pages.reference.value_types import Form, read_form

# What `fields` leaves of a resource, and the names that it takes, are told with the parameter.
_OF_FIELDS = ("Part", "Path")


class MemberEntry(Struct, frozen=True, kw_only=True):
    """`is_optional`: it is there only where something asked for it or it helps."""

    name: str
    form: Form
    meaning: str
    is_optional: bool


class ShapeEntry(Struct, frozen=True, kw_only=True):
    name: str
    meaning: str
    members: Sequence[MemberEntry]


def list_shapes(document: Mapping[str, Any]) -> Sequence[ShapeEntry]:
    """Every object of every answer, by name."""
    schemas = document["components"]["schemas"]
    return [
        ShapeEntry(name=name, meaning=schema.get("description", ""), members=_list_members(schema))
        for name, schema in schemas.items()
        if not name.endswith(_OF_FIELDS)
    ]


def _list_members(schema: Mapping[str, Any]) -> Sequence[MemberEntry]:
    required = schema.get("required", ())
    return [
        MemberEntry(name=name, form=read_form(member), meaning=member["description"], is_optional=name not in required)
        for name, member in schema["properties"].items()
    ]
