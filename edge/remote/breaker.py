"""Breaker: what fails again and again is left alone for a while, so that requests fail at once and it may recover."""

from collections.abc import Callable
from math import ceil


class Breaker:
    """Opens for `rest` seconds after `failures` in a row; then lets one through every `trial` seconds until one
    succeeds. For one thread; `clock` in seconds.

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
        self._closed_until = float("-inf")

    def enter(self) -> int | None:
        """None lets the caller through, who then says how it went; else whole seconds to wait, at least 1."""
        left = self._closed_until - self._clock()
        if left > 0:
            return ceil(left)
        if self._failed >= self._most:
            self._closed_until = self._clock() + self._trial
        return None

    def note_success(self) -> None:
        self._failed = 0
        self._closed_until = float("-inf")

    def note_failure(self, *, rest: float | None = None) -> int:
        """`rest`: seconds that the other side asked for itself. How long to wait now, in whole seconds, at least 1."""
        self._failed += 1
        if rest is not None or self._failed >= self._most:
            self._failed = max(self._failed, self._most)
            self._closed_until = self._clock() + (self._rest if rest is None else rest)
        return max(1, ceil(self._closed_until - self._clock())) if self._failed >= self._most else 1
