"""A file as it came → the tables that are in it: itself, or what a gzip or ZIP holds."""

import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import partial
from pathlib import Path, PurePosixPath

from outings.configuration import FeedTable
from pipeline.feeds.remote.unpacker import CorruptBody, Unpacker
from pipeline.feeds.source import SourceFile
from pipeline.feeds.table.kinds import ENDINGS, find_kind
from pipeline.feeds.table.part import TableFile

_PIECE = 1 << 18
_PACKED = ("zip", "gzip")
_MOST_FILES = 1_000


def list_tables(file: SourceFile, feed: FeedTable, folder: Path) -> Iterator[TableFile]:
    """What is unpacked is written to `folder`. ValueError with what is wrong; OSError."""
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
    """What the machines that pack such files leave in them."""
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
