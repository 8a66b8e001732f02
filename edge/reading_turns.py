"""The line in which connections wait that sent several requests at once."""

import asyncio
from collections import deque
from collections.abc import Callable


class ReadingTurns:
    """Gives one waiting connection its turn in each turn of the event loop, first come, first served. So a request that
    came alone waits for one of those that came together, however many connections sent such. For one event loop."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def wait(self, read: Callable[[], None]) -> None:
        """Put a connection at the end of the line; `read` is called when its turn has come."""
        self._waiting.append(read)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._read_first)

    def _read_first(self) -> None:
        if len(self._waiting) > 1:
            asyncio.get_running_loop().call_soon(self._read_first)
        self._waiting.popleft()()
