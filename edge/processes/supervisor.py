"""Workers, each with a listening socket of its own: the kernel shares out connections among them.

On one socket, whichever worker is awake takes them, and the one that has most to do is awake most: eight connections
were seen on one of two workers, whose other had nothing to do.
"""

import copy
import logging
import os
import socket
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from uvicorn import Config
from uvicorn.supervisors.multiprocess import Multiprocess

from outings.release.objects import hash_of

log = logging.getLogger("uvicorn.error")

# For how long SIGHUP waits for a new worker before the old one stays: on a busy machine one took more than the 15 s
# that a worker has for an answer. One that dies is noticed within a second.
_READY_SECONDS = 60
# Bytes that the kernel takes of an answer before they can be sent. By itself it takes 4 MB of each client that reads
# nothing, beside what is under way.
UNSENT_BYTES = 65_536
# Of a socket's file: who may connect, the group too, which nginx can be given.
_SOCKET_MODE = 0o660


class WorkerSlot(Multiprocess):
    """One worker's place: its socket stays open while workers come and go, so that who connects meanwhile waits."""

    def __init__(self, config: Config, sockets: list[socket.socket], *, should_exit: threading.Event) -> None:
        super().__init__(config, sockets)
        self.processes_num = 1
        self.should_exit = should_exit

    def restart_all(self) -> None:
        """uvicorn waits for a new worker no longer than for an answer of one that serves."""
        own = self.config
        self.config = copy.copy(own)
        self.config.timeout_worker_healthcheck = _READY_SECONDS
        try:
            super().restart_all()
        finally:
            self.config = own

    def keep_subprocess_alive(self) -> None:
        """What forks workers may be dying while it is asked for one: the next look, half a second later, asks anew."""
        try:
            super().keep_subprocess_alive()
        except (OSError, EOFError) as error:
            log.warning("No new worker yet: %s", repr(error))


class Supervisor(Multiprocess):
    """uvicorn's supervisor, over one of its own for each socket. SIGTERM and SIGINT end all, SIGHUP replaces one after
    the other. `announce` is called once, when all workers answer."""

    def __init__(self, config: Config, sockets: Sequence[socket.socket], *, announce: Callable[[], None]) -> None:
        should_exit = threading.Event()
        self._announce: Callable[[], None] | None = announce
        self._posts = [WorkerSlot(config, [each], should_exit=should_exit) for each in sockets]
        super().__init__(config, [])  # last: signals are its own
        self.should_exit = should_exit

    def init_processes(self) -> None:
        for post in self._posts:
            post.init_processes()

    def terminate_all(self) -> None:
        for post in self._posts:
            post.terminate_all()

    def join_all(self) -> None:
        for post in self._posts:
            post.join_all()

    def restart_all(self) -> None:
        for post in self._posts:
            post.restart_all()

    def keep_subprocess_alive(self) -> None:
        for post in self._posts:
            post.keep_subprocess_alive()
        workers = [worker for post in self._posts for worker in post.processes]
        if self._announce and not self.should_exit.is_set() and all(worker.is_ready() for worker in workers):
            self._announce()
            self._announce = None

    def handle_ttin(self) -> None:
        """A worker more has no socket: how many there are is said when it starts."""

    def handle_ttou(self) -> None:
        """As for one more."""


class ListeningSockets(Struct, frozen=True):
    """`sockets` of one port, or of files, and the claim by which no other server takes them. `address`: as who asks
    names it."""

    address: str
    port: int
    sockets: tuple[socket.socket, ...]
    claim: socket.socket
    files: tuple[Path, ...] = ()

    def close(self) -> None:
        for file in self.files:  # first: without the claim they may be another server's
            file.unlink(missing_ok=True)
        for each in (*self.sockets, self.claim):
            each.close()


def bind_sockets(host: str, port: int, *, count: int) -> ListeningSockets:
    """To the same port, 0 for any; bound, not listening: a client is refused until there is somebody to answer it.

    OSError, where another process has the port too: it would share its connections.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
        bound_to = probe.getsockname()
    sockets = [claim_address(bound_to)]
    try:
        for _ in range(count):
            sockets.append(socket.socket(family, kind, protocol))
            sockets[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sockets[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            sockets[-1].setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)
            sockets[-1].bind(bound_to)
            sockets[-1].set_inheritable(True)
    except OSError:
        for each in sockets:
            each.close()
        raise
    claim, *others = sockets
    return ListeningSockets(f"http://{host}:{bound_to[1]}", bound_to[1], tuple(others), claim)


def bind_files(path: Path, *, count: int) -> ListeningSockets:
    """Unix sockets `PATH.0`, `PATH.1` and so on, so that a worker can be asked by itself. Files that a killed server
    left are replaced. OSError as of `bind_sockets`."""
    claim = claim_address(("unix", hash_of(os.fsencode(path.absolute()))))
    files = tuple(path.with_name(f"{path.name}.{number}") for number in range(count))
    sockets: list[socket.socket] = []
    try:
        for file in files:
            file.unlink(missing_ok=True)
            sockets.append(socket.socket(socket.AF_UNIX))
            sockets[-1].bind(os.fspath(file))
            file.chmod(_SOCKET_MODE)
            sockets[-1].set_inheritable(True)
    except OSError:
        for each in (*sockets, claim):
            each.close()
        raise
    return ListeningSockets(f"unix:{path}", 0, tuple(sockets), claim, files)


def claim_address(address: tuple[str | int, ...]) -> socket.socket:
    """For as long as the socket is open and this process lives. OSError where another has claimed it.

    Whether a port is taken can be seen only once somebody listens on it. What can't be bound twice, and is gone with
    its process, is a name of a Unix socket that is no file; it belongs to the same network namespace as the port.
    """
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0outings {address[0]} {address[1]}")
    except OSError as error:
        claim.close()
        raise OSError(error.errno, "another server uses this port") from error
    return claim
