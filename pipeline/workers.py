"""Worker processes of a build, which end with the process that started them, however that ends."""

import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait


def make_workers(count: int) -> ProcessPoolExecutor:
    """They are started afresh: threads of the engines do not survive a fork."""
    return ProcessPoolExecutor(max_workers=count, mp_context=get_context("spawn"), initializer=set_up)


def set_up() -> None:
    """Ctrl-C ends a worker at once, and its parent is the one to say so."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose build was killed would wait for its next task for ever."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
