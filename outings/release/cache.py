"""Objects fetched whole into a folder of this machine, to be mapped or opened by path; shared by its processes.

A process claims what it is about to use, then fetches it. What no living process claims may be evicted, the least
recently fetched first.
"""

import contextlib
import fcntl
import os
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

from outings.release.disk import sync, write_named
from outings.release.objects import PREFIX, read_object
from outings.release.store import Store


def fetch_object(store: Store, sha: str, *, folder: Path) -> Path:
    """The object's file, `folder/objects/<sha256>`; its hash is checked when it arrives, not again.

    NotFound, StoreError; Corrupt where its bytes are not what was named: then nothing is kept of it.
    """
    path = folder / PREFIX / sha
    with contextlib.suppress(FileNotFoundError):
        os.utime(path)
        return path
    data = read_object(store, sha)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{sha}.{uuid.uuid4().hex}")
    try:
        write_named(temporary, data)
        sync(temporary)  # since it is not checked again, a power cut may not leave a torn one under its name
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


class Claim:
    """What this process uses of a cache folder, for as long as it lives or until `close`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "claims" / uuid.uuid4().hex
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with _lock(folder):
            # Held until the process ends, however it ends: an eviction tells a dead claim by that.
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            fcntl.flock(self._handle, fcntl.LOCK_EX)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def replace(self, hashes: Iterable[str]) -> None:
        """Claim these objects, and none of those claimed before."""
        data = "".join(f"{sha}\n" for sha in sorted(hashes)).encode()
        with _lock(self._folder):
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, data, 0)

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def evict_objects(folder: Path, *, limit: int) -> int:
    """Remove unclaimed objects until the cache has at most `limit` bytes; the bytes removed.

    Claimed ones stay, also where they alone are more than that.
    """
    freed = 0
    with _lock(folder):
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
    """When it was fetched last, its size, its path. Files that a killed process left half written are among them."""
    for path in (folder / PREFIX).glob("*"):
        with contextlib.suppress(FileNotFoundError):
            state = path.stat()
            yield state.st_mtime, state.st_size, path


def _read_claims(folder: Path) -> Iterator[str]:
    for path in (folder / "claims").glob("*"):
        with contextlib.suppress(FileNotFoundError), path.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield from file.read().split()
            else:
                path.unlink()


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
