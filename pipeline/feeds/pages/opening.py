"""Opens a feed that has pages: asks each page whether it is as it was, or walks through all of them."""

from functools import partial
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from msgspec.structs import replace

from outings.configuration import FeedTable
from outings.configuration.feed_pages import PagesTable
from outings.release.root import FeedMemory, PageMemory
from pipeline.feeds.pages.walk import MOST_PAGE_BYTES, make_address, walk_pages
from pipeline.feeds.reader import FetchContext
from pipeline.feeds.remote.feed_url import show_url
from pipeline.feeds.remote.fetcher import FeedClient, FetchError, FetchResult, Validators, fetch, open_client
from pipeline.feeds.remote.page_address import WalkError
from pipeline.feeds.source import FeedError, SourceFile, look_at

# A root names the validators of all pages of a feed: of one with more of them, none is kept.
MOST_REMEMBERED = 200
# What is shorter is a word or a number, and no key.
_LEAST_KEY = 6


async def open_pages(
    feed: FeedTable, pages: PagesTable, context: FetchContext, known: FeedMemory | None, *, folder: Path
) -> tuple[SourceFile | None, tuple[PageMemory, ...]]:
    """A file with a row a line; None where every page is as it was. With it what a later build asks by whether they
    are; nothing where a server says nothing to ask by.

    Raises FeedError: a feed of which one page can't be had is not read at all.
    """

    def tell(line: str) -> None:
        context.tell(f"feed {feed.name}: {line}")

    path = folder / "rows.ndjson"
    try:
        async with open_client(feed, context.policy) as client:
            if known is not None and await _is_unchanged(client, feed, pages, known=known.pages):
                return None, known.pages
            fetch_page = partial(_fetch_page, client, pages)
            with path.open("wb") as target:
                memories = await walk_pages(feed, pages, fetch=fetch_page, target=target, tell=tell)
    except WalkError as fault:
        raise FeedError(feed.name, show_url(fault.url), _hide_keys(str(fault), feed)) from None
    tell(f"{len(memories):,} pages, {sum(memory.rows for memory in memories):,} rows")
    rows = replace(look_at(feed, show_url(feed.url), path), has_rows=True)
    return rows, memories if _can_ask(pages, memories) else ()


def _hide_keys(text: str, feed: FeedTable) -> str:
    """What a server says may repeat what it was asked with."""
    parts = urlsplit(feed.url)
    values = [value for _, value in parse_qsl(parts.query)]
    headers = [word for value in feed.headers.values() for word in (value, *value.split())]
    for key in sorted(filter(None, (*headers, *values, parts.username, parts.password)), key=len, reverse=True):
        if len(key) >= _LEAST_KEY:
            text = text.replace(key, "…")
    return text


async def _fetch_page(
    client: FeedClient, pages: PagesTable, url: str, *, most: int
) -> tuple[bytes | None, FetchResult]:
    body = BytesIO()
    bound = "what a page may have" if most == MOST_PAGE_BYTES else "what is left of the feed's max_bytes"
    try:
        fetched = await fetch(client, url, target=body, most=most, bound=bound)
    except FetchError as error:
        if pages.empty and pages.empty.encode() in error.body:
            return None, FetchResult(is_unchanged=False, url=url)
        raise
    return body.getvalue(), fetched


def _can_ask(pages: PagesTable, memories: tuple[PageMemory, ...]) -> bool:
    """Whether every page has a validator. An address that a page states is not kept: it may have somebody's key."""
    return (
        pages.is_counted
        and len(memories) <= MOST_REMEMBERED
        and all(memory.etag or memory.last_modified for memory in memories)
    )


async def _is_unchanged(
    client: FeedClient, feed: FeedTable, pages: PagesTable, *, known: tuple[PageMemory, ...]
) -> bool:
    """Whether each page is as it was, the last one too: then there are no other rows, and no more of them."""
    read = 0
    for number, memory in enumerate(known):
        validators = Validators(etag=memory.etag, last_modified=memory.last_modified)
        url = make_address(feed, pages, number=number, read=read)
        try:
            fetched = await fetch(client, url, target=BytesIO(), most=MOST_PAGE_BYTES, known=validators)
        except FetchError:
            return False  # the walk says what is wrong
        if not fetched.is_unchanged:
            return False
        read += memory.rows
    return bool(known)
