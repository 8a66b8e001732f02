"""The place of a static tree: a folder, or a bucket. A file is whole there or not there at all."""

import gzip
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from msgspec import Struct

from outings.contract.resources.export import EXPORT_TYPES
from outings.contract.route import JSON
from outings.release.disk import sync_file_system
from outings.release.s3 import S3Store
from outings.release.store import StoreError

# What a killed writer leaves, and after how many seconds it is swept: no file takes as long.
_TEMPORARY = ".writing-"
_SWEPT_AFTER = 3600


class HostFile(Struct, frozen=True):
    """A file as it is written. `media` and `max_age` are what the host is to say of it, where it can be told; without
    `max_age` whoever has it asks each time whether it changed."""

    name: str
    data: bytes
    max_age: int | None
    media: str = JSON

    @property
    def cache_control(self) -> str:
        return "no-cache" if self.max_age is None else f"public, max-age={self.max_age}"


class Host(Protocol):
    """What publishes a tree needs of the place."""

    def has(self, name: str) -> bool: ...

    def write(self, files: Iterable[HostFile]) -> None: ...

    def delete(self, names: Iterable[str]) -> None: ...

    def flush(self) -> None:
        """Return when a power cut can take nothing back."""


class FolderHost:
    """Plain files, as any web server serves them; `_headers` says the rest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for left in folder.glob(f"{_TEMPORARY}*"):
            if time.time() - left.stat().st_mtime > _SWEPT_AFTER:
                left.unlink(missing_ok=True)

    def has(self, name: str) -> bool:
        return (self._folder / name).is_file()

    def write(self, files: Iterable[HostFile]) -> None:
        for file in files:
            self._act("write", file.name, lambda file=file: self._write(file))  # type: ignore[misc]

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            self._act("delete", name, lambda name=name: self._delete(name))  # type: ignore[misc]

    def flush(self) -> None:
        # One call for all files: a file system that has none is flushed by its own rules.
        self._act("flush", "", lambda: sync_file_system(self._folder))

    def _write(self, file: HostFile) -> None:
        path, temporary = self._folder / file.name, self._folder / f"{_TEMPORARY}{uuid4().hex}"
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(file.data)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    def _delete(self, name: str) -> None:
        """Remove a file, if it is there, and the folders that it leaves empty."""
        (self._folder / name).unlink(missing_ok=True)
        for folder in (self._folder / name).relative_to(self._folder).parents:
            try:
                (self._folder / folder).rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                return

    def _act(self, operation: str, name: str, act: Callable[[], object]) -> None:
        try:
            act()
        except OSError as error:
            raise StoreError(
                store=f"file:{self._folder}", operation=operation, name=name, cause=error.strerror or str(error)
            ) from error


class S3Host:
    """Objects with their headers; what is compressed is told as such, so that every browser reads it."""

    def __init__(self, store: S3Store) -> None:
        self._store = store

    def has(self, name: str) -> bool:
        return self._store.exists(name)

    def write(self, files: Iterable[HostFile]) -> None:
        self._store.put_public(map(_describe_object, files))

    def delete(self, names: Iterable[str]) -> None:
        self._store.delete_names(names)

    def flush(self) -> None:
        """Do nothing: what S3 has answered is there."""


def _describe_object(file: HostFile) -> tuple[str, bytes, dict[str, str]]:
    headers = {"ContentType": file.media, "CacheControl": file.cache_control}
    if file.media == EXPORT_TYPES["parquet"]:  # compressed already, and read in pieces
        return file.name, file.data, headers
    return file.name, gzip.compress(file.data, mtime=0), {**headers, "ContentEncoding": "gzip"}


def open_host(url: str, *, endpoint_url: str | None, region: str | None) -> Host:
    """Open the place of `[static] url`, which the configuration has checked."""
    if url.startswith("file:"):
        return FolderHost(Path(url.removeprefix("file:")))
    bucket, _, prefix = url.removeprefix("s3://").partition("/")
    return S3Host(S3Store(bucket, prefix, endpoint_url=endpoint_url, region=region))
