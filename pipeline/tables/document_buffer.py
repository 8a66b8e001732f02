"""A temporary file for the documents of a build, until they are packed."""

import contextlib
import mmap
from tempfile import TemporaryFile
from typing import IO

from outings.release.snapshot import Snapshot
from pipeline.scratch import naming_folder

_BUFFER_BYTES = 1 << 20


class DocumentBuffer:
    """The documents of a build: new ones in a temporary file, unchanged ones in packs of the previous release."""

    def __init__(self, previous: Snapshot | None) -> None:
        self._previous = previous
        self._file: IO[bytes] = TemporaryFile(buffering=_BUFFER_BYTES)  # noqa: SIM115 `close` does
        self._size = 0
        self._pages: mmap.mmap | None = None

    def close(self) -> None:
        if self._pages is not None:
            self._pages.close()
        # A full disk was reported when a document was written; closing would write again and report less.
        with contextlib.suppress(OSError):
            self._file.close()

    def put(self, document: bytes) -> int:
        """Add a document and return its offset. Raises OSError if the disk is full."""
        offset = self._size
        with naming_folder():
            self._file.write(document)
        self._size += len(document)
        return offset

    def read(self, pack: int | None, offset: int, length: int) -> bytes:
        """Return the document at an offset of a previous pack, or of the file if `pack` is None. Nothing may be added
        after the first call."""
        if pack is None:
            if self._pages is None:
                with naming_folder():
                    self._file.flush()
                self._pages = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
            return self._pages[offset : offset + length]
        assert self._previous is not None
        return self._previous.read_document(pack, offset, length)
