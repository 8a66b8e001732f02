"""Where work that would hold up the event loop is done: a few threads behind a short queue."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from outings.contract.errors import unavailable

Made = TypeVar("Made")


class Computing:
    """503 at once where the queue is full: a client that tries again is better off than one that waits."""

    def __init__(self, *, threads: int, queue: int) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="answer")
        self._limit = threads + queue
        self._taken = 0

    async def run(self, work: Callable[[], Made]) -> Made:
        if self._taken >= self._limit:
            raise unavailable(1)
        self._taken += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        finally:
            self._taken -= 1

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
