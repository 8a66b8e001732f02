"""The few calls that make a folder's bytes durable. Tests replace them to kill a process, fill the disk or lose
writes."""

import contextlib
import ctypes
import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

# Up to so many files are flushed one by one, which waits for these alone. For more, one flush of the whole file system
# is cheaper.
FEW = 16

FileState = tuple[int, int, int]


class Disk:
    """Each call is done when it returns. Its effect survives a power cut only if its docstring says so. Raises
    OSError."""

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
        """Make durable which names these folders hold."""
        sync_all(paths)


def name_state(status: os.stat_result) -> FileState:
    """Identify a file's state by inode, size and time. It changes when the file is written or replaced."""
    return status.st_ino, status.st_size, status.st_mtime_ns


def write_named(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write one or several pieces to a file. Unlike that of `path.write_bytes`, the error of a full disk names the
    file."""
    try:
        with path.open("wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextlib.contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Lock a file, and wait for as long as another process has it. A lock ends with its process. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
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
