"""The current items of a feed, stored with the release: a walk brings only the items that changed."""

from collections.abc import Iterable
from io import BytesIO
from typing import BinaryIO

import zstandard

from outings.release.objects import put_object, read_object
from outings.release.store import Store

_LEVEL = 3


def put_items(store: Store, items: Iterable[bytes]) -> str:
    """Each a line of JSON. The object's hash."""
    compressor = zstandard.ZstdCompressor(level=_LEVEL).compressobj()
    parts = [compressor.compress(item + b"\n") for item in items]
    return put_object(store, b"".join([*parts, compressor.flush()]))


def write_items(store: Store, sha: str, target: BinaryIO) -> None:
    """NotFound, Corrupt, StoreError; OSError of the target."""
    zstandard.ZstdDecompressor().copy_stream(BytesIO(read_object(store, sha)), target)
