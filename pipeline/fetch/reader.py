"""Define raw records and the `READER` of a format, and open the bytes of configured feeds."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.contract.vocabulary import Vocabulary
from outings.failures import OperatorError
from outings.release.root import FeedMemory
from outings.release.store import Store
from outings.retry_policy import RetryPolicy
from pipeline.fetch.source import (
    BUCKET_SCHEME,
    FeedError,
    FeedSource,
    SettingError,
    SourceFile,
    check_memory,
    choose_known,
    hash_question,
    keep_known,
    list_files,
)
from pipeline.records.record import Problem


class Note(NamedTuple):
    """A note on a member that was left out or assumed while a record was read; the record is valid."""

    field: str
    reason: str
    value: str | None


class RawRecord(NamedTuple):
    """A record as its file states it.

    `reason`: why it could not be decoded; then `value` is its beginning, and `source_id` its id, if readable. In a feed
    of items, `item` is the id of the record's item, and `is_superseded` means that a later one replaces it.
    `passed_over`: why it is no record, or its type, which we do not read. `line` counts in `file`, which is set if
    there are several.
    """

    line: int
    value: object
    reason: str | None = None
    source_id: str | None = None
    item: str | None = None
    is_superseded: bool = False
    passed_over: str | None = None
    notes: tuple[Note, ...] = ()
    file: str | None = None


def sort_words(words: Iterable[str], vocabulary: Vocabulary) -> dict[str, list[str]]:
    """Sort a feed's own words into the vocabulary's categories and keywords."""
    folded = {word: "_".join(re.findall(r"[a-z0-9]+", word.lower())) for word in words}
    known = set(vocabulary.categories)
    return {
        "categories": [name for name in folded.values() if name in known],
        "keywords": [word for word, name in folded.items() if name not in known],
    }


class FeedSetting(Struct, frozen=True, kw_only=True):
    """The settings of a reader. `timezone`: of the feed's metro, empty if the format has no zones. `day`: when the feed
    is read. `tell_decided` gets choices made while reading a file, `tell_unplaced` the columns that a mapping leaves
    out."""

    feed: FeedTable
    timezone: str
    vocabulary: Vocabulary
    day: date | None = None
    tell_decided: Callable[[str], None] = lambda _: None
    tell_unplaced: Callable[[Iterable[str]], None] = lambda _: None


class FetchContext(Struct, frozen=True, kw_only=True):
    """The context in which feeds are fetched. `scratch`: a folder for fetched files; `now`: the build's clock; `tell`
    gets messages about progress and retries."""

    configuration: Configuration
    scratch: Path
    store: Store | None
    now: datetime | None
    tell: Callable[[str], None]
    policy: RetryPolicy


class Reader(Struct, frozen=True, kw_only=True):
    """The functions that read a format.

    `read` numbers lines from 1, and raises ValueError for a file of another format or a cut one. `read_together`
    replaces `read` if all files are read as one; it raises FeedError. `explain` rewords problems of records in the
    terms of the files. `reads_markup`: a file may be a web page. `open` fetches a feed that a server gives in pages; it
    raises FeedError.
    """

    read: Callable[[SourceFile, FeedSetting], Iterable[RawRecord]] | None = None
    read_together: Callable[[Sequence[SourceFile], FeedSetting], Iterable[RawRecord]] | None = None
    explain: Callable[[Iterable[Problem], FeedSetting], Iterable[Problem]] | None = None
    reads_markup: bool = False
    open: Callable[[FeedTable, FetchContext, FeedMemory | None], Awaitable[FeedSource]] | None = None


def load_reader(name: str) -> Reader:
    """Import `pipeline/fetch/<name>`, without other formats' libraries, and return its reader."""
    reader: Reader = import_module(f"pipeline.fetch.{name}").READER
    return reader


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
    recover: Callable[[FeedTable, OperatorError], FeedSource] | None = None,
) -> dict[str, FeedSource]:
    """Find or fetch the files of feeds. Return their sources by name. Fetched files are written to `scratch`.

    `memories`: from the previous release; `now`: the build's clock; `tell` gets messages about retries; `policy`: of
    requests, if not the usual; `recover` returns a substitute for a feed that fails. Without it, the first FeedError or
    SettingError is raised.
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
