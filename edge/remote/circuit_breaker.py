"""Circuit breaker: after repeated failures a server is not called for a while, so that it can recover."""

from collections.abc import Callable
from math import ceil


class CircuitBreaker:
    """Opens for `rest` seconds after `failures` in a row. Then it is half-open: one call every `trial` seconds is let
    through, until one succeeds and closes it. For one thread; `clock` in seconds.

    Kept libraries hold a lock while they call (pybreaker), or do not say how long is left.
    """

    def __init__(
        self, *, clock: Callable[[], float], failures: int = 5, rest: float = 30.0, trial: float = 10.0
    ) -> None:
        self._clock = clock
        self._most = failures
        self._rest = rest
        self._trial = trial
        self._failed = 0
        self._open_until = float("-inf")

    def enter(self) -> int | None:
        """None if the call may be made; the caller then reports its outcome. Else whole seconds to wait, at least 1."""
        left = self._open_until - self._clock()
        if left > 0:
            return ceil(left)
        if self._failed >= self._most:
            self._open_until = self._clock() + self._trial
        return None

    def note_success(self) -> None:
        self._failed = 0
        self._open_until = float("-inf")

    def note_failure(self, *, rest: float | None = None) -> int:
        """The whole seconds to wait now, at least 1. `rest`: seconds that the server itself asked for."""
        self._failed += 1
        if rest is not None or self._failed >= self._most:
            self._failed = max(self._failed, self._most)
            self._open_until = self._clock() + (self._rest if rest is None else rest)
        return max(1, ceil(self._open_until - self._clock())) if self._failed >= self._most else 1
