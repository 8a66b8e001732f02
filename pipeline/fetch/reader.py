"""The form of a format: the raw records that it yields, and its `READER`."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from outings.configuration import Configuration, FeedTable
from outings.contract.vocabulary import Vocabulary
from outings.release.root import FeedMemory
from outings.release.store import Store
from outings.retry_policy import RetryPolicy
from pipeline.fetch.source import FeedSource, SourceFile
from pipeline.records.record import Problem


class Note(NamedTuple):
    """A note on a member that was left out or assumed while a record was read; the record is valid."""

    field: str
    reason: str
    value: str | None


class RawRecord(NamedTuple):
    """One record as it came.

    `reason` is set where it could not be decoded; then `value` is how it begins, and `source_id` whose it is, where
    that could be read. Of a feed of items, `item` is the one that says all of this, and `is_superseded` that it says
    something else later. `passed_over`: it is no record, but something of this type, which is none of ours. `line` is
    counted in `file`, which is set where there are several.
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


class FeedSetting(Struct, frozen=True, kw_only=True):
    """The settings of a reader. `timezone`: of the feed's metro, empty where the format has no zones.
    `tell_decided` is told how a file is read, where that is a choice."""

    feed: FeedTable
    timezone: str
    vocabulary: Vocabulary
    tell_decided: Callable[[str], None] = lambda _: None


class FetchContext(Struct, frozen=True, kw_only=True):
    """The context in which feeds are fetched. `scratch`: a folder for fetched files; `now`: the build's clock;
    `tell` is told of what has to be asked for again."""

    configuration: Configuration
    scratch: Path
    store: Store | None
    now: datetime | None
    tell: Callable[[str], None]
    policy: RetryPolicy


class Reader(Struct, frozen=True, kw_only=True):
    """The reader of a format.

    `read` numbers lines from 1, and raises ValueError for a file that is not of the format, or half of one. A format
    whose files are one whole has `read_together`, which raises FeedError, and may `explain` the problems of its records
    in the words of the files. `reads_markup`: a web page may be a file of the format. `open` is of a format that a
    server gives page after page; it raises FeedError.
    """

    read: Callable[[SourceFile, FeedSetting], Iterable[RawRecord]] | None = None
    read_together: Callable[[Sequence[SourceFile], FeedSetting], Iterable[RawRecord]] | None = None
    explain: Callable[[Iterable[Problem], FeedSetting], Iterable[Problem]] | None = None
    reads_markup: bool = False
    open: Callable[[FeedTable, FetchContext, FeedMemory | None], Awaitable[FeedSource]] | None = None


def load_reader(name: str) -> Reader:
    """Import a format, and no other format's libraries: `pipeline/fetch/<name>`, a module or a folder."""
    reader: Reader = import_module(f"pipeline.fetch.{name}").READER
    return reader
