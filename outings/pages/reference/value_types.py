"""What a schema says of one value, as a reader of a table sees it: a form, its words and its bounds."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

Schema = Mapping[str, Any]

# What says more than the type.
_FORMATS = ("uuid", "date", "date-time")
# With spaces at which no line ends.
_TO = "\u00a0…\u00a0"
_PREFIX = "#/components/schemas/"


class Form(Struct, frozen=True, kw_only=True):
    """`name` is a type such as `integer`, or the name of the object `shape`. `words` are all values that there are,
    `sample` is one that shows how it is written."""

    name: str
    shape: str = ""
    is_array: bool = False
    is_map: bool = False
    is_nullable: bool = False
    words: tuple[str, ...] = ()
    sample: str = ""
    bounds: str = ""
    default: str = ""


def read_form(schema: Schema) -> Form:
    """Of a parameter or a member. What may be several things is named by all of them."""
    default = _write_value(schema["x-default"]) if "x-default" in schema else ""
    kinds = _list_types(schema)
    if "array" in kinds:
        inner = _read_single(schema.get("items", {}))
        most = f"≤ {schema['maxItems']}" if schema.get("maxItems") and not inner.bounds else inner.bounds
        return _derive(inner, is_array=True, is_nullable="null" in kinds, bounds=most, default=default)
    if "additionalProperties" in schema and "properties" not in schema:
        inner = _read_single(schema["additionalProperties"] if isinstance(schema["additionalProperties"], dict) else {})
        return _derive(inner, is_map=True, is_nullable="null" in kinds, default=default)
    return _derive(_read_single(schema), default=default)


def _read_single(schema: Schema) -> Form:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_PREFIX)
        # What `fields` takes: the paths of an object's members.
        return Form(name="path" if name.endswith("Path") else name, shape=name.removesuffix("Path"))
    if "anyOf" in schema:
        return _join(schema["anyOf"])
    kinds = _list_types(schema)
    words = schema.get("enum", [schema["const"]] if "const" in schema else [])
    plain = [each for each in kinds if each != "null"]
    name = schema["format"] if schema.get("format") in _FORMATS else " | ".join(plain)
    return Form(
        name=name or ("string" if words else "any"),
        is_nullable="null" in kinds or None in words,
        words=tuple(_write_value(word) for word in words if word is not None),
        sample=next(iter(schema.get("examples", [])), ""),
        bounds=_write_bounds(schema),
    )


def _join(choices: Iterable[Schema]) -> Form:
    forms = [_read_single(each) for each in choices if each != {"type": "null"}]
    shapes = [each.shape for each in forms if each.shape and not each.shape.endswith("Part")]
    is_nullable = len(forms) < len(list(choices)) or any(each.is_nullable for each in forms)
    name = " | ".join(dict.fromkeys(each.name for each in forms if not each.name.endswith("Part")))
    return Form(name=name, shape=shapes[0] if len(shapes) == 1 else "", is_nullable=is_nullable)


def _derive(form: Form, **changes: Any) -> Form:
    given = {name: value for name, value in changes.items() if value or name == "is_array"}
    return replace(form, **given)


def _list_types(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def _write_bounds(schema: Schema) -> str:
    """Of a number its least and greatest value, of a text its length."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None and most < 2**53:
        return f"{_write_value(least)}{_TO}{_write_value(most)}"
    if least is not None:
        return f"≥ {_write_value(least)}"
    longest = schema.get("maxLength")
    return f"1{_TO}{longest}" if longest and schema.get("minLength") else ""


def _write_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(_write_value, value))
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) and abs(value) >= 10_000 else str(value)
