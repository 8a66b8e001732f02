"""Open the feeds of a build: find the files of each on this machine, or have them fetched."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.failures import OperatorError
from outings.release.root import FeedMemory
from outings.release.store import Store
from outings.retry_policy import RetryPolicy
from pipeline.fetch.formats import FetchContext
from pipeline.fetch.source import (
    BUCKET_SCHEME,
    FeedError,
    FeedSource,
    SettingError,
    check_memory,
    choose_known,
    hash_question,
    keep_known,
    list_files,
)

RETRY_POLICY = RetryPolicy(connect=10.0, silence=60.0, whole=900.0, attempts=4, pause=1.0, rest=120.0)


def is_remote(feed: FeedTable) -> bool:
    return feed.url.startswith(("http://", "https://", BUCKET_SCHEME))


def open_sources(
    feeds: Sequence[FeedTable],
    configuration: Configuration,
    *,
    scratch: Path,
    memories: Mapping[str, FeedMemory] = {},
    store: Store | None = None,
    now: datetime | None = None,
    tell: Callable[[str], None] = lambda _: None,
    policy: RetryPolicy = RETRY_POLICY,
    recover: Callable[[FeedTable, OperatorError], FeedSource] | None = None,
) -> dict[str, FeedSource]:
    """Find or fetch the files of feeds. Return their sources by name. Fetched files are written to `scratch`.

    `memories`: from the previous release; `now`: the build's clock; `tell` gets messages about retries; `recover`
    returns a substitute for a feed that fails. Without it, the first FeedError or SettingError is raised.
    """
    checked = {feed.name: check_memory(memories.get(feed.name), store) for feed in feeds}
    remote: Mapping[str, FeedSource | BaseException] = {}
    if away := [feed for feed in feeds if is_remote(feed)]:
        # An HTTP client with its retries and the formats of pages, which each process of a build would import.
        from pipeline.fetch.remote import open_remote

        context = FetchContext(
            configuration=configuration, scratch=scratch, now=now, tell=tell, policy=policy, store=store
        )  # fmt: skip
        remote = open_remote(away, context, checked)
    opened: dict[str, FeedSource] = {}
    for feed in feeds:
        try:
            source = remote[feed.name] if is_remote(feed) else _open_files(feed, configuration, checked[feed.name])
            if isinstance(source, BaseException):
                raise source
        except (FeedError, SettingError) as error:
            if recover is None:
                raise
            source = recover(feed, error)
        opened[feed.name] = replace(source, day=(now or datetime.now(UTC)).date())
    return opened


def _open_files(feed: FeedTable, configuration: Configuration, memory: FeedMemory | None) -> FeedSource:
    files = list_files(feed, configuration.directory)
    question = hash_question(feed, configuration, names=[file.name for file in files])
    known = choose_known(memory, question=question)
    return keep_known(feed, configuration, files, source=FeedSource(hash="", question=question), known=known)
