"""A store in a folder, on one machine or on a shared file system, and the calls that make its bytes durable."""

import contextlib
import ctypes
import errno
import fcntl
import itertools
import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from outings.release.store import TEMPORARY, NotFound, Outcome, StoreEntry, StoreError, VersionedBytes, hash_of

# For more files than this, one flush of the whole file system is cheaper than one for each.
FEW = 16

FileState = tuple[int, int, int]


class Disk:
    """The calls by which a store changes its file system. An effect survives a power cut only if the method's docstring
    says so. All raise OSError."""

    def make_folder(self, path: Path) -> None:
        """Make a folder and its parents, durably. Do nothing if it exists."""
        if path.is_dir():
            return
        if path.parent != path:
            self.make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync(path.parent)

    def write_file(self, path: Path, data: bytes) -> None:
        # Not `write_bytes`: a build writes an object a listing, and a buffered file takes twice as long.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(handle, left) :]
        finally:
            os.close(handle)

    def sync_files(self, paths: Sequence[Path]) -> None:
        """Make the bytes of these files durable."""
        sync_all(paths)

    def replace(self, source: Path, target: Path) -> None:
        source.replace(target)

    def remove(self, path: Path) -> None:
        path.unlink()

    def sync_folders(self, paths: Sequence[Path]) -> None:
        """Make the entries of these folders durable: the names of their files."""
        sync_all(paths)


def name_state(status: os.stat_result) -> FileState:
    """Identify a file's state by inode, size and time, which change when it is written or replaced."""
    return status.st_ino, status.st_size, status.st_mtime_ns


def write_named(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write one or several pieces to a file. Unlike that of `path.write_bytes`, the error of a full disk names the
    file."""
    try:
        with path.open("wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def replace_file(path: Path, data: bytes) -> None:
    """Write a file, and its folder if needed: as a whole, or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    following = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        write_named(following, data)
        following.replace(path)
    finally:
        following.unlink(missing_ok=True)


@contextlib.contextmanager
def hold_lock(path: Path, *, kind: int = fcntl.LOCK_EX) -> Iterator[None]:
    """Hold a lock on a file within the context. Waits for other processes; ends with its own. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        fcntl.flock(file, kind)
        yield


def sync_all(paths: Sequence[Path]) -> None:
    """Flush files or folders of one file system."""
    if len(paths) > FEW and sync_file_system(paths[0]):
        return
    for path in paths:
        sync(path)


def sync(path: Path) -> None:
    """Flush one file or folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_file_system(path: Path) -> bool:
    """Flush the file system that holds `path`. Return False if the system has no such call."""
    try:
        syncfs = ctypes.CDLL(None, use_errno=True).syncfs
    except (OSError, AttributeError):
        return False
    handle = os.open(path, os.O_RDONLY)
    try:
        if syncfs(handle) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), str(path))
    finally:
        os.close(handle)
    return True


_LOCKS = "locks/"
# How many objects are deleted under one lock, so that others wait only milliseconds.
_BATCH = 256

_ADVICE = {
    errno.ENOSPC: "free space, then run the command again; what was published before is untouched",
    errno.EDQUOT: "the disk quota is used up; what was published before is untouched",
    errno.EACCES: "this user needs to read and write the store's folder",
    errno.EPERM: "this user needs to read and write the store's folder",
    errno.EROFS: "the store's folder must be on a file system that can be written",
    errno.EEXIST: "there is a file where the store needs a folder",
    errno.ENOTDIR: "there is a file where the store needs a folder",
    errno.EIO: "the disk reports a fault",
}


class FolderStore:
    """A store in a folder, which the first write creates. Safe for concurrent threads and processes, even if they are
    killed."""

    def __init__(self, folder: Path, *, disk: Disk | None = None) -> None:
        self._folder = folder.absolute()
        self._disk = disk or Disk()
        self._made: set[str] = set()

    def __str__(self) -> str:
        return f"file:{self._folder}"

    def get(self, name: str) -> bytes:
        with self._explained("get", name):
            return self._path(name).read_bytes()

    def read_versioned(self, name: str) -> VersionedBytes | None:
        try:
            data = self.get(name)
        except NotFound:
            return None
        return VersionedBytes(data, hash_of(data))

    def exists(self, name: str) -> bool:
        with self._explained("look for", name):
            return self._path(name).is_file()

    def list(self, prefix: str) -> Iterator[StoreEntry]:
        top, _, opening = prefix.rpartition("/")
        with self._explained("list", prefix):
            yield from self._list(top + "/" if top else "", opening)

    def _list(self, top: str, opening: str) -> Iterator[StoreEntry]:
        try:
            entries = sorted(os.scandir(self._folder / top), key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        for entry in entries:
            name = top + entry.name
            if not entry.name.startswith(opening) or name + "/" == _LOCKS:
                continue
            if entry.is_dir():
                if not entry.is_symlink():  # a link leads to files that are not the store's
                    yield from self._list(name + "/", "")
                continue
            with contextlib.suppress(FileNotFoundError):  # removed since the folder was read
                state = entry.stat()
                yield StoreEntry(name, state.st_size, state.st_mtime)

    def put(self, name: str, data: bytes) -> None:
        self.put_many([(name, data)])

    def put_many(self, items: Iterable[tuple[str, bytes]]) -> None:
        written: list[tuple[Path, Path]] = []
        touched: set[str] = set()
        try:
            for temporary, (name, data) in zip(self._name_temporaries(), items, strict=False):
                with self._explained("put", name):
                    self._make_folder_of(TEMPORARY)
                    touched.add(self._make_folder_of(name))
                    written.append((temporary, self._path(name)))
                    self._disk.write_file(temporary, data)
            with self._explained("put", f"{len(written)} objects"):
                self._disk.sync_files([temporary for temporary, _ in written])
                with self._lock("objects", kind=fcntl.LOCK_SH):
                    for temporary, path in written:
                        self._disk.replace(temporary, path)
                self._disk.sync_folders([self._path(name) for name in sorted(touched)])
        except StoreError:
            _discard(temporary for temporary, _ in written)
            raise

    def put_if(self, name: str, data: bytes, *, expected: str | None) -> Outcome:
        path, temporary = self._path(name), next(self._name_temporaries())
        with self._explained("swap", name), self._lock("swap", kind=fcntl.LOCK_EX):
            current = self.read_versioned(name)
            if (None if current is None else current.etag) != expected:
                return Outcome.LOST
            self._make_folder_of(TEMPORARY)
            self._make_folder_of(name)
            try:
                self._disk.write_file(temporary, data)
                self._disk.sync_files([temporary])
                self._disk.replace(temporary, path)
            except OSError:
                _discard([temporary])
                raise
            try:
                self._disk.sync_folders([path.parent])
            except OSError:
                return Outcome.UNKNOWN  # it is in place, but a power cut may undo it
            return Outcome.WON

    def delete(self, entries: Iterable[StoreEntry]) -> Sequence[StoreEntry]:
        removed, following = [], iter(entries)
        while batch := tuple(itertools.islice(following, _BATCH)):
            with self._explained("delete", f"{len(batch)} objects"), self._lock("objects", kind=fcntl.LOCK_EX):
                removed += [entry for entry in batch if self._remove(entry)]
        with self._explained("delete", f"{len(removed)} objects"):
            self._disk.sync_folders(sorted({self._path(entry.name).parent for entry in removed}))
        return removed

    def read_clock(self) -> float:
        """Return the time of the file system's clock, which may be another machine's."""
        temporary = next(self._name_temporaries())
        with self._explained("read the time of", TEMPORARY):
            self._make_folder_of(TEMPORARY)
            self._disk.write_file(temporary, b"")
            try:
                return temporary.stat().st_mtime
            finally:
                self._disk.remove(temporary)

    def _remove(self, entry: StoreEntry) -> bool:
        path = self._path(entry.name)
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_mtime == entry.modified_at:
                self._disk.remove(path)
                return True
        return False

    def _path(self, name: str) -> Path:
        return self._folder / name

    def _name_temporaries(self) -> Iterator[Path]:
        folder, batch = self._path(TEMPORARY), uuid.uuid4().hex
        for number in itertools.count():
            yield folder / f"{batch}-{number}"

    def _make_folder_of(self, name: str) -> str:
        """Make the folder of a name in the store, and return it, relative to the store."""
        folder = name.rpartition("/")[0]
        if folder not in self._made:
            self._disk.make_folder(self._path(folder))
            self._made.add(folder)
        return folder

    def _lock(self, name: Literal["swap", "objects"], *, kind: int) -> contextlib.AbstractContextManager[None]:
        """Return a lock: `swap` to replace the pointer, `objects` to keep puts and deletes of objects apart."""
        self._make_folder_of(_LOCKS)
        return hold_lock(self._path(_LOCKS) / name, kind=kind)

    @contextlib.contextmanager
    def _explained(self, operation: str, name: str) -> Iterator[None]:
        try:
            yield
        except (FileNotFoundError, IsADirectoryError):
            raise NotFound(store=str(self), operation=operation, name=name, cause="it does not exist") from None
        except OSError as error:
            advice = _ADVICE.get(error.errno or 0)
            cause = f"{error.strerror or error}" + (f" ({advice})" if advice else "")
            raise StoreError(store=str(self), operation=operation, name=name, cause=cause) from error


def _discard(temporaries: Iterable[Path]) -> None:
    """Delete temporary files of a failed write, whose space a full disk needs."""
    for temporary in temporaries:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
