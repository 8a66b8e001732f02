"""A walk through the pages of a table, from the first to the last. Every row is written, or the walk has failed."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import BinaryIO, Protocol

from msgspec import Struct

from outings.configuration import FeedTable
from outings.configuration.feed_pages import PARAMETERS, PagesTable
from outings.configuration.query_string import has_parameter, set_parameter
from outings.release.root import PageMemory
from pipeline.bounded_task import parse_bounded
from pipeline.feeds.pages.page import Page, parse_page
from pipeline.feeds.remote.feed_url import find_charset, show_url
from pipeline.feeds.remote.fetcher import FetchResult
from pipeline.feeds.remote.page_address import WalkError, normalize_url, resolve_next

MOST_PAGES = 10_000
# Of one page, which is held in memory.
MOST_PAGE_BYTES = 64 << 20
# In a row: a page from which all was filtered out is empty, and names another.
MOST_EMPTY = 100
# A walk whose rows change meanwhile is begun again.
MOST_WALKS = 3
_REPORTED_PAGES = 50


class MovedRowsError(WalkError):
    """What the server counts is not what it counted on the page before: rows may be missing, or be there twice."""


class FetchPage(Protocol):
    async def __call__(self, url: str, *, most: int) -> tuple[bytes | None, FetchResult]:
        """None where the server says that there is no such page."""


def make_address(feed: FeedTable, pages: PagesTable, *, number: int, read: int) -> str:
    """Of the page with this number, counted from 0, behind so many rows. The first of an offset is the address itself:
    a server that knows no pages answers that too."""
    url = feed.url
    if pages.size_parameter and not has_parameter(url, pages.size_parameter):
        url = set_parameter(url, pages.size_parameter, pages.size)
    if not pages.is_counted:
        return url
    counted = pages.first + number if pages.by == "page" else read or None
    return set_parameter(url, pages.parameter or PARAMETERS[pages.by], counted)


async def walk_pages(
    feed: FeedTable, pages: PagesTable, *, fetch: FetchPage, target: BinaryIO, tell: Callable[[str], None]
) -> tuple[PageMemory, ...]:
    """Writes the rows to `target`, one a line; what each page was. Raises WalkError, and what `fetch` raises."""
    for attempt in range(MOST_WALKS):
        target.seek(0)
        target.truncate()
        try:
            walk = _Walk(feed=feed, pages=pages, fetch=fetch, target=target, tell=tell, left=feed.max_bytes)
            return await walk.run()
        except MovedRowsError as moved:
            if attempt == MOST_WALKS - 1:
                raise
            tell(f"{show_url(moved.url)}: {moved}; walked again from the first page")
    raise AssertionError("the last walk ends or raises")


class _Walk(Struct, kw_only=True):
    """`left`: of the feed's max_bytes; `read`: rows so far; `empty`: pages without rows in a row; `before`: the rows of
    the page before; `total` and `last`: what the server said latest."""

    feed: FeedTable
    pages: PagesTable
    fetch: FetchPage
    target: BinaryIO
    tell: Callable[[str], None]
    left: int
    memories: list[PageMemory] = []
    visited: set[tuple[str, ...]] = set()
    before: Sequence[bytes] = ()
    total: int | None = None
    last: int | None = None
    read: int = 0
    empty: int = 0

    async def run(self) -> tuple[PageMemory, ...]:
        url: str | None = make_address(self.feed, self.pages, number=0, read=0)
        while url is not None:
            self._check_address(url)
            content, answer = await self.fetch(url, most=min(self.left, MOST_PAGE_BYTES))
            page = Page() if content is None else self._parse(content, answer, url)
            self._take(page, answer, url)
            try:
                following = self._find_next(page, answer)
            except ValueError as error:
                raise WalkError(url, str(error)) from None
            if following is None:
                self._check_end(page, url)
            url = following
        return tuple(self.memories)

    def _check_address(self, url: str) -> None:
        if normalize_url(url) in self.visited:
            raise WalkError(url, "was read already: the pages have no end")
        self.visited.add(normalize_url(url))
        if len(self.memories) == MOST_PAGES:
            raise WalkError(url, f"is page {MOST_PAGES + 1:,}; allowed: {MOST_PAGES:,}")

    def _parse(self, content: bytes, answer: FetchResult, url: str) -> Page:
        self.left -= len(content)
        if self.left < 0:
            raise WalkError(url, f"goes beyond {self.feed.max_bytes:,} bytes of pages, the feed's max_bytes")
        parse = partial(parse_page, content, self.feed, self.pages, charset=find_charset(answer.content_type))
        try:
            return parse_bounded(parse, self.feed, size=len(content))
        except ValueError as error:
            raise WalkError(url, str(error)) from error

    def _take(self, page: Page, answer: FetchResult, url: str) -> None:
        if _differ(self.total, page.total) or _differ(self.last, page.last):
            raise MovedRowsError(url, "counts other rows than the page before it: they change while they are read")
        self.total = self.total if page.total is None else page.total
        self.last = self.last if page.last is None else page.last
        if page.rows and page.rows == self.before:
            detail = "the server does not know these pages, or not where they end (say total or last)"
            raise WalkError(url, f"has the same rows as the page before it: {detail}")
        for row in page.rows:
            self.target.write(row + b"\n")
        self.read += len(page.rows)
        self.empty = 0 if page.rows else self.empty + 1
        self.before = page.rows
        self.memories.append(
            PageMemory(rows=len(page.rows), etag=answer.validators.etag, last_modified=answer.validators.last_modified)
        )
        if not len(self.memories) % _REPORTED_PAGES:
            self.tell(f"{len(self.memories):,} pages, {self.read:,} rows")

    def _find_next(self, page: Page, answer: FetchResult) -> str | None:
        """None of the last page. ValueError."""
        pages, number = self.pages, len(self.memories)
        if page.more is False:
            return None
        if not pages.is_counted:
            stated = page.next if pages.by == "next" else answer.link
            if stated and self.empty == MOST_EMPTY:
                raise ValueError(f"is the {MOST_EMPTY}th page in a row without rows, and names another")
            return resolve_next(stated, answer.url) if stated else None
        if not page.rows:
            return None
        if page.last is not None and pages.first + number > page.last:
            return None
        if page.total is not None and self.read >= page.total:
            return None
        return make_address(self.feed, pages, number=number, read=self.read)

    def _check_end(self, page: Page, url: str) -> None:
        """A walk that breaks off would remove all that it did not come to."""
        total, last = self.total, self.last
        if self.pages.most is not None and self.read >= self.pages.most:
            detail = f"{self.read:,} rows, and the server gives {self.pages.most:,} at most: others may be missing"
            raise WalkError(url, f"makes {detail}; ask for fewer in several feeds, or for all at another address")
        if page.more:
            raise WalkError(url, "says that there are more rows, and has none")
        if total is not None and self.read < total:
            raise WalkError(url, f"is the last page, and {self.read:,} of {total:,} rows were read: it breaks off")
        number = len(self.memories) if page.rows else len(self.memories) - 1
        if last is not None and number < last - self.pages.first + 1:
            raise WalkError(url, f"is the last page, and {number:,} of {last:,} pages were read: it breaks off")


def _differ(before: int | None, now: int | None) -> bool:
    """Some servers count on the first page alone."""
    return before is not None and now is not None and before != now
