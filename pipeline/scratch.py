"""Scratch folders for temporary files of a build.

A process holds an operating-system lock on its folder until it ends, so that the next build can remove folders that
nobody uses.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir, mkdtemp

PREFIX = "outings-build-"
_LOCK = ".lock"

# Open folders of this process, for `discard_scratch`.
_open: set[Path] = set()


@contextlib.contextmanager
def open_scratch() -> Iterator[Path]:
    """Make a new folder, and remove it at the end of the block. Raises OSError."""
    folder, lock = _make_locked()
    _open.add(folder)
    try:
        yield folder
    finally:
        _open.discard(folder)
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def discard_scratch() -> None:
    """Remove this process's folders at once, because it is about to end in the middle of its work."""
    for folder in tuple(_open):
        # Under another name first: workers that have not ended yet can't put anything there again.
        gone = folder.with_name(f"{folder.name}.gone")
        with contextlib.suppress(OSError):
            folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def sweep_scratch() -> None:
    """Remove folders of dead processes. Folders of other users, and folders that can't be removed, stay."""
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError), _hold_dead(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _make_locked() -> tuple[Path, int]:
    """Make a folder and lock it. If another build sweeps the folder before it is locked, make another one."""
    while True:
        folder = Path(mkdtemp(prefix=PREFIX))
        try:
            # Not inherited by children: a worker that outlives its build must not hold it.
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        if os.fstat(lock).st_nlink:
            return folder, lock
        os.close(lock)


@contextlib.contextmanager
def _hold_dead(folder: Path) -> Iterator[None]:
    """Lock the folder of an ended process. Raises OSError if it still runs, or belongs to another user."""
    status = folder.lstat()
    if status.st_uid != os.geteuid() or folder.is_symlink():
        raise PermissionError(folder)
    # Made where it is gone, because its process was killed as it cleared the folder away. One that is just making it
    # finds it taken, or unlinked, and makes another folder.
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(lock)


@contextlib.contextmanager
def naming_folder() -> Iterator[None]:
    """Raise an OSError of the block again, with the folder for temporary files in its message."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, gettempdir()) from error
