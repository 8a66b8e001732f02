"""A feed's records as they were read, kept with the release: what a server says is unchanged need not be read again."""

from collections.abc import Iterator
from io import BytesIO
from itertools import groupby
from typing import Any, BinaryIO

import msgspec
import zstandard
from msgspec import structs

from outings.release.objects import Corrupt, put_object, read_object
from outings.release.store import Store
from pipeline.feeds.reading import FeedRead
from pipeline.records.record import RECORDS, Record

_LEVEL = 3
# So many at once are encoded beside the records themselves: a feed may have a million.
_CHUNK = 5_000
_LENGTH_BYTES = 4


def put_kept(store: Store, read: FeedRead) -> str:
    """The object's hash."""
    compressor = zstandard.ZstdCompressor(level=_LEVEL).compressobj()
    parts = [compressor.compress(len(frame).to_bytes(_LENGTH_BYTES) + frame) for frame in _encode_frames(read)]
    return put_object(store, b"".join([*parts, compressor.flush()]))


def read_kept(store: Store, sha: str) -> FeedRead:
    """NotFound, Corrupt, StoreError."""
    with zstandard.ZstdDecompressor().stream_reader(BytesIO(read_object(store, sha))) as stream:
        frames = _split_frames(stream)
        read = msgspec.msgpack.decode(next(frames), type=FeedRead)
        records: list[Record] = []
        for kind in frames:
            struct = RECORDS[kind.decode()]
            records += msgspec.msgpack.decode(next(frames), type=list[struct])  # type: ignore[valid-type]
    return structs.replace(read, records=tuple(records))


def _encode_frames(read: FeedRead) -> Iterator[bytes]:
    """All but the records; then runs of them of one type, behind its name."""
    yield msgspec.msgpack.encode(structs.replace(read, records=()))
    for kind, group in groupby(read.records, key=_get_type):
        run: list[Any] = list(group)
        for first in range(0, len(run), _CHUNK):
            yield kind.encode()
            yield msgspec.msgpack.encode(run[first : first + _CHUNK])


def _get_type(record: Record) -> str:
    return record.type


def _split_frames(stream: BinaryIO) -> Iterator[bytes]:
    while length := stream.read(_LENGTH_BYTES):
        size = int.from_bytes(length)
        frame = stream.read(size)
        if len(frame) != size:
            raise Corrupt("the records of a feed, kept with the release, end too early")
        yield frame
