"""Records in compressed chunks, all in one object: a million of them at once would not fit in memory."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import BinaryIO

import zstandard

from outings.release.objects import Corrupt

_LEVEL = 3
_LENGTH_BYTES = 4
# So many records at once are encoded beside the records themselves.
RUN = 5_000


def pack_runs(runs: Iterable[bytes]) -> bytes:
    """Each with its length before it."""
    compressor = zstandard.ZstdCompressor(level=_LEVEL).compressobj()
    parts = [compressor.compress(len(run).to_bytes(_LENGTH_BYTES) + run) for run in runs]
    return b"".join([*parts, compressor.flush()])


def unpack_runs(data: bytes) -> Iterator[bytes]:
    """Corrupt where they end too early."""
    with zstandard.ZstdDecompressor().stream_reader(BytesIO(data)) as stream:
        yield from _split_runs(stream)


def _split_runs(stream: BinaryIO) -> Iterator[bytes]:
    while length := stream.read(_LENGTH_BYTES):
        size = int.from_bytes(length)
        run = stream.read(size)
        if len(run) != size:
            raise Corrupt("records that are kept with the release end too early")
        yield run
