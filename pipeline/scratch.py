"""Scratch folders for temporary files of a build.

A process holds an operating-system lock on its folder until it ends, so that the next build can remove folders that
nobody uses.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from errno import EDQUOT, ENOSPC
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from outings.release.store import StoreError

PREFIX = "outings-build-"
# A folder has this name until it is locked. No build sweeps it then.
_UNLOCKED = "outings-unlocked-"
_LOCK = ".lock"

# Open folders of this process, for `discard_scratch`.
_open: set[Path] = set()


@contextlib.contextmanager
def open_scratch() -> Iterator[Path]:
    """Make a new folder, and remove it at the end of the block. Raises OSError."""
    unlocked = Path(mkdtemp(prefix=_UNLOCKED))
    lock = _lock(unlocked)
    folder = unlocked.rename(unlocked.with_name(unlocked.name.replace(_UNLOCKED, PREFIX)))
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
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.geteuid() and not folder.is_symlink():
                lock = _lock(folder)
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _lock(folder: Path) -> int:
    """Lock the folder, and return the descriptor of the lock. Raises OSError if another process has locked it."""
    # Not inherited by children: a worker that outlives its build must not hold it.
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


@contextlib.contextmanager
def naming_folder() -> Iterator[None]:
    """Raise an OSError of the block, also that of a store in the folder for temporary files, again with this folder in
    its message."""
    try:
        yield
    except (OSError, StoreError) as error:
        cause = error.__cause__ if isinstance(error, StoreError) else error
        if not isinstance(cause, OSError):
            raise
        raise OSError(cause.errno, explain_full(cause), gettempdir()) from error


def explain_full(error: OSError) -> str:
    """Return the error's reason. If a disk is full, say how much room the folder for temporary files has."""
    if error.errno not in (ENOSPC, EDQUOT):
        return error.strerror or str(error)
    room = shutil.disk_usage(gettempdir())
    return (
        f"{error.strerror}: {room.free:,} of {room.total:,} bytes are free in {gettempdir()}; "
        "free space there, or set TMPDIR to a folder with more"
    )
