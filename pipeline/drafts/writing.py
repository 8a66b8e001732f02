"""Drafts → the text of an `outings.toml`, with what a person needs to go on from there."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import structs

from outings.configuration import FeedTable
from outings.contract.languages.language import ENGLISH
from pipeline.drafts.columns import Column
from pipeline.drafts.drafting import FeedDraft
from pipeline.drafts.metro import MetroDraft
from pipeline.drafts.rules import list_used

_SETTINGS = ("file", "sheet", "table", "records", "skip", "encoding", "allow_private")
# Of a feed with a preset, which says the others.
_OWN_SETTINGS = ("encoding", "allow_private")
_EXAMPLE_LETTERS = 30


def write_toml(
    metro: MetroDraft, drafts: Sequence[FeedDraft], *, organization: str, urls: Mapping[str, str] = {}
) -> str:
    """`urls`: the addresses as they were given, by the feeds' names, where a preset completed them."""
    south, west, north, east = metro.bounds
    lines = [
        "# Drafted by `outings init`. Change what is not right, then run `outings check`.",
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
        lines += ["", "[[feeds]]", *_write_feed(draft, organization, url=urls.get(draft.feed.name))]
        if draft.own:
            lines += ["", *_write_map(draft)]
    return "\n".join(lines) + "\n"


def _write_feed(draft: FeedDraft, organization: str, *, url: str | None) -> list[str]:
    feed, defaults = draft.feed, {field.name: field.default for field in structs.fields(FeedTable)}
    named = "preset" if feed.preset else "format"
    lines = [f"{name} = {encode(getattr(feed, name))}" for name in ("name", "metro", named)]
    lines.append(f"url = {encode(url or feed.url)}")
    if feed.format == "rpde":
        lines.append('mode = "delta"')
    settings = _OWN_SETTINGS if feed.preset else _SETTINGS
    lines += [f"{name} = {encode(getattr(feed, name))}" for name in settings if getattr(feed, name) != defaults[name]]
    if organization and "organization.name" not in draft.own:
        lines.append(f"defaults = {{ organization = {{ name = {encode(organization)} }} }}")
    return lines


def _write_map(draft: FeedDraft) -> list[str]:
    columns = {column.path: column for column in draft.columns}
    lines = ["[feeds.map]"]
    for member, rule in draft.own.items():
        key = member if re.fullmatch(r"\w+", member) else encode(member)
        lines.append(f"{key} = {encode(rule)}{_comment(rule, columns)}")
    unplaced = list_unmapped(draft)
    if unplaced:
        lines += ["# Not placed:", *(f"#   {column.path}: {show_examples(column)}" for column in unplaced)]
    return lines


def _comment(rule: Any, columns: dict[str, Column]) -> str:
    """What stands in the column, so that nobody has to open the file."""
    if isinstance(rule, dict) and "value" in rule:
        return ""
    (first, *_) = [rule] if isinstance(rule, str) else [rule["column"]] if "column" in rule else rule["join"]
    examples = show_examples(columns[first], most=3) if first in columns else ""
    return f"  # {examples}" if examples and len(encode(rule)) < 100 else ""


def list_unmapped(draft: FeedDraft) -> list[Column]:
    used = list_used(draft.rules)
    return [column for column in draft.columns if column.path not in used]


def show_examples(column: Column, *, most: int = 5) -> str:
    shown = (" ".join(value.split()) for value in column.examples[:most])
    return ", ".join(value if len(value) <= _EXAMPLE_LETTERS else value[:_EXAMPLE_LETTERS] + "…" for value in shown)


def encode(value: Any) -> str:
    """A value as TOML writes it in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{encode_key(name)} = {encode(each)}" for name, each in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(encode, value)) + "]"
    if isinstance(value, str):
        # TOML escapes as JSON does, and the sign for "delete" too.
        return msgspec.json.encode(value).decode().replace("\x7f", "\\u007F")
    return repr(value)


def encode_key(name: str) -> str:
    """A name that needs no quotes goes without."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else encode(name)
