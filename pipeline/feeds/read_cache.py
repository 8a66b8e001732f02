"""Cache of a feed's cleaned records, stored with the release. An unchanged feed is not read again, and of a changed
feed only the records that changed are cleaned again."""

from collections.abc import Iterator, Mapping

import msgspec
import zstandard
from msgspec import structs

from outings.release.objects import Corrupt, put_object, read_object
from outings.release.store import NotFound, Store
from pipeline.feeds.cleaned_records import CleanedRecord, Records, list_cleaned
from pipeline.feeds.reading import FeedRead
from pipeline.records.compressed_chunks import RUN, pack_runs, unpack_runs

_decoder = msgspec.msgpack.Decoder(list[CleanedRecord])


def put_cached_read(store: Store, read: FeedRead) -> str:
    """The object's hash."""
    return put_object(store, pack_runs(_encode_runs(read)))


def read_cached_read(store: Store, sha: str) -> FeedRead:
    """NotFound, Corrupt, StoreError."""
    runs = unpack_runs(read_object(store, sha))
    read = msgspec.msgpack.decode(next(runs), type=FeedRead)
    return structs.replace(read, records=Records([each for run in runs for each in _decoder.decode(run)]))


def read_cached_records(store: Store, sha: str | None) -> Mapping[bytes, CleanedRecord]:
    """By the hash of the raw record; empty if the object is gone. StoreError."""
    if sha is None:
        return {}
    try:
        read = read_cached_read(store, sha)
    except (NotFound, Corrupt, msgspec.DecodeError, zstandard.ZstdError):
        return {}
    return {each.key: each for each in list_cleaned(read.records) if each.key}


def _encode_runs(read: FeedRead) -> Iterator[bytes]:
    """All but the records; then these."""
    yield msgspec.msgpack.encode(structs.replace(read, records=()))
    cleaned = list_cleaned(read.records)
    for first in range(0, len(cleaned), RUN):
        yield msgspec.msgpack.encode(cleaned[first : first + RUN])
