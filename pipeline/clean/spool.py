"""Spool: files in a scratch folder that carry cleaned records from the feeds' tasks to the metros' tasks."""

import hashlib
import mmap
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import Struct

from outings.release.disk import write_named
from pipeline.records.record import HEADS, RECORDS, Head, Record

# The files of one feed: a metro and a type each.
SpoolFiles = tuple[tuple[str, str], ...]

# So many records at once are objects here.
_CHUNK = 5_000
_LENGTH_BYTES = 8
_DIGEST_BYTES = 16


class EncodedRecord(Struct, frozen=True, array_like=True, gc=False):
    """A record without its line, its digest beside it: the same record elsewhere in its feed is the same bytes."""

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


_ENCODER = msgspec.msgpack.Encoder()
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
    """One file a metro and type: `<folder>/<metro>/<feed>.<type>.msgpack`; those that were written.

    The same work may be done twice at once, by a worker that was thought lost: a file is there whole or not at all.
    """
    parts: dict[tuple[str, str], list[EncodedRecord]] = defaultdict(list)
    for metro, kind, encoded in records:
        parts[metro, kind].append(encoded)
    for (metro, kind), some in parts.items():
        path = folder / metro / f"{feed}.{kind}.msgpack"
        path.parent.mkdir(exist_ok=True)  # the scratch folder itself goes with its build
        following = path.with_name(f"{path.name}.{uuid4().hex}")
        write_named(following, _encode_runs(some))
        following.replace(path)
    return tuple(sorted(parts))


def _encode_runs(encoded: Sequence[EncodedRecord]) -> Iterator[bytes]:
    for first in range(0, len(encoded), _CHUNK):
        data = _ENCODER.encode(encoded[first : first + _CHUNK])
        yield len(data).to_bytes(_LENGTH_BYTES)
        yield data


def read_spool(
    folder: Path,
    *,
    metro: str,
    spooled: Mapping[str, tuple[SpoolFiles, datetime | None]],
    kinds: Collection[str] = tuple(RECORDS),
) -> Iterator[SpooledRecord]:
    """The metro's records, in the order of the feeds that `spooled` names with their newest `crawled_at`, types and
    lines: the same whoever wrote the files first. OSError where one of them can't be seen from here."""
    for feed, (parts, crawled) in spooled.items():
        for kind in kinds:
            if (metro, kind) in parts:
                for encoded in _read_runs(folder / metro / f"{feed}.{kind}.msgpack"):
                    yield decode_head(encoded, kind, crawled=crawled)


def _read_runs(path: Path) -> Iterator[EncodedRecord]:
    """Records stay where they lie, in the file's pages."""
    with path.open("rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + _LENGTH_BYTES])
        at += _LENGTH_BYTES
        yield from _RUN_DECODER.decode(data[at : at + size])
        at += size
