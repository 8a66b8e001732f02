"""The export of a metro: every published row of a type in a file a format, as objects of the release.

A file is a function of the rows alone, so it is made again only where they, or the program, are others; that of events
as iCalendar also where the day is, since series are known to a distance from it. What it says of listings that stay as
they were is taken from the file before it, and so are the blocks of gzip in which nothing changed.
"""

import hashlib
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import polars as pl
from msgspec import Struct

from outings.answers.documents.occurrences import open_series
from outings.answers.exports import name_file
from outings.answers.ical import Entry, encode_calendar, render_event, split_entries
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.values import format_instant
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.manifest import NO_ROWS, Export, Manifest, add_rows
from outings.release.objects import Corrupt, read_object
from outings.release.snapshot import Snapshot
from outings.release.store import NotFound, Store
from outings.release.tables import PUBLISHED, read_columns
from pipeline.publish.objects.export_columns import list_columns
from pipeline.publish.objects.gzip_blocks import (
    NO_BLOCKS,
    Block,
    BlockIndex,
    encode_block_index,
    pack_pieces,
    split_blocks,
)
from pipeline.publish.objects.object_writer import ObjectWriter
from pipeline.publish.objects.parquet_export import ROW_GROUP, EarlierParquet, encode_parquet, read_lines

# Of what this writes: other bytes of the same documents are another number.
VERSION = 5
GZIP = "gzip"
_PLACE = ("pack", "offset", "length")
_ZONE = ("has_time", "starts_at", "timezone")
_COLUMNS = ("row", "id", *_PLACE, *_ZONE, "updated_at")

Rows = pl.DataFrame


class UnchangedRows(Struct, frozen=True, kw_only=True):
    """The listings whose documents are those of the release before, by id, and the series that have other dates."""

    stays: Collection[str] = frozenset()
    moved: Collection[str] = frozenset()


class _PreviousFile(Struct, frozen=True, kw_only=True):
    """The unpacked file of the release before, the ids of what it says again, and its blocks as they are stored."""

    data: bytes = b""
    ids: Collection[str] = frozenset()
    blocks: Mapping[bytes, memoryview] = {}


class _File(Struct, frozen=True, kw_only=True):
    """As it is stored, and what it is when unpacked."""

    data: bytes
    coding: str
    size: int
    sha256: str
    blocks: Sequence[Block] = ()


class ExportFiles(Struct, frozen=True, kw_only=True):
    """By `<collection>.<format>`. `blocks`: the object of what those in gzip are put together of."""

    files: Mapping[str, Export]
    blocks: str


def put_exports(
    snapshot: Snapshot,
    *,
    base: Manifest | None,
    manifest: Manifest,
    writer: ObjectWriter,
    store: Store,
    known: UnchangedRows = UnchangedRows(),
    blocks: BlockIndex = NO_BLOCKS,
) -> ExportFiles:
    """`manifest`: this build's, `base`: the one before, of which `known` and `blocks` tell."""
    published = (
        read_columns(snapshot.tables["listings"], "listings", ("type", "status", *_COLUMNS))
        .filter(pl.col("status") == PUBLISHED)
        .drop("status")
    )
    exports, packed = {}, {}
    for code, listing_type in enumerate(TYPES):
        rows = published.filter(pl.col("type") == code)
        rows_hash = add_rows(NO_ROWS, _name_rows(rows))
        for file_format, make in _MAKERS.items():
            if file_format == "ics" and listing_type != "event":
                continue
            name = name_file(COLLECTIONS[listing_type], file_format)
            kept = _find_kept(name, rows_hash, base=base, manifest=manifest, blocks=blocks)
            if kept is not None:
                writer.keep(kept.object)
                exports[name], packed[name] = kept, blocks.files.get(name, ())
            else:
                old = None if base is None else base.exports.get(name)
                before = _read_before(store, old, file_format, known=known, blocks=blocks.files.get(name, ()))
                file = make(snapshot, rows, listing_type, before)
                exports[name], packed[name] = _put(file, rows, rows_hash, writer=writer), file.blocks
    index = encode_block_index({name: packed[name] for name, export in exports.items() if export.coding})
    return ExportFiles(files=exports, blocks=writer.put(index))


def _find_kept(
    name: str, rows_hash: str, *, base: Manifest | None, manifest: Manifest, blocks: BlockIndex
) -> Export | None:
    """The base's file where this build's would be the same. Where its blocks are not known they are found again."""
    old = None if base is None else base.exports.get(name)
    if base is None or old is None or old.rows_hash != rows_hash:
        return None
    if (base.renderer, old.version) != (manifest.renderer, VERSION):
        return None
    if name.endswith(".ics") and (base.date, base.metro) != (manifest.date, manifest.metro):
        return None
    return old if not old.coding or name in blocks.files else None


def _read_before(
    store: Store, old: Export | None, file_format: str, *, known: UnchangedRows, blocks: Sequence[Block]
) -> _PreviousFile:
    """Nothing where it is gone. Lines are documents, which are at hand: of these the blocks alone are taken."""
    packed = blocks if old is not None and old.version == VERSION else ()
    if old is None or not (packed or (known.stays and file_format != "jsonl")):
        return _PreviousFile()
    try:
        data = read_object(store, old.object)
    except (NotFound, Corrupt):
        return _PreviousFile()
    if file_format == "parquet":
        return _PreviousFile(data=data, ids=known.stays)
    lines = zlib.decompress(data, wbits=31) if file_format == "ics" and known.stays else b""
    return _PreviousFile(
        data=lines, ids=frozenset(known.stays).difference(known.moved), blocks=split_blocks(data, packed)
    )


def _put(file: _File, rows: Rows, rows_hash: str, *, writer: ObjectWriter) -> Export:
    return Export(
        object=writer.put(file.data), packed=len(file.data), coding=file.coding, size=file.size, sha256=file.sha256,
        rows=rows.height, rows_hash=rows_hash, version=VERSION,
    )  # fmt: skip


def _name_rows(rows: Rows) -> Iterator[tuple[str, str]]:
    """What one build changed has one stamp."""
    stamps = {stamp: format_instant(stamp) for stamp in rows["updated_at"].unique()}
    return zip(rows["id"].to_list(), map(stamps.__getitem__, rows["updated_at"].to_list()), strict=True)


def _read_documents(snapshot: Snapshot, rows: Rows) -> Iterator[bytes]:
    for place in rows.select(*_PLACE).iter_rows():
        yield snapshot.read_document(*place)


def make_lines(snapshot: Snapshot, rows: Rows, _: str, before: _PreviousFile) -> _File:
    """A document a line, as details show it but for what moves with the day."""
    return _pack((b"%b\n" % document for document in _read_documents(snapshot, rows)), before)


def make_parquet(snapshot: Snapshot, rows: Rows, listing_type: str, before: _PreviousFile) -> _File:
    """The documents' members as columns, nested as they are there."""
    columns, earlier = list_columns(listing_type), EarlierParquet(before.data, before.ids)

    def read_members(some: Rows) -> pl.DataFrame:
        return read_lines(b"".join(b"%b\n" % document for document in _read_documents(snapshot, some)), columns)

    groups = (earlier.complete(some, read_members) for some in rows.iter_slices(ROW_GROUP))
    data = encode_parquet(groups, columns)
    return _File(data=data, coding="", size=len(data), sha256=hashlib.sha256(data).hexdigest())


def make_calendar(snapshot: Snapshot, rows: Rows, _: str, before: _PreviousFile) -> _File:
    series = open_series(open_snapshot(snapshot))
    known = split_entries(before.data)
    entries = []
    for row_id, row, has_time, starts_at, timezone, *place in rows.select("id", "row", *_ZONE, *_PLACE).iter_rows():
        if row_id in before.ids and row_id in known:
            entries.append(Entry(data=known[row_id], zone=timezone if has_time and starts_at is not None else None))
        else:
            entries.append(render_event(snapshot.read_document(*place), series=series, row=row))
    return _pack(encode_calendar(snapshot, entries), before)


def _pack(pieces: Iterable[bytes], before: _PreviousFile) -> _File:
    file = pack_pieces(pieces, before.blocks)
    return _File(data=file.data, coding=GZIP, size=file.size, sha256=file.sha256, blocks=file.blocks)


_MAKERS: Mapping[str, Callable[[Snapshot, Rows, str, _PreviousFile], _File]] = {
    "jsonl": make_lines,
    "parquet": make_parquet,
    "ics": make_calendar,
}
