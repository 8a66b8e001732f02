"""The export of a metro: every published row of a type in a file a format, as objects of the release.

A file is a function of the rows alone, so it is made again only where they, or the program, are others; that of events
as iCalendar also where the day is, since series are known to a distance from it.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO

import polars as pl
from msgspec import Struct

from outings.answers.exports import name_file
from outings.answers.ical.calendar import encode_calendar
from outings.answers.ical.events import render_event
from outings.answers.opened import open_snapshot
from outings.contract.instants import format_instant
from outings.contract.vocabulary import COLLECTIONS, STATUSES, TYPES
from outings.release.exports import NO_ROWS, add_rows
from outings.release.manifest import Manifest
from outings.release.snapshot import Export, Snapshot
from pipeline.objects.documents import GZIP_LEVEL
from pipeline.objects.export_columns import list_columns
from pipeline.objects.writing import ObjectWriter

# Of what this writes: other bytes of the same documents are another number.
VERSION = 1
GZIP = "gzip"
# Rows that are columns in memory at once.
_ROW_GROUP = 20_000
_COLUMNS = ("row", "id", "pack", "offset", "length", "updated_at")

Rows = pl.DataFrame


class _File(Struct, frozen=True, kw_only=True):
    """As it is stored, and what it is when unpacked."""

    data: bytes
    coding: str
    size: int
    sha256: str


def put_exports(
    snapshot: Snapshot, *, base: Manifest | None, manifest: Manifest, writer: ObjectWriter
) -> dict[str, Export]:
    """By `<collection>.<format>`. `manifest`: this build's, `base`: the one before."""
    published = (
        pl.scan_parquet(snapshot.tables["listings"])
        .filter(pl.col("status") == STATUSES.index("published"))
        .select("type", *_COLUMNS)
        .collect()
    )
    exports = {}
    for code, listing_type in enumerate(TYPES):
        rows = published.filter(pl.col("type") == code)
        rows_hash = add_rows(NO_ROWS, _name_rows(rows))
        for file_format, make in _MAKERS.items():
            if file_format == "ics" and listing_type != "event":
                continue
            name = name_file(COLLECTIONS[listing_type], file_format)
            kept = _find_kept(name, rows_hash, base=base, manifest=manifest)
            if kept is not None:
                writer.keep(kept.object)
                exports[name] = kept
            else:
                exports[name] = _put(make(snapshot, rows, listing_type), rows, rows_hash, writer=writer)
    return exports


def _find_kept(name: str, rows_hash: str, *, base: Manifest | None, manifest: Manifest) -> Export | None:
    """The base's file where this build's would be the same."""
    old = None if base is None else base.exports.get(name)
    if base is None or old is None or old.rows_hash != rows_hash:
        return None
    if (base.renderer, old.version) != (manifest.renderer, VERSION):
        return None
    if name.endswith(".ics") and (base.date, base.metro) != (manifest.date, manifest.metro):
        return None
    return old


def _put(file: _File, rows: Rows, rows_hash: str, *, writer: ObjectWriter) -> Export:
    return Export(
        object=writer.put(file.data), packed=len(file.data), coding=file.coding, size=file.size, sha256=file.sha256,
        rows=rows.height, rows_hash=rows_hash, version=VERSION,
    )  # fmt: skip


def _name_rows(rows: Rows) -> Iterator[tuple[str, str]]:
    return zip(rows["id"], map(format_instant, rows["updated_at"]), strict=True)


def _read_documents(snapshot: Snapshot, rows: Rows) -> Iterator[bytes]:
    for pack, offset, length in rows.select("pack", "offset", "length").iter_rows():
        yield snapshot.read_document(pack, offset, length)


def make_lines(snapshot: Snapshot, rows: Rows, _: str) -> _File:
    """A document a line, as details show it but for what moves with the day."""
    return _pack(b"%b\n" % document for document in _read_documents(snapshot, rows))


def make_parquet(snapshot: Snapshot, rows: Rows, listing_type: str) -> _File:
    """The documents' members as columns, nested as they are there."""
    columns, target = list_columns(listing_type), BytesIO()
    lines = b"".join(b"%b\n" % document for document in _read_documents(snapshot, rows))
    frame = pl.read_ndjson(BytesIO(lines), schema=columns) if lines else pl.DataFrame(schema=columns)
    frame.write_parquet(target, compression="zstd", row_group_size=_ROW_GROUP, statistics=False)
    data = target.getvalue()
    return _File(data=data, coding="", size=len(data), sha256=hashlib.sha256(data).hexdigest())


def make_calendar(snapshot: Snapshot, rows: Rows, _: str) -> _File:
    series = open_snapshot(snapshot).series
    documents = zip(rows["row"], _read_documents(snapshot, rows), strict=True)
    entries = [render_event(document, series=series, row=row) for row, document in documents]
    return _pack(encode_calendar(snapshot, entries))


def _pack(pieces: Iterable[bytes]) -> _File:
    """gzip without a time in its header; of what may be larger than memory has room for twice."""
    packing, digest, size, packed = zlib.compressobj(GZIP_LEVEL, wbits=31), hashlib.sha256(), 0, bytearray()
    for piece in pieces:
        digest.update(piece)
        size += len(piece)
        packed += packing.compress(piece)
    packed += packing.flush()
    return _File(data=bytes(packed), coding=GZIP, size=size, sha256=digest.hexdigest())


_MAKERS: Mapping[str, Callable[[Snapshot, Rows, str], _File]] = {
    "jsonl": make_lines,
    "parquet": make_parquet,
    "ics": make_calendar,
}
