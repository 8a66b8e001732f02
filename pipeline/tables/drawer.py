"""Documents of a build until they are packed: those just rendered in a nameless file, all others where they are."""

import contextlib
import mmap
from collections.abc import Iterator
from tempfile import TemporaryFile, gettempdir
from typing import IO, Self

from outings.release.snapshot import Snapshot

_BUFFER_BYTES = 1 << 20


class Drawer:
    """A document without a pack was put in here; one with a pack is in the release before, if there is one."""

    def __init__(self, before: Snapshot | None) -> None:
        self._before = before
        self._file: IO[bytes] = TemporaryFile(buffering=_BUFFER_BYTES)  # noqa: SIM115 it is closed by whoever opened the drawer
        self._size = 0
        self._pages: mmap.mmap | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pages is not None:
            self._pages.close()
        # A full disk was told of where it was met: closing would write once more, and say less.
        with contextlib.suppress(OSError):
            self._file.close()

    def put(self, document: bytes) -> int:
        """Where it is in here. OSError where no disk holds it."""
        offset = self._size
        with naming_folder():
            self._file.write(document)
        self._size += len(document)
        return offset

    def read(self, pack: int | None, offset: int, length: int) -> bytes:
        """To be called when all are in."""
        if pack is None:
            if self._pages is None:
                with naming_folder():
                    self._file.flush()
                self._pages = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
            return self._pages[offset : offset + length]
        assert self._before is not None
        return self._before.read_document(pack, offset, length)


@contextlib.contextmanager
def naming_folder() -> Iterator[None]:
    """The error of a full disk says where it is."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, gettempdir()) from error
