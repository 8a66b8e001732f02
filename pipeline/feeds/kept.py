"""A feed's records as they were read, kept with the release: what a server says is unchanged need not be read again,
and what changed need not be cleaned again but where it did."""

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import BinaryIO

import msgspec
import zstandard
from msgspec import structs

from outings.release.objects import Corrupt, put_object, read_object
from outings.release.store import NotFound, Store
from pipeline.feeds.cleaned import Cleaned, Records, list_cleaned
from pipeline.feeds.reading import FeedRead

_LEVEL = 3
# So many at once are encoded beside the records themselves: a feed may have a million.
_CHUNK = 5_000
_LENGTH_BYTES = 4

_decoder = msgspec.msgpack.Decoder(list[Cleaned])


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
        cleaned = [each for frame in frames for each in _decoder.decode(frame)]
    return structs.replace(read, records=Records(cleaned))


def recall_cleaned(store: Store, sha: str | None) -> Mapping[bytes, Cleaned]:
    """By the hash of what each was cleaned from; nothing where they are gone. StoreError."""
    if sha is None:
        return {}
    try:
        read = read_kept(store, sha)
    except (NotFound, Corrupt, msgspec.DecodeError, zstandard.ZstdError):
        return {}
    return {each.key: each for each in list_cleaned(read.records) if each.key}


def _encode_frames(read: FeedRead) -> Iterator[bytes]:
    """All but the records; then runs of them."""
    yield msgspec.msgpack.encode(structs.replace(read, records=()))
    cleaned = list_cleaned(read.records)
    for first in range(0, len(cleaned), _CHUNK):
        yield msgspec.msgpack.encode(cleaned[first : first + _CHUNK])


def _split_frames(stream: BinaryIO) -> Iterator[bytes]:
    while length := stream.read(_LENGTH_BYTES):
        size = int.from_bytes(length)
        frame = stream.read(size)
        if len(frame) != size:
            raise Corrupt("the records of a feed, kept with the release, end too early")
        yield frame
