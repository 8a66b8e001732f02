"""A feed's records as they were read, kept with the release: what a server says is unchanged need not be read again,
and what changed need not be cleaned again but where it did."""

from collections.abc import Iterator, Mapping

import msgspec
import zstandard
from msgspec import structs

from outings.release.objects import Corrupt, put_object, read_object
from outings.release.store import NotFound, Store
from pipeline.feeds.cleaned import Cleaned, Records, list_cleaned
from pipeline.feeds.reading import FeedRead
from pipeline.records.runs import RUN, pack_runs, unpack_runs

_decoder = msgspec.msgpack.Decoder(list[Cleaned])


def put_kept(store: Store, read: FeedRead) -> str:
    """The object's hash."""
    return put_object(store, pack_runs(_encode_runs(read)))


def read_kept(store: Store, sha: str) -> FeedRead:
    """NotFound, Corrupt, StoreError."""
    runs = unpack_runs(read_object(store, sha))
    read = msgspec.msgpack.decode(next(runs), type=FeedRead)
    return structs.replace(read, records=Records([each for run in runs for each in _decoder.decode(run)]))


def recall_cleaned(store: Store, sha: str | None) -> Mapping[bytes, Cleaned]:
    """By the hash of what each was cleaned from; nothing where they are gone. StoreError."""
    if sha is None:
        return {}
    try:
        read = read_kept(store, sha)
    except (NotFound, Corrupt, msgspec.DecodeError, zstandard.ZstdError):
        return {}
    return {each.key: each for each in list_cleaned(read.records) if each.key}


def _encode_runs(read: FeedRead) -> Iterator[bytes]:
    """All but the records; then these."""
    yield msgspec.msgpack.encode(structs.replace(read, records=()))
    cleaned = list_cleaned(read.records)
    for first in range(0, len(cleaned), RUN):
        yield msgspec.msgpack.encode(cleaned[first : first + RUN])
