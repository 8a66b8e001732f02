"""Limits of open connections: their number, and the bytes of answers that clients have not taken yet."""

import resource
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
    that idle clients do not keep others out."""

    def __init__(self) -> None:
        self._most = min(MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // _SHARE)
        self._opened: set[Connection] = set()
        self._unsent: dict[Connection, int] = {}  # bytes, by how long the client has read nothing, longest first

    def open(self, connection: Connection) -> bool:
        """Register a new connection. Return False if the limit does not allow it."""
        if len(self._opened) >= self._most:
            idle = [(other.idle_since, other) for other in self._opened if other.idle_since is not None]
            if not idle:
                return False
            self._end(min(idle, key=itemgetter(0))[1])
        self._opened.add(connection)
        return True

    def close(self, connection: Connection) -> None:
        """Forget a connection. May be called twice."""
        self._unsent.pop(connection, None)
        self._opened.discard(connection)

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
