"""What a setting's declared type says: a scalar, a list, a table, or an array of tables."""

from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Struct

_SCALARS = (str, int, float, bool, Path)


def strip_annotation(declared: Any) -> Any:
    """`declared` without its bounds and without `| None`."""
    if get_origin(declared) is Annotated:
        return strip_annotation(get_args(declared)[0])
    if get_origin(declared) in (Union, UnionType):
        kinds = [kind for kind in get_args(declared) if kind is not NoneType]
        return strip_annotation(kinds[0]) if len(kinds) == 1 else declared
    return declared


def find_struct(declared: Any) -> type[Struct] | None:
    """The table that a setting holds, alone or as an array of tables; None of a plain setting."""
    kind = strip_annotation(declared)
    if get_origin(kind) is tuple:
        kind = strip_annotation(get_args(kind)[0])
    return kind if isinstance(kind, type) and issubclass(kind, Struct) else None


def is_list_of_tables(declared: Any) -> bool:
    return get_origin(strip_annotation(declared)) is tuple and find_struct(declared) is not None


def is_scalar(declared: Any) -> bool:
    kind = strip_annotation(declared)
    if get_origin(kind) in (Union, UnionType):
        return any(is_scalar(one) for one in get_args(kind))
    return kind in _SCALARS or get_origin(kind) is Literal


def list_choices(declared: Any) -> tuple[str, ...]:
    """The words that a closed setting, or each entry of a list of them, allows; else none."""
    kind = strip_annotation(declared)
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(choice for one in get_args(kind) for choice in list_choices(one))


_PLAIN = {
    str: "a text", int: "a whole number", float: "a number", bool: "true or false", Path: "a path", dict: "a table",
}  # fmt: skip


def describe_type(declared: Any) -> str:
    """What a setting allows, in words: its bounds where they are declared, else its kind."""
    alternatives = get_args(declared) if get_origin(declared) in (Union, UnionType) else ()
    for one in (declared, *alternatives):
        for note in getattr(one, "__metadata__", ()):
            if note.description:
                return str(note.description)
    if choices := list_choices(declared):
        return ("a list of " if get_origin(strip_annotation(declared)) is tuple else "") + ", ".join(choices)
    kind = strip_annotation(declared)
    if get_origin(kind) is tuple:
        return f"a list, each {describe_type(get_args(kind)[0])}"
    if inner := find_struct(kind):
        return "a table of " + ", ".join(inner.__struct_fields__)
    return _PLAIN[get_origin(kind) or kind]
