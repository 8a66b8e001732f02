"""Limits of open connections: their number, and the bytes of answers that clients have not taken yet."""

import resource
from collections import Counter
from collections.abc import Callable
from operator import itemgetter
from typing import Protocol

# The most open connections of one worker.
MOST = 1_024
# Every second descriptor of a worker may be a connection. It needs some 30 others, for the store; releases need none.
_SHARE = 2
# The most bytes of answers that the clients of one worker have not read yet. 1,024 clients that read a gzip page of the
# reference slowly have 72 MB.
MOST_UNSENT_BYTES = 256 * 2**20
# With fewer than these a server does not start: 128 connections, and room.
LEAST_DESCRIPTORS = 256


def explain_descriptors() -> str | None:
    """Return advice for the operator if this process and its children may open too few files, else None."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit >= LEAST_DESCRIPTORS:
        return None
    most = _SHARE * MOST
    return (
        f"each worker may open {limit} files and sockets, and needs {LEAST_DESCRIPTORS}, or {most} for {MOST} "
        f"connections; run `ulimit -n {most}` first, set LimitNOFILE={most} in its systemd unit, or give "
        f"--ulimit nofile={most} to its container"
    )


class Connection(Protocol):
    """A connection that the limiter can close. `idle_since`: the time since which it has no request to answer, or its
    client reads nothing; None while a request is being answered."""

    idle_since: float | None

    def leave(self) -> None: ...


class ConnectionLimiter:
    """Limits the open connections of a worker. At the limit, it closes the connection that has been idle longest, so
    that idle clients do not keep others out. `per_address`: the most connections of one address. `name_address` turns a
    peer's host into that address, or None for a host without a limit."""

    def __init__(
        self, *, per_address: int | None = None, name_address: Callable[[str | None], str | None] = lambda host: host
    ) -> None:
        self._most = min(MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // _SHARE)
        self._per_address = per_address
        self._name_address = name_address
        self._addresses: Counter[str] = Counter()
        self._opened: dict[Connection, str | None] = {}
        self._unsent: dict[Connection, int] = {}  # bytes, by how long the client has read nothing, longest first

    def open(self, connection: Connection, host: str | None) -> bool:
        """Register a new connection from `host`. Return False if the limits do not allow it."""
        address = None if self._per_address is None else self._name_address(host)
        if address is not None and self._addresses[address] >= (self._per_address or 0):
            return False
        if len(self._opened) >= self._most:
            idle = [(other.idle_since, other) for other in self._opened if other.idle_since is not None]
            if not idle:
                return False
            self._end(min(idle, key=itemgetter(0))[1])
        self._opened[connection] = address
        if address is not None:
            self._addresses[address] += 1
        return True

    def close(self, connection: Connection) -> None:
        """Forget a connection. May be called twice."""
        self._unsent.pop(connection, None)
        address = self._opened.pop(connection, None)
        if address is not None:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

    def hold(self, connection: Connection, unsent: int) -> None:
        """Record how many bytes the connection's client has not read yet. While those of all clients exceed the limit,
        close the connection whose client has read nothing for longest."""
        self._unsent.pop(connection, None)
        if unsent and connection in self._opened:
            self._unsent[connection] = unsent
        while sum(self._unsent.values()) > MOST_UNSENT_BYTES:
            self._end(next(iter(self._unsent)))

    def _end(self, connection: Connection) -> None:
        self.close(connection)
        connection.leave()
