"""Locks of the operating system, so that a machine builds a metro only once at a time. A lock ends with its process."""

import contextlib
import fcntl
import os
import socket
import time
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from pathlib import Path

from outings.failures import GuardRefusal

POLL_SECONDS = 0.2
# Always waited: a build that takes several locks may have had one for an instant, in vain.
GRACE_SECONDS = 0.5


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
            # In a fixed order, so that of two builds one gets all.
            taken = ((slug, _take(folder / f"{slug}.lock", locks, clock=clock)) for slug in sorted(slugs))
            refused = next((f"metro {slug} is being built by {owner}" for slug, owner in taken if owner), None)
            if refused is None:
                yield
                return
        if time.monotonic() >= until:
            raise MetroLockError(f"{refused}; nothing was done. To wait for it, use --wait SECONDS")
        if patience > 0 and not has_reported:
            progress(f"{refused}; waiting")
            has_reported = True
        time.sleep(POLL_SECONDS)


def _take(path: Path, locks: contextlib.ExitStack, *, clock: Callable[[], datetime]) -> str | None:
    """Lock the file until `locks` is closed, and return None; if another process has it, return which."""
    # os.open makes it non-inheritable: a worker that outlives its build must not hold the lock.
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    locks.callback(os.close, file)
    try:
        # flock locks the open file, not the process: closing another descriptor does not unlock it.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.pread(file, 4096, 0).decode() or "another process"  # the owner has not written its name yet
    owner = f"process {os.getpid()} on {socket.gethostname()}, since {clock().isoformat(timespec='seconds')}"
    # The content only names the owner, so a full disk must not stop the build here.
    with contextlib.suppress(OSError):
        os.ftruncate(file, 0)
        os.pwrite(file, owner.encode(), 0)
    return None
