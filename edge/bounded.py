"""Memory with a bound: a mapping that forgets its oldest entries."""

from collections.abc import Callable
from typing import Generic, TypeVar

Name = TypeVar("Name")
Held = TypeVar("Held")


class Bounded(Generic[Name, Held]):
    """Holds at most `limit` in all, each entry weighing what `weigh` says (1 each by default).

    The first in is the first out: no book-keeping on a hit. What is put again takes the place of what was held, as the
    last in. An entry heavier than an eighth of all is not held.
    For one thread.
    """

    def __init__(self, limit: int, weigh: Callable[[Held], int] = lambda _: 1) -> None:
        self._limit = limit
        self._weigh = weigh
        self._held: dict[Name, Held] = {}
        self._weight = 0
        self.get = self._held.get

    def put(self, name: Name, held: Held) -> None:
        before = self._held.pop(name, None)
        if before is not None:
            self._weight -= self._weigh(before)
        weight = self._weigh(held)
        if weight * 8 > self._limit:
            return
        self._held[name] = held
        self._weight += weight
        while self._weight > self._limit:
            oldest = next(iter(self._held))
            self._weight -= self._weigh(self._held.pop(oldest))

    def __len__(self) -> int:
        return len(self._held)
