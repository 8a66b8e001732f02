"""What is remembered of earlier requests, up to a bound."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


def _count_one(_: object) -> int:
    return 1


class FifoCache(Generic[_Key, _Value]):
    """Values by key, `most` of them, or as many as `weigh` that much together: the one that was put first goes first.
    A value weighs the same for ever. For one thread.

    `find` gives None for what is not kept. It is the mapping's own method, since each request calls it several times.
    """

    def __init__(self, most: int, weigh: Callable[[_Value], int] = _count_one) -> None:
        self._values: OrderedDict[_Key, _Value] = OrderedDict()
        self.find: Callable[[_Key], _Value | None] = self._values.get
        self.most = most
        self._weigh = weigh
        self._weight = 0

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def put(self, key: _Key, value: _Value) -> None:
        """In place of an earlier one, and as the last."""
        if key in self._values:
            self._weight -= self._weigh(self._values.pop(key))
        self._values[key] = value
        self._weight += self._weigh(value)
        while self._weight > self.most:
            _, oldest = self._values.popitem(last=False)
            self._weight -= self._weigh(oldest)
