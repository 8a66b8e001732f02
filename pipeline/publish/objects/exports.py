"""The export of a metro: files with every published row of a type, in each format, as objects of the release.

A file is written again only if the rows or the program changed. The iCalendar file of events and the files of
occurrences are also written again on another day, since they have dates up to a horizon.
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
from outings.contract.resources.sync import EXPORTS
from outings.contract.values import format_instant
from outings.contract.vocabulary import TYPES
from outings.release.manifest import NO_ROWS, Export, Manifest, add_rows
from outings.release.snapshot import Snapshot
from outings.release.tables import PUBLISHED, read_columns
from pipeline.publish.objects.object_writer import ObjectWriter
from pipeline.publish.objects.parquet_export import (
    ROW_GROUP,
    Columns,
    encode_parquet,
    format_times,
    list_columns,
    read_lines,
    shape_occurrences,
)

# Increase it when the same documents give other bytes.
VERSION = 7
GZIP = "gzip"
# Level 5 takes four fifths of the time, for 8 % more bytes.
_GZIP_LEVEL = 6
_PLACE = ("pack", "offset", "length")
_COLUMNS = ("row", "id", *_PLACE, "updated_at")

Rows = pl.DataFrame


class _File(Struct, frozen=True, kw_only=True):
    """A file as stored (compressed with `coding`, if any), with the size and hash of the uncompressed content. `rows`:
    None for one row for each listing."""

    data: bytes
    coding: str
    size: int
    sha256: str
    rows: int | None = None


# Find the previous release's file by its name and the hash of its rows, if this build's would be the same.
FindKept = Callable[[str, str], Export | None]


def put_exports(
    snapshot: Snapshot,
    *,
    writer: ObjectWriter,
    find_kept: FindKept = lambda _name, _rows_hash: None,
    types: Collection[str] = TYPES,
) -> dict[str, Export]:
    """Write the files of some listing types and of all organizations; return them by `<collection>.<format>`."""
    published = _read_published(snapshot, "listings", "type")
    exports = {}
    for collection, kind in EXPORTS.items():
        if kind.scope is None:
            rows = _read_published(snapshot, "organizations")
        elif kind.scope in types:
            rows = published.filter(pl.col("type") == TYPES.index(kind.scope))
        else:
            continue
        # All rows that one build changed have the same stamp.
        stamps = {stamp: format_instant(stamp) for stamp in rows["updated_at"].unique()}
        dated = zip(rows["id"].to_list(), map(stamps.__getitem__, rows["updated_at"].to_list()), strict=True)
        rows_hash = add_rows(NO_ROWS, dated)
        for file_format in kind.formats:
            name = name_file(collection, file_format)
            kept = find_kept(name, rows_hash)
            if kept is None:
                file = _MAKERS.get(name, _MAKERS[file_format])(snapshot, rows, kind.type)
                exports[name] = Export(
                    object=writer.put(file.data), packed=len(file.data), coding=file.coding, size=file.size,
                    sha256=file.sha256, rows=rows.height if file.rows is None else file.rows, rows_hash=rows_hash,
                    version=VERSION,
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
    if name.endswith((".ics", *_OCCURRENCES)) and (previous.date, previous.metro) != (manifest.date, manifest.metro):
        return None
    return old


def _read_published(snapshot: Snapshot, table: str, *more: str) -> Rows:
    rows = read_columns(snapshot.tables[table], table, ("status", *more, *_COLUMNS))
    return rows.filter(pl.col("status") == PUBLISHED).drop("status")


def _read_lines(snapshot: Snapshot, rows: Rows) -> Iterator[bytes]:
    return (b"%b\n" % snapshot.read_document(*place) for place in rows.select(*_PLACE).iter_rows())


def make_lines(snapshot: Snapshot, rows: Rows, _: str) -> _File:
    """Write a document per line, as stored: without the members that depend on the day."""
    return _pack(_read_lines(snapshot, rows))


def make_parquet(snapshot: Snapshot, rows: Rows, listing_type: str) -> _File:
    """Write the documents as rows, with a column for each member. Nested members stay nested."""
    columns = list_columns(listing_type)
    groups = (read_lines(b"".join(_read_lines(snapshot, some)), columns) for some in rows.iter_slices(ROW_GROUP))
    return _store_parquet(groups, columns)


def make_occurrences(snapshot: Snapshot, rows: Rows, _: str) -> _File:
    """Write the dates of events as columns, in the order of time."""
    dates = _list_dates(snapshot, rows)
    return _store_parquet(dates.iter_slices(ROW_GROUP), dict(dates.schema), rows=dates.height)


def make_occurrence_lines(snapshot: Snapshot, rows: Rows, _: str) -> _File:
    """Write the dates of events, one a line, in the order of time."""
    dates = _list_dates(snapshot, rows)
    lines = (format_times(some).write_ndjson().encode() for some in dates.iter_slices(ROW_GROUP))
    return _pack(lines, rows=dates.height)


def _list_dates(snapshot: Snapshot, rows: Rows) -> Rows:
    columns = ("row", "index", "starts_at", "starts_local", "ends_at", "ends_local")
    dates = read_columns(snapshot.tables["occurrences"], "occurrences", columns)
    return shape_occurrences(dates.join(rows.select("row", event_id="id"), on="row", maintain_order="left"))


def _store_parquet(groups: Iterator[Rows], columns: Columns, *, rows: int | None = None) -> _File:
    data = encode_parquet(groups, columns)
    return _File(data=data, coding="", size=len(data), sha256=hashlib.sha256(data).hexdigest(), rows=rows)


def make_calendar(snapshot: Snapshot, rows: Rows, _: str) -> _File:
    """Write the events that have a date as iCalendar."""
    series = open_series(open_snapshot(snapshot))
    places = rows.select("row", *_PLACE).iter_rows()
    entries = [render_event(snapshot.read_document(*place), series=series, row=row) for row, *place in places]
    return _pack(encode_calendar(snapshot, entries), rows=sum(bool(entry.data) for entry in entries))


def _pack(pieces: Iterable[bytes], *, rows: int | None = None) -> _File:
    """Compress pieces as gzip without a time in its header (wbits 31), since memory may not hold the file twice."""
    packing, packed, digest, size = zlib.compressobj(_GZIP_LEVEL, wbits=31), bytearray(), hashlib.sha256(), 0
    for piece in pieces:
        digest.update(piece)
        packed += packing.compress(piece)
        size += len(piece)
    return _File(data=bytes(packed + packing.flush()), coding=GZIP, size=size, sha256=digest.hexdigest(), rows=rows)


_OCCURRENCES = ("occurrences.jsonl", "occurrences.parquet")
# Makers by format, or by name for a file that is not made as others of its format.
_MAKERS: Mapping[str, Callable[[Snapshot, Rows, str], _File]] = {
    **dict(zip(_OCCURRENCES, (make_occurrence_lines, make_occurrences), strict=True)),
    "jsonl": make_lines,
    "parquet": make_parquet,
    "ics": make_calendar,
}
