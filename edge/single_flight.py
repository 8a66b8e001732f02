"""Single flight: requests for the same release wait for one opening of it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, TypeVar

from edge.thread_pool import ThreadPool
from outings.contract.errors import unavailable

Result = TypeVar("Result")

# Releases that one key may have opening at once: other keys wait for these two, not for a queue of them.
MOST_A_KEY = 2


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
