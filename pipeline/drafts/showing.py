"""What was understood of a file, for the person who has to say whether it is right."""

from collections.abc import Iterator
from typing import Any

import msgspec

from pipeline.clean.feed_read import FeedRead
from pipeline.drafts.drafting import FeedDraft
from pipeline.drafts.rules import list_used
from pipeline.drafts.writing import list_unmapped, show_examples
from pipeline.records.record import Record

_SHOWN_RECORDS = 3
_HIDDEN = frozenset({"feed", "line", "metro", "status", "deleted"})
_VALUE_LETTERS = 100


def format_draft(draft: FeedDraft, read: FeedRead) -> str:
    lines = [f"{draft.feed.url}: {draft.feed.format}, {read.read:,} rows, {len(read.records):,} records"]
    if draft.feed.preset:
        lines.append(f"  by the preset {draft.feed.preset}, which says more: outings presets {draft.feed.preset}")
    lines += [f"  {line}" for line in draft.decided]
    if draft.columns:
        lines += ["", *_list_columns(draft)]
    if assumed := list_assumed(draft):
        lines += ["", *assumed]
    if read.problems:
        lines += ["", f"{len(read.problems):,} problems; the first:"]
        lines += [f"  line {each.line}: {each.reason}: {each.value or ''}" for each in read.problems[:5]]
    lines += ["", "The first records, as they would be published:"]
    for record in list(read.records)[:_SHOWN_RECORDS]:
        lines += [f"  {name}: {value}" for name, value in show_record(record).items()] + [""]
    return "\n".join(lines).rstrip()


def _list_columns(draft: FeedDraft) -> Iterator[str]:
    """Each column with what became of it, how many are empty, and what stands there."""
    members: dict[str, list[str]] = {}
    for member, rule in draft.rules.items():
        for path in list_used({member: rule}):
            members.setdefault(path, []).append(member)
    width = min(40, max(len(column.path) for column in draft.columns))
    yield f"  {'column':{width}}  {'empty':>5}  becomes · what stands there"
    for column in draft.columns:
        became = ", ".join(members.get(column.path, ["-"]))
        yield f"  {column.path:{width}}  {column.empty:>5}  {became} · {show_examples(column)}"


def list_assumed(draft: FeedDraft) -> list[str]:
    """What the values leave open, and what no column is."""
    lines = []
    for role in draft.roles.values():
        writing = role.writing
        if writing.formats:
            share = f"{writing.read} of {writing.values} are " if writing.read < writing.values else ""
            lines.append(f"{role.path}: {share}written as {' or '.join(writing.formats)}")
        if writing.is_ambiguous:
            lines.append(f"{role.path}: the day and the month could be the other way round")
    if unplaced := list_unmapped(draft):
        lines.append(f"Not placed: {', '.join(column.path for column in unplaced)}")
    if draft.rules and "name" not in draft.rules:
        lines.append("No column is a name: say which, as in --column name=TITLE")
    return lines


def show_record(record: Record) -> dict[str, str]:
    """What it states, a line each."""
    stated = {name: _strip(value) for name, value in msgspec.to_builtins(record).items() if name not in _HIDDEN}
    return {name: _show(value) for name, value in stated.items() if _is_stated(value)}


def _strip(value: Any) -> Any:
    if isinstance(value, dict):
        inner = {name: _strip(each) for name, each in value.items()}
        return {name: each for name, each in inner.items() if _is_stated(each)}
    return [_strip(each) for each in value] if isinstance(value, (list, tuple)) else value


def _is_stated(value: Any) -> bool:
    return bool(value) or (value == 0 and not isinstance(value, bool))


def _show(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= _VALUE_LETTERS else text[:_VALUE_LETTERS] + "…"


def describe_draft(draft: FeedDraft, read: FeedRead) -> dict[str, Any]:
    """For `--json`."""
    return {
        "name": draft.feed.name,
        "format": draft.feed.format,
        "preset": draft.feed.preset,
        "url": draft.feed.url,
        "map": draft.rules,
        "decided": draft.decided,
        "columns": [
            {"column": column.path, "empty": column.empty, "values": column.examples} for column in draft.columns
        ],
        "unplaced": [column.path for column in list_unmapped(draft)],
        "records": {"read": read.read, "kept": len(read.records), "quarantined": read.quarantined},
        "first": [show_record(record) for record in list(read.records)[:_SHOWN_RECORDS]],
    }
