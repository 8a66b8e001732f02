"""Parse `[feeds.map]`: rules for filling a record's members from a table's columns."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from outings.contract.did_you_mean import list_nearest, suggest

Text = Annotated[str, Meta(min_length=1)]
Word = str | int | float | bool
# Directives of a format: those of DuckDB, which are those of C.
_DIRECTIVE = re.compile(r"%(-?.)?", re.DOTALL)
_KNOWN = frozenset("aAbBcdfgHIjmMnpSuUwWxXyYzZ%")
_CLOCK = re.compile(r"%-?[HIcX]")
_DAY = re.compile(r"%-?[djcxuw]")
# Names in place of a format: seconds or milliseconds since 1970.
UNIX = ("unix", "unix_ms")


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"with_": "with"}):
    """A rule for one member. `column`, `first`, `join` or `value` gives its text. Other settings convert that, in this
    order: `pattern` (with `group`), `range`, `split`, `lookup` and `other`, `prefix`, then `format`, `decimal`, or
    `yes` and `no`.

    `first`: columns, of which the first non-empty one counts. `labels`: texts to put before each non-empty column of
    `join`. `heading`: a pattern of cells that are headings; each is appended to the first column in the rows below.
    `fallback`: a value or a rule for an empty text. `optional`: the file may lack the columns.
    """

    column: Text | None = None
    first: tuple[Text, ...] = ()
    join: tuple[Text, ...] = ()
    labels: tuple[str, ...] = ()
    value: Word | tuple[Word, ...] | None = None
    with_: str = " "
    heading: str = ""
    pattern: str = ""
    group: str = ""
    range: Literal["start", "end", ""] = ""
    split: Text | tuple[Text, ...] = ()
    lookup: dict[str, Word | tuple[Word, ...]] = {}
    other: Word | None = None
    prefix: str = ""
    fallback: Word | dict[str, Any] | None = None
    format: Text | tuple[Text, ...] = ()
    decimal: Literal[".", ","] = "."
    yes: tuple[Text, ...] = ()
    no: tuple[Text, ...] = ()
    optional: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return self.first or self.join if self.column is None else (self.column,)

    @property
    def fallback_rule(self) -> "Rule | None":
        return msgspec.convert(self.fallback, Rule) if isinstance(self.fallback, dict) else None

    @property
    def taken_group(self) -> int:
        """Return the number of the pattern's group to take; 0 is the whole match."""
        compiled = re.compile(self.pattern)
        named = compiled.groupindex
        return named[self.group] if self.group else next(iter(named.values()), compiled.groups)

    @property
    def formats(self) -> tuple[str, ...]:
        return (self.format,) if isinstance(self.format, str) else self.format

    @property
    def separators(self) -> tuple[str, ...]:
        return (self.split,) if isinstance(self.split, str) else self.split


RULE_WORDS = tuple(field.encode_name for field in msgspec.structs.fields(Rule))


class MappingError(ValueError):
    """An error in a rule. `key`: the member, with the name of the wrong setting if one is."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(key, message)
        self.key, self.message = key, message


def parse_mapping(raw: Mapping[str, Any]) -> dict[str, Rule]:
    """Parse the rules, by the dotted paths of their members. Raises MappingError for the first error.

    >>> rules = parse_mapping({"name": "Title", "price": {"min": {"column": "Fee"}}})
    >>> {member: rule.column for member, rule in rules.items()}
    {'name': 'Title', 'price.min': 'Fee'}
    """
    rules = {}
    for member, rule in iterate_rules(raw):
        if isinstance(rule, MappingError):
            raise rule
        rules[member] = rule
    return rules


def iterate_rules(raw: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Rule | MappingError]]:
    """Yield each member's path with its rule or error. Unquoted, `price.min = …` means the same as `"price.min" =
    …`."""
    for name, stated in raw.items():
        member = f"{path}.{name}" if path else name
        if isinstance(stated, dict) and stated and not RULE_SET.intersection(stated) and _is_nested(stated):
            yield from iterate_rules(stated, member)
        else:
            try:
                yield member, _parse_rule(member, stated)
            except MappingError as problem:
                yield member, problem


RULE_SET = frozenset(RULE_WORDS)


def _is_nested(stated: dict[str, Any]) -> bool:
    """Return True if a table's names are members, and none looks like a mistyped setting of a rule."""
    return not any(list_nearest(name, RULE_WORDS) for name in stated)


def _parse_rule(member: str, stated: Any) -> Rule:
    if isinstance(stated, str):
        stated = {"column": stated}
    if not isinstance(stated, dict):
        raise MappingError(member, "is no rule; allowed: the name of a column, or a table as { column = … }")
    for word in stated:
        if word not in RULE_SET:
            what = f"is no word of a rule{suggest(word, RULE_WORDS)}; allowed: {', '.join(RULE_WORDS)}"
            raise MappingError(f"{member}.{word}", what)
    try:
        rule = msgspec.convert(stated, Rule)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        raise MappingError(f"{member}.{where.rstrip('`')}" if where else member, f"is wrong: {what}") from error
    _check_rule(member, rule, stated)
    return rule


def _check_rule(member: str, rule: Rule, stated: Mapping[str, Any]) -> None:
    sources = [word for word in ("column", "first", "join", "value") if word in stated]
    if len(sources) != 1:
        detail = "both " + " and ".join(sources) if sources else "no source"
        raise MappingError(member, f"has {detail}; allowed: one of column, first, join, value")
    if rule.value is not None and len(stated) > 1:
        raise MappingError(member, "has a value and says how to read it; allowed: the value alone")
    if "with" in stated and not rule.join:
        raise MappingError(f"{member}.with", "is given without join, whose columns it stands between")
    if "labels" in stated and len(rule.labels) != len(rule.join):
        many = f"{len(rule.labels)} and join has {len(rule.join)}"
        raise MappingError(f"{member}.labels", f"has {many}; allowed: one for each column of join, empty for none")
    if "other" in stated and not rule.lookup:
        raise MappingError(f"{member}.other", "is given without lookup, of whose others it is")
    _check_pattern(f"{member}.heading", rule.heading)
    _check_pattern(f"{member}.pattern", rule.pattern, rule.group)
    if isinstance(rule.fallback, dict):
        _parse_rule(f"{member}.fallback", rule.fallback)
    for format_ in rule.formats:
        _check_format(f"{member}.format", format_)


def _check_pattern(key: str, pattern: str, group: str = "") -> None:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise MappingError(key, f"is no pattern: {error}") from error
    named = ", ".join(compiled.groupindex)
    if group and group not in compiled.groupindex:
        raise MappingError(key, f'has no group "{group}"; it has: {named or "none with a name, as (?P<years>…)"}')
    if not group and compiled.groups > 1 and len(compiled.groupindex) != 1:
        what = f"{named}; say which in group" if named else "write (?:…), or name the one to take, as (?P<years>…)"
        raise MappingError(key, f"has {compiled.groups} groups; allowed: one, of what is taken: {what}")


def _check_format(key: str, text: str) -> None:
    if text in UNIX:
        return
    directives = _DIRECTIVE.findall(text)
    wrong = [directive for directive in directives if directive.lstrip("-") not in _KNOWN]
    if wrong or not directives:
        detail = f"has %{wrong[0]}, which is none" if wrong else "says no day and no time"
        raise MappingError(
            key,
            f'"{text}" {detail}; allowed: as %d/%m/%Y %H:%M (%d day, %m month, %B its name, %Y year, %H:%M of 24 '
            "hours, %I:%M %p of 12), unix, unix_ms",
        )


def has_clock(text: str) -> bool:
    return text in UNIX or _CLOCK.search(text) is not None


def has_day(text: str) -> bool:
    return text in UNIX or _DAY.search(text) is not None
