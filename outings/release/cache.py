"""A cache of the store's objects in a folder of this machine. Objects are fetched as whole files and mapped. All
processes share the files and their pages in memory."""

import contextlib
import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path

from outings.release.folder import sync, write_named
from outings.release.store import PREFIX, Store, hash_of, read_object, run_all

log = logging.getLogger(__name__)

# How long a file is kept that no release of this process needs. Another process may be about to need it.
UNUSED_SECONDS = 3_600.0
_DAMAGED = "%s is not what its name says: its disk or another program damaged it; it is fetched again"
# Locks by the first two hex digits of an object's name, so that an object that two threads need is fetched once.
_fetching = tuple(threading.Lock() for _ in range(256))


class MappedFile:
    """A file mapped into memory, without a copy, as `view`. It keeps the content that `path` had when it was opened,
    even if the file is replaced later.

    Unlike Python's `mmap` it keeps no descriptor open: a server maps hundreds of files.
    """

    def __init__(self, path: Path) -> None:
        # Only here, because manifests import this module, and a build without changes imports no engine.
        import pyarrow as pa

        self.path = path
        with pa.memory_map(str(path)) as file:
            self.view = memoryview(file.read_buffer())

    def __len__(self) -> int:
        return len(self.view)

    def __getitem__(self, at: slice, /) -> bytes:
        return self.view[at].tobytes()


def fetch_object(store: Store, sha: str, *, folder: Path) -> MappedFile:
    """Map an object's file, `folder/objects/<sha256>`, fetched first if it is missing, and check its hash. A file with
    a wrong hash is logged and fetched again. The mapping outlives the removal of the file.

    Raises NotFound, StoreError, Corrupt if the store's bytes do not have the hash (then nothing is cached), and OSError
    if the folder can't hold the file.
    """
    path = folder / PREFIX / sha
    with _fetching[int(sha[:2], 16)]:
        with contextlib.suppress(FileNotFoundError):
            file = MappedFile(path)
            if hash_of(file.view) == sha:
                with contextlib.suppress(OSError):  # another user's file, or one that was removed meanwhile
                    os.utime(path)
                return file
            log.warning(_DAMAGED, path)
        data = read_object(store, sha)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{sha}.{uuid.uuid4().hex}")
        try:
            write_named(temporary, data)
            sync(temporary)  # after a power cut the file is whole or missing
            file = MappedFile(temporary)
            file.path = temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    return file


class LazyFiles(Mapping[str, MappedFile]):
    """Objects by name, each fetched when it is first read, and open from then on. `sizes`: in bytes. Thread-safe.

    Reading one raises what `fetch_object` does.
    """

    def __init__(
        self, objects: Mapping[str, str], sizes: Mapping[str, int], fetch: Callable[[str], MappedFile]
    ) -> None:
        self._objects = objects
        self._sizes = sizes
        self._fetch = fetch
        self._files: dict[str, MappedFile] = {}
        self._opening = threading.Lock()

    def __getitem__(self, name: str) -> MappedFile:
        file = self._files.get(name)
        return self._files.setdefault(name, self._fetch(self._objects[name])) if file is None else file

    # A comparison by content would fetch all of them.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __contains__(self, name: object) -> bool:
        return name in self._objects

    def __iter__(self) -> Iterator[str]:
        return iter(self._objects)

    def __len__(self) -> int:
        return len(self._objects)

    def open(self, names: Iterable[str] | None = None) -> None:
        """Fetch the objects with these names, or all of them, in parallel."""
        wanted = self._objects if names is None else [name for name in names if name in self._objects]
        with self._opening:
            run_all(self.__getitem__, [name for name in wanted if name not in self._files])

    def renew(self) -> "LazyFiles":
        """Return a mapping of the same objects with none of them fetched."""
        return LazyFiles(self._objects, self._sizes, self._fetch)

    def count_all_bytes(self) -> int:
        """Return the bytes of all objects, fetched or not."""
        return sum(self._sizes.values())

    def count_bytes(self) -> int:
        """Return the bytes of the fetched objects."""
        return sum(self._sizes[name] for name in list(self._files))


def evict_objects(folder: Path, *, needed: Collection[str]) -> None:
    """Delete cached objects that are not in `needed` and that no process opened in the last hour, and the leftovers of
    killed fetches. A process that has such a file mapped can still read it."""
    for path in (folder / PREFIX).glob("*"):
        with contextlib.suppress(OSError):  # another user's file, or one that another process removed
            if path.name not in needed and path.stat().st_mtime < time.time() - UNUSED_SECONDS:
                path.unlink()
