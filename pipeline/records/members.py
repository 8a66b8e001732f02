"""The members of a canonical record, by type: how each is read, as the records' own structs declare it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.parameters import PARAMETERS
from outings.contract.resources.listings import find_structs
from outings.contract.vocabulary import Vocabulary
from pipeline.records.kinds import Kind, Leaf, Members, Table, WordOf, filtered, tags
from pipeline.records.record import RECORDS
from pipeline.records.values import parse_word_of

_COMPARED = frozenset(row.member for row in PARAMETERS.values() if row.member is not None)


@lru_cache(maxsize=8)
def make_members(vocabulary: Vocabulary) -> Mapping[str, Members]:
    """The members of each type under a deployment's own vocabulary."""
    return {
        name: {member: _mark_compared(kind, member) for member, kind in _list_members(struct, vocabulary).items()}
        for name, struct in RECORDS.items()
    }


def _mark_compared(kind: Kind, path: str) -> Kind:
    """A member that a filter compares as it stands is used by a filter, whatever its kind says."""
    if isinstance(kind, Leaf):
        return replace(kind, filters=kind.filters or path in _COMPARED)
    members = {name: _mark_compared(inner, f"{path}.{name}") for name, inner in kind.members.items()}
    return replace(kind, members=members, filters=any(inner.filters for inner in members.values()))


def _list_members(struct: type[Struct], vocabulary: Vocabulary) -> Members:
    """Of those that a feed states."""
    kinds = {field.encode_name: _find_kind(field.type, vocabulary) for field in msgspec.structs.fields(struct)}
    return {name: kind for name, kind in kinds.items() if kind is not None}


def _find_kind(declared: Any, vocabulary: Vocabulary) -> Kind | None:
    """An object that says no kind has the members of its struct."""
    notes = getattr(declared, "__metadata__", ())
    for note in notes:
        if isinstance(note, WordOf):
            words: tuple[str, ...] = getattr(vocabulary, note.vocabulary)
            return tags(words) if note.many else filtered(parse_word_of(words))
        if isinstance(note, Leaf | Table):
            return note
    if (struct := next(find_structs(declared), None)) is None:
        return None
    members = _list_members(struct, vocabulary)
    return Table(
        struct, members, filters=any(kind.filters for kind in members.values()), many=_is_many(declared),
        check=next(iter(notes), None),
    )  # fmt: skip


def _is_many(declared: Any) -> bool:
    return msgspec.inspect.type_info(declared).__class__ is msgspec.inspect.VarTupleType
