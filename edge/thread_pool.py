"""Threads for work that would block the event loop, with a short queue."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from outings.contract.errors import unavailable

Result = TypeVar("Result")


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
