"""A cache of objects in a folder of this machine. Objects are fetched as whole files and mapped. All processes share
the files and their pages in memory."""

import contextlib
import logging
import os
import time
import uuid
from collections.abc import Collection
from pathlib import Path

from outings.release.folder import sync, write_named
from outings.release.store import PREFIX, Store, hash_of, read_object

log = logging.getLogger(__name__)

# How long a file stays that no release of this process needs: another one may be about to open a release with it.
UNUSED_SECONDS = 3_600.0


class MappedFile:
    """A whole file in memory. It stays what it was at `path` when it was opened, whatever has that name later.

    Unlike Python's `mmap` it keeps no descriptor open: a server maps hundreds of files.
    """

    def __init__(self, path: Path) -> None:
        # Here, because manifests name this type, and a build that finds no change imports no engine.
        import pyarrow as pa

        self.path = path
        with pa.memory_map(str(path)) as file:
            self._view = memoryview(file.read_buffer())

    @property
    def view(self) -> memoryview:
        """The bytes in place, without a copy."""
        return self._view

    def __len__(self) -> int:
        return len(self._view)

    def __getitem__(self, at: slice, /) -> bytes:
        return self._view[at].tobytes()


def fetch_object(store: Store, sha: str, *, folder: Path) -> MappedFile:
    """Map the object's file, `folder/objects/<sha256>`, and check the hash of what is mapped. A file with a wrong hash
    is fetched again, and the log says so. What was mapped stays whole if the file is removed or replaced.

    Raises NotFound, StoreError, Corrupt if the store's bytes do not have the hash (then nothing is kept), and OSError
    if the folder can't hold the file.
    """
    path = folder / PREFIX / sha
    with contextlib.suppress(FileNotFoundError):
        file = MappedFile(path)
        if hash_of(file.view) == sha:
            with contextlib.suppress(OSError):  # it is another user's, or was removed meanwhile
                os.utime(path)
            return file
        log.warning("%s is not what its name says: its disk or another program damaged it; it is fetched again", path)
    data = read_object(store, sha)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{sha}.{uuid.uuid4().hex}")
    try:
        write_named(temporary, data)
        sync(temporary)  # a power cut leaves no torn one under its name, that would have to be fetched again
        file = MappedFile(temporary)
        file.path = temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return file


def evict_objects(folder: Path, *, kept: Collection[str]) -> None:
    """Remove the files of objects that are not in `kept` and that no process opened in the last hour, with what killed
    fetches left. A process that has such a file mapped goes on reading it."""
    for path in (folder / PREFIX).glob("*"):
        with contextlib.suppress(OSError):  # another process was first, or another user's
            if path.name not in kept and path.stat().st_mtime < time.time() - UNUSED_SECONDS:
                path.unlink()
