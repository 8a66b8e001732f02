"""The state of delta feeds, which send only changes: their current records, stored with a metro's release. From here
the next build takes the records that a feed does not mention."""

from collections.abc import Iterable, Sequence
from datetime import datetime
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

# The version of the records: a program with another one can't read them. Earlier programs wrote words behind it.
LAYOUT = 1


class _DeltaRecord(Struct, frozen=True, array_like=True):
    """A stored record, without its line number. `crawled`: the feed's newest `crawled_at` when it was read."""

    kind: str
    digest: bytes
    data: msgspec.Raw
    crawled: datetime | None


_decoder = msgspec.msgpack.Decoder(list[_DeltaRecord])


def encode_delta_state(records: Iterable[SpooledRecord]) -> bytes | None:
    """Encode the records so that equal records give equal bytes, or return None if there are none."""
    ordered = sorted(records, key=lambda entry: (entry.head.feed, entry.head.type, entry.head.source_id))
    stated = [_DeltaRecord(entry.head.type, entry.digest, entry.data, entry.crawled) for entry in ordered]
    return pack_runs([msgspec.msgpack.encode((LAYOUT, {})), *encode_runs(stated)]) if ordered else None


def read_state(store: Store, sha: str | None) -> bytes | None:
    """Read an object in which a release stores state for the next build. Return None if there is none, or if it is
    lost: a build makes it again."""
    try:
        return None if sha is None else read_object(store, sha)
    except (NotFound, Corrupt):
        return None


def read_earlier_records(store: Store, sha: str | None) -> Sequence[SpooledRecord]:
    """Read the stored records of a release. Return none if they are lost, or if another program stored them."""
    data = read_state(store, sha)
    try:
        return () if data is None else parse_delta_state(data)
    except (Corrupt, msgspec.DecodeError):
        return ()


def parse_delta_state(data: bytes) -> list[SpooledRecord]:
    """Decode stored records, all with line 0. Raises Corrupt or msgspec.DecodeError."""
    runs = unpack_runs(data)
    if msgspec.msgpack.decode(next(runs), type=tuple[int, dict[str, Any]])[0] != LAYOUT:
        raise Corrupt("the stored records are those of another program")
    return [
        decode_head(EncodedRecord(0, record.digest, record.data), record.kind, crawled=record.crawled)
        for run in runs
        for record in _decoder.decode(run)
    ]


def drop_words(entry: SpooledRecord, vocabulary: Vocabulary, problems: list[Problem]) -> SpooledRecord:
    """Return the record without words that the vocabulary no longer has."""
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
