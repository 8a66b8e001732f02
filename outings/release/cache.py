"""A cache of objects in a folder of this machine. Objects are fetched as whole files and mapped. All processes share
the files and their pages in memory."""

import contextlib
import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from outings.release.folder import sync, write_named
from outings.release.store import PREFIX, Store, hash_of, read_object

log = logging.getLogger(__name__)

# How long a file stays that no release of this process needs: another one may be about to open a release with it.
UNUSED_SECONDS = 3_600.0
# Requests to a store at once: for small objects a reader waits for round trips, not for bytes.
REQUESTS = 16

# By the first two digits: an object that two threads need is fetched once.
_fetching = tuple(threading.Lock() for _ in range(256))

_Item = TypeVar("_Item")
_Reply = TypeVar("_Reply")


class MappedFile:
    """A whole file in memory, `view` in place, without a copy. It stays what it was at `path` when it was opened,
    whatever has that name later.

    Unlike Python's `mmap` it keeps no descriptor open: a server maps hundreds of files.
    """

    def __init__(self, path: Path) -> None:
        # Here, because manifests name this type, and a build that finds no change imports no engine.
        import pyarrow as pa

        self.path = path
        with pa.memory_map(str(path)) as file:
            self.view = memoryview(file.read_buffer())

    def __len__(self) -> int:
        return len(self.view)

    def __getitem__(self, at: slice, /) -> bytes:
        return self.view[at].tobytes()


def fetch_object(store: Store, sha: str, *, folder: Path) -> MappedFile:
    """Map the object's file, `folder/objects/<sha256>`, and check the hash of what is mapped. A file with a wrong hash
    is fetched again, and the log says so. What was mapped stays whole if the file is removed or replaced.

    Raises NotFound, StoreError, Corrupt if the store's bytes do not have the hash (then nothing is kept), and OSError
    if the folder can't hold the file.
    """
    with _fetching[int(sha[:2], 16)]:
        return _fetch(store, sha, folder=folder)


def _fetch(store: Store, sha: str, *, folder: Path) -> MappedFile:
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


class LazyFiles(Mapping[str, MappedFile]):
    """Objects by name, each fetched when it is first read, and then held. `sizes` are their bytes. Thread-safe.

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
        """Fetch the files with these names, or all, several at once."""
        wanted = self._objects if names is None else [name for name in names if name in self._objects]
        with self._opening:
            run_all(self.__getitem__, [name for name in wanted if name not in self._files])

    def renew(self) -> "LazyFiles":
        """Return the same objects, none of them fetched yet."""
        return LazyFiles(self._objects, self._sizes, self._fetch)

    def count_all_bytes(self) -> int:
        """Count the bytes of all files."""
        return sum(self._sizes.values())

    def count_bytes(self) -> int:
        """Count the bytes of the files that are held."""
        return sum(self._sizes[name] for name in list(self._files))


def run_all(act: Callable[[_Item], _Reply], items: Iterable[_Item]) -> list[_Reply]:
    """Return the replies in the order of the items, with `REQUESTS` at once. Raises the first error."""
    items = list(items)
    if len(items) <= 1:
        return [act(item) for item in items]
    with ThreadPoolExecutor(min(REQUESTS, len(items))) as pool:
        return list(pool.map(act, items))


def evict_objects(folder: Path, *, kept: Collection[str]) -> None:
    """Remove the files of objects that are not in `kept` and that no process opened in the last hour, with what killed
    fetches left. A process that has such a file mapped goes on reading it."""
    for path in (folder / PREFIX).glob("*"):
        with contextlib.suppress(OSError):  # another process was first, or another user's
            if path.name not in kept and path.stat().st_mtime < time.time() - UNUSED_SECONDS:
                path.unlink()
