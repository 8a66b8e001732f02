"""What a format is to the rest of the build: the raw records that it gives, and its `READER`."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol

from msgspec import Struct

from outings.configuration import Configuration, FeedTable
from outings.contract.vocabulary import Vocabulary
from outings.release.root import FeedMemory
from outings.release.store import Store
from outings.retry_policy import RetryPolicy
from pipeline.feeds.source import FeedSource, SourceFile
from pipeline.records.record import Problem


class Note(NamedTuple):
    """What was left out of a record, or taken for granted, before it was one; the record stands."""

    field: str
    reason: str
    value: str | None


class RawRecord(NamedTuple):
    """One record as it came. `reason` is set where it could not be decoded; then `value` is how it begins, and
    `source_id` whose it is, where that could be read. Of a feed of items: `item` is the one that says all of this, and
    `is_superseded` that it says something else later. `passed_over`: it is no record, but something of this
    type, which is none of ours. `file`: of several, where `line` counts in it. `encoded`: its JSON, where it is decoded
    only once it is known to be another than before; then `value` is null.
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
    encoded: bytes | None = None


class FeedSetting(Struct, frozen=True, kw_only=True):
    """What a reader knows beside a file. `timezone`: of the feed's metro, empty where the format has no zones."""

    feed: FeedTable
    timezone: str
    vocabulary: Vocabulary


class FetchContext(Struct, frozen=True, kw_only=True):
    """What fetches feeds, beside their settings. `scratch`: a folder for what is fetched; `now`: the build's clock;
    `tell` is told of what has to be asked for again."""

    configuration: Configuration
    scratch: Path
    store: Store | None
    now: datetime | None
    tell: Callable[[str], None]
    policy: RetryPolicy


class FilesRead(Protocol):
    """The records of files that are one whole. `files` and `decided` are of what has been walked: each file with the
    lines before it, where records know theirs, and how files were read, where that was a choice."""

    files: Sequence[tuple[str, int]]
    decided: Sequence[str]

    def __iter__(self) -> Iterator[RawRecord]: ...

    def explain(self, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """Problems of its records, in the words of the files."""


class Reader(Struct, frozen=True, kw_only=True):
    """`read_file` numbers lines from the third argument + 1, and raises ValueError for a file that is not of the
    format, or half of one; `count_lines` is what the next file is numbered from. A format whose files are one whole
    has `read_files` in place of both. `reads_markup`: a web page may be a file of the format. `open` is of a format
    that a server gives page after page; it raises FeedError."""

    read_file: Callable[[SourceFile, FeedSetting, int], Iterable[RawRecord]] | None = None
    count_lines: Callable[[Path], int] | None = None
    read_files: Callable[[Sequence[SourceFile], FeedSetting], FilesRead] | None = None
    reads_markup: bool = False
    open: Callable[[FeedTable, FetchContext, FeedMemory | None], Awaitable[FeedSource]] | None = None


def load_reader(name: str) -> Reader:
    """Imports no other format's libraries."""
    reader: Reader = import_module(f"pipeline.feeds.{name}").READER
    return reader
