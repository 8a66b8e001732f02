"""Unpack gzip and ZIP files within limits, and find what kind of table a file is."""

import gzip
import zipfile
import zlib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from msgspec import Struct

from outings.configuration import FeedTable
from pipeline.fetch.source import SourceFile
from pipeline.fetch.text_files import HEAD, is_xml, refuse_markup

_PIECE = 1 << 18


class TableFile(Struct, frozen=True, kw_only=True):
    """A table's file, unpacked. `name`: for messages; `kind`: of `ENDINGS`; `charset`: as the server states it."""

    name: str
    path: Path
    kind: str
    charset: str | None = None


class CorruptBody(ValueError):  # noqa: N818 - the name says it
    """The body is not gzip, or it is cut off."""


class LongBody(ValueError):  # noqa: N818 - the name says it
    """The body has more bytes than allowed."""


def unpack_gzip(packed: IO[bytes], target: BinaryIO, *, most: int) -> None:
    """Unpack a gzip file to `target`. Raises CorruptBody, and LongBody for more than `most` bytes."""
    try:
        with gzip.open(packed) as opened:
            _copy(opened, target, most=most)
    except EOFError as error:
        raise CorruptBody("ends in the middle of its gzip") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise CorruptBody(f"is not gzip: {error}") from error


def _copy(source: IO[bytes] | gzip.GzipFile, target: BinaryIO, *, most: int) -> None:
    while piece := source.read(_PIECE):
        target.write(piece)
        if target.tell() > most:
            raise LongBody(f"has more than the {most:,} bytes that max_bytes allows, unpacked")


ENDINGS = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson",
    ".geojson": "geojson", ".parquet": "parquet", ".xlsx": "sheets", ".xlsm": "sheets", ".xls": "sheets",
    ".ods": "sheets", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".zip": "zip", ".gz": "gzip",
    ".xml": "xml", ".rss": "xml", ".atom": "xml", ".kml": "xml",
}  # fmt: skip
_MAGIC = (
    (b"PAR1", "parquet"), (b"SQLite format 3\0", "sqlite"), (b"\x1f\x8b", "gzip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "sheets"),
)  # fmt: skip
_NAMES = {
    "parquet": "Parquet", "sqlite": "SQLite", "gzip": "gzip", "zip": "ZIP", "sheets": "a spreadsheet", "xml": "XML",
}  # fmt: skip
_MOST_FILES = 1_000


def find_kind(path: Path, name: str) -> str:
    """Return a file's kind, one of the values of `ENDINGS`. Raises ValueError, with what a file is that is no table."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(b"PK\x03\x04"):
        return _look_into_zip(path)
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"%PDF"):
        raise ValueError("is a PDF, which is not a table; ask its publisher for the data as CSV or a spreadsheet")
    ending = PurePosixPath(name).suffix.lower()
    named = ENDINGS.get(ending)
    if is_xml(head, is_named=named == "xml"):
        return "xml"
    refuse_markup(head)
    if named in _NAMES:
        raise ValueError(
            f"is not a table: it is named {ending} but is not {_NAMES[named]}, or is cut off; fetch it again, "
            "or give it the ending of what it is"
        )
    is_text = all(byte >= 32 or byte in b"\t\r\n\f" for byte in head)
    if named is None and ending[1:].isalpha() and not is_text:
        raise ValueError(f"is not a table; allowed endings: {', '.join(ENDINGS)}")
    return named or ("json" if start[:1] in (b"{", b"[") else "csv")


def _look_into_zip(path: Path) -> str:
    """Return `sheets` for a spreadsheet, which is a ZIP too, or `zip`. Raises ValueError if it is damaged."""
    try:
        with zipfile.ZipFile(path) as packed:
            names = set(packed.namelist())
    except (zipfile.BadZipFile, OSError):
        raise ValueError("is a ZIP (or a spreadsheet) that is cut off or damaged; fetch it again") from None
    return "sheets" if names & {"xl/workbook.xml", "xl/workbook.bin", "content.xml"} else "zip"


def list_tables(file: SourceFile, feed: FeedTable, folder: Path) -> Iterator[TableFile]:
    """Yield the tables in a file, unpacked to `folder` if necessary. Raises ValueError with what is wrong, and
    OSError."""
    kind = "ndjson" if file.has_rows else find_kind(file.path, file.name)
    if kind == "gzip":
        inner = folder / "unpacked"
        try:
            with file.path.open("rb") as packed, inner.open("wb") as target:
                unpack_gzip(packed, target, most=feed.max_bytes)
        except CorruptBody as torn:
            raise ValueError(f"{torn}; fetch it again") from torn
        yield _make_inner(file.name, inner, PurePosixPath(file.name).name.removesuffix(".gz"), charset=file.charset)
    elif kind == "zip":
        yield from _list_zipped(file, feed, folder)
    else:
        yield TableFile(name=file.name, path=file.path, kind=kind, charset=file.charset)


def _make_inner(name: str, path: Path, inner_name: str, *, charset: str | None = None) -> TableFile:
    kind = find_kind(path, inner_name)
    if kind in ("zip", "gzip"):
        raise ValueError(f"holds a packed file, {kind} in gzip or ZIP; unpack it once")
    return TableFile(name=name, path=path, kind=kind, charset=charset)


def choose_tables(entries: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the entries of a ZIP that are tables by their endings. XML beside another table describes it."""
    kinds = [(entry, ENDINGS.get(PurePosixPath(entry.filename).suffix.lower())) for entry in entries]
    return [entry for entry, kind in kinds if kind not in (None, "xml")] or [entry for entry, kind in kinds if kind]


def _list_zipped(file: SourceFile, feed: FeedTable, folder: Path) -> Iterator[TableFile]:
    with zipfile.ZipFile(file.path) as packed:
        inside = [entry for entry in packed.infolist() if not entry.is_dir() and not _is_left_over(entry.filename)]
        chosen = [entry for entry in inside if fnmatch(entry.filename, feed.file or "*")]
        if not feed.file:
            chosen = choose_tables(chosen)
        if not chosen or (len(chosen) > 1 and not feed.file):
            if any(entry.filename.lower().endswith(".shp") for entry in inside):
                raise ValueError("is a Shapefile, which is not read; ask its publisher for the data as GeoJSON or CSV")
            names = ", ".join(entry.filename for entry in inside[:20]) or "nothing"
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
            inner = folder / f"unpacked{number}"
            try:
                with packed.open(entry) as opened, inner.open("wb") as target:
                    _copy(opened, target, most=left)
            except (zipfile.BadZipFile, EOFError, NotImplementedError, zlib.error) as error:
                raise ValueError(f"is a ZIP whose {entry.filename} is damaged ({error}); fetch it again") from error
            left -= inner.stat().st_size
            yield _make_inner(f"{file.name}/{entry.filename}", inner, entry.filename)


def _is_left_over(name: str) -> bool:
    """Return True for files that operating systems add to a ZIP, such as `__MACOSX`."""
    parts = PurePosixPath(name).parts
    return parts[0] == "__MACOSX" or parts[-1].startswith(".") or parts[-1] == "Thumbs.db"
