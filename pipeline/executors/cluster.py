"""Run a build's tasks on a Dask cluster. Dask itself schedules them, repeats those that were lost, and moves data.

Its workers do what worker processes do, on other machines: they reach the store by the same URL, and find the feeds'
files and the build's scratch folder by the same paths.
"""

import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from outings.failures import OperatorError
from pipeline.fingerprint import describe_libraries, hash_rules

if TYPE_CHECKING:
    from distributed import Client

    from pipeline.tasks import FeedTask, MetroTask


T = TypeVar("T")

# A scheduler that is there answers at once.
REACH_SECONDS = 10.0
# A cluster that grows on demand begins without workers; one that lost all of them may get others.
WORKER_SECONDS = 60.0
WATCH_SECONDS = 1.0
_HASH_DIGITS = 16


class ClusterError(OperatorError):
    """The cluster can't run this build's tasks. Nothing was published."""


def parse_cluster(text: str) -> str:
    """Return the scheduler's address for Dask from `dask://host:port`. Raises ValueError.

    >>> parse_cluster("dask://10.0.0.1:8786")
    'tcp://10.0.0.1:8786'
    """
    parts = urlsplit(text)
    # `port` raises ValueError if it is not a number.
    is_plain = parts.netloc == text.removeprefix("dask://") and "@" not in parts.netloc
    if parts.scheme != "dask" or not parts.hostname or not parts.port or not is_plain:
        raise ValueError(text)
    return f"tcp://{parts.netloc}"


@contextlib.contextmanager
def open_cluster(address: str) -> Iterator[Executor]:
    """Yield an executor of the scheduler at `address`, as of `parse_cluster`. Raises ClusterError without the extra
    `dask`, or if scheduler or workers can't be reached, get lost, or run another program."""
    try:
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise ClusterError(f"{address}: {error}; install outings[dask]") from error

    # Dask logs pages about lost connections; our own error is one line.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL + 1)
    _check_port(address)
    with contextlib.closing(_connect(address)) as client:
        executor, over = _ClusterExecutor(client), threading.Event()
        threading.Thread(target=_watch_workers, args=(client, executor, over), daemon=True).start()
        try:
            yield executor
        except KilledWorker as killed:
            raise ClusterError(
                f"{address}: one piece of work killed several workers of this cluster: {killed}"
            ) from killed
        except CancelledError as cancelled:
            raise ClusterError(
                f"{address}: {executor.lost or 'the scheduler was lost'}; run the build again"
            ) from cancelled
        finally:
            over.set()
            executor.cancel_all()


def _check_port(address: str) -> None:
    """Raise ClusterError if nothing listens at the address, because Dask would retry."""
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname, parts.port), timeout=REACH_SECONDS).close()
    except OSError as error:
        raise ClusterError(f"{address}: no Dask scheduler can be reached there: {error}") from error


def _connect(address: str) -> "Client":
    """Connect to the scheduler, or raise ClusterError in time even if it accepts and never answers."""
    from distributed import Client

    connected: Future[Client] = Future()

    def connect() -> None:
        try:
            client = Client(address, timeout=REACH_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
        except Exception as error:  # noqa: BLE001 it is raised where the client is waited for
            connected.set_exception(error)
        else:
            connected.set_result(client)

    threading.Thread(target=connect, daemon=True).start()
    try:
        return connected.result(REACH_SECONDS)
    except (OSError, TimeoutError) as error:
        raise ClusterError(f"{address}: no Dask scheduler answers there within {REACH_SECONDS:g} s") from error


class _ClusterExecutor(Executor):
    """An executor that submits tasks to Dask. `lost`: the reason why all tasks were cancelled."""

    def __init__(self, client: "Client") -> None:
        self._inner = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        self._submitted: list[Future[Any]] = []
        self.lost: str | None = None

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = self._inner.submit(do_checked, describe_program(), fn, *args, **kwargs)
        self._submitted.append(future)
        return future

    def cancel_all(self) -> None:
        for future in self._submitted:
            future.cancel()


def _watch_workers(client: "Client", executor: _ClusterExecutor, over: threading.Event) -> None:
    """Cancel all tasks once no worker has been connected for `WORKER_SECONDS`. Otherwise they would wait forever."""
    last_contact = monotonic()
    while not over.wait(WATCH_SECONDS):
        with contextlib.suppress(Exception):  # if the scheduler is gone, the tasks raise
            if client.nthreads():  # type: ignore[no-untyped-call]
                last_contact = monotonic()
        if monotonic() - last_contact > WORKER_SECONDS:
            executor.lost = f"no worker for {WORKER_SECONDS:g} s"
            executor.cancel_all()
            return


def do_checked(
    program: Mapping[str, str], do: "Callable[[FeedTask | MetroTask], T]", work: "FeedTask | MetroTask"
) -> T:
    """Run the task on a worker. Raises ClusterError if the worker's program differs from the build's, or can't see its
    scratch folder."""
    from distributed import get_worker

    difference = explain_difference(program, describe_program())
    if difference is not None:
        raise ClusterError(f"worker {get_worker().address} runs another program than this build: {difference}")
    if not work.spool.is_dir():
        raise ClusterError(
            f"worker {get_worker().address} does not see this build's scratch folder {work.spool}; "
            "allowed: one that all machines share, by TMPDIR"
        )
    return do(work)


def describe_program() -> Mapping[str, str]:
    """Return everything that decides the bytes of a build: the versions of Python and of each library ("none" if it is
    not installed), and a hash of our own sources."""
    return {**describe_libraries(), "outings": hash_rules()[:_HASH_DIGITS]}


def explain_difference(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str | None:
    """Return a text with the names and versions that differ between two programs, or None if they are equal."""
    names = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
    differences = [f"{name} {theirs.get(name, 'none')} there and {ours.get(name, 'none')} here" for name in names]
    return "; ".join(differences) or None
