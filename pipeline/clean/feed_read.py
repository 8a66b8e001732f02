"""The result of reading a feed. Its records go to the metros' tasks in files of a scratch folder (the spool). A release
stores the result, so that an unchanged feed is not read again.

Records stay encoded, because a million of them as objects would not fit in memory.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import msgspec
import zstandard
from msgspec import Struct, structs

from outings.release.folder import write_named
from outings.release.root import ReadCounts
from outings.release.store import Corrupt, Store, put_object, read_object
from pipeline.records.record import HEADS, RECORDS, EventRecord, Head, Problem, Record
from pipeline.records.spans import find_last_day

_LEVEL = 3
_LENGTH_BYTES = 4
# So many records at once are encoded beside the records themselves.
_RUN = 5_000
_ENCODER = msgspec.msgpack.Encoder()


def encode_runs(records: Sequence[Struct]) -> Iterator[bytes]:
    for first in range(0, len(records), _RUN):
        yield _ENCODER.encode(records[first : first + _RUN])


def _frame_runs(runs: Iterable[bytes]) -> Iterator[bytes]:
    """Yield each run of bytes with its length before it."""
    for run in runs:
        yield len(run).to_bytes(_LENGTH_BYTES) + run


def pack_runs(runs: Iterable[bytes]) -> bytes:
    compressor = zstandard.ZstdCompressor(level=_LEVEL).compressobj()
    return b"".join([*map(compressor.compress, _frame_runs(runs)), compressor.flush()])


def unpack_runs(data: bytes) -> Iterator[bytes]:
    """Decompress what `pack_runs` returned and yield its runs. Raises Corrupt if the data end too early."""
    with zstandard.ZstdDecompressor().stream_reader(BytesIO(data)) as stream:
        yield from _split_runs(stream)


def _split_runs(stream: IO[bytes] | zstandard.ZstdDecompressionReader) -> Iterator[bytes]:
    while length := stream.read(_LENGTH_BYTES):
        run = stream.read(int.from_bytes(length))
        if len(run) != int.from_bytes(length):
            raise Corrupt("records that are kept with the release end too early")
        yield run


def put_problems(store: Store, problems: Sequence[Problem]) -> str | None:
    """Store the problems and return the object's hash, or None if there are none."""
    return put_object(store, msgspec.json.encode(problems)) if problems else None


def read_problems(store: Store, sha: str | None) -> tuple[Problem, ...]:
    return () if sha is None else msgspec.json.decode(read_object(store, sha), type=tuple[Problem, ...])


# The files of one feed: a metro and a type each.
SpoolFiles = tuple[tuple[str, str], ...]

_DIGEST_BYTES = 16


class EncodedRecord(Struct, frozen=True, array_like=True, gc=False):
    """An encoded record and a digest of its bytes. These exclude `line`, so that a record that only moved within its
    feed has the same digest."""

    line: int
    digest: bytes
    data: msgspec.Raw


class SpooledRecord(Struct, frozen=True, gc=False):
    """A record of which only the head is decoded. `crawled`: the newest `crawled_at` of its feed, against which its
    freshness is measured."""

    line: int
    digest: bytes
    data: msgspec.Raw
    head: Head
    crawled: datetime | None

    def read_record(self) -> Record:
        return decode_record(EncodedRecord(self.line, self.digest, self.data), self.head.type)


_DECODERS = {kind: msgspec.msgpack.Decoder(struct) for kind, struct in RECORDS.items()}
_HEAD_DECODERS: dict[str, msgspec.msgpack.Decoder[Any]] = {
    kind: msgspec.msgpack.Decoder(struct) for kind, struct in HEADS.items()
}
_RUN_DECODER = msgspec.msgpack.Decoder(list[EncodedRecord])


def encode_record(record: Record) -> EncodedRecord:
    data = _ENCODER.encode(msgspec.structs.replace(record, line=0))
    return EncodedRecord(record.line, hashlib.sha256(data).digest()[:_DIGEST_BYTES], msgspec.Raw(data))


def decode_record(encoded: EncodedRecord, kind: str) -> Record:
    record: Record = _DECODERS[kind].decode(encoded.data)
    return msgspec.structs.replace(record, line=encoded.line)


def decode_head(encoded: EncodedRecord, kind: str, *, crawled: datetime | None) -> SpooledRecord:
    return SpooledRecord(encoded.line, encoded.digest, encoded.data, _HEAD_DECODERS[kind].decode(encoded.data), crawled)


def spool_records(records: Iterable[tuple[str, str, EncodedRecord]], *, folder: Path, feed: str) -> SpoolFiles:
    """Write (metro, type, record) to `<folder>/<metro>/<feed>.<type>.msgpack`. Return the (metro, type) of each file.

    A file appears as a whole, because a worker that was thought lost may write the same file at the same time.
    """
    parts: dict[tuple[str, str], list[EncodedRecord]] = defaultdict(list)
    for metro, kind, encoded in records:
        parts[metro, kind].append(encoded)
    for (metro, kind), some in parts.items():
        path = folder / metro / f"{feed}.{kind}.msgpack"
        path.parent.mkdir(exist_ok=True)  # the scratch folder itself goes with its build
        following = path.with_name(f"{path.name}.{uuid4().hex}")
        write_named(following, _frame_runs(encode_runs(some)))
        following.replace(path)
    return tuple(sorted(parts))


def read_spool(
    folder: Path,
    *,
    metro: str,
    spooled: Mapping[str, tuple[SpoolFiles, datetime | None]],
    kinds: Collection[str] = tuple(RECORDS),
) -> Iterator[SpooledRecord]:
    """Yield a metro's records, ordered by feed (as in `spooled`), type and line. `spooled`: the files of each feed and
    its newest `crawled_at`. Raises OSError if a file can't be read from here."""
    for feed, (parts, crawled) in spooled.items():
        for kind in kinds:
            if (metro, kind) in parts:
                with (folder / metro / f"{feed}.{kind}.msgpack").open("rb") as file:
                    for run in _split_runs(file):
                        for encoded in _RUN_DECODER.decode(run):
                            yield decode_head(encoded, kind, crawled=crawled)


# The lines of one file, at most: of several files a record's line is counted through all of them.
_FILE_LINES = 1 << 32


class CleanedRecord(Struct, frozen=True, array_like=True, gc=False):
    """An encoded record that passed cleaning. `identity`: unique in a feed. `key`: the hash of the raw record, empty if
    it had problems; a raw record with the same hash is not cleaned again. `is_span`: an event of several days."""

    kind: str
    metro: str
    identity: tuple[str, ...]
    encoded: EncodedRecord
    crawled_at: datetime | None
    key: bytes = b""
    is_span: bool = False
    is_removal: bool = False


class FeedRead(ReadCounts, frozen=True, kw_only=True):
    """The result of reading one feed. `read` = `records` + `merged` + `quarantined` + `withdrawn`.

    `cleaned` has the records encoded; these include removals (`deleted`). If there are several `files`,
    `locate_problems` finds the file and line of a record. `unknown`: counts of members that no record has, by path.
    `items`: ids of the items read; `records` and `problems` replace all that was known of these. `decided`: choices
    made while reading the files. `passed_over`: counts of entries that are no listings, by type. `cut`: why rows may
    be missing.
    """

    feed: str
    hash: str
    cleaned: Sequence[CleanedRecord] = msgspec.field(name="records")
    problems: tuple[Problem, ...]
    unknown: dict[str, int]
    files: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    passed_over: Mapping[str, int] = {}
    cut: str | None = None

    @property
    def records(self) -> list[Record]:
        return [decode_record(record.encoded, record.kind) for record in self.cleaned]


def encode_cleaned(record: Record, *, key: bytes = b"") -> CleanedRecord:
    assert record.metro is not None  # every cleaned record names its own
    # An organization may have a record in each of several metros; of the others an id is one listing.
    identity = (record.type, record.source_id, *([record.metro] if record.type == "organization" else []))
    return CleanedRecord(
        kind=record.type, metro=record.metro, identity=identity, encoded=encode_record(record),
        crawled_at=record.source.crawled_at, key=key,
        is_removal=record.deleted, is_span=isinstance(record, EventRecord) and find_last_day(record) is not None,
    )  # fmt: skip


def number_line(place: int, line: int) -> int:
    """Return a line's number within a feed of several files. `place`: the index of the line's file, from 0."""
    return (place + 1) * _FILE_LINES + line


def locate_problems(problems: Iterable[Problem], files: Sequence[str]) -> Iterator[Problem]:
    """Yield the problems with the name of their file and their line in it, in place of the feed's line."""
    for problem in problems:
        place, line = divmod(problem.line, _FILE_LINES)
        yield structs.replace(problem, file=files[place - 1], line=line) if place else problem


def name_line(line: int, files: Sequence[str]) -> str:
    """Return a line's number as text, with the name of its file if there are several."""
    place, line = divmod(line, _FILE_LINES)
    return f"{files[place - 1]} line {line:,}" if place else f"line {line:,}"


def put_cached_read(store: Store, read: FeedRead) -> str:
    """Store the result of reading a feed, and return the object's hash."""
    head = msgspec.msgpack.encode(structs.replace(read, cleaned=()))
    return put_object(store, pack_runs(chain([head], encode_runs(read.cleaned))))


def read_cached_read(store: Store, sha: str) -> FeedRead:
    """Read what `put_cached_read` stored. Raises NotFound, Corrupt or StoreError."""
    runs = unpack_runs(read_object(store, sha))
    read = msgspec.msgpack.decode(next(runs), type=FeedRead)
    decoder = msgspec.msgpack.Decoder(list[CleanedRecord])
    return structs.replace(read, cleaned=[record for run in runs for record in decoder.decode(run)])
