"""Fetches the bytes of feeds from other machines, or finds that they are unchanged."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.release.root import FeedMemory
from outings.release.store import Store
from outings.retry_policy import RetryPolicy
from pipeline.feeds.pages.opening import open_pages
from pipeline.feeds.reader import load_reader
from pipeline.feeds.recognition import check_memory, choose_known, hash_question, keep_known
from pipeline.feeds.remote.bucket import SCHEME, BucketError, read_bucket
from pipeline.feeds.remote.feed_url import choose_suffix, find_charset, show_url
from pipeline.feeds.remote.fetcher import RETRY_POLICY, FetchError, FetchResult, Validators, fetch, open_client
from pipeline.feeds.remote.retry_reports import report_retries
from pipeline.feeds.source import FeedError, FeedSource, SourceFile, look_at

# At once: a publisher of several feeds is not to be met by all of them together.
_FETCHES = 8


def open_remote(
    feeds: Sequence[FeedTable],
    configuration: Configuration,
    *,
    scratch: Path,
    memories: Mapping[str, FeedMemory],
    store: Store | None,
    now: datetime | None,
    tell: Callable[[str], None],
    policy: RetryPolicy | None,
) -> dict[str, FeedSource | BaseException]:
    """By the feeds' names: what was fetched to `scratch`, or why it could not be."""

    async def open_all() -> list[FeedSource | BaseException]:
        turns = asyncio.Semaphore(_FETCHES)

        async def open_one(feed: FeedTable) -> FeedSource:
            async with turns:
                return await _open_source(
                    feed, configuration, scratch=scratch, memory=check_memory(memories.get(feed.name), store),
                    store=store, now=now, tell=tell, policy=policy or RETRY_POLICY,
                )  # fmt: skip

        return await asyncio.gather(*map(open_one, feeds), return_exceptions=True)

    with report_retries(tell):
        opened = asyncio.run(open_all())
    return {feed.name: source for feed, source in zip(feeds, opened, strict=True)}


async def _open_source(
    feed: FeedTable,
    configuration: Configuration,
    *,
    scratch: Path,
    memory: FeedMemory | None,
    store: Store | None,
    now: datetime | None,
    tell: Callable[[str], None],
    policy: RetryPolicy,
) -> FeedSource:
    if (open_walk := load_reader(feed.format).open) is not None:
        return await open_walk(
            feed, configuration, scratch=scratch, question=hash_question(feed, configuration), memory=memory,
            store=store, now=now, tell=tell, policy=policy,
        )  # fmt: skip
    question = hash_question(feed, configuration)
    folder = scratch / feed.name
    folder.mkdir(parents=True, exist_ok=True)
    known = choose_known(memory, question=question)
    if feed.url.startswith(SCHEME):
        return keep_known(
            feed, configuration, await asyncio.to_thread(_read_bucket, feed, configuration, folder),
            source=FeedSource(hash="", question=question), known=known,
        )  # fmt: skip
    if feed.pages is not None:
        opened = await open_pages(feed, feed.pages, folder=folder, known=known, tell=tell, policy=policy)
        source = FeedSource(hash="", question=question, pages=opened.memories)
        if opened.rows is None:
            assert known is not None
            return replace(source, hash=known.hash, kept=known.records)
        rows = replace(look_at(feed, opened.rows.name, opened.rows), name=show_url(feed.url), has_rows=True)
        return keep_known(feed, configuration, (rows,), source=source, known=known)
    fetched, body = await _fetch_body(feed, folder, known=known, policy=policy)
    source = FeedSource(
        hash="", question=question, etag=fetched.validators.etag, last_modified=fetched.validators.last_modified
    )
    if fetched.is_unchanged:
        assert known is not None
        return replace(source, hash=known.hash, kept=known.records)
    charset = find_charset(fetched.content_type)
    files = (replace(look_at(feed, body.name, body), name=show_url(feed.url), charset=charset),)
    return keep_known(feed, configuration, files, source=source, known=known)


def _read_bucket(feed: FeedTable, configuration: Configuration, folder: Path) -> tuple[SourceFile, ...]:
    settings = configuration.store
    try:
        files = read_bucket(
            feed.url, folder=folder, most=feed.max_bytes, endpoint_url=settings.endpoint_url, region=settings.region
        )
    except BucketError as error:
        raise FeedError(feed.name, feed.url, str(error)) from None
    except OSError as error:
        raise FeedError(feed.name, feed.url, f"can't be stored while it is read: {error.strerror}") from error
    return tuple(replace(look_at(feed, path.name, path), name=name) for name, path in files)


async def _fetch_body(
    feed: FeedTable, folder: Path, *, known: FeedMemory | None, policy: RetryPolicy
) -> tuple[FetchResult, Path]:
    validators = Validators() if known is None else Validators(etag=known.etag, last_modified=known.last_modified)
    arriving = folder / "body"
    try:
        async with open_client(feed, policy) as client:
            with arriving.open("wb") as target:
                fetched = await fetch(
                    client, feed.url, target=target, most=feed.max_bytes, known=validators, policy=policy
                )
    except FetchError as error:
        raise FeedError(feed.name, show_url(feed.url), str(error)) from None
    except OSError as error:
        raise FeedError(feed.name, show_url(feed.url), f"can't be stored while it is read: {error.strerror}") from error
    return fetched, arriving.rename(folder / f"body{choose_suffix(feed.url, fetched.content_type)}")
