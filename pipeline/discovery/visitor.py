"""Fetch pages of websites: few, one after the other, and only those that robots.txt allows."""

import asyncio
import re
from io import BytesIO
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from msgspec import Struct

from outings.configuration import FeedTable
from outings.retry_policy import RetryPolicy
from pipeline.fetch.http_client import FetchResult, fetch, open_client
from pipeline.fetch.source import FeedError
from pipeline.fetch.urls import show_url

MOST_REQUESTS = 30
MOST_PAGE_BYTES = 32 << 20
# The name by which robots.txt addresses this program, and what it says of itself.
_ROBOT = "outings"
AGENT = "outings/1 (looks for the calendar of events of this site, for a city's listings)"
# Nothing is asked twice: the next candidate is asked instead.
VISIT_POLICY = RetryPolicy(connect=10.0, silence=20.0, whole=60.0, attempts=1, pause=1.0, rest=0.0, feed=120.0)

# A server without such a file allows all; one that is asked too often is left alone.
_NONE = re.compile("answers 4(?!29)")


class NotVisitedError(Exception):
    """An address was not fetched, or its server refused. The message says why."""


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

    def get(self, url: str, *, checks_robots: bool = True) -> Answer:
        """Fetch an address once. Raises NotVisitedError."""
        try:
            rules = self._read_rules(url) if checks_robots else None
            if isinstance(rules, str):
                raise NotVisitedError(f"is not fetched, as its robots.txt {rules}")
            if rules is not None and not rules.can_fetch(_ROBOT, url):
                raise NotVisitedError("is not fetched, as its robots.txt asks programs not to")
            if self.left <= 0:
                raise NotVisitedError(f"is not fetched, as {self.requests} requests are all that are made of a site")
            return asyncio.run(self._fetch(url))
        except NotVisitedError as error:
            self.refused[show_url(url)] = str(error)
            raise

    async def _fetch(self, url: str) -> Answer:
        self.left, self.requests = self.left - 1, self.requests + 1
        own = {"User-Agent": AGENT}
        feed = FeedTable(name="page", format="ndjson", url=url, allow_private=self.allow_private, headers=own)
        body = BytesIO()
        try:
            async with open_client(feed, self.policy) as client:
                fetched: FetchResult = await fetch(
                    client, url, target=body, most=MOST_PAGE_BYTES, bound="a page's limit"
                )
        except FeedError as error:
            raise NotVisitedError(str(error.args[2]).removesuffix(" (1 times)")) from None
        return Answer(
            url=fetched.url, content=body.getvalue(), content_type=fetched.content_type, charset=fetched.charset
        )

    def _read_rules(self, url: str) -> RobotFileParser | str:
        """Return the rules of the address's server, or why they can't be read: then nothing is allowed (RFC 9309)."""
        parts = urlsplit(url)
        server = f"{parts.scheme}://{parts.netloc}"
        if server not in self._rules:
            parser = RobotFileParser()
            try:
                answer = self.get(f"{server}/robots.txt", checks_robots=False)
                parser.parse(answer.content.decode("utf-8", "replace").splitlines())
                self._rules[server] = parser
            except NotVisitedError as error:
                self.refused.pop(show_url(f"{server}/robots.txt"), None)
                parser.parse([])
                self._rules[server] = parser if _NONE.match(str(error)) else str(error)
        return self._rules[server]

    def list_sitemaps(self, url: str) -> list[str]:
        """Return the addresses of the site's sitemaps: those that robots.txt names, else the usual one."""
        rules = self._read_rules(url)
        return (None if isinstance(rules, str) else rules.site_maps()) or [urljoin(url, "/sitemap.xml")]
