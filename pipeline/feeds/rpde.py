"""Reads OpenActive's Realtime Paged Data Exchange 1.0: what changed since the last build, page after page."""

import hashlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from urllib.parse import urlsplit, urlunsplit

import msgspec
import zstandard
from msgspec import Raw, Struct
from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable, read_zone
from outings.contract.vocabulary import Vocabulary
from outings.release.objects import Corrupt, put_object, read_object
from outings.release.root import FeedMemory
from outings.release.store import NotFound, Store
from pipeline.bounded_task import parse_bounded
from pipeline.feeds.addresses import WalkError, normalize_url, resolve_next, show_url
from pipeline.feeds.fetcher import FeedClient, FetchError, fetch, open_client
from pipeline.feeds.jsonld.nodes import READ, Graph, Node, find_kind
from pipeline.feeds.jsonld.reading import NodeContext, read_node
from pipeline.feeds.ndjson import read_lines
from pipeline.feeds.reader import FeedSetting, FetchContext, RawRecord, Reader
from pipeline.feeds.source import (
    PART,
    FeedError,
    FeedSource,
    SourceFile,
    hash_feed,
    hash_question,
    hash_settings,
    look_at,
)
from pipeline.feeds.text_files import is_deep, mend_json, refuse_markup

# A page is held in memory.
MOST_PAGE_BYTES = 64 << 20
# With 100 items a page, this is ten million items.
MOST_PAGES = 100_000
# In a row: where all that a page had was filtered out it is empty, and names another.
MOST_EMPTY = 100
REPORTED_PAGES = 200


class Fetch(Protocol):
    async def __call__(self, url: str, *, most: int) -> bytes: ...


class Walk(Struct, frozen=True):
    """`next`: where the next one begins, without a password. `items`: how many were written."""

    next: str
    items: int


class _Page(Struct):
    next: str
    items: list[Raw]


class SplitPage(Struct, frozen=True):
    """The items of a page, a line each."""

    next: str
    items: list[bytes]


def split_page(content: bytes) -> SplitPage:
    """Split a page into its items. Raises ValueError with what is wrong with it."""
    content = content.removeprefix(BOM_UTF8)
    try:
        page = msgspec.json.decode(content, type=_Page)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        try:
            page = msgspec.json.decode(mend_json(content), type=_Page)
        except (ValueError, RecursionError):
            refuse_markup(content)
            raise ValueError(f"is not an RPDE page: {error}") from None
    return SplitPage(page.next, [bytes(item).replace(b"\n", b" ").replace(b"\r", b" ") + b"\n" for item in page.items])


async def walk_pages(
    begin: str,
    *,
    fetch: Fetch,
    target: BinaryIO,
    most: int,
    tell: Callable[[str], None],
    split: Callable[[bytes], SplitPage] = split_page,
) -> Walk:
    """Write the items to `target`, one a line, as they came. `tell` is told how far a long walk is.

    The last page has no items and names itself as the next. Raises WalkError, and what `fetch` and `split` raise.
    """
    url, count, left, empty = begin, 0, most, 0
    visited = {normalize_url(begin)}
    digests = set[bytes]()
    for number in range(1, MOST_PAGES + 1):
        if not number % REPORTED_PAGES:
            tell(f"{number:,} pages, {count:,} items")
        content = await fetch(url, most=min(most, MOST_PAGE_BYTES))
        left -= len(content)
        if left < 0:
            raise WalkError(url, f"goes beyond {most:,} bytes of pages, the feed's max_bytes")
        try:
            page = split(content)
            following = resolve_next(page.next, url)
        except ValueError as error:
            raise WalkError(url, str(error)) from None
        lines = b"".join(page.items)
        digest = hashlib.sha256(lines).digest()
        if page.items and digest in digests:
            raise WalkError(url, "has the same items as a page before it: the pages do not advance")
        digests.add(digest)
        target.write(lines)
        count += len(page.items)
        empty = 0 if page.items else empty + 1
        if normalize_url(following) == normalize_url(url):
            if page.items:
                raise WalkError(url, "has items and names itself as the next page: the pages do not advance")
            return Walk(_hide_password(following), count)
        if normalize_url(following) in visited:
            raise WalkError(url, f"leads back to {show_url(following)}, which was read: the pages have no end")
        if empty == MOST_EMPTY:
            raise WalkError(url, f"is the {empty}th page in a row without items, and not the last")
        visited.add(normalize_url(following))
        url = following
    raise WalkError(url, f"is page {MOST_PAGES:,}, and not the last")


def _hide_password(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def lend_password(url: str, configured: str) -> str:
    """Return a remembered address with the password of the configured one, if they are of one server."""
    there, here = urlsplit(url), urlsplit(configured)
    if (there.hostname, there.port) != (here.hostname, here.port):
        return url
    return urlunsplit(there._replace(netloc=here.netloc))


_LEVEL = 3


def put_items(store: Store, items: Iterable[bytes]) -> str:
    """Store the items, each a line of JSON, and return the object's hash."""
    compressor = zstandard.ZstdCompressor(level=_LEVEL).compressobj()
    parts = [compressor.compress(item + b"\n") for item in items]
    return put_object(store, b"".join([*parts, compressor.flush()]))


def write_items(store: Store, sha: str, target: BinaryIO) -> None:
    """Write stored items to `target`. Raises NotFound, Corrupt, StoreError, and OSError of the target."""
    zstandard.ZstdDecompressor().copy_stream(BytesIO(read_object(store, sha)), target)


# A feed need not say for longer than seven days that something was deleted. A day is left for the clocks of both.
LONGEST_AWAY = timedelta(days=6)
_REFUSED = (404, 410)


async def open_walk(feed: FeedTable, context: FetchContext, memory: FeedMemory | None) -> FeedSource:
    """Walk the feed from where the last build stopped, or anew (`is_whole`: what is not in it is gone). Raises
    FeedError."""
    configuration, now = context.configuration, context.now
    question = hash_question(feed, configuration)
    why = None if memory is None else _explain_anew(memory, question=question, now=now)
    known = memory if why is None else None

    def tell(line: str) -> None:
        context.tell(f"feed {feed.name}: {line}")

    if why is not None:
        tell(f"walked anew from its first page: {why}")
    path = context.scratch / feed.name / "items.ndjson"
    path.parent.mkdir(parents=True, exist_ok=True)
    async with open_client(feed, context.policy) as client:
        walk = await _walk(client, path, known=known, tell=tell)
        lost = _append_current(context.store, known, walk, path)
        if lost is not None:
            known = None
            tell(f"walked anew from its first page: {lost}")
            walk = await _walk(client, path, known=None, tell=tell)
        assert walk is not None  # only a remembered place is given up
    own = None if known is None or not walk.items else walk.items
    files = (replace(look_at(feed, show_url(feed.url), path), own=own),)
    return FeedSource(
        hash=_hash_walk(feed, configuration, hash_feed(feed, configuration, files), known=known, walk=walk),
        files=files, question=question, next=walk.next, walked_at=now, is_whole=known is None,
        items=None if known is None or walk.items else known.items,
    )  # fmt: skip


def _append_current(store: Store | None, known: FeedMemory | None, walk: Walk | None, path: Path) -> str | None:
    """Add the items that were current before the walk behind its own, or return why it is worthless without them."""
    if walk is None:
        return "its server no longer knows the place"
    if store is None or known is None or known.items is None or not walk.items:
        return None
    try:
        with path.open("ab") as target:
            write_items(store, known.items, target)
    except (NotFound, Corrupt) as error:
        return f"the items that stood are gone or torn: {error}"
    return None


def _explain_anew(memory: FeedMemory, *, question: str, now: datetime | None) -> str | None:
    """Return why a remembered place is of no use, or None."""
    if memory.question != question:
        return "its address, its settings or this program are not those of the release before"
    if memory.next is None or memory.walked_at is None or memory.items is None or now is None:
        return "the release before has no place in it"
    return f"its place is older than {LONGEST_AWAY.days} days" if now - memory.walked_at > LONGEST_AWAY else None


async def _walk(
    client: FeedClient, path: Path, *, known: FeedMemory | None, tell: Callable[[str], None]
) -> Walk | None:
    """Walk the pages. Returns None if the server no longer knows a remembered place: 404 or 410."""
    feed = client.feed
    begin = feed.url if known is None or known.next is None else lend_password(known.next, feed.url)

    async def fetch_page(url: str, *, most: int) -> bytes:
        page = BytesIO()
        bound = "the feed's max_bytes" if most == feed.max_bytes else "what a page may have"
        await fetch(client, url, target=page, most=most, bound=bound)
        return page.getvalue()

    def split(content: bytes) -> SplitPage:
        return parse_bounded(partial(split_page, content), feed, size=len(content))

    try:
        with path.open("wb") as target:
            return await walk_pages(begin, fetch=fetch_page, target=target, most=feed.max_bytes, tell=tell, split=split)
    except WalkError as stuck:
        raise FeedError(feed.name, show_url(stuck.url), str(stuck)) from None
    except FetchError as error:
        if known is not None and error.url == begin and error.status in _REFUSED:
            return None
        raise


def _hash_walk(
    feed: FeedTable, configuration: Configuration, hashed: str, *, known: FeedMemory | None, walk: Walk
) -> str:
    """Hash all that was ever said: a walk that brings nothing new changes nothing."""
    if known is None:
        return hashed
    if not walk.items:
        return known.hash
    return hashlib.sha256(hash_settings(feed, configuration) + f"{known.hash}{hashed}".encode()).hexdigest()


# By which an item says that it is a part of another.
_PARENTS = ("superEvent", "instanceOfCourse")
# Of a removal, whose data are gone: what its kind was most likely.
_TYPES = {"Course": "class", "CourseInstance": "class", "FacilityUse": "place", "IndividualFacilityUse": "place"}


class Item(Struct, frozen=True):
    """`key`: its kind and id, which are those of one thing for ever."""

    line: int
    key: str
    kind: str
    data: dict[str, Any] | None


def read_items(path: Path, *, own: int | None, timezone: str, vocabulary: Vocabulary) -> Iterator[RawRecord]:
    """Yield the records of items. Lines are numbered through the walk; an item that is said again counts as merged.

    Behind the `own` lines of the walk (None: all are) stand earlier items: those that are part of anything that the
    walk names are read again.
    """
    latest = _find_latest(path, own)
    shared = _gather_parents(path, latest)
    again = frozenset[int]() if own is None else _find_parts(path, latest, own)
    setting = NodeContext(read_zone(timezone), vocabulary, {})
    for raw in read_lines(path):
        if own is not None and raw.line > own and raw.line not in again:
            continue
        item = _parse_item(raw)
        if isinstance(item, RawRecord):
            yield item
        elif latest[item.key] != item.line:
            yield RawRecord(item.line, None, is_superseded=True)
        elif item.data is None:
            removal = {"type": _TYPES.get(item.kind, "event"), "source_id": item.key, "deleted": True}
            yield RawRecord(item.line, removal, item=item.key)
        else:
            node = Node(item.data, Graph([item.data], beside=shared))
            if find_kind(node.types) is None:
                types = ", ".join(node.types) or "nothing"
                reason = f"unsupported: its type is {types[:100]}; allowed: {READ}"
                yield RawRecord(item.line, item.data, reason, item.key)
                continue
            yield from read_node(node, item.key, setting, line=item.line, item=item.key)


def list_current(path: Path, *, own: int | None, keeps: Callable[[str], bool] = lambda _: True) -> Iterator[bytes]:
    """Yield the items that are current after the walk, as they came, if `keeps` accepts their keys."""
    latest = _find_latest(path, own)
    for raw in read_lines(path):
        item = _parse_item(raw)
        if isinstance(item, Item) and item.data is not None and latest[item.key] == item.line and keeps(item.key):
            yield msgspec.json.encode(raw.value)


def _list_items(path: Path) -> Iterator[Item]:
    for raw in read_lines(path):
        item = _parse_item(raw)
        if isinstance(item, Item):
            yield item


def _parse_item(raw: RawRecord) -> Item | RawRecord:
    """Return the item, or why it can't be read."""
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


def _find_latest(path: Path, own: int | None) -> dict[str, int]:
    """Return the last line of each item: earlier items are older than all in the walk."""
    latest: dict[str, int] = {}
    for item in _list_items(path):
        if own is None or item.line <= own:
            latest[item.key] = item.line
        else:
            latest.setdefault(item.key, item.line)
    return latest


def _find_parts(path: Path, latest: dict[str, int], own: int) -> frozenset[int]:
    """Return the lines of earlier items that still stand and are part of what the walk names, or a part of a part."""
    spoken: set[str] = set()
    waiting = []
    for item in _list_items(path):
        if item.data is None:
            continue
        names = frozenset(_list_names(item.data))
        if latest[item.key] <= own:  # also as it was before: what is deleted, or has another name now
            spoken |= names
        elif parents := frozenset(_list_parents(item.data)):
            waiting.append((item.line, names, parents))
    lines = set[int]()
    while parts := [part for part in waiting if not spoken.isdisjoint(part[2]) and part[0] not in lines]:
        lines.update(line for line, _, _ in parts)
        spoken = spoken.union(*(names for _, names, _ in parts))
    return frozenset(lines)


def _gather_parents(path: Path, latest: dict[str, int]) -> Graph:
    """Return the data of the items that others name as their whole."""
    named = {name for item in _list_items(path) if item.data is not None for name in _list_parents(item.data)}
    if not named:
        return Graph([])
    live = (item.data for item in _list_items(path) if item.data is not None and latest[item.key] == item.line)
    return Graph([data for data in live if named.intersection(_list_names(data))])


def _list_parents(data: dict[str, Any]) -> Iterator[str]:
    for name in _PARENTS:
        value = data.get(name)
        if isinstance(value, str):
            yield value.strip()
        elif isinstance(value, dict):
            yield from _list_names(value)


def _list_names(data: dict[str, Any]) -> Iterator[str]:
    for name in ("@id", "id", "identifier"):
        value = data.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield str(value).strip()


__all__ = ["READER"]


def _read_walk(file: SourceFile, setting: FeedSetting) -> Iterable[RawRecord]:
    return read_items(file.path, own=file.own, timezone=setting.timezone, vocabulary=setting.vocabulary)


READER = Reader(read=_read_walk, open=open_walk)
