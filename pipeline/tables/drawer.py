"""Documents of a build until they are packed: those just rendered in a nameless file, all others where they are."""

from tempfile import TemporaryFile
from typing import IO, Self

from outings.release.snapshot import Snapshot

_BUFFER_BYTES = 1 << 20


class Drawer:
    """A document without a pack was put in here; one with a pack is in the release before, if there is one."""

    def __init__(self, before: Snapshot | None) -> None:
        self._before = before
        self._file: IO[bytes] = TemporaryFile(buffering=_BUFFER_BYTES)  # noqa: SIM115 it is closed by whoever opened the drawer
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def put(self, document: bytes) -> int:
        """Where it is in here. OSError where no disk holds it."""
        offset = self._size
        self._file.write(document)
        self._size += len(document)
        return offset

    def read(self, pack: int | None, offset: int, length: int) -> bytes:
        """To be called when all are in."""
        if pack is None:
            self._file.seek(offset)
            return self._file.read(length)
        assert self._before is not None
        return self._before.read_document(pack, offset, length)
