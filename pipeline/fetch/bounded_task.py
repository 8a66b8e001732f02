"""Read a feed in a child process, within the memory and the time that the feed's settings allow.

Libraries in C and Rust read formats, and a hostile file can make them allocate without end, or abort. A failure of the
child is an error of that feed alone.
"""

import contextlib
import ctypes
import errno
import faulthandler
import gc
import os
import pickle
import resource
import signal
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import NoReturn, TypeVar

from outings.configuration import FeedTable
from pipeline.fetch.source import FeedError, limit_scratch
from pipeline.scratch import sweep_scratch

T = TypeVar("T")
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def run_bounded(work: Callable[[], T], feed: FeedTable) -> T:
    """Run `work` in a child process and return its result, or raise its error. The result must be picklable.

    Raises FeedError that names the setting that was too low, also if the child died.
    """
    reader, writer = Pipe(duplex=False)
    with warnings.catch_warnings():
        # Python warns of other threads. The child uses none of their engines: it opens its own.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        _answer(work, feed, writer)
    writer.close()
    try:
        with reader:
            result, error = reader.recv()
    except (EOFError, OSError):
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sweep_scratch()
        raise FeedError(feed.name, feed.url, _explain_death(feed, -status)) from None
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    os.waitpid(child, 0)
    if error is not None:
        raise error
    value: T = result
    return value


def _answer(work: Callable[[], object], feed: FeedTable, writer: Connection) -> NoReturn:
    """Run `work` in the child, send its result or error to the parent, and exit."""
    try:
        _bound(feed)
        answer = pickle.dumps((work(), None), protocol=pickle.HIGHEST_PROTOCOL)
    except BaseException as error:  # noqa: BLE001 - the parent raises it
        answer = _encode_error(_explain_error(error, feed))
    with contextlib.suppress(OSError):
        writer.send_bytes(answer)
    # What the parent has open, and wants to do at its end, is not the child's.
    os._exit(0)


def _bound(feed: FeedTable) -> None:
    gc.freeze()  # What the parent has is never torn down here: its threads are not in this process.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    # Rust, C++ and Python write there how they were ended, which says nothing of the feed.
    faulthandler.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    for limit, most in (
        (resource.RLIMIT_AS, pages * resource.getpagesize() + feed.max_memory),
        (resource.RLIMIT_CPU, feed.max_seconds),
        (resource.RLIMIT_FSIZE, limit_scratch(feed)),
        (resource.RLIMIT_CORE, 0),
    ):
        soft, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (min({most, soft, hard} - {resource.RLIM_INFINITY}), hard))


def _encode_error(error: BaseException) -> bytes:
    """Pickle an error with its traceback. If it can't be pickled, a RuntimeError with the traceback takes its place."""
    trace = "".join(traceback.format_exception(error))
    error.add_note(trace)
    try:
        answer = pickle.dumps((None, error))
        pickle.loads(answer)  # noqa: S301 - made here
    except Exception:  # noqa: BLE001 - whatever pickle says
        return pickle.dumps((None, RuntimeError(trace)))
    return answer


def _explain_error(error: BaseException, feed: FeedTable) -> BaseException:
    """Return a FeedError in place of an error that means that the feed needs more than it may have."""
    most = limit_scratch(feed)
    match error:
        case MemoryError():
            reason = _explain_memory(feed)
        case RecursionError():
            reason = "is nested too deep"
        # A limit of the whole build may be lower than the feed's own.
        case OSError(errno=errno.EFBIG) if resource.getrlimit(resource.RLIMIT_FSIZE)[0] == most:
            limit = "1 GiB, or four times max_bytes if this is more"
            reason = f"needs a scratch file of more than {most:,} bytes: that is {limit}"
        case _:
            return error
    return FeedError(feed.name, feed.url, reason)


def _explain_memory(feed: FeedTable) -> str:
    return f"needs more memory than the {feed.max_memory:,} bytes that max_memory allows"


def _explain_death(feed: FeedTable, number: int) -> str:
    if number == signal.SIGXCPU:
        return f"takes longer to read than max_seconds = {feed.max_seconds} allows (seconds of a processor)"
    name = signal.Signals(number).name if number in set(signal.Signals) else f"exit {-number}"
    return f"stopped its reader ({name}): mostly that is because it {_explain_memory(feed)}, or than the machine has"
