"""Places: how many replaced releases may be open at once, whatever asks for them."""

import threading
import time
import weakref
from collections.abc import Callable

from edge.serving import Serving

# Replaced releases that are open beside the current one: some 60 maps a metro each, and what answering makes of them.
MOST_OPEN = 4
# How long a request waits for a place, in seconds. All that are queued behind it wait too.
PATIENCE = 1.0


class Occupied(Exception):  # noqa: N818 - the name says it
    """Requests under way answer from as many replaced releases as may be open."""


class Places:
    """Those used last stay open, and the one that was replaced last whatever else is asked for: most walks are in it.

    A release has its place until nothing refers to it any more, here or in a request under way; then it is closed.
    Safe from any thread; only `make_room` waits.
    """

    def __init__(self, *, most: int = MOST_OPEN, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        # Its lock is taken again by the thread that has it where a release ends in between.
        self._left = threading.Condition()
        self._open: weakref.WeakValueDictionary[str, Serving] = weakref.WeakValueDictionary()
        self._last: Serving | None = None
        self._kept: dict[str, Serving] = {}  # the least recently used first

    def find(self, is_wanted: Callable[[Serving], bool]) -> Serving | None:
        """An open one; it is used now."""
        with self._left:
            found = next((each for each in list(self._open.values()) if is_wanted(each)), None)
        if found is not None:
            self.keep(found)
        return found

    def list_open(self) -> list[Serving]:
        with self._left:
            return list(self._open.values())

    def keep(self, served: Serving) -> None:
        """It was used last."""
        with self._left:
            closing = [self._kept.pop(served.release.id, None)]
            if served.release.id not in self._open:
                self._open[served.release.id] = served
                weakref.finalize(served, self._tell_left).atexit = False
            if served is not self._last:
                self._kept[served.release.id] = served
            while len(self._kept) > self._most - 1:
                closing.append(self._drop())
        del closing  # what ends with it ends while nobody waits for the lock

    def keep_last(self, served: Serving) -> None:
        """It was replaced just now, and takes the place of the one before it."""
        with self._left:
            before, self._last = self._last, served
        self.keep(served)
        if before is not None:
            self.keep(before)

    def make_room(self) -> None:
        """Until one more may be opened, the least recently used are let go of. Occupied where that takes too long."""
        until = self._clock() + PATIENCE
        while True:
            with self._left:
                if len(self._open) < self._most:
                    return
                closing = self._drop()
                if closing is None and not self._left.wait(until - self._clock()):
                    raise Occupied
            del closing

    def _drop(self) -> Serving | None:
        oldest = next(iter(self._kept), None)
        return None if oldest is None else self._kept.pop(oldest)

    def _tell_left(self) -> None:
        with self._left:
            self._left.notify_all()
