"""Cleans one raw record, or one member of it, as a build does."""

from collections import Counter
from typing import Any

from outings.contract.vocabulary import Vocabulary
from pipeline.clean.cleaning import CleaningResult, Origin, clean_record

ORIGIN = Origin(
    feed="spl", metro="seattle", delta=False, metros={"seattle": "seattle", "sea": "seattle"}, vocabulary=Vocabulary()
)


def clean(raw: object, unknown: Counter[str] | None = None) -> CleaningResult:
    return clean_record(raw, line=7, origin=ORIGIN, unknown=Counter() if unknown is None else unknown)


def nest(path: str, value: object) -> dict[str, Any]:
    """`price.min` → {"price": {"min": value}}; `sections[].id` → {"sections": [{"id": value}]}."""
    head, _, rest = path.partition(".")
    inner = nest(rest, value) if rest else value
    return {head[:-2]: [inner]} if head.endswith("[]") else {head: inner}


def clean_member(type_: str, path: str, value: object) -> CleaningResult:
    return clean({"type": type_, "source_id": "x1", "name": "X"} | nest(path, value))
