"""Threads for work that would block the event loop, with a short queue; and single flight, by which requests for the
same release wait for one opening of it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from outings.contract.errors import unavailable

Result = TypeVar("Result")

# Releases that one key may have opening at once: other keys wait for these two, not for a queue of them.
MOST_A_KEY = 2


class ThreadPool:
    """Raises 503 at once if the queue is full: a client does better to retry than to wait."""

    def __init__(self, *, threads: int, queue: int) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="answer")
        self._limit = threads + queue
        self._pending = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        if self._pending >= self._limit:
            raise unavailable(1)
        self._pending += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        finally:
            self._pending -= 1

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


class SingleFlight:
    """Each release is found and opened once, however many requests ask for it meanwhile. `opening` has one thread. For
    one event loop."""

    def __init__(self, opening: ThreadPool) -> None:
        self._opening = opening
        self._running: dict[Hashable, asyncio.Task[Any]] = {}
        self._counts: Counter[str] = Counter()

    async def run(self, name: Hashable, work: Callable[[], Result], *, key_id: str) -> Result:
        """What `work` returns or raises. 503 if the key, or all keys together, have too many running."""
        task = self._running.get(name)
        if task is None:
            if self._counts[key_id] >= MOST_A_KEY:
                raise unavailable(1)
            self._counts[key_id] += 1
            task = self._running[name] = asyncio.create_task(self._opening.run(work))
            task.add_done_callback(partial(self._end, name, key_id))
        result: Result = await asyncio.shield(task)
        return result

    def _end(self, name: Hashable, key_id: str, _: asyncio.Task[Any]) -> None:
        del self._running[name]
        self._counts[key_id] -= 1
        if not self._counts[key_id]:
            del self._counts[key_id]
