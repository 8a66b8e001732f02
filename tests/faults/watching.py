"""Readers in processes of their own, which go on beside a test until its work is done."""

import contextlib
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event

from tests.forking import CONTEXT

PATIENCE = 60.0


@contextlib.contextmanager
def watching(read: Callable[[Event], list[int]]) -> Iterator[list[int]]:
    """`read` goes on until its event is set; afterwards, the numbers that it returned. It is a function of a module, or
    a partial of one."""
    stop, (receiver, sender), numbers = CONTEXT.Event(), CONTEXT.Pipe(duplex=False), list[int]()
    process = CONTEXT.Process(target=_watch, args=(read, stop, sender))
    process.start()
    sender.close()
    try:
        yield numbers
        stop.set()
        assert receiver.poll(PATIENCE)
        result = receiver.recv()
        assert isinstance(result, list), result
        numbers += result
    finally:
        process.kill()
        process.join()
        receiver.close()


def _watch(read: Callable[[Event], list[int]], stop: Event, sender: Connection) -> None:
    try:
        sender.send(read(stop))
    except BaseException:
        sender.send(traceback.format_exc())
        raise
