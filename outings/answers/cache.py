"""Caches of values that are computed once for a snapshot, because nearly all requests of a day need the same."""

from collections.abc import Callable, Hashable
from functools import lru_cache
from threading import Lock
from types import MethodType
from typing import Generic, ParamSpec, TypeVar, cast
from weakref import ref

from cachetools import LRUCache

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")
_Arguments = ParamSpec("_Arguments")


def remember(method: Callable[_Arguments, _Value], *, size: int) -> Callable[_Arguments, _Value]:
    """Return the bound method with a cache of its last `size` results. The cache has only a weak reference to the
    method's object, so that the object and the files that it has mapped are freed with its last user."""
    bound = cast(MethodType, method)
    owner, function = ref(bound.__self__), bound.__func__

    def call(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Value:
        value: _Value = function(owner(), *arguments, **named)  # the caller has the object
        return value

    return cast(Callable[_Arguments, _Value], lru_cache(maxsize=size)(call))


class LruCache(Generic[_Key, _Value]):
    """A cache that drops the value that was not read for longest. `size`: the most values or, with `weigh`, their
    greatest total weight. Thread-safe; two threads may compute the same value."""

    def __init__(self, *, size: int, weigh: Callable[[_Value], int] | None = None) -> None:
        self._values: LRUCache[_Key, _Value] = LRUCache(size, weigh)
        self._lock = Lock()

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def read(self, key: _Key, make: Callable[[], _Value]) -> _Value:
        """Return the value. The function `make` computes it if it is not in the cache."""
        with self._lock:
            value: _Value | None = self._values.get(key)
        if value is None:
            value = make()
            with self._lock:
                self._values[key] = value
        return value
