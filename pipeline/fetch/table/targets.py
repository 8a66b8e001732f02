"""Find the record members that a mapping names, and explain problems of its records by the file's columns."""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, structs

from outings.configuration.mapping import MappingError, Rule, parse_mapping
from outings.contract.did_you_mean import list_nearest
from outings.contract.vocabulary import Vocabulary
from pipeline.fetch.formats import FeedSetting
from pipeline.records import values
from pipeline.records.kinds import Members, Table
from pipeline.records.record import Problem, make_members
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
    """A member that a rule sets. `steps`: its path; `lists`: indexes of the steps that are lists with one object.
    `kind`: `text`, `flag`, `amount`, `decimal`, or one of `TIMES`; `many`: a list of such values."""

    steps: tuple[str, ...]
    kind: str
    many: bool
    lists: frozenset[int] = frozenset()


def find_targets(rules: Mapping[str, Rule], vocabulary: Vocabulary) -> dict[str, Target]:
    """Find the members that the rules set. Raises `MappingError` for a path that is no member."""
    types = make_members(vocabulary).values()
    return {member: _find_target(member, list(types)) for member in rules}


def _find_target(member: str, tables: list[Members]) -> Target:
    steps, lists = tuple(member.split(".")), set[int]()
    for place, step in enumerate(steps):
        matches = [members[step] for members in tables if step in members]
        if not matches:
            allowed = dict.fromkeys(name for members in tables for name in members)
            near = ", ".join(list_nearest(step, allowed) or sorted(allowed))
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
            many, parse = isinstance(leaf.parse, ItemsParser), getattr(leaf.parse, "parse", leaf.parse)
            return Target(steps=steps, kind=_READ_AS.get(parse, "text"), many=many, lists=frozenset(lists))
        if not inner:
            raise MappingError(member, f"goes on behind {'.'.join(steps[: place + 1])}, which is no object")
        if inner[0].many:
            lists.add(place)
        tables = [kind.members for kind in inner]
    raise AssertionError("a path has a step")


_INDEX = re.compile(r"\[\d+\]")


def explain_problems(problems: Iterable[Problem], setting: FeedSetting) -> Iterator[Problem]:
    """Yield the problems; of records that a mapping made, say which column is wrong and what to change."""
    if not setting.feed.map:
        yield from problems
        return
    rules = parse_mapping(setting.feed.map)
    targets = find_targets(rules, setting.vocabulary)
    for problem in problems:
        member = _INDEX.sub("", problem.field or "")
        if member == "date_on" and member not in rules:
            member = "starts_local"
        if (rule := rules.get(member)) is None or rule.value is not None:
            yield problem
        else:
            yield structs.replace(problem, reason=_explain(problem.reason, rule, targets[member]))


def _explain(reason: str, rule: Rule, target: Target) -> str:
    code, _, detail = reason.partition(": ")
    also = detail[detail.index(" (also wrong") :] if " (also wrong" in detail else ""
    column = (" or " if rule.first else " + ").join(f'"{name}"' for name in rule.columns)
    where = f"{code}: column {column}"
    if code == "missing":
        return f"{where} is empty{also}"
    if code == "wrong_type" and (hint := _advise(rule, target)):
        return f"{where} {hint}{also}"
    if code == "unknown_word":
        return (
            f"{where} has a word that is none of ours: {detail.removesuffix(also)}; say what it means in lookup{also}"
        )
    return f"{where}: {detail}"


def _advise(rule: Rule, target: Target) -> str | None:
    if target.kind in ("amount", "decimal"):
        other = "," if rule.decimal == "." else "."
        examples = ("234.50", "234,50") if target.kind == "decimal" else ("1,234.50", "1.234,50")
        own, their = examples if rule.decimal == "." else examples[::-1]
        return f'is no number as {own}; if your file writes {their}, say decimal = "{other}"; words go into lookup'
    if target.kind == "flag":
        return "is no yes and no no; name your file's words in yes and no"
    if target.kind in TIMES and not target.many:
        formats = " or ".join(rule.formats) or "YYYY-MM-DD HH:MM"
        return f"is not written as {formats}, or no such day or time; add how it is written to format"
    return None
