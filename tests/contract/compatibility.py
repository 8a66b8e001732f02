"""Compare a contract document with an older one: v1 is frozen, so that nothing published may go. The promise holds for
routes that were answered and are not marked `x-stability`; of other routes only the path must stay. Anything may be
added: routes, optional parameters, members, values. `python -m tests.contract.compatibility` freezes today's
document unless it takes something away."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from outings.contract.openapi.document import make_document
from outings.contract.vocabulary import Vocabulary

Schema = Mapping[str, Any]
Way = Literal["asked", "answered"]

FROZEN = Path(__file__).parent / "frozen/openapi-v1.json"

# Bounds of what may be asked: keyword → whether a greater value takes more.
_BOUNDS = {
    "minimum": False, "minLength": False, "minItems": False, "maximum": True, "maxLength": True, "maxItems": True,
}  # fmt: skip


def list_losses(old: Schema, new: Schema) -> list[str]:
    """Each as a sentence; none where whoever built on `old` can go on with `new`."""
    return list(_compare_paths(old, new))


def _compare_paths(old: Schema, new: Schema) -> Iterator[str]:
    for path, methods in old["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            if not _is_stable(operation):
                continue
            if method not in new["paths"].get(path, {}):
                yield f"{where} is gone"
            elif _is_answered(operation):
                yield from _Comparison(old, new).compare_operations(operation, new["paths"][path][method], where=where)


def _is_stable(node: Schema) -> bool:
    return bool(node.get("x-stability", "stable") == "stable")


def _is_answered(node: Schema) -> bool:
    return bool(node.get("x-implemented", True))


class _Comparison:
    """A comparison of nodes in two documents, with references followed."""

    def __init__(self, old: Schema, new: Schema) -> None:
        self._old = old
        self._new = new

    def compare_operations(self, old: Schema, new: Schema, *, where: str) -> Iterator[str]:
        yield from _compare_marks(new, where=where)
        for name in ("operationId", "x-plan"):
            if old.get(name) != new.get(name):
                yield f"{where}: {name} was {old.get(name)}, is {new.get(name)}"
        if old.get("security") == [] != new.get("security"):
            yield f"{where} needs a key"
        yield from self._compare_parameters(old, new, where=where)
        for status, response in old["responses"].items():
            if status in new["responses"]:
                yield from self._compare_responses(response, new["responses"][status], where=f"{where}: {status}")
            elif int(status) < 400:
                yield f"{where}: {status} is gone"

    def _compare_parameters(self, old: Schema, new: Schema, *, where: str) -> Iterator[str]:
        before = {item["name"]: item for item in (_unfold(self._old, node) for node in old["parameters"])}
        after = {item["name"]: item for item in (_unfold(self._new, node) for node in new["parameters"])}
        for name, parameter in before.items():
            place = f"{where}: {name}"
            if not (_is_stable(parameter) and _is_answered(parameter)):
                continue
            if name not in after:
                yield f"{place} is gone"
                continue
            yield from _compare_marks(after[name], where=place)
            yield from self._compare_schemas(parameter["schema"], after[name]["schema"], where=place, way="asked")
        for name, parameter in after.items():
            if parameter.get("required") and not before.get(name, {}).get("required"):
                yield f"{where}: {name} is required"

    def _compare_responses(self, old: Schema, new: Schema, *, where: str) -> Iterator[str]:
        old, new = _unfold(self._old, old), _unfold(self._new, new)
        for name in old.get("headers", {}):
            if name not in new.get("headers", {}):
                yield f"{where}: header {name} is gone"
        for name, content in old.get("content", {}).items():
            if name not in new.get("content", {}):
                yield f"{where}: {name} is gone"
            else:
                schema = new["content"][name]["schema"]
                yield from self._compare_schemas(content["schema"], schema, where=where, way="answered")

    def _compare_schemas(self, old: Schema, new: Schema, *, where: str, way: Way) -> Iterator[str]:
        old, new = _unfold(self._old, old), _unfold(self._new, new)
        yield from _compare_types(old, new, where=where, way=way)
        yield from _compare_values(old, new, where=where, way=way)
        for name, member in old.get("properties", {}).items():
            label = f"{where}: {name}"
            if name not in new.get("properties", {}):
                yield f"{label} is gone"
                continue
            if name in old.get("required", ()) and name not in new.get("required", ()):
                yield f"{label} may be absent"
            yield from self._compare_schemas(member, new["properties"][name], where=label, way=way)
        for keyword in ("items", "additionalProperties", "propertyNames"):
            if isinstance(old.get(keyword), dict):
                yield from self._compare_schemas(
                    old[keyword], new.get(keyword, {}), where=f"{where}: {keyword}", way=way
                )
        for choice in old.get("anyOf", ()):
            choices = [
                list(self._compare_schemas(choice, value, where=where, way=way)) for value in new.get("anyOf", ())
            ]
            yield from min(choices, key=len, default=[f"{where}: a choice is gone"])


def _compare_marks(new: Schema, *, where: str) -> Iterator[str]:
    if not _is_stable(new):
        yield f"{where} is {new['x-stability']}"
    if not _is_answered(new):
        yield f"{where} is not answered"


def _compare_types(old: Schema, new: Schema, *, where: str, way: Way) -> Iterator[str]:
    before, after = _list_types(old), _list_types(new)
    # A reader is prepared for the types that it was told of, and may send any of them.
    if before != after and (way == "answered" or (after and not before <= after)):
        yield f"{where}: type was {sorted(before)}, is {sorted(after)}"


def _list_types(schema: Schema) -> set[str]:
    types = schema.get("type", [])
    return {types} if isinstance(types, str) else set(types)


def _compare_values(old: Schema, new: Schema, *, where: str, way: Way) -> Iterator[str]:
    if "enum" in old and "enum" in new:
        gone = [value for value in old["enum"] if value not in new["enum"]]
        if gone:
            yield f"{where}: {', '.join(map(str, gone))} is gone"
    elif ("enum" in new) if way == "asked" else ("enum" in old):
        yield f"{where}: its values were {old.get('enum', 'any')}, are {new.get('enum', 'any')}"
    # What is asked may become freer in form, what is answered stricter.
    source, target = (new, old) if way == "asked" else (old, new)
    for name in ("pattern", "format", "const"):
        if name in source and source[name] != target.get(name):
            yield f"{where}: {name} was {old.get(name)}, is {new.get(name)}"
    if way == "answered":
        return
    before, after = _read_default(old), _read_default(new)
    if before != after:
        yield f"{where}: default was {before}, is {after}"
    for name, more in _BOUNDS.items():
        if name in new and (name not in old or (new[name] < old[name] if more else new[name] > old[name])):
            yield f"{where}: {name} was {old.get(name)}, is {new[name]}"


def _read_default(schema: Schema) -> object:
    """Return the value that holds if nothing is sent. Older documents have it under `default`."""
    return schema.get("x-default", schema.get("default"))


def _unfold(document: Schema, node: Schema) -> Schema:
    """Return what a reference leads to, with the members beside it."""
    if "$ref" not in node:
        return node
    target: Any = document
    for key in node["$ref"].split("/")[1:]:
        target = target[key]
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return _merge(document, _unfold(document, target), beside)


def _merge(document: Schema, under: Schema, over: Schema) -> Schema:
    merged = dict(under)
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = _merge(document, _unfold(document, merged[key]), value)
        else:
            merged[key] = [*merged.get(key, []), *value] if key == "required" else value
    return merged


def main() -> None:
    new = make_document(Vocabulary())
    losses = list_losses(json.loads(FROZEN.read_text()), new) if FROZEN.exists() else []
    if losses:
        sys.exit("\n".join(["v1 is frozen, and this takes away:", *losses]))
    FROZEN.parent.mkdir(exist_ok=True)
    FROZEN.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
