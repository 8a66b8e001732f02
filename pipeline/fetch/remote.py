"""Fetch the bytes of feeds from servers and buckets, or find that they are unchanged."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path, PurePosixPath

from msgspec.structs import replace
from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks

from outings.configuration import Configuration, FeedTable, read_zone
from outings.release.root import FeedMemory
from outings.release.store import NotFound, StoreError, open_store
from pipeline.fetch.formats import FetchContext, load_reader
from pipeline.fetch.http_client import FetchError, fetch, open_client
from pipeline.fetch.linked_pages import fetch_linked
from pipeline.fetch.pages import fetch_rows
from pipeline.fetch.source import (
    BUCKET_SCHEME,
    FeedError,
    FeedSource,
    SourceFile,
    choose_known,
    hash_question,
    keep_known,
    look_at,
)
from pipeline.fetch.urls import choose_suffix, fill_days, show_url

_SIGNS = re.compile(r"[*?[]")


def read_bucket(feed: FeedTable, configuration: Configuration, folder: Path) -> tuple[SourceFile, ...]:
    """Download a feed's files to `folder`, in the order of their addresses. Raises FeedError."""
    bucket, _, pattern = feed.url.removeprefix(BUCKET_SCHEME).partition("/")
    settings = configuration.store
    files: list[SourceFile] = []
    try:
        store = open_store(f"{BUCKET_SCHEME}{bucket}", endpoint_url=settings.endpoint_url, region=settings.region)
        listed = store.list(_SIGNS.split(pattern, maxsplit=1)[0])
        # As in a path, * stays within one folder.
        beside = [entry for entry in listed if entry.name.count("/") == pattern.count("/")]
        entries = [entry for entry in beside if entry.name == pattern or fnmatchcase(entry.name, pattern)]
        if not entries:
            raise FeedError(feed.name, feed.url, "no key matches" if has_magic(pattern) else "there is no such key")
        if sum(entry.size for entry in entries) > feed.max_bytes:
            raise FeedError(feed.name, feed.url, f"has more than {feed.max_bytes:,} bytes, the feed's max_bytes")
        for number, entry in enumerate(sorted(entries, key=lambda entry: entry.name)):
            path = folder / f"{number}{PurePosixPath(entry.name).suffix.lower()}"
            path.write_bytes(store.get(entry.name))
            files.append(look_at(feed, f"{BUCKET_SCHEME}{bucket}/{entry.name}", path))
    except NotFound:
        changed = "changed while it was read; run the command again when nothing changes it"
        raise FeedError(feed.name, feed.url, changed) from None
    except StoreError as error:
        raise FeedError(feed.name, feed.url, error.cause) from None
    except OSError as error:
        raise FeedError(feed.name, feed.url, f"can't be stored while it is read: {error.strerror}") from error
    return tuple(files)


# Feeds fetched at once, so that a publisher of many is not overloaded.
_FETCHES = 8


def open_remote(
    feeds: Sequence[FeedTable], context: FetchContext, memories: Mapping[str, FeedMemory | None]
) -> dict[str, FeedSource | BaseException]:
    """Fetch feeds concurrently. Return each one's source or error by name. `memories` come from `check_memory`."""

    async def open_all() -> list[FeedSource | BaseException]:
        turns = asyncio.Semaphore(_FETCHES)

        async def open_one(feed: FeedTable) -> FeedSource:
            async with turns:
                return await _open_source(feed, context, memories[feed.name])

        return await asyncio.gather(*map(open_one, feeds), return_exceptions=True)

    with _report_retries(context.tell):
        opened = asyncio.run(open_all())
    return {feed.name: source for feed, source in zip(feeds, opened, strict=True)}


async def _open_source(feed: FeedTable, context: FetchContext, memory: FeedMemory | None) -> FeedSource:
    if (open_pages := load_reader(feed.format).open) is not None:
        return await open_pages(feed, context, memory)
    configuration, folder = context.configuration, context.scratch / feed.name
    folder.mkdir(parents=True, exist_ok=True)
    question = hash_question(feed, configuration)
    known = choose_known(memory, question=question)
    source = FeedSource(hash="", question=question)
    # The address of today. What a server says of another day's is not reused.
    asked = replace(feed, url=fill_days(feed.url, find_today(feed, configuration, context.now)))
    validators = known if asked.url == feed.url else None
    if feed.url.startswith(BUCKET_SCHEME):
        files = await asyncio.to_thread(read_bucket, feed, configuration, folder)
    elif feed.follow:
        source = replace(source, pages=None if known is None else known.pages)
        files = await fetch_linked(asked, context, folder=folder, pages=source.pages)
    elif feed.pages is not None:
        files = (await fetch_rows(asked, feed.pages, context, folder=folder),)
    else:
        body = folder / "body"
        async with open_client(asked, context.policy) as client:
            with body.open("wb") as target:
                fetched = await fetch(client, asked.url, target=target, most=feed.max_bytes, known=validators)
        source = replace(source, etag=fetched.etag, last_modified=fetched.last_modified)
        if known is not None and fetched.is_unchanged:
            return replace(source, hash=known.hash, unchanged=known.records)
        body = body.rename(folder / f"body{choose_suffix(feed.url, fetched.content_type)}")
        file = look_at(feed, show_url(feed.url), body)
        files = (replace(file, charset=fetched.charset),)
    return keep_known(feed, configuration, files, source=source, known=known)


def find_today(feed: FeedTable, configuration: Configuration, now: datetime | None) -> date:
    """Return the date in the feed's metro, or in UTC if its records name theirs."""
    slug = configuration.metro_slugs.get(feed.metro or "")
    zones = (metro.timezone for metro in configuration.metros if metro.slug == slug)
    return (now or datetime.now(UTC)).astimezone(read_zone(next(zones, "UTC"))).date()


@contextmanager
def _report_retries(tell: Callable[[str], None]) -> Iterator[None]:
    """Report retries to the operator. By default stamina prints them on standard output, without the server."""

    def tell_retry(details: RetryDetails) -> None:
        cause = details.caused_by
        where = f"{show_url(cause.url)}: " if isinstance(cause, FetchError) else ""
        tell(f"{where}{cause}; asked again in {details.wait_for:.1f} s")

    before = get_on_retry_hooks()
    set_on_retry_hooks([tell_retry])
    try:
        yield
    finally:
        set_on_retry_hooks(before)
