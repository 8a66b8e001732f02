"""Fetch the pages that a list links to: of events that have JSON-LD in pages of their own."""

import re
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from msgspec.structs import replace

from outings.configuration import FeedTable
from pipeline.fetch.formats import FetchContext
from pipeline.fetch.http_client import FetchError, FetchResult, fetch, open_client
from pipeline.fetch.source import FeedError, SettingError, SourceFile, look_at
from pipeline.fetch.text_files import decode_text
from pipeline.fetch.urls import find_host, show_url

# Pages of one list. They are fetched one after the other, at each build.
MOST_LINKED = 300
_LINK = re.compile(r"""<a\s[^>]*?href\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
# A page that is linked to and gone: the list is older than it.
_GONE = (404, 410)


def list_linked(content: bytes, url: str, pattern: str) -> Iterator[str]:
    """Yield the addresses within the server of `url` that a page links to and that match a pattern, each once."""
    seen = {url.partition("#")[0]}
    for link in _LINK.findall(decode_text(content).text):
        try:
            linked = urljoin(url, unescape(link)).partition("#")[0]
        except ValueError:
            continue
        if linked not in seen and find_host(linked) == find_host(url) and re.search(pattern, urlsplit(linked).path):
            seen.add(linked)
            yield linked


async def fetch_linked(feed: FeedTable, context: FetchContext, *, folder: Path) -> tuple[SourceFile, ...]:
    """Fetch the list at the feed's address, and the pages that match its `follow`. Raises FeedError, SettingError."""
    try:
        re.compile(feed.follow)
    except re.error as error:
        raise SettingError(feed.name, "follow", f"is no pattern: {error}") from error
    files: list[SourceFile] = []
    left = feed.max_bytes
    async with open_client(feed, context.policy) as client:
        body = BytesIO()
        listed = await fetch(client, feed.url, target=body, most=left)
        linked = list(list_linked(body.getvalue(), listed.url, feed.follow))
        if not linked:
            raise FeedError(feed.name, show_url(feed.url), f"has no link to a page that matches follow, {feed.follow}")
        for number, url in enumerate(linked[:MOST_LINKED]):
            path = folder / f"page{number}.html"
            try:
                with path.open("wb") as target:
                    fetched: FetchResult = await fetch(client, url, target=target, most=left)
            except FetchError as error:
                if error.status not in _GONE:
                    raise
                context.tell_progress(feed, f"{show_url(url)}: {error}, and is left out")
                continue
            left -= path.stat().st_size
            files.append(replace(look_at(feed, show_url(url), path), charset=fetched.charset))
    context.tell_progress(feed, f"{len(files):,} of {len(linked):,} linked pages")
    if len(linked) > MOST_LINKED and files:
        files[0] = replace(files[0], cut=f"{MOST_LINKED} of {len(linked):,} linked pages were read: others are missing")
    return tuple(files)
