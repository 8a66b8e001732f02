"""A walk through a feed's pages: from the first, or from where the last build stopped, to the last. The last page has
no items, and its next page is itself."""

import hashlib
from codecs import BOM_UTF8
from collections.abc import Callable
from typing import BinaryIO, Protocol
from urllib.parse import urlsplit, urlunsplit

import msgspec
from msgspec import Raw, Struct

from pipeline.feeds.markup import refuse_markup
from pipeline.feeds.ndjson import mend_json
from pipeline.feeds.remote.feed_url import show_url
from pipeline.feeds.remote.page_address import WalkError, normalize_url, resolve_next

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
    """The items of a page, one a line, and how many they are."""

    next: str
    lines: bytes
    items: int


def split_page(content: bytes) -> SplitPage:
    """Raises ValueError with what is wrong with the page."""
    page = _parse_page(content.removeprefix(BOM_UTF8))
    lines = [bytes(item).replace(b"\n", b" ").replace(b"\r", b" ") + b"\n" for item in page.items]
    return SplitPage(page.next, b"".join(lines), len(lines))


async def walk_pages(
    begin: str,
    *,
    fetch: Fetch,
    target: BinaryIO,
    most: int,
    tell: Callable[[str], None],
    split: Callable[[bytes], SplitPage] = split_page,
) -> Walk:
    """Writes the items to `target`, one a line, as they came. Raises WalkError, and what `fetch` and `split` raise.
    `tell`: how far a long walk is."""
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
        digest = hashlib.sha256(page.lines).digest()
        if page.items and digest in digests:
            raise WalkError(url, "has the same items as a page before it: the pages do not advance")
        digests.add(digest)
        target.write(page.lines)
        count += page.items
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


def _parse_page(content: bytes) -> _Page:
    try:
        return msgspec.json.decode(content, type=_Page)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        try:
            return msgspec.json.decode(mend_json(content), type=_Page)
        except (ValueError, RecursionError):
            refuse_markup(content)
            raise ValueError(f"is not an RPDE page: {error}") from None


def _hide_password(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def lend_password(url: str, configured: str) -> str:
    """A remembered address with the password of the configured one, if they are of one server."""
    there, here = urlsplit(url), urlsplit(configured)
    if (there.hostname, there.port) != (here.hostname, here.port):
        return url
    return urlunsplit(there._replace(netloc=here.netloc))
