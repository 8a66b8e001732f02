"""Fetch the pages that a list links to: of events that have JSON-LD in pages of their own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import msgspec
import zstandard
from msgspec.structs import replace

from outings.configuration import FeedTable
from outings.release.store import Corrupt, NotFound, Store, put_object, read_object
from pipeline.fetch.formats import FetchContext
from pipeline.fetch.http_client import FetchError, FetchResult, fetch, open_client
from pipeline.fetch.source import FeedError, SettingError, SourceFile, look_at
from pipeline.fetch.text_files import decode_text
from pipeline.fetch.urls import find_host, show_url

# Pages of one list, which are requested one after the other.
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


def put_pages(store: Store, files: Sequence[SourceFile]) -> str | None:
    """Store the pages whose server can say that they are unchanged. Return the object's hash, None without any."""
    pages = [
        (
            FetchResult(
                is_unchanged=True, url=file.name, charset=file.charset, etag=file.etag, last_modified=file.last_modified
            ),
            file.path.read_bytes(),
        )
        for file in files
        if file.etag or file.last_modified
    ]
    return put_object(store, zstandard.compress(msgspec.msgpack.encode(pages))) if pages else None


def _read_pages(store: Store | None, sha: str | None) -> Mapping[str, tuple[FetchResult, bytes]]:
    """Return the pages of the previous release by their addresses; none if their object is lost."""
    try:
        packed = zstandard.decompress(read_object(store, sha)) if store is not None and sha is not None else b"\x90"
        pages = msgspec.msgpack.decode(packed, type=list[tuple[FetchResult, bytes]])
    except (NotFound, Corrupt, zstandard.ZstdError, msgspec.MsgspecError):
        return {}
    return {fetched.url: (fetched, content) for fetched, content in pages}


async def fetch_linked(
    feed: FeedTable, context: FetchContext, *, folder: Path, pages: str | None
) -> tuple[SourceFile, ...]:
    """Fetch the list at the feed's address, and the pages that match its `follow`: those anew that are not as in the
    object `pages` of the previous release. Raises FeedError, SettingError."""
    try:
        re.compile(feed.follow)
    except re.error as error:
        raise SettingError(feed.name, "follow", f"is no pattern: {error}") from error
    files: list[SourceFile] = []
    left, unchanged, remembered = feed.max_bytes, 0, _read_pages(context.store, pages)
    async with open_client(feed, context.policy) as client:
        body = BytesIO()
        listed = await fetch(client, feed.url, target=body, most=left)
        linked = list(list_linked(body.getvalue(), listed.url, feed.follow))
        if not linked:
            raise FeedError(feed.name, show_url(feed.url), f"has no link to a page that matches follow, {feed.follow}")
        for number, url in enumerate(linked[:MOST_LINKED]):
            path = folder / f"page{number}.html"
            known, content = remembered.get(url, (None, b""))
            try:
                with path.open("wb") as target:
                    fetched: FetchResult = await fetch(client, url, target=target, most=left, known=known)
                    if known is not None and fetched.is_unchanged:
                        target.write(content)
                        unchanged += 1
                        fetched = replace(fetched, charset=known.charset)
            except FetchError as error:
                if error.status not in _GONE:
                    raise
                context.tell_progress(feed, f"{show_url(url)}: {error}, and is left out")
                continue
            left -= path.stat().st_size
            file = look_at(feed, show_url(url), path)
            validators = {"etag": fetched.etag, "last_modified": fetched.last_modified}
            files.append(replace(file, charset=fetched.charset, **validators))
    context.tell_progress(feed, f"{len(files):,} of {len(linked):,} linked pages, {unchanged:,} unchanged")
    if len(linked) > MOST_LINKED and files:
        files[0] = replace(files[0], cut=f"{MOST_LINKED} of {len(linked):,} linked pages were read: others are missing")
    return tuple(files)
