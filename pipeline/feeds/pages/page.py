"""The body of one page → its rows, and what it says of the others."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct

from outings.configuration import FeedTable
from outings.configuration.feed_pages import PagesTable
from pipeline.feeds.markup import refuse_markup
from pipeline.feeds.ndjson import mend_signs
from pipeline.feeds.table.encoding import decode_text
from pipeline.feeds.table.json_rows import explain_wrapped, find_rows, parse_features, write_line

# Where servers say what is wrong with a request, in the order of how much it tells.
_REASONS = ("message", "error", "detail", "details", "errors", "error_message", "description")
_MOST_REASON = 200


class Page(Struct, frozen=True, kw_only=True):
    """`rows` have one line each. `total`, `last`, `more` and `next` are what the paths of `pages` lead to, and None
    where the page does not say it."""

    rows: Sequence[bytes] = ()
    total: int | None = None
    last: int | None = None
    more: bool | None = None
    next: str | None = None


def parse_page(content: bytes, feed: FeedTable, pages: PagesTable, *, charset: str | None) -> Page:
    """Raises ValueError with what is wrong with the page."""
    refuse_markup(content)
    decoded = decode_text(content, stated=feed.encoding, charset=charset)
    content = mend_signs(decoded.text.encode("utf-8", "surrogateescape"))
    following = _read_member(content, pages.path)
    more = _read_member(content, pages.more)
    rows = _find_rows(content, feed)
    if len(rows) > feed.max_rows:
        raise ValueError(f"has more than the {feed.max_rows:,} rows that max_rows allows")
    return Page(
        rows=[write_line(row) or b"{}" for row in rows],
        total=_parse_count(_read_member(content, pages.total)),
        last=_parse_count(_read_member(content, pages.last)),
        more=None if not pages.more else more in (True, "true", 1),
        next=following.strip() or None if isinstance(following, str) else None,
    )


def _find_rows(content: bytes, feed: FeedTable) -> Sequence[Raw]:
    if not feed.records and (features := parse_features(content)) is not None:
        return features
    try:
        rows = find_rows(content, feed)
    except ValueError as error:
        raise ValueError(f"{error}{_quote_reason(content)}") from error
    if rows is None:
        raise ValueError(f"{explain_wrapped(content)}{_quote_reason(content)}")
    return rows


def _read_member(content: bytes, path: str) -> Any:
    """What the path leads to, and None where it leads nowhere."""
    if not path:
        return None
    value = Raw(content)
    try:
        for step in path.split("."):
            value = msgspec.json.decode(value, type=dict[str, Raw])[step]
        return msgspec.json.decode(value)
    except (KeyError, ValueError, RecursionError):
        return None


def _parse_count(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _quote_reason(content: bytes) -> str:
    """What a server says where it answers a question with its reason not to, and 200 all the same."""
    try:
        reason = _find_reason(msgspec.json.decode(content))
    except (ValueError, RecursionError):
        reason = ""
    return f". The server says: {reason[:_MOST_REASON]}" if reason else ""


def _find_reason(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return " ".join(filter(None, map(_find_reason, value)))
    if isinstance(value, dict):
        return " ".join(filter(None, (_find_reason(value[name]) for name in _REASONS if name in value)))
    return ""
