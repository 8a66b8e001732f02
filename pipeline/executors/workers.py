"""Worker processes of a build. They end when the process that started them ends, even if it is killed."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import parent_process
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any

from pipeline.process_memory import collect_seldom
from pipeline.scratch import discard_scratch

WATCH_SECONDS = 0.5
GRACE_SECONDS = 5.0  # A pool that can tell of a death does so within a second; it also has to end the others.


@contextlib.contextmanager
def open_workers(count: int, *, abandon: Callable[[], None]) -> Iterator[Executor]:
    """Yield a pool of new processes. They are spawned, since threads of the engines do not survive a fork.

    A worker that dies raises `BrokenProcessPool`. If it dies while it sends a result, the pool would wait for the rest
    forever: then `abandon` is called from another thread.
    """
    over, done, context = threading.Event(), threading.Event(), _RecordingContext()
    threading.Thread(target=_watch_workers, args=(context.started, over, done, abandon), daemon=True).start()
    try:
        with ProcessPoolExecutor(max_workers=count, mp_context=context, initializer=set_up) as pool:
            yield pool
            over.set()
    finally:
        done.set()


class _RecordingContext(SpawnContext):
    """A multiprocessing context that remembers the processes that it made, even those that died early."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[BaseProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        process = SpawnProcess(*args, **kwargs)
        self.started.append(process)
        return process


def _watch_workers(
    started: list[BaseProcess], over: threading.Event, done: threading.Event, abandon: Callable[[], None]
) -> None:
    """Kill all workers when one has died, since the others may wait for a lock that died with it. Call `abandon` unless
    the work is over by then."""
    while not done.wait(WATCH_SECONDS):
        if any(worker.exitcode for worker in list(started)):
            if not done.wait(GRACE_SECONDS):
                for worker in list(started):
                    if worker.is_alive():
                        worker.kill()
                if not over.is_set():
                    abandon()
            return


def set_up() -> None:
    """Prepare a new worker process: Ctrl-C ends it at once without a message, because its parent prints one."""
    collect_seldom()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker when its build ends. Otherwise a worker whose build was killed would wait for its next task
    forever."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    discard_scratch()
    os._exit(1)
