"""The connections of a worker: how many there may be, and which one goes when there are too many."""

import resource
from collections import Counter
from collections.abc import Callable
from typing import Protocol

# As many as ever answer at once, and wait for more, on one worker.
MOST = 1_024
# Of a worker's descriptors: the others are for the store and what else it opens, some 30. Releases take none.
_SHARE = 2
# With fewer than these a server does not start: 128 connections, and room.
LEAST_DESCRIPTORS = 256


def explain_descriptors() -> str | None:
    """What to do where this process and those that it starts may have too few; None where they are enough."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit >= LEAST_DESCRIPTORS:
        return None
    most = _SHARE * MOST
    return (
        f"each worker may open {limit} files and sockets, and needs {LEAST_DESCRIPTORS}, or {most} for {MOST} "
        f"connections; say `ulimit -n {most}` before, LimitNOFILE={most} in its systemd unit, or "
        f"--ulimit nofile={most} to its container"
    )


class Waiting(Protocol):
    """A connection as it is seen from here."""

    def leave(self) -> None: ...


class Connections:
    """Full, it closes the one that has waited longest for a request: who connects and says nothing takes no place from
    who has something to ask. `per_address`: how many an address may have, by the name that `name_address` gives its
    host; one without a name may have any number."""

    def __init__(
        self,
        *,
        most: int | None = None,
        per_address: int | None = None,
        name_address: Callable[[str | None], str | None] = lambda host: host,
    ) -> None:
        self._most = most or min(MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // _SHARE)
        self._per_address = per_address
        self._name_address = name_address
        self._addresses: Counter[str] = Counter()
        self._opened: dict[Waiting, str | None] = {}
        self._waiting: dict[Waiting, None] = {}  # who has waited longest stands first

    def open(self, connection: Waiting, host: str | None) -> bool:
        """Whether it may stay."""
        address = None if self._per_address is None else self._name_address(host)
        if address is not None and self._addresses[address] >= (self._per_address or 0):
            return False
        if len(self._opened) >= self._most:
            longest = next(iter(self._waiting), None)
            if longest is None:
                return False
            self.close(longest)
            longest.leave()
        self._opened[connection] = address
        self._waiting[connection] = None
        if address is not None:
            self._addresses[address] += 1
        return True

    def close(self, connection: Waiting) -> None:
        """It is gone, or going. Once more, nothing happens."""
        self._waiting.pop(connection, None)
        address = self._opened.pop(connection, None)
        if address is not None:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

    def wait(self, connection: Waiting) -> None:
        """It has nothing to answer, from now on."""
        if connection in self._opened:
            self._waiting.pop(connection, None)
            self._waiting[connection] = None

    def work(self, connection: Waiting) -> None:
        """It has a request to answer."""
        self._waiting.pop(connection, None)
