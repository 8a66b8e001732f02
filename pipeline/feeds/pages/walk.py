"""A walk through the pages of a table, from the first to the last. Every row is written, or the walk has failed."""

from collections.abc import Callable, Sequence
from typing import BinaryIO, Protocol

from msgspec import Struct

from outings.configuration import FeedTable
from outings.configuration.feed_pages import PARAMETERS, PagesTable
from outings.configuration.query_string import has_parameter, set_parameter
from outings.release.root import PageMemory
from pipeline.feeds.pages.page import Page, parse_page
from pipeline.feeds.remote.feed_url import find_charset, show_url
from pipeline.feeds.remote.fetcher import Validators
from pipeline.feeds.remote.page_address import normalize_url, resolve_next

MOST_PAGES = 10_000
# Of one page, which is held in memory.
MOST_PAGE_BYTES = 64 << 20
# In a row: a page from which all was filtered out is empty, and names another.
MOST_EMPTY = 100
# A walk whose rows change meanwhile is begun again.
MOST_WALKS = 3
_REPORTED_PAGES = 50


class PageFault(Exception):  # noqa: N818 - the name says it
    """`url`: of the page at fault."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(reason)
        self.url = url


class MovedRows(PageFault):
    """What the server counts is not what it counted on the page before: rows may be missing, or be there twice."""


class PageAnswer(Struct, frozen=True, kw_only=True):
    """`content` is None where the server says that there is no such page. `url`: where redirects led. `link`: the
    address that the header `Link` names as the next."""

    content: bytes | None
    url: str
    content_type: str = ""
    link: str | None = None
    validators: Validators = Validators()


class FetchPage(Protocol):
    async def __call__(self, url: str, *, most: int) -> PageAnswer: ...


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
    """Writes the rows to `target`, one a line; what each page was. Raises PageFault, and what `fetch` raises."""
    for attempt in range(MOST_WALKS):
        target.seek(0)
        target.truncate()
        try:
            return await _Walk(feed, pages, fetch=fetch, target=target, tell=tell).run()
        except MovedRows as moved:
            if attempt == MOST_WALKS - 1:
                raise
            tell(f"{show_url(moved.url)}: {moved}; walked again from the first page")
    raise AssertionError("the last walk ends or raises")


class _Walk:
    """`read`: rows so far; `empty`: pages without rows in a row; `total` and `last`: what the server said latest."""

    def __init__(
        self,
        feed: FeedTable,
        pages: PagesTable,
        *,
        fetch: FetchPage,
        target: BinaryIO,
        tell: Callable[[str], None],
    ) -> None:
        self._feed, self._pages, self._fetch, self._target, self._tell = feed, pages, fetch, target, tell
        self._left = feed.max_bytes
        self._memories: list[PageMemory] = []
        self._visited: set[tuple[str, ...]] = set()
        self._before: Sequence[bytes] = ()
        self._total: int | None = None
        self._last: int | None = None
        self._read = self._empty = 0

    async def run(self) -> tuple[PageMemory, ...]:
        url: str | None = make_address(self._feed, self._pages, number=0, read=0)
        while url is not None:
            self._check_address(url)
            answer = await self._fetch(url, most=min(self._left, MOST_PAGE_BYTES))
            page = self._parse(answer, url)
            self._take(page, answer, url)
            try:
                following = self._find_next(page, answer)
            except ValueError as error:
                raise PageFault(url, str(error)) from None
            if following is None:
                self._check_end(page, url)
            url = following
        return tuple(self._memories)

    def _check_address(self, url: str) -> None:
        if normalize_url(url) in self._visited:
            raise PageFault(url, "was read already: the pages have no end")
        self._visited.add(normalize_url(url))
        if len(self._memories) == MOST_PAGES:
            raise PageFault(url, f"is page {MOST_PAGES + 1:,}; allowed: {MOST_PAGES:,}")

    def _parse(self, answer: PageAnswer, url: str) -> Page:
        if answer.content is None:
            return Page()
        self._left -= len(answer.content)
        if self._left < 0:
            raise PageFault(url, f"goes beyond {self._feed.max_bytes:,} bytes of pages, the feed's max_bytes")
        try:
            return parse_page(answer.content, self._feed, self._pages, charset=find_charset(answer.content_type))
        except ValueError as error:
            raise PageFault(url, str(error)) from error

    def _take(self, page: Page, answer: PageAnswer, url: str) -> None:
        if _differ(self._total, page.total) or _differ(self._last, page.last):
            raise MovedRows(url, "counts other rows than the page before it: they change while they are read")
        self._total = self._total if page.total is None else page.total
        self._last = self._last if page.last is None else page.last
        if page.rows and page.rows == self._before:
            detail = "the server does not know these pages, or not where they end (say total or last)"
            raise PageFault(url, f"has the same rows as the page before it: {detail}")
        for row in page.rows:
            self._target.write(row + b"\n")
        self._read += len(page.rows)
        self._empty = 0 if page.rows else self._empty + 1
        self._before = page.rows
        self._memories.append(
            PageMemory(rows=len(page.rows), etag=answer.validators.etag, last_modified=answer.validators.last_modified)
        )
        if not len(self._memories) % _REPORTED_PAGES:
            self._tell(f"{len(self._memories):,} pages, {self._read:,} rows")

    def _find_next(self, page: Page, answer: PageAnswer) -> str | None:
        """None of the last page. ValueError."""
        pages, number = self._pages, len(self._memories)
        if page.more is False:
            return None
        if not pages.is_counted:
            stated = page.next if pages.by == "next" else answer.link
            if stated and self._empty == MOST_EMPTY:
                raise ValueError(f"is the {MOST_EMPTY}th page in a row without rows, and names another")
            return resolve_next(stated, answer.url) if stated else None
        if not page.rows:
            return None
        if page.last is not None and pages.first + number > page.last:
            return None
        if page.total is not None and self._read >= page.total:
            return None
        return make_address(self._feed, pages, number=number, read=self._read)

    def _check_end(self, page: Page, url: str) -> None:
        """A walk that breaks off would remove all that it did not come to."""
        total, last = self._total, self._last
        if self._pages.most is not None and self._read >= self._pages.most:
            detail = f"{self._read:,} rows, and the server gives {self._pages.most:,} at most: others may be missing"
            raise PageFault(url, f"makes {detail}; ask for fewer in several feeds, or for all at another address")
        if page.more:
            raise PageFault(url, "says that there are more rows, and has none")
        if total is not None and self._read < total:
            raise PageFault(url, f"is the last page, and {self._read:,} of {total:,} rows were read: it breaks off")
        number = len(self._memories) if page.rows else len(self._memories) - 1
        if last is not None and number < last - self._pages.first + 1:
            raise PageFault(url, f"is the last page, and {number:,} of {last:,} pages were read: it breaks off")


def _differ(before: int | None, now: int | None) -> bool:
    """Some servers count on the first page alone."""
    return before is not None and now is not None and before != now
