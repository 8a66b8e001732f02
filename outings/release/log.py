"""The log: every version of every listing, in the order of their publication.

A segment of the log has two objects. The first is its versions as JSON lines, 256 in each gzip member, called a block.
So `zcat` reads the whole object, a page reads only the blocks that it needs, and a growing segment copies its full
blocks. The other object is the index: the blocks' byte offsets and the end (4 bytes each, big-endian), then a row for
each version, sorted: the listing's id (16 bytes) and the version's number in the segment (4). So a page of versions
costs the same anywhere, and a listing's history is found by one binary search in each segment.
"""

import zlib
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from itertools import accumulate
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.release.root import Log, Segment
from outings.release.store import Bytes, hash_of

SEGMENT = 65_536
BLOCK = 256

_OFFSET = 4
_ID = 16
_ROW = _ID + 4

# Reads an object, or maps it, by its hash.
ReadObject = Callable[[str], Bytes]


class Version(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A change of a listing, as `/v1/changes` shows it, without its links. Times are whole seconds in UTC.

    Before it is added to a log, `version_id` is 0 and `changed_at` the stamp of its build. `metro` is null for an
    organization of several metros; `metros` then lists those where it changed. It is not shown to readers of metros in
    `known_in`, which had the organization before, or still have it. Old logs lack both members.
    """

    version_id: int = 0
    listing_id: str
    type: str
    metro: str | None
    slug: str
    kind: str
    reason: str | None
    replaced_by: str | None
    changed_at: datetime
    fields: tuple[str, ...]
    metros: tuple[str, ...] = ()
    known_in: tuple[str, ...] = ()


class History(Struct, frozen=True):
    """A log of versions, and the function that reads its objects."""

    log: Log
    read: ReadObject


class ExtendedLog(Struct, frozen=True):
    """A log after a change to it, and the contents of its new objects, which must be written to the store."""

    log: Log
    objects: tuple[bytes, ...]


_decoder = msgspec.json.Decoder(Version)


def append_versions(log: Log, changes: Sequence[Version], *, read: ReadObject, segment: int = SEGMENT) -> ExtendedLog:
    """Append the changes to the log, numbered in order from its last version. `segment`: the number of versions in a
    sealed segment.

    `changed_at` never goes back: it is the later of the change's own and the last one in the log.
    """
    if not changes:
        return ExtendedLog(log, ())
    added = list(_number_versions(log, changes))
    latest = added[-1]
    sealed, tail, objects = list(log.sealed), log.tail, list[bytes]()
    while added:
        room = segment - (tail.last - tail.first + 1 if tail else 0)
        tail, data, index = _extend_segment(tail, added[:room], read=read)
        added = added[room:]
        objects += (data, index)
        if tail.last - tail.first + 1 == segment:
            sealed.append(tail)
            tail = None
    grown = Log(
        sealed=tuple(sealed), tail=tail, latest_version_id=latest.version_id, latest_changed_at=latest.changed_at
    )
    return ExtendedLog(grown, tuple(objects))


def name_log(log: Log) -> tuple[int, str | None]:
    """Return what identifies a log: its latest version and its last object."""
    last = list_segments(log)[-1:]
    return log.latest_version_id, last[0].object if last else None


def list_tail(log: Log) -> list[str]:
    """Return the hashes of the objects with the newest versions, which most readers of the log request."""
    return [sha for last in list_segments(log)[-1:] for sha in (last.object, last.index)]


def walk_versions(history: History, *, after: int) -> Iterator[Version]:
    """Yield every version with an id above `after`, in order. Each block is read only when it is reached."""
    for segment in list_segments(history.log):
        if segment.last > after:
            at = max(after + 1 - segment.first, 0)
            for number in range(at // BLOCK, _count_blocks(segment)):
                block = _read_block(segment, number, read=history.read)
                yield from block[max(at - number * BLOCK, 0) :]


def list_history(log: Log, listing_id: str, *, read: ReadObject) -> list[int]:
    """List the ids of a listing's versions, oldest first. Raises ValueError if `listing_id` is not a uuid."""
    wanted = UUID(listing_id).bytes
    segments = list_segments(log)
    return [segment.first + place for segment in segments for place in _find_places(segment, wanted, read=read)]


def read_versions(log: Log, version_ids: Sequence[int], *, read: ReadObject) -> list[Version]:
    """Read these versions, in the order of the ids. Raises KeyError if one is not in the log."""
    segments = list_segments(log)
    firsts = [segment.first for segment in segments]
    blocks: dict[tuple[int, int], list[Version]] = {}
    versions = []
    for version_id in version_ids:
        if not 1 <= version_id <= log.latest_version_id:
            raise KeyError(version_id)
        at = bisect_left(firsts, version_id + 1) - 1
        number, place = divmod(version_id - firsts[at], BLOCK)
        if (at, number) not in blocks:
            blocks[at, number] = _read_block(segments[at], number, read=read)
        versions.append(blocks[at, number][place])
    return versions


def list_segments(log: Log) -> list[Segment]:
    """List the segments of a log in order, the tail last."""
    return [*log.sealed, log.tail] if log.tail else [*log.sealed]


def _number_versions(log: Log, changes: Sequence[Version]) -> Iterator[Version]:
    latest = log.latest_changed_at
    for version_id, change in enumerate(changes, start=log.latest_version_id + 1):
        latest = change.changed_at if latest is None else max(latest, change.changed_at)
        yield replace(change, version_id=version_id, changed_at=latest)


def _extend_segment(
    tail: Segment | None, added: Sequence[Version], *, read: ReadObject
) -> tuple[Segment, bytes, bytes]:
    first = tail.first if tail else added[0].version_id
    blocks, rows, pending = _reopen_segment(tail, read=read) if tail else ([], [], [])
    pending += added
    blocks += [_encode_block(pending[at : at + BLOCK]) for at in range(0, len(pending), BLOCK)]
    rows += [UUID(version.listing_id).bytes + (version.version_id - first).to_bytes(_ROW - _ID) for version in added]
    return _make_segment(blocks, sorted(rows), first=first, last=added[-1].version_id)


def _make_segment(
    blocks: Sequence[bytes], rows: Sequence[bytes], *, first: int, last: int
) -> tuple[Segment, bytes, bytes]:
    ends = accumulate(map(len, blocks), initial=0)
    data, index = b"".join(blocks), b"".join([*(end.to_bytes(_OFFSET) for end in ends), *rows])
    return Segment(object=hash_of(data), index=hash_of(index), first=first, last=last), data, index


def _reopen_segment(tail: Segment, *, read: ReadObject) -> tuple[list[bytes], list[bytes], list[Version]]:
    """Read a segment to append to it: its full blocks, the index's rows, and the versions of a block with room."""
    data, index = read(tail.object), read(tail.index)
    whole, rest = divmod(tail.last - tail.first + 1, BLOCK)
    blocks = [data[slice(*_find_block(index, number))] for number in range(whole)]
    start = _rows_start(tail)
    rows = [index[at : at + _ROW] for at in range(start, len(index), _ROW)]
    return blocks, rows, _read_block(tail, whole, read=read) if rest else []


def erase_words(log: Log, ids: Collection[str], *, read: ReadObject) -> ExtendedLog:
    """Rewrite a log without texts of withdrawn listings and organizations: their versions stay, with the id in place of
    the slug. Raises ValueError if one of `ids` is not a uuid."""
    objects: list[bytes] = []
    segments = []
    for segment in list_segments(log):
        if any(True for row_id in ids for _ in _find_places(segment, UUID(row_id).bytes, read=read)):
            segment, *made = _erase_segment(segment, ids, read=read)
            objects += made
        segments.append(segment)
    sealed = tuple(segments[: len(log.sealed)])
    return ExtendedLog(replace(log, sealed=sealed, tail=segments[-1] if log.tail else None), tuple(objects))


def _erase_segment(segment: Segment, ids: Collection[str], *, read: ReadObject) -> tuple[Segment, bytes, bytes]:
    erased = (
        [replace(version, slug=version.listing_id) if version.listing_id in ids else version for version in versions]
        for versions in (_read_block(segment, number, read=read) for number in range(_count_blocks(segment)))
    )
    rows = bytes(read(segment.index)[_rows_start(segment) :])
    return _make_segment([_encode_block(block) for block in erased], [rows], first=segment.first, last=segment.last)


def _encode_block(versions: Sequence[Version]) -> bytes:
    lines = b"".join(msgspec.json.encode(version, order="sorted") + b"\n" for version in versions)
    return zlib.compress(lines, wbits=31)  # 31: a gzip member, whose header zlib leaves without a time


def _read_block(segment: Segment, number: int, *, read: ReadObject) -> list[Version]:
    start, end = _find_block(read(segment.index), number)
    return _decoder.decode_lines(zlib.decompress(read(segment.object)[start:end], wbits=31))


def _find_block(index: Bytes, number: int) -> tuple[int, int]:
    at = number * _OFFSET
    return int.from_bytes(index[at : at + _OFFSET]), int.from_bytes(index[at + _OFFSET : at + 2 * _OFFSET])


def _count_blocks(segment: Segment) -> int:
    return -(-(segment.last - segment.first + 1) // BLOCK)


def _rows_start(segment: Segment) -> int:
    return (_count_blocks(segment) + 1) * _OFFSET


def _find_places(segment: Segment, wanted: bytes, *, read: ReadObject) -> Iterator[int]:
    index, start = read(segment.index), _rows_start(segment)

    def id_at(row: int) -> bytes:
        return index[start + row * _ROW : start + row * _ROW + _ID]

    rows = range(segment.last - segment.first + 1)
    for row in rows[bisect_left(rows, wanted, key=id_at) :]:
        if id_at(row) != wanted:
            return
        at = start + row * _ROW + _ID
        yield int.from_bytes(index[at : at + _ROW - _ID])
