"""Runs a coroutine until it waits for something: most answers never do, and need no task."""

import asyncio
from collections.abc import Coroutine, Generator
from types import coroutine
from typing import Any


def begin(work: Coroutine[Any, None, None]) -> asyncio.Task[None] | None:
    """Run `work` until its end, or until it waits: then return the task that goes on with it.

    No task is current before it waits, so a time-out of asyncio begins behind an `await asyncio.sleep(0)`. (Python 3.12
    has `eager_start` for this.)
    """
    try:
        awaited = work.send(None)
    except StopIteration:
        return None
    task = asyncio.get_running_loop().create_task(_finish(work, awaited))
    task.add_done_callback(lambda _: work.close())  # a task that is cancelled before it begins does not end its work
    return task


async def _finish(work: Coroutine[Any, None, None], awaited: Any) -> None:
    await _go_on(work, awaited)


@coroutine
def _go_on(work: Coroutine[Any, None, None], awaited: Any) -> Generator[Any, None, None]:
    """Hand what `work` waits for to the task, and what the task is told back to `work`."""
    try:
        while True:
            try:
                yield awaited
            except BaseException as error:  # noqa: BLE001 cancelled
                awaited = work.throw(error)
            else:
                awaited = work.send(None)
    except StopIteration:
        return
