"""Turns: who has replaced releases opened, one after the other."""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, TypeVar

from edge.computing import Computing
from outings.contract.errors import unavailable

Made = TypeVar("Made")

# Releases that one key may have opened at once: the others' wait is for two of its, not for a queue of them.
MOST_A_KEY = 2


class Turns:
    """Each release is found and opened once, however many ask for it meanwhile. `opening` has one thread. For one event
    loop."""

    def __init__(self, opening: Computing) -> None:
        self._opening = opening
        self._under_way: dict[Hashable, asyncio.Task[Any]] = {}
        self._taken: Counter[str] = Counter()

    async def take(self, name: Hashable, work: Callable[[], Made], *, key_id: str) -> Made:
        """What `work` gives or raises. 503 where this key has too many turns, or all together have."""
        task = self._under_way.get(name)
        if task is None:
            if self._taken[key_id] >= MOST_A_KEY:
                raise unavailable(1)
            self._taken[key_id] += 1
            task = self._under_way[name] = asyncio.create_task(self._opening.run(work))
            task.add_done_callback(partial(self._end, name, key_id))
        made: Made = await asyncio.shield(task)
        return made

    def _end(self, name: Hashable, key_id: str, _: asyncio.Task[Any]) -> None:
        del self._under_way[name]
        self._taken[key_id] -= 1
        if not self._taken[key_id]:
            del self._taken[key_id]
