"""Cleaned records of a feed in encoded form, because a million of them as objects would not fit in memory."""

import hashlib
import operator
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, overload

import msgspec
from msgspec import Struct

from pipeline.records.record import Problem, Record
from pipeline.records.spool import EncodedRecord, decode_record, encode_record

_KEY_BYTES = 16


class CleanedRecord(Struct, frozen=True, array_like=True, gc=False):
    """`key`: the hash of what it was cleaned from, its line or value; empty where that has none. `identity`: by which
    a feed has it once. `problems` and `unknown`: what was found on the way, that another look would find again."""

    key: bytes
    kind: str
    metro: str
    identity: tuple[str, ...]
    encoded: EncodedRecord
    crawled_at: datetime | None
    problems: tuple[Problem, ...] = ()
    unknown: tuple[tuple[str, int], ...] = ()

    def move(self, line: int) -> "CleanedRecord":
        """The record, found at another line."""
        if line == self.encoded.line:
            return self
        return msgspec.structs.replace(
            self,
            encoded=msgspec.structs.replace(self.encoded, line=line),
            problems=tuple(msgspec.structs.replace(problem, line=line) for problem in self.problems),
        )


class Records(Sequence[Record]):
    """A sequence that decodes each record when it is read."""

    def __init__(self, cleaned: Sequence[CleanedRecord]) -> None:
        self.cleaned = cleaned

    def __len__(self) -> int:
        return len(self.cleaned)

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> "Records": ...
    def __getitem__(self, at: int | slice) -> "Record | Records":
        if isinstance(at, slice):
            return Records(self.cleaned[at])
        each = self.cleaned[at]
        return decode_record(each.encoded, each.kind)

    def __iter__(self) -> Iterator[Record]:
        return (decode_record(each.encoded, each.kind) for each in self.cleaned)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]


def encode_cleaned(
    record: Record,
    *,
    key: bytes = b"",
    problems: tuple[Problem, ...] = (),
    unknown: tuple[tuple[str, int], ...] = (),
) -> CleanedRecord:
    assert record.metro is not None  # every cleaned record names its own
    return CleanedRecord(
        key=key, kind=record.type, metro=record.metro, identity=identify_record(record), encoded=encode_record(record),
        crawled_at=record.source.crawled_at, problems=problems, unknown=unknown,
    )  # fmt: skip


def list_cleaned(records: Iterable[Record]) -> Sequence[CleanedRecord]:
    return records.cleaned if isinstance(records, Records) else [encode_cleaned(record) for record in records]


def identify_record(record: Record) -> tuple[str, ...]:
    """An organization may have a record in each of several metros; of the others an id is one listing."""
    if record.type == "organization":
        return record.type, record.source_id, record.metro or ""
    return record.type, record.source_id


def hash_line(encoded: bytes) -> bytes:
    """Of a record's JSON: another text of the same value is cleaned again, and comes to the same."""
    return hashlib.sha256(encoded).digest()[:_KEY_BYTES]


def hash_value(value: Any) -> bytes:
    """Of a raw record; empty where it has none."""
    try:
        return hashlib.sha256(msgspec.msgpack.encode(value)).digest()[:_KEY_BYTES]
    except (TypeError, ValueError, OverflowError, RecursionError):
        return b""
