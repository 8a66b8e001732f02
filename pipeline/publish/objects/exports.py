"""The export of a metro: files with every published row of a type, in each format, as objects of the release.

A file is written again only if the rows or the program changed. The iCalendar file of events is also written again on
another day, since it has dates up to a horizon.
"""

import hashlib
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import polars as pl
from msgspec import Struct

from outings.answers.documents.occurrences import open_series
from outings.answers.exports import name_file
from outings.answers.ical import encode_calendar, render_event
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.values import format_instant
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.manifest import NO_ROWS, Export, Manifest, add_rows
from outings.release.snapshot import Snapshot
from outings.release.tables import PUBLISHED, read_columns
from pipeline.publish.objects.object_writer import ObjectWriter
from pipeline.publish.objects.parquet_export import ROW_GROUP, encode_parquet, list_columns, read_lines

# Increase it when the same documents give other bytes.
VERSION = 6
GZIP = "gzip"
# Level 5 takes four fifths of the time, for 8 % more bytes.
_GZIP_LEVEL = 6
_PLACE = ("pack", "offset", "length")
_COLUMNS = ("row", "id", *_PLACE, "updated_at")

Rows = pl.DataFrame


class _File(Struct, frozen=True, kw_only=True):
    """A file as stored (compressed with `coding`, if any), with the size and hash of the uncompressed content."""

    data: bytes
    coding: str
    size: int
    sha256: str


# Find the previous release's file by its name and the hash of its rows, if this build's would be the same.
FindKept = Callable[[str, str], Export | None]


def put_exports(
    snapshot: Snapshot,
    *,
    writer: ObjectWriter,
    find_kept: FindKept = lambda _name, _rows_hash: None,
    types: Collection[str] = TYPES,
) -> dict[str, Export]:
    """Write the files of some types; return them by `<collection>.<format>`."""
    published = (
        read_columns(snapshot.tables["listings"], "listings", ("type", "status", *_COLUMNS))
        .filter(pl.col("status") == PUBLISHED)
        .drop("status")
    )
    exports = {}
    for listing_type in filter(types.__contains__, TYPES):
        code = TYPES.index(listing_type)
        rows = published.filter(pl.col("type") == code)
        # All rows that one build changed have the same stamp.
        stamps = {stamp: format_instant(stamp) for stamp in rows["updated_at"].unique()}
        dated = zip(rows["id"].to_list(), map(stamps.__getitem__, rows["updated_at"].to_list()), strict=True)
        rows_hash = add_rows(NO_ROWS, dated)
        for file_format, make in _MAKERS.items():
            if file_format == "ics" and listing_type != "event":
                continue
            name = name_file(COLLECTIONS[listing_type], file_format)
            kept = find_kept(name, rows_hash)
            if kept is None:
                file = make(snapshot, rows, listing_type)
                exports[name] = Export(
                    object=writer.put(file.data), packed=len(file.data), coding=file.coding, size=file.size,
                    sha256=file.sha256, rows=rows.height, rows_hash=rows_hash, version=VERSION,
                )  # fmt: skip
            else:
                writer.keep(kept.object)
                exports[name] = kept
    return exports


def find_kept(name: str, rows_hash: str, *, previous: Manifest | None, manifest: Manifest) -> Export | None:
    """Return the previous release's file if this build's would be the same. The arguments are the two manifests."""
    old = None if previous is None else previous.exports.get(name)
    if previous is None or old is None or old.rows_hash != rows_hash:
        return None
    if (previous.renderer, old.version) != (manifest.renderer, VERSION):
        return None
    if name.endswith(".ics") and (previous.date, previous.metro) != (manifest.date, manifest.metro):
        return None
    return old


def _read_lines(snapshot: Snapshot, rows: Rows) -> Iterator[bytes]:
    return (b"%b\n" % snapshot.read_document(*place) for place in rows.select(*_PLACE).iter_rows())


def make_lines(snapshot: Snapshot, rows: Rows, _: str) -> _File:
    """Write a document per line, as stored: without the members that depend on the day."""
    return _pack(_read_lines(snapshot, rows))


def make_parquet(snapshot: Snapshot, rows: Rows, listing_type: str) -> _File:
    """Write the documents as rows, with a column for each member. Nested members stay nested."""
    columns = list_columns(listing_type)
    groups = (read_lines(b"".join(_read_lines(snapshot, some)), columns) for some in rows.iter_slices(ROW_GROUP))
    data = encode_parquet(groups, columns)
    return _File(data=data, coding="", size=len(data), sha256=hashlib.sha256(data).hexdigest())


def make_calendar(snapshot: Snapshot, rows: Rows, _: str) -> _File:
    """Write the events that have a date as iCalendar."""
    series = open_series(open_snapshot(snapshot))
    places = rows.select("row", *_PLACE).iter_rows()
    entries = [render_event(snapshot.read_document(*place), series=series, row=row) for row, *place in places]
    return _pack(encode_calendar(snapshot, entries))


def _pack(pieces: Iterable[bytes]) -> _File:
    """Compress pieces as gzip without a time in its header (wbits 31), since memory may not hold the file twice."""
    packing, packed, digest, size = zlib.compressobj(_GZIP_LEVEL, wbits=31), bytearray(), hashlib.sha256(), 0
    for piece in pieces:
        digest.update(piece)
        packed += packing.compress(piece)
        size += len(piece)
    return _File(data=bytes(packed + packing.flush()), coding=GZIP, size=size, sha256=digest.hexdigest())


_MAKERS: Mapping[str, Callable[[Snapshot, Rows, str], _File]] = {
    "jsonl": make_lines,
    "parquet": make_parquet,
    "ics": make_calendar,
}
