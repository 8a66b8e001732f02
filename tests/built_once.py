"""Worlds that one worker builds for all workers of a run, so that each is built once a run and not once a worker."""

import fcntl
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

# The run's folder, which tests/conftest.py makes before its workers start and removes at the end.
FOLDER = "TESTS_BUILT_ONCE"


@cache
def build_once(name: str, build: Callable[[Path], object]) -> Path:
    """Return the folder that `build` filled, in whichever worker of the run came first. Nobody may write there.

    A worker that comes while another one builds waits for it. What fails is tried again by the next one.
    """
    root = Path(os.environ.get(FOLDER) or tempfile.mkdtemp(prefix="outings-built-"))
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = root / name
        if not folder.exists():
            unfinished = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=root))
            build(unfinished)
            unfinished.rename(folder)
    return folder
