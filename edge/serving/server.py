"""Run the edge with uvicorn: one worker for each socket, forked by a process that has imported everything."""

import copy
import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from threading import Thread

import uvicorn
from msgspec import Struct
from starlette.types import ASGIApp
from uvicorn import Config, _subprocess
from uvicorn.supervisors.multiprocess import Multiprocess

from outings.release.store import hash_of

log = logging.getLogger("uvicorn.error")

# How long SIGHUP waits for a new worker before it keeps the old one. On a busy machine a start took more than the 15 s
# of the health check. A worker that dies is noticed within a second.
_READY_SECONDS = 60
# The most unsent bytes of an answer that the kernel buffers. Its default is 4 MB for each client that reads nothing.
UNSENT_BYTES = 65_536
# The mode of a socket's file: owner and group may connect. nginx can be in the group.
_SOCKET_MODE = 0o660


class WorkerSlot(Multiprocess):
    """Runs one worker on a socket, and replaces it when needed. The socket is not closed, so clients who connect
    meanwhile wait."""

    def __init__(self, config: Config, sockets: list[socket.socket], *, should_exit: threading.Event) -> None:
        super().__init__(config, sockets)
        self.processes_num = 1
        self.should_exit = should_exit

    def restart_all(self) -> None:
        """Replace the worker. A new one has more time for its first answer than uvicorn's health check gives."""
        own = self.config
        self.config = copy.copy(own)
        self.config.timeout_worker_healthcheck = _READY_SECONDS
        try:
            super().restart_all()
        finally:
            self.config = own

    def keep_subprocess_alive(self) -> None:
        """Replace a dead worker. If the forking process is ending too, the next check, half a second later, tries
        again."""
        try:
            super().keep_subprocess_alive()
        except (OSError, EOFError) as error:
            log.warning("No new worker yet: %s", repr(error))


class Supervisor(Multiprocess):
    """Supervises all workers by a `WorkerSlot` for each socket. SIGTERM and SIGINT end all, SIGHUP replaces one after
    the other. `announce` is called once, when all workers answer."""

    def __init__(self, config: Config, sockets: Sequence[socket.socket], *, announce: Callable[[], None]) -> None:
        should_exit = threading.Event()
        self._announce: Callable[[], None] | None = announce
        self._posts = [WorkerSlot(config, [listener], should_exit=should_exit) for listener in sockets]
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
        """Ignore SIGTTIN, which would add a worker: it would have no socket."""

    def handle_ttou(self) -> None:
        """Ignore SIGTTOU, which would remove a worker."""


class ListeningSockets(Struct, frozen=True):
    """Bound sockets, one for each worker, and a claim that keeps other servers from using their address. `address`:
    what clients connect to."""

    address: str
    port: int
    sockets: tuple[socket.socket, ...]
    claim: socket.socket
    files: tuple[Path, ...] = ()

    def close(self) -> None:
        for file in self.files:  # first: without the claim they may be another server's
            file.unlink(missing_ok=True)
        for listener in (*self.sockets, self.claim):
            listener.close()


def bind_sockets(host: str, port: int, *, count: int) -> ListeningSockets:
    """Bind `count` sockets to the same port; 0 picks a free one. They do not listen yet: clients are refused until a
    worker can answer.

    Raises OSError if another process has the port too: it would share its connections.
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
        for listener in sockets:
            listener.close()
        raise
    claim, *others = sockets
    return ListeningSockets(f"http://{host}:{bound_to[1]}", bound_to[1], tuple(others), claim)


def bind_files(path: Path, *, count: int) -> ListeningSockets:
    """Bind Unix sockets `PATH.0`, `PATH.1` and so on, one for each worker, so that each can be called by itself.
    Replace files that a killed server left. Raises OSError like `bind_sockets`."""
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
        for listener in (*sockets, claim):
            listener.close()
        raise
    return ListeningSockets(f"unix:{path}", 0, tuple(sockets), claim, files)


def claim_address(address: tuple[str | int, ...]) -> socket.socket:
    """Claim an address for this process, until the returned socket is closed. Raises OSError if it is claimed already.

    Binding a port does not show that another server has it until that one listens. So the claim is an abstract Unix
    socket, which can be bound once and ends with its process; it is valid in the port's network namespace.
    """
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0outings {address[0]} {address[1]}")
    except OSError as error:
        claim.close()
        raise OSError(error.errno, "another server uses this port") from error
    return claim


# The variable by which prometheus_client finds its folder of counters.
COUNTS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# How long a stopping server may take to finish its answers.
GRACE_SECONDS = 10
# A worker that does not answer the health check for this long is replaced. 5 s were not enough to start on a busy
# machine. A worker that dies during a check blocks the supervisor for as long, so 60 s were too many.
START_SECONDS = 15
_LOOK_SECONDS = 1.0


def run_server(
    config: Path,
    *,
    listening: ListeningSockets,
    announce: Callable[[], None],
    memory: int | None = None,
    access_log: bool = False,
) -> None:
    """Serve with one worker for each socket of `bind_sockets` until SIGTERM or SIGINT, then close the sockets and
    return. SIGHUP replaces each worker with a new one. `announce` is called once all workers answer.

    `memory`: the bytes of answers that each worker caches. With `access_log` the workers log each request on standard
    error.
    """
    with ExitStack() as open_sockets, make_counts_folder():
        open_sockets.callback(listening.close)
        start_forks()
        settings = uvicorn.Config(
            partial(_make_worker, config.absolute(), memory=memory, access_log=access_log),
            factory=True,
            loop="uvloop",
            http="edge.serving.http_protocol:HttpProtocol",  # imported by whom it serves
            ws="none",
            lifespan="on",
            access_log=False,
            log_level="warning",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            timeout_worker_healthcheck=START_SECONDS,
        )
        # One worker too has a supervisor: it replaces workers that die, and all of them one by one on SIGHUP.
        Supervisor(settings, listening.sockets, announce=announce).run()


@contextmanager
def make_counts_folder() -> Iterator[None]:
    """Make a folder for the metrics (`edge.metrics`) of workers that start within the context; remove it at the end."""
    with tempfile.TemporaryDirectory(prefix="outings-counts-") as folder:
        os.environ[COUNTS_FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[COUNTS_FOLDER]


def start_forks() -> None:
    """Start the process that forks workers. It imports all that they need, so that a worker starts at once and shares
    that memory; a new Python for each took 1.9 s of processor time and 150 MB.

    uvicorn has no setting for it, so this replaces a private name of uvicorn.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["edge.serving.worker", "edge.serving.http_protocol", "polars", "uvloop"])
    _subprocess.spawn = context  # type: ignore[assignment]
    ensure_running()


def _make_worker(config: Path, *, memory: int | None, access_log: bool) -> ASGIApp:
    from edge.app import MEMORY_BYTES  # not in the supervisor, which answers nothing
    from edge.serving.worker import make_served_edge

    Thread(target=_end_with_supervisor, daemon=True).start()
    return make_served_edge(config, memory=memory or MEMORY_BYTES, access_log=access_log)


def _end_with_supervisor() -> None:
    """Make this worker end when its supervisor dies. A killed supervisor can't stop its workers, which would keep the
    port."""
    supervisor, forked_by = multiprocessing.parent_process(), os.getppid()
    assert supervisor is not None  # workers are made by one
    while not wait([supervisor.sentinel], timeout=_LOOK_SECONDS) and os.getppid() == forked_by:
        pass
    os.kill(os.getpid(), signal.SIGTERM)
