"""The state of delta feeds, which send only changes: their current records, stored with a metro's release. From here
the next build takes the records that a feed does not mention."""

import mmap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from tempfile import TemporaryFile
from typing import Any

import msgspec
from msgspec import Struct, structs

from outings.contract.vocabulary import SETS, Vocabulary
from outings.release.store import Corrupt, NotFound, Store, read_object
from pipeline.clean.feed_read import (
    EncodedRecord,
    SpooledRecord,
    decode_head,
    encode_record,
    encode_runs,
    pack_runs,
    unpack_runs,
)
from pipeline.records.record import PlaceRecord, Problem
from pipeline.scratch import naming_folder

# The version of the records: a program with another one can't read them.
LAYOUT = 1
_HINTS = "type_hints"

# Member of a vocabulary → its words.
Words = Mapping[str, Sequence[str]]


class _Head(Struct, frozen=True, array_like=True):
    """The head of the file. `words`: the vocabulary that its records may use."""

    layout: int
    words: dict[str, tuple[str, ...]]


class _DeltaRecord(Struct, frozen=True, array_like=True):
    """A stored record, without its line number. `crawled`: the feed's newest `crawled_at` when it was read."""

    kind: str
    digest: bytes
    data: msgspec.Raw
    crawled: datetime | None


class DeltaRecords(Struct, frozen=True):
    """Stored records, all with line 0, and the vocabulary that they may use."""

    records: Sequence[SpooledRecord] = ()
    words: Words = {}


_decoder = msgspec.msgpack.Decoder(list[_DeltaRecord])


def encode_delta_state(records: Iterable[SpooledRecord], *, words: Words, vocabulary: Vocabulary) -> bytes | None:
    """Encode the records so that equal records give equal bytes, or return None if there are none. `words`: vocabulary
    that older records may use."""
    ordered = sorted(records, key=lambda entry: (entry.head.feed, entry.head.type, entry.head.source_id))
    stored = {
        name: tuple(sorted({*words.get(name, ()), *getattr(vocabulary, name)})) for name in (*SETS, _HINTS)
    }  # fmt: skip
    head = msgspec.msgpack.encode(_Head(LAYOUT, stored))
    stated = [_DeltaRecord(entry.head.type, entry.digest, entry.data, entry.crawled) for entry in ordered]
    return pack_runs(chain([head], encode_runs(stated))) if ordered else None


def read_state(store: Store, sha: str | None) -> bytes | None:
    """Read an object in which a release stores state for the next build. Return None if there is none, or if it is
    lost: a build makes it again."""
    try:
        return None if sha is None else read_object(store, sha)
    except (NotFound, Corrupt):
        return None


def read_earlier_records(store: Store, sha: str | None) -> DeltaRecords:
    """Read the stored records of a release. Return none if they are lost, or if another program stored them."""
    data = read_state(store, sha)
    try:
        return DeltaRecords() if data is None else parse_delta_state(data)
    except (Corrupt, msgspec.DecodeError):
        return DeltaRecords()


def parse_delta_state(data: bytes) -> DeltaRecords:
    """Decode stored records. Raises Corrupt or msgspec.DecodeError."""
    runs = unpack_runs(data)
    head = msgspec.msgpack.decode(next(runs), type=_Head)
    if head.layout != LAYOUT:
        raise Corrupt("the records that stood are those of another program")
    return DeltaRecords(list(_read_runs(runs)), head.words)


def _read_runs(runs: Iterable[bytes]) -> Iterator[SpooledRecord]:
    """Yield the records, with their bytes in a mapped temporary file: a million would take gigabytes."""
    with TemporaryFile() as file:
        with naming_folder():
            sizes = [file.write(run) for run in runs]
            file.flush()
        if not sizes:
            return
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    at = 0
    for size in sizes:
        for record in _decoder.decode(data[at : at + size]):
            yield decode_head(EncodedRecord(0, record.digest, record.data), record.kind, crawled=record.crawled)
        at += size


def drop_words(entry: SpooledRecord, vocabulary: Vocabulary, problems: list[Problem]) -> SpooledRecord:
    """Return the record without words that the vocabulary no longer has. The stored state keeps them, because they may
    come back."""
    record = entry.read_record()
    changed: dict[str, Any] = {}
    for name in SETS:
        words = getattr(record, name, ())
        if not set(words) <= set(getattr(vocabulary, name)):
            changed[name] = tuple(word for word in words if word in getattr(vocabulary, name))
    if isinstance(record, PlaceRecord) and record.type_hint not in (None, *vocabulary.type_hints):
        changed["type_hint"] = None
    if not changed:
        return entry
    problems += [
        Problem(
            feed=record.feed, line=0, source_id=record.source_id, field=name,
            reason="unknown_word: the vocabulary has it no more", value=str(getattr(record, name)), quarantined=False,
        )
        for name in changed
    ]  # fmt: skip
    return decode_head(encode_record(structs.replace(record, **changed)), record.type, crawled=entry.crawled)


def has_words(vocabulary: Vocabulary, words: Words) -> bool:
    return all(set(some) <= set(getattr(vocabulary, name)) for name, some in words.items())
