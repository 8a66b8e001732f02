"""Finds the bytes of a configured feed: in files on this machine, fetched, or unchanged in the previous release."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from outings.configuration import Configuration, FeedTable
from outings.release.root import FeedMemory
from outings.release.store import Store
from outings.retry_policy import RetryPolicy
from pipeline.fetch.reader import FetchContext
from pipeline.fetch.source import (
    BUCKET_SCHEME,
    FeedSource,
    check_memory,
    choose_known,
    hash_question,
    keep_known,
    list_files,
)

_REMOTE = ("http://", "https://", BUCKET_SCHEME)


def is_remote(feed: FeedTable) -> bool:
    return feed.url.startswith(_REMOTE)


def open_sources(
    feeds: Sequence[FeedTable],
    configuration: Configuration,
    *,
    scratch: Path,
    memories: Mapping[str, FeedMemory] = {},
    store: Store | None = None,
    now: datetime | None = None,
    tell: Callable[[str], None] = lambda _: None,
    policy: RetryPolicy | None = None,
) -> dict[str, FeedSource]:
    """Open the feeds, by their names. Writes what is fetched to `scratch`.

    `memories`: what the previous release remembers; `now`: the build's clock; `tell` is told of what has to be asked
    for again; `policy`: of requests, if not the usual. Raises the first feed's FeedError or SettingError.
    """
    checked = {feed.name: check_memory(memories.get(feed.name), store) for feed in feeds}
    remote: Mapping[str, FeedSource | BaseException] = {}
    if away := [feed for feed in feeds if is_remote(feed)]:
        # An HTTP client with its retries and the formats of pages, which each process of a build would import.
        from pipeline.fetch.fetcher import RETRY_POLICY
        from pipeline.fetch.fetching import open_remote

        context = FetchContext(
            configuration=configuration, scratch=scratch, store=store, now=now, tell=tell, policy=policy or RETRY_POLICY
        )
        remote = open_remote(away, context, checked)
    opened: dict[str, FeedSource] = {}
    for feed in feeds:
        source = remote[feed.name] if is_remote(feed) else _open_files(feed, configuration, checked[feed.name])
        if isinstance(source, BaseException):
            raise source
        opened[feed.name] = source
    return opened


def _open_files(feed: FeedTable, configuration: Configuration, memory: FeedMemory | None) -> FeedSource:
    files = list_files(feed, configuration.directory)
    question = hash_question(feed, configuration, names=[file.name for file in files])
    known = choose_known(memory, question=question)
    return keep_known(feed, configuration, files, source=FeedSource(hash="", question=question), known=known)
