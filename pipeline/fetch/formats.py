"""Define what every format has: a `READER`, the settings that it gets, and the raw records that it yields."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import date, datetime
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
    out, and `tell_text` a member's text, what its reader returned (None: nothing), and how often it is there."""

    feed: FeedTable
    timezone: str
    vocabulary: Vocabulary
    day: date | None = None
    tell_decided: Callable[[str], None] = lambda _: None
    tell_unplaced: Callable[[Iterable[str]], None] = lambda _: None
    tell_text: Callable[[str, str, object, int], None] = lambda *_: None


class FetchContext(Struct, frozen=True, kw_only=True):
    """The context in which feeds are fetched. `scratch`: a folder for fetched files; `now`: the build's clock; `tell`
    gets messages about progress and retries; `store`: has the previous release, None outside of builds."""

    configuration: Configuration
    scratch: Path
    now: datetime | None
    tell: Callable[[str], None]
    policy: RetryPolicy
    store: Store | None = None

    def tell_progress(self, feed: FeedTable, line: str) -> None:
        self.tell(f"feed {feed.name}: {line}")


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
