"""Read OpenActive's Realtime Paged Data Exchange 1.0: pages of what changed since the last build."""

import hashlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec
from msgspec import Raw, Struct

from outings.configuration import FeedTable, read_zone
from outings.release.root import FeedMemory
from pipeline.fetch.formats import FeedSetting, FetchContext, RawRecord, Reader
from pipeline.fetch.http_client import FetchError, FetchResult, open_client
from pipeline.fetch.jsonld.nodes import READ, Graph, Node, find_kind
from pipeline.fetch.jsonld.reading import NodeContext, read_node
from pipeline.fetch.ndjson import read_lines
from pipeline.fetch.pages import Page, PageReader, PagingError
from pipeline.fetch.source import (
    PART,
    FeedError,
    FeedSource,
    SourceFile,
    hash_feed,
    hash_question,
    look_at,
)
from pipeline.fetch.text_files import is_deep, mend_json, refuse_markup
from pipeline.fetch.urls import normalize_url, resolve_next, show_url

# With 100 items a page, this is ten million items.
MOST_PAGES = 100_000


class _Page(Struct):
    next: str
    items: list[Raw]


class ItemPageReader(PageReader, kw_only=True):
    """A reader of pages of items. The last page has no items and names itself as the next."""

    last: str = ""

    def parse(self, content: bytes, answer: FetchResult) -> Page:  # noqa: ARG002
        content = content.removeprefix(BOM_UTF8)
        try:
            page = msgspec.json.decode(content, type=_Page)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            try:
                page = msgspec.json.decode(mend_json(content), type=_Page)
            except (ValueError, RecursionError):
                refuse_markup(content)
                raise ValueError(f"is not an RPDE page: {error}") from None
        rows = [bytes(item).replace(b"\n", b" ").replace(b"\r", b" ") for item in page.items]
        return Page(rows=rows, next=page.next)

    def find_next(self, page: Page, url: str, answer: FetchResult) -> str | None:  # noqa: ARG002
        following = resolve_next(page.next or "", url)
        if normalize_url(following) != normalize_url(url):
            return following
        if page.rows:
            raise ValueError("has items and names itself as the next page: the pages do not advance")
        return None


# A feed need not say for longer than seven days that something was deleted. A day is left for the clocks of both.
LONGEST_AWAY = timedelta(days=6)
_REFUSED = (404, 410)


async def open_items(feed: FeedTable, context: FetchContext, memory: FeedMemory | None) -> FeedSource:
    """Fetch the items since the last build, or all of them (`is_whole`: what is not among them is gone). Raises
    FeedError."""
    configuration, now = context.configuration, context.now
    question = hash_question(feed, configuration)
    why = None if memory is None else _explain_anew(memory, question=question, now=now)
    known = memory if why is None else None
    path = context.scratch / feed.name / "items.ndjson"
    path.parent.mkdir(parents=True, exist_ok=True)
    tell = partial(context.tell_progress, feed)

    async def read_pages(url: str) -> ItemPageReader:
        with path.open("wb") as target:
            reader = ItemPageReader(client=client, target=target, tell=tell, left=feed.max_bytes, most=MOST_PAGES)
            reader.last = await reader.run(url)
        return reader

    async with open_client(feed, context.policy) as client:
        try:
            if known is not None and known.next is not None:
                begin = resolve_next(known.next, feed.url)  # with its password
                try:
                    reader = await read_pages(begin)
                except FetchError as error:
                    if error.url != begin or error.status not in _REFUSED:
                        raise
                    known, why = None, "its server no longer knows the place"
            if known is None:
                if why is not None:
                    tell(f"read again from its first page: {why}")
                reader = await read_pages(feed.url)
        except PagingError as stuck:
            raise FeedError(feed.name, show_url(stuck.url), str(stuck)) from None
    files = (look_at(feed, show_url(feed.url), path),)
    hashed = hash_feed(feed, configuration, files)
    if known is not None:  # the hash of all items ever read: pages without new items change nothing
        hashed = hashlib.sha256(f"{known.hash}{hashed}".encode()).hexdigest() if reader.rows else known.hash
    parts = urlsplit(reader.last)
    return FeedSource(
        hash=hashed, files=files, question=question, walked_at=now, is_whole=known is None,
        next=urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])),  # without the password
    )  # fmt: skip


def _explain_anew(memory: FeedMemory, *, question: str, now: datetime | None) -> str | None:
    """Return why fetching can't continue from the remembered address, or None if it can."""
    if memory.question != question:
        return "its address, its settings or this program are not those of the release before"
    if memory.next is None or memory.walked_at is None or now is None:
        return "the release before has no place in it"
    return f"its place is older than {LONGEST_AWAY.days} days" if now - memory.walked_at > LONGEST_AWAY else None


# Of a removal, whose data are gone: what its kind was most likely.
_TYPES = {"Course": "class", "CourseInstance": "class", "FacilityUse": "place", "IndividualFacilityUse": "place"}


class Item(Struct, frozen=True):
    """An item of a page. `key`: its kind and id, which stay the same for one thing. `data`: None if it was deleted."""

    line: int
    key: str
    kind: str
    data: dict[str, Any] | None


def read_items(file: SourceFile, setting: FeedSetting) -> Iterator[RawRecord]:
    """Yield the records of items, with lines counted over all pages. Of an item that comes again, the last counts."""
    parsed = map(_parse_item, read_lines(file.path))
    latest = {item.key: item.line for item in parsed if isinstance(item, Item)}
    context = NodeContext(read_zone(setting.timezone), setting.vocabulary, {})
    for item in map(_parse_item, read_lines(file.path)):
        if isinstance(item, RawRecord):
            yield item
        elif latest[item.key] != item.line:
            yield RawRecord(item.line, None, is_superseded=True)
        elif item.data is None:
            removal = {"type": _TYPES.get(item.kind, "event"), "source_id": item.key, "deleted": True}
            yield RawRecord(item.line, removal, item=item.key)
        else:
            yield from _read_data(item, item.data, context)


def _read_data(item: Item, data: dict[str, Any], context: NodeContext) -> Iterator[RawRecord]:
    node = Node(data, Graph([data]))
    if find_kind(node.types) is None:
        types = ", ".join(node.types) or "nothing"
        reason = f"unsupported: its type is {types[:100]}; allowed: {READ}"
        yield RawRecord(item.line, data, reason, item.key)
    elif node.get("name") is None and isinstance(node.get("superEvent"), str):
        reason = "unsupported: it has no name, and its superEvent, which may have one, is another item"
        yield RawRecord(item.line, data, reason, item.key)
    else:
        yield from read_node(node, item.key, context, line=item.line, item=item.key)


def _parse_item(raw: RawRecord) -> Item | RawRecord:
    """Return the item, or a raw record with the reason why it can't be read."""
    if raw.reason is not None:
        return raw
    value = raw.value
    if not isinstance(value, dict):
        return raw._replace(reason="wrong_type: expected an item, an object")
    kind, own, state, data = (value.get(name) for name in ("kind", "id", "state", "data"))
    if not isinstance(kind, str) or not kind.strip():
        return raw._replace(reason="missing: expected the item's kind")
    if isinstance(own, bool) or not isinstance(own, str | int) or not str(own).strip():
        return raw._replace(reason="missing: expected the item's id, a text or a whole number")
    key = " ".join(f"{kind.strip()}/{own}".split()).replace(PART, "%23")
    if state not in ("updated", "deleted"):
        return raw._replace(reason="unknown_word: expected the state updated or deleted", source_id=key)
    if state == "updated" and not isinstance(data, dict):
        return raw._replace(reason="missing: expected data, an object", source_id=key)
    if state == "updated" and is_deep(data):
        return RawRecord(raw.line, key, "unreadable: nested too deep", key)
    return Item(raw.line, key, kind.strip(), data if state == "updated" else None)


READER = Reader(read=read_items, open=open_items)
