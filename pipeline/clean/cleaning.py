"""One raw record (decoded JSON) → a typed `Record`, or why it is quarantined, and what was left out of it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from pipeline.records.kinds import Inconsistency, Leaf, Members, Table, check_event
from pipeline.records.record import RECORDS, Problem, Record, make_members
from pipeline.records.values import InvalidValue, RepairedValue

# All that a removal needs to say; the rest of it is not read.
REMOVAL_MEMBERS = ("type", "source_id", "metro", "id", "deleted")
SHOWN_CHARACTERS = 200

_INDEX = re.compile(r"\[\d+\]")


class Origin(Struct, frozen=True, kw_only=True):
    """What a feed says of all its records. `metros` maps each metro's slug and aliases to its slug."""

    feed: str
    metro: str | None
    delta: bool
    metros: Mapping[str, str]
    vocabulary: Vocabulary


class CleaningResult(Struct, frozen=True, kw_only=True):
    """`record` is null when it is quarantined: then exactly one of `problems` is."""

    record: Record | None
    problems: tuple[Problem, ...] = ()


class MemberProblem(Struct, frozen=True):
    """What is wrong with one member, and whether the record can stand without it."""

    field: str | None
    reason: str
    value: Any
    quarantines: bool


def clean_record(raw: object, *, line: int, origin: Origin, unknown: Counter[str]) -> CleaningResult:
    """Cleans one record of `origin`'s feed; members that no record has are counted in `unknown` by their path."""
    findings: list[MemberProblem] = []
    values = _clean_members(raw, findings=findings, origin=origin, unknown=unknown)
    refused = [finding for finding in findings if finding.quarantines]
    source_id = values.get("source_id")
    problems = [
        _make_problem(finding, line=line, feed=origin.feed, source_id=source_id)
        for finding in findings
        if not finding.quarantines
    ]
    if refused:
        # One line a record, so that lines of the quarantine are records: the first reason, and where the others are.
        first, *others = refused
        fields = sorted({str(other.field) for other in others} - {str(first.field)})
        also = f" (also wrong: {', '.join(fields)})" if fields else ""
        combined = MemberProblem(first.field, first.reason + also, first.value, quarantines=True)
        problem = _make_problem(combined, line=line, feed=origin.feed, source_id=source_id)
        return CleaningResult(record=None, problems=(problem,))
    record = RECORDS[values["type"]](feed=origin.feed, line=line, **values)
    return CleaningResult(record=record, problems=tuple(problems))


def _clean_members(
    raw: object, *, findings: list[MemberProblem], origin: Origin, unknown: Counter[str]
) -> dict[str, Any]:
    if not isinstance(raw, dict):
        findings.append(MemberProblem(None, "wrong_type: expected a JSON object", raw, quarantines=True))
        return {}
    removal = raw.get("deleted") is True
    if removal:
        raw = {name: raw[name] for name in REMOVAL_MEMBERS if name in raw}
    types = make_members(origin.vocabulary)
    type_ = _clean_type(raw.get("type"), findings)
    # Of a record without a type no more is read than names it in the quarantine, and nothing of it is unknown.
    members = types[type_] if type_ else {name: types["event"][name] for name in ("type", "source_id", "name")}
    values = _clean_object(raw, members, path="", findings=findings, unknown=unknown if type_ else Counter())
    for name in ("source_id",) if removal else ("source_id", "name"):
        if name not in values and not any(finding.field == name for finding in findings):
            findings.append(MemberProblem(name, "missing: expected a text", None, quarantines=True))
    if removal and not origin.delta:
        findings.append(
            MemberProblem("deleted", "contradictory: only a delta feed removes like this", "true", quarantines=True)
        )
    if type_ == "event":
        _settle(check_event(values), values, path="", findings=findings)
    values["metro"] = _clean_metro(values.get("metro"), origin, findings)
    return values


def _clean_type(value: object, findings: list[MemberProblem]) -> str | None:
    """The record's type when it is one; what is wrong with it is found with the other members."""
    if value is None or (isinstance(value, str) and not value.strip()):
        findings.append(MemberProblem("type", f"missing: expected one of {', '.join(RECORDS)}", None, quarantines=True))
    word = value.strip().lower() if isinstance(value, str) else None
    return word if word in RECORDS else None


def _clean_metro(stated: str | None, origin: Origin, findings: list[MemberProblem]) -> str | None:
    allowed = ", ".join(sorted(set(origin.metros.values())))
    if stated is None:
        if origin.metro is None and not any(finding.field == "metro" for finding in findings):
            findings.append(MemberProblem("metro", f"missing: expected one of {allowed}", None, quarantines=True))
        return origin.metro
    slug = origin.metros.get(stated)
    if slug is None:
        findings.append(MemberProblem("metro", f"unknown_word: expected one of {allowed}", stated, quarantines=True))
    elif origin.metro not in (None, slug):
        reason = f"contradictory: the feed belongs to {origin.metro}"
        findings.append(MemberProblem("metro", reason, stated, quarantines=True))
    return slug


def _clean_object(
    raw: Mapping[Any, Any], members: Members, *, path: str, findings: list[MemberProblem], unknown: Counter[str]
) -> dict[str, Any]:
    """The right values of `raw`; null is "not stated" and leaves the struct's own default."""
    values: dict[str, Any] = {}
    for name, value in raw.items():
        kind = members.get(name)
        if value is None:
            continue
        if type(kind) is Leaf:
            try:
                parsed = kind.parse(value)
            except InvalidValue as wrong:
                findings.append(MemberProblem(path + name, str(wrong), value, kind.filters))
            except RepairedValue as mended:
                findings.append(MemberProblem(path + name, str(mended), mended.lost, quarantines=False))
                values[name] = mended.value
            else:
                if parsed is not None:
                    values[name] = parsed
        elif type(kind) is Table:
            clean = _clean_entries if kind.many else _clean_entry
            made = clean(value, kind, path=path + name, findings=findings, unknown=unknown)
            if made is not None:
                values[name] = made
        else:
            # One SELECT of several types gives each the others' columns, which state nothing.
            unknown[_INDEX.sub("[]", f"{path}{name}")] += is_stated(value)
    return values


def _clean_entries(
    value: object, table: Table, *, path: str, findings: list[MemberProblem], unknown: Counter[str]
) -> tuple[Struct, ...] | None:
    if not isinstance(value, list):
        findings.append(MemberProblem(path, "wrong_type: expected a list of objects", value, table.filters))
        return None
    entries = [
        _clean_entry(entry, table, path=f"{path}[{number}]", findings=findings, unknown=unknown)
        for number, entry in enumerate(value)
    ]
    return tuple(entry for entry in entries if entry is not None)


def _clean_entry(
    value: object, table: Table, *, path: str, findings: list[MemberProblem], unknown: Counter[str]
) -> Struct | None:
    """An object; one that states nothing is none."""
    if not isinstance(value, dict):
        findings.append(MemberProblem(path, "wrong_type: expected an object", value, table.filters))
        return None
    values = _clean_object(value, table.members, path=f"{path}.", findings=findings, unknown=unknown)
    if table.check is not None:
        _settle(table.check(values), values, path=f"{path}.", findings=findings)
    return table.make(**values) if values else None


def _settle(
    disagreements: Iterable[Inconsistency],
    values: dict[str, Any],
    *,
    path: str,
    findings: list[MemberProblem],
) -> None:
    for member, reason, drop in list(disagreements):
        findings.append(MemberProblem(path + member, reason, values[member], quarantines=not drop))
        if drop:
            del values[member]


def is_stated(value: object) -> bool:
    """Whether there is anything in it: not null, nor an object or a list of only such."""
    ahead = [value]
    while ahead:
        one = ahead.pop()
        if isinstance(one, dict):
            ahead += one.values()
        elif isinstance(one, list):
            ahead += one
        elif one is not None:
            return True
    return False


def _make_problem(finding: MemberProblem, *, line: int, feed: str, source_id: str | None) -> Problem:
    return Problem(
        feed=feed, line=line, source_id=source_id, field=finding.field, reason=finding.reason,
        value=show_value(finding.value), quarantined=finding.quarantines,
    )  # fmt: skip


def show_value(value: Any) -> str | None:
    """A raw value as text, cut: an operator should know it again, not read it whole."""
    if value is None:
        return None
    try:
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode().strip('"')
    except RecursionError:
        text = "nested too deep to show"
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


def quarantine_unread(value: object, reason: str, *, line: int, feed: str, source_id: str | None = None) -> Problem:
    """The problem of a record that could not be decoded at all."""
    finding = MemberProblem(None, reason, value, quarantines=True)
    return _make_problem(finding, line=line, feed=feed, source_id=source_id)


def report_left_out(
    field: str, reason: str, value: str | None, *, line: int, feed: str, source_id: str | None
) -> Problem:
    """The problem of what was left out before there was a record."""
    finding = MemberProblem(field, reason, value, quarantines=False)
    return _make_problem(finding, line=line, feed=feed, source_id=source_id)
