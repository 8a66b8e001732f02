"""Unpacks gzip and ZIP within bounds, and tells what kind of table a file is."""

import zipfile
import zlib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import partial
from pathlib import Path, PurePosixPath

from msgspec import Struct

from outings.configuration import FeedTable
from pipeline.fetch.source import SourceFile
from pipeline.fetch.text_files import HEAD, refuse_markup

# Of what was unpacked, at once in memory.
_PIECE = 1 << 18
# 16 more than the window's bits: with gzip's own header and check sum.
_GZIP = zlib.MAX_WBITS | 16


class TableFile(Struct, frozen=True, kw_only=True):
    """A file that is a table, out of its packing. `name` is shown; `charset` is what a server called its letters."""

    name: str
    path: Path
    kind: str
    charset: str | None = None


class CorruptBody(ValueError):  # noqa: N818 - the name says it
    """The body is not gzip, or it is cut off."""


class Unpacker:
    """Takes the pieces of a body in order."""

    def __init__(self, coding: str) -> None:
        """Raise ValueError for a coding that was not asked for."""
        coding = coding.strip().lower()
        if coding not in ("", "identity", "gzip", "x-gzip"):
            raise ValueError(f'has the encoding "{coding[:50]}", which was not requested')
        self._is_packed = coding in ("gzip", "x-gzip")
        self._stream = zlib.decompressobj(_GZIP)
        self._is_begun = False

    def unpack(self, piece: bytes) -> Iterator[bytes]:
        if not self._is_packed:
            yield piece
            return
        try:
            while piece:
                if self._stream.eof:
                    # A member after a member is one file; what else follows is padding.
                    if not piece.startswith(b"\x1f"):
                        return
                    self._stream = zlib.decompressobj(_GZIP)
                self._is_begun = True
                yield self._stream.decompress(piece, _PIECE)
                piece = self._stream.unconsumed_tail or self._stream.unused_data
        except zlib.error as error:
            raise CorruptBody(f"is not gzip: {error}") from error

    def finish(self) -> None:
        """Raise CorruptBody if more should have come."""
        if self._is_begun and not self._stream.eof:
            raise CorruptBody("ends in the middle of its gzip")


ENDINGS = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson",
    ".geojson": "geojson", ".parquet": "parquet", ".xlsx": "sheets", ".xlsm": "sheets", ".xls": "sheets",
    ".ods": "sheets", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".zip": "zip", ".gz": "gzip",
}  # fmt: skip
_MAGIC = (
    (b"PAR1", "parquet"),
    (b"SQLite format 3\0", "sqlite"),
    (b"\x1f\x8b", "gzip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "sheets"),
)
_NAMES = {
    "parquet": "Parquet", "sqlite": "SQLite", "gzip": "gzip", "zip": "ZIP", "sheets": "a spreadsheet",
}  # fmt: skip


def find_kind(path: Path, name: str) -> str:
    """Return one of the values of `ENDINGS`. Raises ValueError for what is no table, with what it is instead."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    ending = PurePosixPath(name).suffix.lower()
    kind = ENDINGS.get(ending)
    match = next((each for magic, each in _MAGIC if head.startswith(magic)), None) or _look_into_zip(path, head)
    if match is not None:
        return match
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"%PDF"):
        raise ValueError("is a PDF, which is not a table; ask its publisher for the data as CSV or a spreadsheet")
    refuse_markup(head)
    if kind in _NAMES:
        raise ValueError(
            f"is not a table: it is named {ending} but is not {_NAMES[kind]}, or is cut off; fetch it again, "
            "or give it the ending of what it is"
        )
    is_text = all(byte >= 32 or byte in b"\t\r\n\f" for byte in head)
    if kind is None and ending and ending[1:].isalpha() and not is_text:
        raise ValueError(f"is not a table; allowed endings: {', '.join(ENDINGS)}")
    if kind is None:
        return "json" if start[:1] in (b"{", b"[") else "csv"
    return kind


def _look_into_zip(path: Path, head: bytes) -> str | None:
    """Tell a spreadsheet, which is a ZIP of its own kind, from another ZIP."""
    if not head.startswith(b"PK\x03\x04"):
        return None
    try:
        with zipfile.ZipFile(path) as packed:
            names = set(packed.namelist())
    except (zipfile.BadZipFile, OSError):
        raise ValueError("is a ZIP (or a spreadsheet) that is cut off or damaged; fetch it again") from None
    return "sheets" if names & {"xl/workbook.xml", "xl/workbook.bin", "content.xml"} else "zip"


_PACKED = ("zip", "gzip")
_MOST_FILES = 1_000


def list_tables(file: SourceFile, feed: FeedTable, folder: Path) -> Iterator[TableFile]:
    """Yield the tables in a file; what is unpacked is written to `folder`. Raises ValueError with what is wrong, and
    OSError."""
    kind = "ndjson" if file.has_rows else find_kind(file.path, file.name)
    if kind == "gzip":
        name = PurePosixPath(file.name).name.removesuffix(".gz")
        inner = _write(_read_gzip(file.path), folder / "unpacked", most=feed.max_bytes)
        yield _check_inner(TableFile(name=file.name, path=inner, kind=find_kind(inner, name), charset=file.charset))
    elif kind == "zip":
        yield from _list_zipped(file, feed, folder)
    else:
        yield TableFile(name=file.name, path=file.path, kind=kind, charset=file.charset)


def _check_inner(table: TableFile) -> TableFile:
    if table.kind in _PACKED:
        raise ValueError(f"holds a packed file, {table.kind} in gzip or ZIP; unpack it once")
    return table


def _read_gzip(path: Path) -> Iterator[bytes]:
    unpacker = Unpacker("gzip")
    try:
        with path.open("rb") as packed:
            while piece := packed.read(_PIECE):
                yield from unpacker.unpack(piece)
        unpacker.finish()
    except CorruptBody as torn:
        raise ValueError(f"{torn}; fetch it again") from torn


def _list_zipped(file: SourceFile, feed: FeedTable, folder: Path) -> Iterator[TableFile]:
    with zipfile.ZipFile(file.path) as packed:
        inside = [entry for entry in packed.infolist() if not entry.is_dir() and not _is_left_over(entry.filename)]
        chosen = [entry for entry in inside if fnmatch(entry.filename, feed.file or "*")]
        if not feed.file:
            chosen = [entry for entry in chosen if PurePosixPath(entry.filename).suffix.lower() in ENDINGS]
        names = ", ".join(entry.filename for entry in inside[:20]) or "nothing"
        if not chosen or (len(chosen) > 1 and not feed.file):
            which = f'none of them is "{feed.file}"' if feed.file else f"{len(chosen) or 'none'} of them are tables"
            raise ValueError(f'is a ZIP with {names}: {which}. Say which to read, as in file = "agenda*.csv"')
        if len(chosen) > _MOST_FILES:
            raise ValueError(
                f"is a ZIP with {len(chosen):,} files to read; allowed: {_MOST_FILES:,}, which file chooses"
            )
        left = feed.max_bytes
        for number, entry in enumerate(chosen):
            if entry.flag_bits & 1:
                raise ValueError(f"is a ZIP in which {entry.filename} has a password; ask for one without")
            inner = _write(_read_entry(packed, entry), folder / f"unpacked{number}", most=left)
            left -= inner.stat().st_size
            name = f"{file.name}/{entry.filename}"
            yield _check_inner(TableFile(name=name, path=inner, kind=find_kind(inner, name)))


def _is_left_over(name: str) -> bool:
    """Return True for what the machines that pack such files leave in them."""
    parts = PurePosixPath(name).parts
    return parts[0] == "__MACOSX" or parts[-1].startswith(".") or parts[-1] == "Thumbs.db"


def _read_entry(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with packed.open(entry) as opened:
            yield from iter(partial(opened.read, _PIECE), b"")
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise ValueError(f"is a ZIP whose {entry.filename} is damaged ({error}); fetch it again") from error


def _write(pieces: Iterator[bytes], path: Path, *, most: int) -> Path:
    size = 0
    with path.open("wb") as file:
        for piece in pieces:
            size += len(piece)
            if size > most:
                raise ValueError(f"has more than the {most:,} bytes that max_bytes allows, unpacked")
            file.write(piece)
    return path
