"""The files of a static tree, and the hosts to which they are written: a folder or a bucket. Each file is written as a
whole or not at all."""

import gzip
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from msgspec import Struct

from outings.contract.resources.sync import EXPORT_TYPES
from outings.contract.routes import JSON
from outings.release.folder import sync_file_system
from outings.release.store import StoreError

if TYPE_CHECKING:  # boto3 takes a second to import
    from outings.release.s3 import S3Store

# Temporary files of killed writers, and the seconds after which they are removed: no write takes as long.
_TEMPORARY = ".writing-"
_SWEPT_AFTER = 3600
_GZIP_MAGIC = b"\x1f\x8b"


# The order of writing: a file refers only to files of an earlier or the same step.
DETAILS, LISTS, INDEX = range(3)


class HostFile(Struct, frozen=True):
    """A file to write. `max_age`: the seconds for which caches may keep it; None means that they must revalidate it
    each time."""

    name: str
    data: bytes
    max_age: int | None = 60
    media: str = JSON
    step: int = LISTS

    @property
    def cache_control(self) -> str:
        return "no-cache" if self.max_age is None else f"public, max-age={self.max_age}"


class FolderHost:
    """A folder of plain files for any web server; the file `_headers` has their headers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for left in folder.glob(f"{_TEMPORARY}*"):
            if time.time() - left.stat().st_mtime > _SWEPT_AFTER:
                left.unlink(missing_ok=True)

    def __str__(self) -> str:
        return f"file:{self._folder}"

    def list_names(self) -> Iterator[str]:
        """Yield the names of all files, whoever wrote them, behind links too."""
        with self._explain("list", "the folder"):
            for folder, _, names in os.walk(self._folder, onerror=_raise_unless_missing, followlinks=True):
                for name in names:
                    path = (Path(folder) / name).relative_to(self._folder)
                    if not name.startswith(_TEMPORARY):
                        yield path.as_posix()

    def read(self, name: str) -> bytes | None:
        with self._explain("read", name):
            try:
                return (self._folder / name).read_bytes()
            except FileNotFoundError:
                return None

    def write(self, files: Iterable[HostFile]) -> None:
        for file in files:
            path, temporary = self._folder / file.name, self._folder / f"{_TEMPORARY}{uuid4().hex}"
            with self._explain("write", file.name):
                path.parent.mkdir(parents=True, exist_ok=True)
                try:
                    temporary.write_bytes(file.data)
                    temporary.replace(path)
                finally:
                    temporary.unlink(missing_ok=True)

    def delete(self, names: Iterable[str]) -> None:
        """Remove files that are there, and the folders that are empty then."""
        for name in names:
            with self._explain("delete", name):
                (self._folder / name).unlink(missing_ok=True)
                with suppress(OSError):
                    for parent in Path(name).parents[:-1]:
                        (self._folder / parent).rmdir()

    def flush(self) -> None:
        """Wait until a power cut can't undo any write. One call for all of 2,000 files takes 0.05 s; a call for each
        file took 10 ms."""
        with self._explain("flush", "the folder"):
            sync_file_system(self._folder)

    @contextmanager
    def _explain(self, operation: str, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            cause = error.strerror or str(error)
            raise StoreError(store=str(self), operation=operation, name=name, cause=cause) from error


class S3Host:
    """A bucket of objects with their headers, also that of compression, so that every browser can read them."""

    def __init__(self, store: "S3Store") -> None:
        self._store = store

    def __str__(self) -> str:
        return str(self._store)

    def list_names(self) -> Iterator[str]:
        return (entry.name for entry in self._store.list(""))

    def read(self, name: str) -> bytes | None:
        found = self._store.read_versioned(name)
        is_packed = found is not None and found.data.startswith(_GZIP_MAGIC)
        return None if found is None else gzip.decompress(found.data) if is_packed else found.data

    def write(self, files: Iterable[HostFile]) -> None:
        self._store.put_many(map(self._encode, files))

    @staticmethod
    def _encode(file: HostFile) -> tuple[str, bytes, dict[str, str]]:
        """Return the object's name, bytes and headers."""
        headers = {"ContentType": file.media, "CacheControl": file.cache_control}
        if file.media == EXPORT_TYPES["parquet"]:  # compressed already, and read in pieces
            return file.name, file.data, headers
        return file.name, gzip.compress(file.data, mtime=0), {**headers, "ContentEncoding": "gzip"}

    def delete(self, names: Iterable[str]) -> None:
        self._store.delete_names(names)

    def flush(self) -> None:
        """Do nothing: S3 answers only when an object is durable."""


def _raise_unless_missing(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


# The interface of a host.
Host = FolderHost | S3Host


def open_host(url: str, *, endpoint_url: str | None, region: str | None) -> Host:
    """Open the folder or bucket of `[static] url`, which the configuration has checked."""
    if url.startswith("file:"):
        return FolderHost(Path(url.removeprefix("file:")))
    from outings.release.s3 import S3Store

    bucket, _, prefix = url.removeprefix("s3://").partition("/")
    return S3Host(S3Store(bucket, prefix, endpoint_url=endpoint_url, region=region))
