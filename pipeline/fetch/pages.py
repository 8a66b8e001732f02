"""Fetch a feed in pages into one file of rows. If a page can't be fetched, the feed has failed."""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from outings.configuration import FeedTable
from outings.configuration.query_string import has_parameter, set_parameter
from outings.configuration.tables import PARAMETERS, PagesTable
from pipeline.fetch.bounded_task import run_bounded
from pipeline.fetch.formats import FetchContext
from pipeline.fetch.http_client import FeedClient, FetchError, FetchResult, fetch, open_client
from pipeline.fetch.source import FeedError, SourceFile, look_at
from pipeline.fetch.table.json_rows import check_rows, explain_wrapped, find_rows, parse_features, write_line
from pipeline.fetch.text_files import decode_text, mend_signs, refuse_markup
from pipeline.fetch.urls import normalize_url, resolve_next, show_url

# Members in which servers explain an error, the most informative first.
_REASONS = ("message", "error", "detail", "details", "errors", "error_message", "description")
_MOST_REASON = 200


class PagingError(Exception):
    """The next page of a feed can't be read. `url`: of the page at fault."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(reason)
        self.url = url


class Page(Struct, frozen=True, kw_only=True):
    """A parsed page. `rows` have one line each. `total`, `last`, `more` and `next`: what the settings `pages` find in
    it, None if it states none."""

    rows: Sequence[bytes] = ()
    total: int | None = None
    last: int | None = None
    more: bool | None = None
    next: str | None = None


def read_page(content: bytes, feed: FeedTable, pages: PagesTable, *, charset: str | None) -> Page:
    """Parse the rows of a page and what it states of others. Raises ValueError with what is wrong with it."""
    refuse_markup(content)
    if not content.strip():
        raise ValueError("is empty, where a list was expected: its server has a problem, or wants another address")
    decoded = decode_text(content, stated=feed.encoding, charset=charset)
    content = mend_signs(decoded.text.encode("utf-8", "surrogateescape"))
    following = _read_member(content, pages.path)
    more = _read_member(content, pages.more)
    rows: Sequence[Raw] | None = None if feed.records else parse_features(content)
    try:
        rows = find_rows(content, feed) if rows is None else rows
        if rows is None:
            raise ValueError(explain_wrapped(content))
    except ValueError as error:  # a server that refuses a request may answer 200 all the same
        reason = _find_reason(_read_member(content))
        raise ValueError(f"{error}. The server says: {reason[:_MOST_REASON]}" if reason else str(error)) from error
    check_rows(len(rows), feed)
    return Page(
        rows=[write_line(row) or b"{}" for row in rows], total=_parse_count(_read_member(content, pages.total)),
        last=_parse_count(_read_member(content, pages.last)),
        more=None if not pages.more else more in (True, "true", 1),
        next=following.strip() or None if isinstance(following, str) else None,
    )  # fmt: skip


def _read_member(content: bytes, path: str | None = None) -> Any:
    """Return the member at a path (None: the whole document), None if it is missing."""
    if path == "":
        return None
    value = Raw(content)
    try:
        for step in () if path is None else path.split("."):
            value = msgspec.json.decode(value, type=dict[str, Raw])[step]
        return msgspec.json.decode(value)
    except (KeyError, ValueError, RecursionError):
        return None


def _parse_count(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _find_reason(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    inner = [value[name] for name in _REASONS if name in value] if isinstance(value, dict) else value
    return " ".join(filter(None, map(_find_reason, inner))) if isinstance(inner, list) else ""


MOST_PAGES = 10_000
# Of one page, which is held in memory.
MOST_PAGE_BYTES = 64 << 20
# A larger one is parsed in a process of its own: 64 MiB of `1,1,1` are 4 GB of objects.
_SMALL_PAGE = 1 << 20
# In a row: a page from which all was filtered out is empty, and names another.
MOST_EMPTY = 100
MOST_ATTEMPTS = 3
# In place of a page that the server says there is not; known by identity.
_NO_PAGE = b"no page"
_REPORTED_PAGES = 50


class PageReader(Struct, kw_only=True):
    """A reader of a feed page after page, which writes each row to `target`, one a line.

    `left`: bytes of the feed's max_bytes that are left; `most`: how many pages are allowed; `count` and `rows`: pages
    and rows so far; `empty`: pages without rows in succession; `digests`: of the pages so far.
    """

    client: FeedClient
    target: BinaryIO
    tell: Callable[[str], None]
    left: int
    most: int
    visited: set[tuple[str, ...]] = set()
    digests: set[bytes] = set()
    count: int = 0
    rows: int = 0
    empty: int = 0

    async def run(self, url: str) -> str:
        """Fetch the pages from `url` to the last one, and return its address. Raises PagingError and FetchError."""
        feed = self.client.feed
        while True:
            if normalize_url(url) in self.visited:
                raise PagingError(url, "was read already: the pages have no end")
            self.visited.add(normalize_url(url))
            if self.count == self.most:
                raise PagingError(url, f"is page {self.most + 1:,}; allowed: {self.most:,}")
            content, answer = await self.fetch_page(url)
            self.left -= len(content)
            if self.left < 0:
                raise PagingError(url, f"goes beyond {feed.max_bytes:,} bytes of pages, the feed's max_bytes")
            try:
                parse = partial(self.parse, content, answer)
                page = run_bounded(parse, feed) if len(content) > _SMALL_PAGE else parse()
                self._take(page)
                following = self.find_next(page, url, answer)
                if following is not None and self.empty == MOST_EMPTY:
                    raise ValueError(f"is the {MOST_EMPTY}th page in a row without rows, and names another")
            except ValueError as error:
                raise PagingError(url, str(error)) from error
            if following is None:
                return url
            url = following

    async def fetch_page(self, url: str) -> tuple[bytes, FetchResult]:
        body, most = BytesIO(), min(self.left, MOST_PAGE_BYTES)
        bound = "what a page may have" if most == MOST_PAGE_BYTES else "what is left of the feed's max_bytes"
        fetched = await fetch(self.client, url, target=body, most=most, bound=bound)
        return body.getvalue(), fetched

    def parse(self, content: bytes, answer: FetchResult) -> Page:
        """Parse a page. Raises ValueError with what is wrong with it."""
        raise NotImplementedError

    def find_next(self, page: Page, url: str, answer: FetchResult) -> str | None:
        """Return the address of the page after that of `url`, None after the last. Raises ValueError, PagingError."""
        raise NotImplementedError

    def _take(self, page: Page) -> None:
        lines = b"".join(row + b"\n" for row in page.rows)
        digest = hashlib.sha256(lines).digest()
        if page.rows and digest in self.digests:
            detail = "the server does not know these pages, or not where they end (a table may say total or last)"
            raise ValueError(f"has the same rows as a page before it: {detail}")
        self.digests.add(digest)
        self.target.write(lines)
        self.rows += len(page.rows)
        self.empty = 0 if page.rows else self.empty + 1
        self.count += 1
        if not self.count % _REPORTED_PAGES:
            self.tell(f"{self.count:,} pages, {self.rows:,} rows")


def make_page_address(feed: FeedTable, pages: PagesTable, *, count: int = 0, rows: int = 0) -> str:
    """Return the address of the page behind `count` pages with `rows` rows, by its number or its offset. The first page
    by offset has the feed's own address, which a server without pages answers too."""
    url = feed.url
    if pages.size_parameter and not has_parameter(url, pages.size_parameter):
        url = set_parameter(url, pages.size_parameter, pages.size)
    if not pages.is_counted:
        return url
    counted = pages.first + count if pages.by == "page" else rows or None
    return set_parameter(url, pages.parameter or PARAMETERS[pages.by], counted)


class MovedRowsError(PagingError):
    """An error: the server's count changed between two pages, so rows may be missing or doubled."""


class _RowPageReader(PageReader, kw_only=True):
    """A reader of pages of rows. `total`, `last`: as last stated by the server. `cut`: why rows may be missing."""

    pages: PagesTable
    total: int | None = None
    last: int | None = None
    cut: str | None = None

    def make_address(self) -> str:
        return make_page_address(self.client.feed, self.pages, count=self.count, rows=self.rows)

    async def fetch_page(self, url: str) -> tuple[bytes, FetchResult]:
        """Fetch a page. If the server says that there is no such page, it is empty."""
        try:
            return await super().fetch_page(url)
        except FetchError as error:
            if self.pages.empty and self.pages.empty.encode() in error.body:
                return _NO_PAGE, FetchResult(is_unchanged=False, url=url)
            raise

    def parse(self, content: bytes, answer: FetchResult) -> Page:
        if content is _NO_PAGE:
            return Page()
        return read_page(content, self.client.feed, self.pages, charset=answer.charset)

    def find_next(self, page: Page, url: str, answer: FetchResult) -> str | None:
        for before, now in ((self.total, page.total), (self.last, page.last)):
            if None not in (before, now) and before != now:  # some servers count on the first page alone
                raise MovedRowsError(url, "counts other rows than the page before it: they change while they are read")
        self.total = self.total if page.total is None else page.total
        self.last = self.last if page.last is None else page.last
        stated = page.next if self.pages.by == "next" else answer.link
        if page.more is False:
            following = None
        elif not self.pages.is_counted:
            following = resolve_next(stated, answer.url) if stated else None
        else:
            is_last = page.last is not None and self.pages.first + self.count > page.last
            is_last = is_last or (page.total is not None and self.rows >= page.total)
            following = None if is_last or not page.rows else self.make_address()
        if following is None:
            self._check_end(page)
        return following

    def _check_end(self, page: Page) -> None:
        """Raise ValueError if the pages ended early: unread rows would be lost. Set `cut` if rows may be missing."""
        total, last = self.total, self.last
        if self.pages.most is not None and self.rows >= self.pages.most and total is None:
            self.cut = f"{self.rows:,} rows, and the server gives {self.pages.most:,} at most: others may be missing"
        if page.more:
            raise ValueError("says that there are more rows, and has none")
        if total is not None and self.rows < total:
            raise ValueError(f"is the last page, and {self.rows:,} of {total:,} rows were read: it breaks off")
        # An empty list is one page to some servers.
        number = self.count if page.rows or self.count == 1 else self.count - 1
        if last is not None and number < last - self.pages.first + 1:
            raise ValueError(f"is the last page, and {number:,} of {last:,} pages were read: it breaks off")


async def fetch_rows(feed: FeedTable, pages: PagesTable, context: FetchContext, *, folder: Path) -> SourceFile:
    """Fetch all pages into a file with one row a line. If rows change meanwhile, start again.

    Raises FeedError if any page can't be fetched.
    """
    tell = partial(context.tell_progress, feed)
    path = folder / "rows.ndjson"
    try:
        async with open_client(feed, context.policy) as client:
            for attempt in range(1, MOST_ATTEMPTS + 1):
                with path.open("wb") as target:
                    reader = _RowPageReader(
                        client=client, pages=pages, target=target, tell=tell, left=feed.max_bytes, most=MOST_PAGES
                    )  # fmt: skip
                    try:
                        await reader.run(reader.make_address())
                        break
                    except MovedRowsError as moved:
                        if attempt == MOST_ATTEMPTS:
                            raise
                        tell(f"{show_url(moved.url)}: {moved}; read again from the first page")
    except PagingError as fault:
        raise FeedError(feed.name, show_url(fault.url), _hide_keys(str(fault), feed)) from None
    tell(f"{reader.count:,} pages, {reader.rows:,} rows")
    if reader.cut is not None:
        tell(reader.cut)
    return replace(look_at(feed, show_url(feed.url), path), has_rows=True, cut=reader.cut)


# What is shorter is a word or a number, and no key.
_LEAST_KEY = 6


def _hide_keys(text: str, feed: FeedTable) -> str:
    """Replace keys in what a server says, which may repeat the request."""
    parts = urlsplit(feed.url)
    values = [value for _, value in parse_qsl(parts.query)]
    headers = [word for value in feed.headers.values() for word in (value, *value.split())]
    for key in sorted(filter(None, (*headers, *values, parts.username, parts.password)), key=len, reverse=True):
        if len(key) >= _LEAST_KEY:
            text = text.replace(key, "…")
    return text
