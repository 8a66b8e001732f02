"""Documents of another program: what two of them have in common, and one with what this program shows beside that."""

from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

from outings.contract.resources.listings import find_structs


def agree(one: Any, other: Any) -> bool:
    """Whether two values say the same where both say something: a member that one program alone has says nothing."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(agree(one[name], other[name]) for name in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    return bool(one == other)


def complete_members(given: Any, annotation: Any) -> Any:
    """A document with the members that its program did not know: null, or empty where null is not allowed. One that may
    be neither has a default, or is still missing."""
    struct = next(find_structs(annotation), None)
    if isinstance(given, list):
        return [complete_members(each, annotation) for each in given]
    if struct is None or not isinstance(given, dict):
        return given
    members = {}
    for field in fields(struct):
        if field.encode_name in given:
            members[field.encode_name] = complete_members(given[field.encode_name], field.type)
        elif field.required:
            members |= _make_empty(field.encode_name, field.type)
    return members


def _make_empty(name: str, annotation: Any) -> dict[str, Any]:
    if get_origin(annotation) is Annotated:
        return _make_empty(name, get_args(annotation)[0])
    if NoneType in get_args(annotation):
        return {name: None}
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        return {name: complete_members({}, annotation)}
    return {name: []} if getattr(annotation, "__origin__", None) is tuple else {}
