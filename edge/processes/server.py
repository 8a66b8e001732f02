"""Runs the edge with uvicorn: one or more workers, forked by a process that has imported what they need."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from threading import Thread

import uvicorn
from starlette.types import ASGIApp
from uvicorn import _subprocess

from edge.processes.supervisor import ListeningSockets, Supervisor
from edge.usage.counts import make_table

# A stopping server finishes what it answers; after this many seconds it ends all the same.
GRACE_SECONDS = 10
# A worker that has not answered by then is replaced: on a busy machine 5 s were not enough to import, and none came up.
# One that dies while it is asked holds the supervisor for as long: 60 s were too many.
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

    `memory` is how many bytes of answers each worker keeps. With `access_log` the workers log each request on standard
    error.
    """
    start_forks()
    with ExitStack() as open_sockets, make_table() as counts:
        open_sockets.callback(listening.close)
        settings = uvicorn.Config(
            partial(_make_worker, config.absolute(), counts=counts, memory=memory, access_log=access_log),
            factory=True,
            loop="uvloop",
            http="edge.processes.http_protocol:HttpProtocol",  # imported by whom it serves
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


def start_forks() -> None:
    """Starts what forks workers. It imports all that they need and uses none of it, so that each is there at once and
    shares that memory; a new Python each took 1.9 s of a processor and 150 MB.

    uvicorn has no setting for it: the name is its own.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["edge.processes.worker", "edge.processes.http_protocol", "uvloop"])
    _subprocess.spawn = context  # type: ignore[assignment]
    ensure_running()


def _make_worker(config: Path, *, counts: Path, memory: int | None, access_log: bool) -> ASGIApp:
    from edge.app import MEMORY_BYTES  # not in the supervisor, which answers nothing
    from edge.processes.worker import make_served_edge

    Thread(target=_end_with_supervisor, daemon=True).start()
    return make_served_edge(config, counts=counts, memory=memory or MEMORY_BYTES, access_log=access_log)


def _end_with_supervisor() -> None:
    """One that was killed can't tell its workers, nor can the process that forked them, by which it knows of them: they
    would hold the port, and answer, for ever."""
    supervisor, forked_by = multiprocessing.parent_process(), os.getppid()
    assert supervisor is not None  # workers are made by one
    while not wait([supervisor.sentinel], timeout=_LOOK_SECONDS) and os.getppid() == forked_by:
        pass
    os.kill(os.getpid(), signal.SIGTERM)
