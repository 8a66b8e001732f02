"""The members that a mapping may name, by their paths, and as what each is read."""

from collections.abc import Mapping

from msgspec import Struct

from outings.configuration.mapping import MappingError, Rule
from outings.contract.suggestions import list_nearest
from outings.contract.vocabulary import Vocabulary
from pipeline.records import values
from pipeline.records.kinds import Members, Table
from pipeline.records.members import make_members
from pipeline.records.values import ItemsParser, Parse

_READ_AS: Mapping[Parse, str] = {
    values.parse_boolean: "flag", values.parse_number: "amount", values.parse_whole: "amount",
    values.parse_age: "amount", values.parse_year: "amount", values.parse_confidence: "decimal",
    values.parse_latitude: "decimal", values.parse_longitude: "decimal", values.parse_date: "date",
    values.parse_local: "local", values.parse_instant: "instant", values.parse_instant_text: "instant",
    values.parse_clock: "clock",
}  # fmt: skip
TIMES = frozenset({"date", "local", "instant", "clock"})


class Target(Struct, frozen=True, kw_only=True):
    """`steps`: the names on the way to it; `lists`: how many of the first of them lead to a list of objects, whose one
    entry it is in. `kind`: `text`, `flag`, `amount`, `decimal`, or one of `TIMES`; `many`: it is a list of such."""

    steps: tuple[str, ...]
    kind: str
    many: bool
    lists: frozenset[int] = frozenset()


def find_targets(rules: Mapping[str, Rule], vocabulary: Vocabulary) -> dict[str, Target]:
    """Raises `MappingError` for a path that is no member."""
    types = make_members(vocabulary).values()
    return {member: _find_target(member, list(types)) for member in rules}


def _find_target(member: str, tables: list[Members]) -> Target:
    steps, lists = tuple(member.split(".")), set[int]()
    for place, step in enumerate(steps):
        matches = [members[step] for members in tables if step in members]
        if not matches:
            known = dict.fromkeys(name for members in tables for name in members)
            near = ", ".join(list_nearest(step, known) or sorted(known))
            path = ".".join((*steps[:place], ""))
            raise MappingError(
                member, f"is no member of a record; the nearest: {path}{near.replace(', ', f', {path}')}"
            )
        inner = [kind for kind in matches if isinstance(kind, Table)]
        if place == len(steps) - 1:
            if inner:
                names = ", ".join(f"{member}.{name}" for name in inner[0].members)
                raise MappingError(member, f"is an object; name its members: {names}")
            leaf = next(kind for kind in matches if not isinstance(kind, Table))
            return _make_target(steps, leaf.parse, frozenset(lists))
        if not inner:
            raise MappingError(member, f"goes on behind {'.'.join(steps[: place + 1])}, which is no object")
        if inner[0].many:
            lists.add(place)
        tables = [kind.members for kind in inner]
    raise AssertionError("a path has a step")


def _make_target(steps: tuple[str, ...], parse: Parse, lists: frozenset[int]) -> Target:
    many = isinstance(parse, ItemsParser)
    inner = parse.parse if isinstance(parse, ItemsParser) else parse
    return Target(steps=steps, kind=_READ_AS.get(inner, "text"), many=many, lists=lists)
