"""Run a build's tasks on this machine: in this process, or in worker processes when these save more time than they cost
to start."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from types import TracebackType
from typing import Any, TypeVar

from pipeline.executors.workers import open_workers

T = TypeVar("T")
# Milliseconds to start a process: Python, its imports, and the first reads of a task.
START = 1_000.0


class InlineExecutor(Executor):
    """An executor that runs each task at once in this process: for one worker, and for tests."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 it is raised where the result is asked for
            future.set_exception(error)
        return future


class LocalExecutor(Executor):
    """An executor with `count` processes, or if None as many as save time, up to `limit`. 1 means this process.

    Workers stay for later stages, unless these need more. `tell` reports their number; `open_workers` calls `abandon`.
    """

    def __init__(
        self, count: int | None, *, limit: int, abandon: Callable[[], None], tell: Callable[[str], None]
    ) -> None:
        self._fixed, self._limit, self._abandon, self._tell = count, limit, abandon, tell
        self._count, self._opened = 1, ExitStack()
        self._within: Executor = InlineExecutor()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.__exit__(kind, error, trace)

    def expect(self, what: str, amounts: Sequence[float]) -> None:
        """Start enough worker processes for the tasks to come. `what` names the tasks; `amounts`: milliseconds that
        each takes."""
        if not amounts:
            return
        tasks = len(amounts)
        count = self._fixed or choose_processes(amounts, limit=self._limit)
        if count > self._count:
            self._opened.close()
            self._within = self._opened.enter_context(open_workers(count, abandon=self._abandon))
            self._count = count
        used = min(self._count, tasks)
        workers = "1 worker process" if used == 1 else f"{used} worker processes"
        self._tell(f"{what}: {tasks}, in {'this process' if self._count == 1 else workers}")

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return self._within.submit(fn, *args, **kwargs)


def choose_processes(amounts: Sequence[float], *, limit: int) -> int:
    """Return how many processes to use, at most `limit`: the number that saves the most time, given what starting each
    costs. 1 means to do the work in this process."""

    def find_gain(count: int) -> float:
        last = max(max(amounts), sum(amounts) / count)
        return sum(amounts) - last - count * START

    best = max(range(2, min(limit, len(amounts)) + 1), key=find_gain, default=1)
    return best if best > 1 and find_gain(best) > 0 else 1
