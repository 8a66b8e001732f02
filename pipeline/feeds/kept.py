"""A feed's records as they were read, kept with the release: what a server says is unchanged need not be read again."""

from typing import Any

import msgspec
import zstandard
from msgspec import Raw, Struct, structs

from outings.release.objects import put_object, read_object
from outings.release.store import Store
from pipeline.feeds.reading import FeedRead
from pipeline.record import RECORDS, Record

_LEVEL = 3


class _Kept(Struct, frozen=True):
    """`read` without its records; those by type."""

    read: dict[str, Any]
    records: dict[str, Raw]


def put_kept(store: Store, read: FeedRead) -> str:
    """The object's hash."""
    records = {
        kind: Raw(msgspec.msgpack.encode([each for each in read.records if each.type == kind])) for kind in RECORDS
    }
    kept = _Kept(read=structs.asdict(structs.replace(read, records=())), records=records)
    return put_object(store, zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(kept)))


def read_kept(store: Store, sha: str) -> FeedRead:
    """NotFound, Corrupt, StoreError."""
    kept = msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(read_object(store, sha)), type=_Kept)
    records: list[Record] = []
    for kind, struct in RECORDS.items():
        records += msgspec.msgpack.decode(kept.records[kind], type=list[struct])  # type: ignore[valid-type]
    return structs.replace(msgspec.convert(kept.read, FeedRead), records=tuple(records))
