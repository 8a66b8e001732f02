"""Fetch pages of websites: few, one after the other, and only those that robots.txt allows."""

import asyncio
from collections.abc import Awaitable, Callable
from io import BytesIO
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from msgspec import Struct

from outings.configuration import FeedTable
from outings.retry_policy import RetryPolicy
from pipeline.fetch.http_client import FetchError, fetch, open_client
from pipeline.fetch.source import FeedError
from pipeline.fetch.urls import show_url

MOST_REQUESTS = 30
MOST_PAGE_BYTES = 32 << 20
# The name by which robots.txt addresses this program, and what it says of itself.
_ROBOT = "outings"
AGENT = "outings/1 (looks for the calendar of events of this site, for a city's listings)"
# Nothing is asked twice: the next candidate is asked instead.
VISIT_POLICY = RetryPolicy(connect=10.0, silence=20.0, whole=60.0, attempts=1, pause=1.0, rest=0.0, feed=120.0)


class NotVisitedError(Exception):
    """An address was not fetched, or its server refused. The message says why. `status`: of the response."""

    def __init__(self, reason: str, *, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


class Answer(Struct, frozen=True, kw_only=True):
    """The body that a server sent. `url` is the address after redirects."""

    url: str
    content: bytes
    content_type: str = ""
    charset: str | None = None


class Visitor:
    """Fetches addresses within one budget of requests. `refused`: addresses and why they were not fetched."""

    def __init__(self, *, allow_private: bool, policy: RetryPolicy = VISIT_POLICY, most: int = MOST_REQUESTS) -> None:
        self.allow_private, self.policy, self.left = allow_private, policy, most
        self.requests = 0
        self.refused: dict[str, str] = {}
        self._rules: dict[str, RobotFileParser | str] = {}

    def get(self, url: str) -> Answer:
        """Fetch an address once. Raises NotVisitedError."""
        return asyncio.run(self._get(url))

    async def _get(self, url: str) -> Answer:
        try:
            await self._check(url)
            return await self._fetch(url, check=self._check_redirect)
        except NotVisitedError as error:
            self.refused[show_url(url)] = str(error)
            raise

    async def _check(self, url: str) -> None:
        """Raise NotVisitedError if robots.txt of the address's server forbids it."""
        rules = await self._read_rules(url)
        if isinstance(rules, str):
            raise NotVisitedError(f"is not fetched, as its robots.txt {rules}")
        if not rules.can_fetch(_ROBOT, url):
            raise NotVisitedError("is not fetched, as its robots.txt asks programs not to")

    async def _check_redirect(self, url: str) -> None:
        try:
            await self._check(url)
        except NotVisitedError as error:
            raise NotVisitedError(f"leads to {show_url(url)}, which {error}") from None
        self._count()

    def _count(self) -> None:
        if self.left <= 0:
            raise NotVisitedError(f"is not fetched, as {self.requests} requests are all that are made of a site")
        self.left, self.requests = self.left - 1, self.requests + 1

    async def _fetch(self, url: str, *, check: Callable[[str], Awaitable[None]] | None = None) -> Answer:
        self._count()
        own = {"User-Agent": AGENT}
        feed = FeedTable(name="page", format="ndjson", url=url, allow_private=self.allow_private, headers=own)
        body = BytesIO()
        try:
            async with open_client(feed, self.policy, check=check) as client:
                try:
                    fetched = await fetch(client, url, target=body, most=MOST_PAGE_BYTES, bound="a page's limit")
                except FetchError as error:
                    raise NotVisitedError(str(error).removesuffix(" (1 times)"), status=error.status) from None
        except FeedError as error:
            raise NotVisitedError(str(error.args[2])) from None
        return Answer(
            url=fetched.url, content=body.getvalue(), content_type=fetched.content_type, charset=fetched.charset
        )

    async def _read_rules(self, url: str) -> RobotFileParser | str:
        """Return the rules of the address's server, or why they can't be read: then nothing is allowed (RFC 9309)."""
        parts = urlsplit(url)
        server = f"{parts.scheme}://{parts.netloc}"
        if server not in self._rules:
            parser = RobotFileParser()
            try:
                answer = await self._fetch(f"{server}/robots.txt")
                parser.parse(answer.content.decode("utf-8", "replace").splitlines())
                self._rules[server] = parser
            except NotVisitedError as error:
                parser.parse([])
                # A server without such a file allows all; one that is asked too often is left alone.
                is_missing = error.status is not None and 400 <= error.status < 500 and error.status != 429
                self._rules[server] = parser if is_missing else str(error)
        return self._rules[server]

    def list_sitemaps(self, url: str) -> list[str]:
        """Return the addresses of the site's sitemaps: those that robots.txt names, else the usual one."""
        rules = asyncio.run(self._read_rules(url))
        return (None if isinstance(rules, str) else rules.site_maps()) or [urljoin(url, "/sitemap.xml")]
