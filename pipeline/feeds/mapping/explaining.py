"""Problems of records that a mapping made, in the words of the file: which column, and what to change."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import structs

from outings.configuration.mapping import Rule, parse_mapping
from outings.contract.vocabulary import Vocabulary
from pipeline.feeds.mapping.targets import TIMES, Target, find_targets
from pipeline.records.record import Problem

_INDEX = re.compile(r"\[\d+\]")


def explain_problems(problems: Iterable[Problem], raw: Mapping[str, Any], vocabulary: Vocabulary) -> Iterator[Problem]:
    rules = parse_mapping(raw)
    targets = find_targets(rules, vocabulary)
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
    column = (" or " if rule.first else " + ").join(f'"{each}"' for each in rule.columns)
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
        own, their = ("1,234.50", "1.234,50") if rule.decimal == "." else ("1.234,50", "1,234.50")
        if target.kind == "decimal":
            own, their = own.replace("1,", "").replace("1.", ""), their.replace("1.", "").replace("1,", "")
        return f'is no number as {own}; if your file writes {their}, say decimal = "{other}"; words go into lookup'
    if target.kind == "flag":
        return "is no yes and no no; name your file's words in yes and no"
    if target.kind in TIMES and not target.many:
        formats = " or ".join(rule.formats) or "YYYY-MM-DD HH:MM"
        return f"is not written as {formats}, or no such day or time; add how it is written to format"
    return None
