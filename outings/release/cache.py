"""A cache of objects in a folder of this machine. Objects are fetched as whole files and mapped, and all processes
share them.

A process claims an object before it fetches it. Objects that no living process claims may be evicted, the least
recently used first.
"""

import contextlib
import fcntl
import logging
import os
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock
from typing import Self

from cachetools import FIFOCache

from outings.release.disk import FileState, hold_lock, name_state, sync, write_named
from outings.release.mapped_file import MappedFile
from outings.release.objects import PREFIX, hash_of, read_object
from outings.release.store import Store

log = logging.getLogger(__name__)

# Files as they were when this process found their bytes right: some 50 a metro and release.
_whole: FIFOCache[Path, FileState] = FIFOCache(16_384)
_whole_lock = Lock()


def fetch_object(store: Store, sha: str, *, folder: Path) -> MappedFile:
    """Maps the object's file, `folder/objects/<sha256>`. Each process checks the file's hash when it first opens it,
    and again if the file was written since. A file with a wrong hash is fetched again, and the log says so. What was
    mapped stays whole if the file is removed or replaced.

    Raises NotFound, StoreError, Corrupt if the store's bytes do not have the hash (then nothing is kept), and OSError
    if the folder can't hold the file.
    """
    path = folder / PREFIX / sha
    with contextlib.suppress(FileNotFoundError):
        file = _map_whole(path, sha)
        if file is not None:
            return file
        log.warning("%s is not what its name says: its disk or another program damaged it; it is fetched again", path)
    data = read_object(store, sha)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{sha}.{uuid.uuid4().hex}")
    try:
        write_named(temporary, data)
        sync(temporary)  # a power cut leaves no torn one under its name, that would have to be fetched again
        state = name_state(temporary.stat())
        file = MappedFile(temporary)
        file.path = temporary.replace(path)
        _remember_whole(path, state)
    finally:
        temporary.unlink(missing_ok=True)
    return file


def _map_whole(path: Path, sha: str) -> MappedFile | None:
    """Maps a file that is there, and marks that it is used now. Returns None if its bytes have another hash."""
    before = name_state(path.stat())
    file = MappedFile(path)
    status = path.stat()
    with contextlib.suppress(PermissionError):  # another user's, who alone may
        os.utime(path, ns=(time.time_ns(), status.st_mtime_ns))
    is_mapped = before == name_state(status)  # else another file got its name meanwhile
    with _whole_lock:
        if is_mapped and _whole.get(path) == before:
            return file
    if hash_of(file.view) != sha:
        return None
    if is_mapped:
        _remember_whole(path, before)
    return file


def _remember_whole(path: Path, state: FileState) -> None:
    with _whole_lock:
        _whole[path] = state


class CacheClaim:
    """The objects of a cache folder that this process uses, until it ends or `close` is called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "claims" / uuid.uuid4().hex
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with hold_lock(folder / "lock"):
            # Held until the process ends, however it ends: an eviction tells a dead claim by that.
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            fcntl.flock(self._handle, fcntl.LOCK_EX)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def replace(self, hashes: Iterable[str]) -> None:
        """Claims these objects, and gives up all claims made before."""
        data = "".join(f"{sha}\n" for sha in sorted(hashes)).encode()
        with hold_lock(self._folder / "lock"):
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, data, 0)

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def evict_objects(folder: Path, *, limit: int) -> int:
    """Removes unclaimed objects until the cache has at most `limit` bytes, and returns the bytes removed.

    Claimed objects stay, even if they alone exceed the limit.
    """
    freed = 0
    with hold_lock(folder / "lock"):
        claimed = set(_read_claims(folder))
        files = sorted(_list_files(folder))
        excess = sum(size for _, size, _ in files) - limit
        for _, size, path in files:
            if freed >= excess:
                break
            if path.name.partition(".")[0] not in claimed:
                path.unlink(missing_ok=True)
                freed += size
    return freed


def _list_files(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """When it was asked for last, its size, its path. Files that a killed process left half written are among them."""
    for path in (folder / PREFIX).glob("*"):
        with contextlib.suppress(FileNotFoundError):
            state = path.stat()
            yield state.st_atime, state.st_size, path


def _read_claims(folder: Path) -> Iterator[str]:
    for path in (folder / "claims").glob("*"):
        with contextlib.suppress(FileNotFoundError), path.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield from file.read().split()
            else:
                path.unlink()
