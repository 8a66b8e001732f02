"""What is worked out once for a snapshot and kept, for nearly all requests of a day need the same."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Recalled(Generic[_Key, _Value]):
    """Values by key, `size` of them at most: all are dropped when there would be more. Of any thread: at worst two make
    the same."""

    def __init__(self, *, size: int) -> None:
        self._size = size
        self._values: dict[_Key, _Value] = {}

    def __contains__(self, key: _Key) -> bool:
        return key in self._values

    def find(self, key: _Key) -> _Value | None:
        """None of what is not kept."""
        return self._values.get(key)

    def read(self, key: _Key, make: Callable[[], _Value]) -> _Value:
        value = self._values.get(key)
        if value is None:
            value = make()
            if len(self._values) >= self._size:
                self._values = {}
            self._values[key] = value
        return value
