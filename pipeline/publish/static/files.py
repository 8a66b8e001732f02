"""The files of a tree while it is made: their hashes in memory, and the bytes that have to be written in a temporary
file, since a tree may be larger than memory."""

from collections.abc import Mapping
from tempfile import TemporaryFile
from typing import IO, Self

from msgspec import Struct

from outings.contract.routes import JSON
from outings.release.store import hash_of
from pipeline.publish.static.hosts import HostFile

# What is written first: a file refers only to files of an earlier or the same step.
DETAILS, LISTS, INDEX = range(3)


class StaticManifest(Struct, frozen=True, kw_only=True):
    """The state of a tree: the hash of each file by name, empty while the file is being written or deleted. `closed`:
    by name of a full page of the changes, the hash of its content without `meta`."""

    url: str = ""
    files: Mapping[str, str] = {}
    closed: Mapping[str, str] = {}


class StaticFile(Struct, frozen=True, kw_only=True):
    """A file of the tree. `offset`: the position of its bytes in the spool, -1 if the tree has them. `closed` as in the
    manifest."""

    sha256: str
    media: str
    max_age: int | None
    step: int
    offset: int
    size: int
    closed: str = ""


class Spool:
    """A temporary file for the bytes that the tree does not have yet."""

    def __init__(self, known: StaticManifest) -> None:
        self._known = known
        self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(
        self, name: str, data: bytes, *, step: int, max_age: int | None, media: str = JSON, closed: str = ""
    ) -> StaticFile:
        """Return the file. A full page of the changes with the same content keeps the bytes that it has."""
        sha, known = hash_of(data), self._known.files.get(name)
        if closed and known and self._known.closed.get(name) == closed:
            sha = known
        offset = -1
        if sha != known:
            offset = self._file.seek(0, 2)
            self._file.write(data)
        return StaticFile(
            sha256=sha, media=media, max_age=max_age, step=step, offset=offset, size=len(data), closed=closed
        )

    def read(self, name: str, file: StaticFile) -> HostFile:
        self._file.seek(file.offset)
        return HostFile(name, self._file.read(file.size), file.max_age, file.media)
