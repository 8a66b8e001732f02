"""Find the columns of a mapped table in which people write ages, prices and hours."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from outings.configuration.mapping import parse_mapping
from outings.contract.vocabulary import Vocabulary
from pipeline.fetch.table.mapping import compile_source, find_text, join_list
from pipeline.fetch.table.targets import find_targets


class TextSource(NamedTuple):
    """The texts of a member. `kind`: of ranges.understands; `sql`: over the table `feed`."""

    member: str
    kind: str
    sql: str


def list_texts(raw: Mapping[str, Any], columns: Mapping[str, Any], vocabulary: Vocabulary) -> Iterator[TextSource]:
    """Yield the texts that people write, as the rules take them from the table's columns, before any is read."""
    rules = parse_mapping(raw)
    targets = find_targets(rules, vocabulary)
    for member, rule in rules.items():
        kind = "ages" if targets[member].steps[0] == "ages" else targets[member].kind
        is_other_end = member.endswith(".max") and f"{member[:-3]}min" in rules
        if kind == "local" and len(rule.join) > 1 and member == "starts_local":
            for name in rule.join[1:]:
                yield TextSource(f"{member} (hour)", "clock", join_list(find_text(member, name, columns), rule.with_))
        elif rule.range and kind in ("ages", "amount") and not is_other_end:
            text = compile_source(member, rule, targets[member], columns)
            if not text.many:
                yield TextSource(member, kind, text.sql)
