"""The result of reading a feed, and how a release stores it, so that an unchanged feed is not read again.

Records stay encoded, because a million of them as objects would not fit in memory.
"""

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct, structs

from outings.release.objects import put_object, read_object
from outings.release.store import Store
from pipeline.clean.compressed_chunks import RUN, pack_runs, unpack_runs
from pipeline.clean.spool import EncodedRecord, decode_record, encode_record
from pipeline.records.record import Problem, Record

# The lines of one file, at most: of several files a record's line is counted through all of them.
_FILE_LINES = 1 << 32


class CleanedRecord(Struct, frozen=True, array_like=True, gc=False):
    """A record in encoded form. `identity`: what a feed has once."""

    kind: str
    metro: str
    identity: tuple[str, ...]
    encoded: EncodedRecord
    crawled_at: datetime | None


class Records(Sequence[Record]):
    """A sequence that decodes each record when it is read."""

    def __init__(self, cleaned: Sequence[CleanedRecord]) -> None:
        self.cleaned = cleaned

    def __len__(self) -> int:
        return len(self.cleaned)

    def __getitem__(self, at: int) -> Record:  # type: ignore[override]
        return decode_record(self.cleaned[at].encoded, self.cleaned[at].kind)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]


class FeedRead(Struct, frozen=True, kw_only=True):
    """The result of reading one feed. `read` = `records` + `merged` + `quarantined` + `withdrawn`.

    `records` hold a delta's removals too (`deleted`). Where there are several `files`, `locate_problems` finds the
    file and the line of a record. `unknown` counts members that no record has, by path. `items`: all that this said of
    them is in `records` and `problems`, whatever was said before. `decided`: how files were read, where that was a
    choice. `passed_over` counts what is no listing, by its type.
    """

    feed: str
    hash: str
    read: int
    merged: int
    quarantined: int
    records: Sequence[Record]
    problems: tuple[Problem, ...]
    unknown: dict[str, int]
    files: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    withdrawn: int = 0
    passed_over: Mapping[str, int] = {}


def encode_cleaned(record: Record) -> CleanedRecord:
    assert record.metro is not None  # every cleaned record names its own
    # An organization may have a record in each of several metros; of the others an id is one listing.
    identity = (record.type, record.source_id, *([record.metro] if record.type == "organization" else []))
    return CleanedRecord(
        kind=record.type, metro=record.metro, identity=identity, encoded=encode_record(record),
        crawled_at=record.source.crawled_at,
    )  # fmt: skip


def list_cleaned(records: Iterable[Record]) -> Sequence[CleanedRecord]:
    return records.cleaned if isinstance(records, Records) else [encode_cleaned(record) for record in records]


def number_line(place: int, line: int) -> int:
    """Return the line of a feed for a line of the file at `place`, counted from 0, of several."""
    return (place + 1) * _FILE_LINES + line


def locate_problems(problems: Iterable[Problem], files: Sequence[str]) -> Iterator[Problem]:
    """Yield problems with the file that their line is in, and their line there."""
    for problem in problems:
        place, line = divmod(problem.line, _FILE_LINES)
        yield structs.replace(problem, file=files[place - 1], line=line) if place else problem


def put_cached_read(store: Store, read: FeedRead) -> str:
    """Store what was read, and return the object's hash."""

    def encode_runs() -> Iterator[bytes]:
        yield msgspec.msgpack.encode(structs.replace(read, records=()))
        cleaned = list_cleaned(read.records)
        for first in range(0, len(cleaned), RUN):
            yield msgspec.msgpack.encode(cleaned[first : first + RUN])

    return put_object(store, pack_runs(encode_runs()))


def read_cached_read(store: Store, sha: str) -> FeedRead:
    """Read what `put_cached_read` stored. Raises NotFound, Corrupt or StoreError."""
    runs = unpack_runs(read_object(store, sha))
    read = msgspec.msgpack.decode(next(runs), type=FeedRead)
    decoder = msgspec.msgpack.Decoder(list[CleanedRecord])
    return structs.replace(read, records=Records([record for run in runs for record in decoder.decode(run)]))
