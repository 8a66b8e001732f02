"""Locks of the operating system, so that a machine builds a metro only once at a time. A lock ends with its process."""

import contextlib
import fcntl
import os
import socket
import time
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from outings.failures import GuardRefusal

POLL_SECONDS = 0.2
# Always waited: a build that takes several locks may have had one for an instant, in vain.
GRACE_SECONDS = 0.5


class LockOwner(Struct, frozen=True, kw_only=True):
    """The process that holds a lock, as its file says."""

    pid: int
    host: str
    since: datetime

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since.isoformat(timespec='seconds')}"


class MetroLockError(GuardRefusal):
    """Another build of the same metro runs on this machine; nothing was done."""


@contextlib.contextmanager
def hold_metros(
    slugs: Collection[str],
    *,
    folder: Path,
    patience: float,
    clock: Callable[[], datetime],
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[None]:
    """Lock all of the metros or none, and wait at most `patience` seconds. Raises MetroLockError, and OSError if the
    folder cannot be written.

    Each metro has a file, which is never removed: otherwise two builds could each lock a different file of the same
    name. Builds of different metros run at the same time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    until, has_reported = time.monotonic() + max(patience, GRACE_SECONDS), False
    while True:
        with contextlib.ExitStack() as locks:
            refused = _take_all(slugs, folder=folder, locks=locks, clock=clock)
            if refused is None:
                yield
                return
        if time.monotonic() >= until:
            raise MetroLockError(f"{refused}; nothing was done. To wait for it, use --wait SECONDS")
        if patience > 0 and not has_reported:
            progress(f"{refused}; waiting")
            has_reported = True
        time.sleep(POLL_SECONDS)


def _take_all(
    slugs: Collection[str], *, folder: Path, locks: contextlib.ExitStack, clock: Callable[[], datetime]
) -> str | None:
    """Take the locks of all metros in a fixed order. Return a message about the first that is taken already, or
    None."""
    for slug in sorted(slugs):
        owner = _take(folder / f"{slug}.lock", locks, clock=clock)
        if owner is not None:
            return f"metro {slug} is being built by {owner}"
    return None


def _take(path: Path, locks: contextlib.ExitStack, *, clock: Callable[[], datetime]) -> LockOwner | str | None:
    """Lock the file until `locks` is closed, and return None; if another process has it, return which."""
    # os.open makes it non-inheritable: a worker that outlives its build must not hold the lock.
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    locks.callback(os.close, file)
    try:
        # flock locks the open file, not the process: closing another descriptor does not unlock it.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read_owner(file)
    owner = LockOwner(pid=os.getpid(), host=socket.gethostname(), since=clock())
    # The content only names the owner, so a full disk must not stop the build here.
    with contextlib.suppress(OSError):
        os.ftruncate(file, 0)
        os.pwrite(file, msgspec.json.encode(owner) + b"\n", 0)
    return None


def _read_owner(file: int) -> LockOwner | str:
    try:
        return msgspec.json.decode(os.pread(file, 4096, 0), type=LockOwner)
    except ValueError:
        return "another process"  # the owner has not written its name yet
