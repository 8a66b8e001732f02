"""An RPDE feed → the items of one walk, and where the next begins: from where the build before stood, or anew."""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from io import BytesIO
from pathlib import Path

from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.release.objects import Corrupt
from outings.release.root import FeedMemory
from outings.release.store import NotFound, Store
from pipeline.bounded_task import parse_bounded
from pipeline.feeds.reader import FetchContext
from pipeline.feeds.recognition import hash_question
from pipeline.feeds.remote.feed_url import show_url
from pipeline.feeds.remote.fetcher import FeedClient, FetchError, fetch, open_client
from pipeline.feeds.remote.page_address import WalkError
from pipeline.feeds.rpde.current_items import write_items
from pipeline.feeds.rpde.walk import SplitPage, Walk, lend_password, split_page, walk_pages
from pipeline.feeds.source import FeedError, FeedSource, hash_feed, hash_settings, look_at

# A feed need not say for longer than seven days that something was deleted. A day is left for the clocks of both.
LONGEST_AWAY = timedelta(days=6)
_REFUSED = (404, 410)


async def open_walk(feed: FeedTable, context: FetchContext, memory: FeedMemory | None) -> FeedSource:
    """Raises FeedError. `is_whole` where it began anew: what is not in it is no more."""
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
    """Adds the items that were current before the walk behind its own, or says why it is worthless without them."""
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
    """Why a remembered place is of no use, or None."""
    if memory.question != question:
        return "its address, its settings or this program are not those of the release before"
    if memory.next is None or memory.walked_at is None or memory.items is None or now is None:
        return "the release before has no place in it"
    return f"its place is older than {LONGEST_AWAY.days} days" if now - memory.walked_at > LONGEST_AWAY else None


async def _walk(
    client: FeedClient, path: Path, *, known: FeedMemory | None, tell: Callable[[str], None]
) -> Walk | None:
    """None where a remembered place is no more: 404 or 410."""
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
    """Of all that was ever said: a walk that brings nothing new changes nothing."""
    if known is None:
        return hashed
    if not walk.items:
        return known.hash
    return hashlib.sha256(hash_settings(feed, configuration) + f"{known.hash}{hashed}".encode()).hexdigest()
