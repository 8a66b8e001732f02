"""Write drafts as the text of an `outings.toml`, and show them to the person who has to decide if they are right."""

import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import structs

from outings.configuration import FeedTable
from outings.contract.languages.language import ENGLISH
from outings.release.manifest import FeedAccount
from pipeline.clean.feed_read import FeedRead
from pipeline.clean.record_report import HIDDEN, FeedCount, list_account
from pipeline.drafts.columns import Column, rank_name, show_examples
from pipeline.drafts.drafting import FeedDraft
from pipeline.drafts.metro import MetroDraft
from pipeline.drafts.trial import Change
from pipeline.drafts.values import describe_listing, list_members
from pipeline.fetch.table.mapping import list_used
from pipeline.records.record import ListingRecord

_SETTINGS = ("file", "sheet", "table", "records", "skip", "encoding", "follow", "venues", "allow_private")
# Of a feed with a preset, which says the others.
_OWN_SETTINGS = ("encoding", "venues", "allow_private")
# A name's rank from here on is that of a part of it.
_SURE = 100
# What a draft begins with.
DRAFTED = "# Drafted by `outings init`."
_CONFIDENCE = 'what you publish is sure: 1.0. For listings of others: "computed", by how complete each is'


def write_toml(
    metro: MetroDraft,
    drafts: Sequence[FeedDraft],
    *,
    organization: str,
    urls: Mapping[str, str] = {},
    organizations: Mapping[str, str] = {},
    remarks: Mapping[str, Sequence[str]] = {},
) -> str:
    """Write drafts as the text of a configuration. `urls`: by feed, the `url` to write instead of the draft's;
    `organizations`: by feed, the organization of a feed if `organization`, that of all, is empty; `remarks`: by feed,
    comments to write behind its settings."""
    south, west, north, east = metro.bounds
    lines = [
        f"{DRAFTED} Change what is not right, then run `outings check`.",
        "",
        "[[metros]]",
        f"slug = {encode(metro.slug)}",
        f"name = {encode(metro.name)}",
        f"timezone = {encode(metro.timezone)}",
        *([f"language = {encode(metro.language)}"] if metro.language != ENGLISH else []),
        f"center = {{ lat = {metro.center[0]}, lng = {metro.center[1]} }}",
        f"bounds = {{ south = {south}, west = {west}, north = {north}, east = {east} }}",
    ]
    for draft in drafts:
        own = organization or organizations.get(draft.feed.name, "")
        lines += ["", "[[feeds]]", *_write_feed(draft, own, url=urls.get(draft.feed.name))]
        lines += [f"# {remark}" for remark in remarks.get(draft.feed.name, ())]
        if draft.own:
            lines += ["", *_write_map(draft)]
    # Of a value in a comment: TOML has no control characters.
    return re.sub(r"[\x00-\x09\x0b-\x1f\x7f]", " ", "\n".join(lines)) + "\n"


def _write_feed(draft: FeedDraft, organization: str, *, url: str | None) -> list[str]:
    feed, defaults = draft.feed, {field.name: field.default for field in structs.fields(FeedTable)}
    named = "preset" if feed.preset else "format"
    lines = [f"{name} = {encode(getattr(feed, name))}" for name in ("name", "metro", named)]
    lines.append(f"url = {encode(url or feed.url)}")
    if feed.format == "rpde":
        lines.append('mode = "delta"')
    lines.append(f'confidence = "stated"  # {_CONFIDENCE}')
    settings = _OWN_SETTINGS if feed.preset else _SETTINGS
    lines += [f"{name} = {encode(getattr(feed, name))}" for name in settings if getattr(feed, name) != defaults[name]]
    if organization and "organization.name" not in draft.own:
        lines.append(f"defaults = {{ organization = {{ name = {encode(organization)} }} }}")
    return lines


def _write_map(draft: FeedDraft) -> list[str]:
    columns = {column.path: column for column in draft.columns}
    lines = ["[feeds.map]"]
    for member, rule in draft.own.items():
        lines.append(f"{encode_key(member)} = {encode(rule)}{_comment(rule, columns)}")
    if unplaced := list_unmapped(draft):
        lines += ["# Not placed:", *(f"#   {column.path}: {show_examples(column)}" for column in unplaced)]
    return lines


def _comment(rule: Any, columns: dict[str, Column]) -> str:
    """Return a comment with examples from the rule's column, so that nobody has to open the file."""
    if isinstance(rule, dict) and "value" in rule:
        return ""
    first = list_used({"": rule})[0]
    examples = show_examples(columns[first], most=3) if first in columns else ""
    return f"  # {examples}" if examples and len(encode(rule)) < 100 else ""


def list_unmapped(draft: FeedDraft) -> list[Column]:
    used = list_members(draft.feed.map)
    return [column for column in draft.columns if column.path not in used]


def encode(value: Any) -> str:
    """Encode a value as TOML on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{encode_key(name)} = {encode(inner)}" for name, inner in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(encode, value)) + "]"
    if isinstance(value, str):
        # TOML escapes as JSON does, and the sign for "delete" too.
        return msgspec.json.encode(value).decode().replace("\x7f", "\\u007F")
    return repr(value)


def encode_key(name: str) -> str:
    """Encode a key as TOML, quoted only if it must be."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else encode(name)


_WIDTH = 80
_SHOWN_RECORDS = 5
_HIDDEN = frozenset({"feed", "line", "metro", "status", "deleted"})
_VALUE_LETTERS = 100
# Of a value that is read as it is, and of each of two that differ.
_SAME_LETTERS, _OTHER_LETTERS = 32, 34
# Of a column that becomes nothing, so much is shown.
_UNPLACED_LETTERS = 24


def format_draft(draft: FeedDraft, read: FeedRead, count: FeedCount) -> str:
    """Return a draft as a page: what is doubtful, columns with values, listings. `count`: the account of rows."""
    first = [*map(explain_change, draft.changes), *draft.doubts, *list_losses(count)]
    lines = ["Look at this first:", *(_wrap(line) for line in first), ""] if first else []
    reported = structs.replace(count, unplaced=(), account=None if _hides_much(count) else count.account)
    lines.append(f"{draft.feed.url}: {draft.feed.format}, {read.read:,} rows, {len(read.cleaned):,} records")
    if draft.feed.preset:
        lines.append(f"  by the preset {draft.feed.preset}, which says more: outings presets {draft.feed.preset}")
    lines += [_wrap(line) for line in (*draft.decided, *list_account(reported))]
    if draft.columns:
        lines += ["", "Columns, with values as they are = as they are read:", *_list_columns(draft)]
    if assumed := list_assumed(draft):
        lines += ["", *(_wrap(line, indent="") for line in assumed)]
    if read.problems:
        many = len(read.problems)
        lines += ["", "1 problem:" if many == 1 else f"{many:,} problems; the first:"]
        lines += [
            _wrap(f"line {problem.line}: {problem.reason}: {problem.value or ''}") for problem in read.problems[:5]
        ]
    lines += ["", "The first listings, as they will look:"]
    for record in structs.replace(read, cleaned=read.cleaned[:_SHOWN_RECORDS]).records:
        told = describe_listing(record) if isinstance(record, ListingRecord) else [record.name, record.type]
        lines += [f"  {'  ' * bool(place)}{_cut(line, _WIDTH - 4)}" for place, line in enumerate(told)]
    return "\n".join(lines).rstrip()


def _wrap(line: str, *, indent: str = "  ") -> str:
    return textwrap.fill(
        line, _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _cut(text: str, letters: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= letters else text[: max(1, letters - 1)] + "…"


# The largest share of a draft's rows that may be merged, and hidden from lists, before a warning comes first.
_MOST_MERGED, _MOST_HIDDEN = 0.01, 0.1


def explain_change(change: Change) -> str:
    """Return what the rows changed, and why, with the option that says otherwise."""
    if change.is_dropped:
        undo = f"if it is one: --column {shlex.quote(f'{change.role}={change.column}')}"
        return f"{change.column} is left out, for as {change.role} {change.why} ({undo})"
    return f"{change.column} is taken as {change.role}, for otherwise {change.why}"


def _hides_much(count: FeedCount) -> bool:
    return count.account is not None and count.account.hidden > count.read * _MOST_HIDDEN


def list_losses(count: FeedCount) -> list[str]:
    """Return lines about rows that readers would not see, if these are many: merged and hidden ones."""
    lines, account = [], count.account or FeedAccount()
    if count.merged > count.read * _MOST_MERGED:
        example = f", such as {'; '.join(count.merges)}" if count.merges else ""
        why = f"because they have the source_id of another row{example}"
        remedy = "Name a column that tells them apart: --column source_id=…"
        lines.append(f"{count.merged:,} of {count.read:,} rows are merged, {why}. {remedy}")
    if _hides_much(count):
        lines += [
            f"{number:,} of {count.read:,} rows are {why} ({change})"
            for name, (why, change) in HIDDEN.items()
            if (number := getattr(account, name))
        ]
    return lines


def _list_columns(draft: FeedDraft) -> Iterator[str]:
    """Yield lines for each column that becomes something: the members, how sure that is, and three values."""
    members = list_members(draft.feed.map)
    for column in draft.columns:
        if column.path not in members:
            continue
        empty = f", {column.empty:,} empty" if column.empty else ""
        yield _wrap(f"{column.path} → {', '.join(members[column.path])} ({tell_certainty(draft, column.path)}{empty})")
        pairs = draft.shown.get(column.path) or [(value, value) for value in column.examples[:3]]
        yield from _pack(
            _cut(was, _SAME_LETTERS) if now in ("", was) or was in now
            else f"{_cut(was, _OTHER_LETTERS)} = {_cut(now, _OTHER_LETTERS)}"
            for was, now in pairs
        )  # fmt: skip


def _pack(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts in lines, as many in each as fit."""
    line = ""
    for text in texts:
        if line and len(line) + len(text) + 7 > _WIDTH:
            yield f"    {line}"
            line = ""
        line = f"{line} · {text}" if line else text
    yield f"    {line}"


def tell_certainty(draft: FeedDraft, path: str) -> str:
    """Return how sure it is that a column is what the draft takes it for."""
    if any(change.column == path and not change.is_dropped for change in draft.changes):
        return "as its rows ask"
    ranks = [
        rank
        for name, role in draft.roles.items()
        if role.path in (path, path.replace("[]", "[0]")) and (rank := rank_name(name, path))
    ]
    if not draft.roles:
        return "by the preset"
    if not ranks:
        return "a guess by its values"
    shortened, place = min(ranks)
    return "sure" if shortened == 0 and place < _SURE else "likely by its name"


def list_assumed(draft: FeedDraft) -> list[str]:
    """Return lines about formats that were assumed for times, and about columns without a rule."""
    lines = []
    for role in draft.roles.values():
        writing = role.writing
        if writing.formats or writing.is_range or writing.read < writing.values:
            share = f"{writing.read} of {writing.values} are " if writing.read < writing.values else ""
            written = " or ".join(writing.formats) or ("HH:MM" if writing.kind == "clock" else "YYYY-MM-DD")
            lines.append(f"{role.path}: {share}written as {written}")
        if writing.is_ambiguous:
            lines.append(f"{role.path}: the day and the month could be the other way round")
    if unplaced := list_unmapped(draft):
        shown = (f"{column.path} ({_cut(show_examples(column, most=2), _UNPLACED_LETTERS)})" for column in unplaced)
        lines.append(f"Not placed: {', '.join(shown)}")
    return lines


def list_first(read: FeedRead) -> list[dict[str, str]]:
    """Return the members that the first records state, as texts."""
    first = structs.replace(read, cleaned=read.cleaned[:_SHOWN_RECORDS]).records
    return [
        {name: _show(value) for name, value in _strip(msgspec.to_builtins(record)).items() if name not in _HIDDEN}
        for record in first
    ]


def _strip(value: Any) -> Any:
    """Return a value without members that state nothing."""
    if isinstance(value, dict):
        inner = {name: _strip(inner_value) for name, inner_value in value.items()}
        return {name: stated for name, stated in inner.items() if stated or (stated == 0 and stated is not False)}
    return [_strip(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def _show(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= _VALUE_LETTERS else text[:_VALUE_LETTERS] + "…"


def describe_draft(draft: FeedDraft, read: FeedRead, count: FeedCount) -> dict[str, Any]:
    """Return a draft and its first records as an object for `--json`. The lower a score, the less a draft loses."""
    members = list_members(draft.feed.map)
    return {
        "name": draft.feed.name,
        "format": draft.feed.format,
        "preset": draft.feed.preset,
        "url": draft.feed.url,
        "map": draft.feed.map,
        "decided": draft.decided,
        "columns": [
            {
                "column": column.path,
                "members": members.get(column.path, []),
                "empty": column.empty,
                "sure": tell_certainty(draft, column.path) if column.path in members else None,
                "values": column.examples,
                "read": [{"value": was, "read_as": read} for was, read in draft.shown.get(column.path, ())],
            }
            for column in draft.columns
        ],
        "score": draft.score,
        "candidates": [
            {"role": own.role, "column": own.column, "left_out": own.is_dropped, "score": own.score}
            for own in sorted(draft.candidates, key=lambda own: own.score)
        ],
        "changes": [
            {"column": own.column, "role": own.role, "left_out": own.is_dropped, "why": own.why}
            for own in draft.changes
        ],
        "doubts": draft.doubts,
        "unplaced": [column.path for column in list_unmapped(draft)],
        "records": {
            "read": count.read,
            "kept": count.listings,
            "merged": count.merged,
            "quarantined": count.quarantined,
        },
        "account": count.account,
        "losses": list_losses(count),
        "first": list_first(read),
    }
