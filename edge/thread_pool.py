"""Queue work fairly: in threads if it would block the event loop, else in turns on the event loop."""

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from outings.contract.errors import unavailable

Item = TypeVar("Item", bound=Hashable)


class FairQueue(Generic[Item]):
    """Queues of items, one for each API key, with `places` for all together. Keys take turns, so a key waits for one
    item of each other key, however many items they have."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._lines: dict[str, deque[Item]] = {}  # the key whose turn is next comes first

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def add(self, item: Item, *, key_id: str) -> tuple[str, Item] | None:
        """Append the item to its key's queue, unless it is there. If all places are taken, remove the newest item of
        the longest queue, preferably this key's, and return it with its key."""
        line = self._lines.setdefault(key_id, deque())
        if item not in line:
            line.append(item)
        if len(self) <= self._places:
            return None
        longest = max(self._lines, key=lambda key: (len(self._lines[key]), key == key_id))
        refused = self._lines[longest][-1]
        self.discard(refused, key_id=longest)
        return longest, refused

    def discard(self, item: Item, *, key_id: str) -> None:
        """Remove the item from the key's queue, if it is there."""
        line = self._lines.get(key_id, deque())
        if item in line:
            line.remove(item)
            if not line:
                del self._lines[key_id]

    def take(self) -> Item:
        """Remove and return the first item of the next key's queue. Some queue must have one."""
        key_id = next(iter(self._lines))
        line = self._lines.pop(key_id)
        item = line.popleft()
        if line:
            self._lines[key_id] = line
        return item


class Turns:
    """Turns of short work on the event loop: one in each round of the loop, so that connections are read and cached
    answers are sent between two, however many requests came at once. API keys take turns.

    A loop can't wake another thread's, so each event loop that asks has turns of its own.
    """

    def __init__(self) -> None:
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopTurns] = WeakKeyDictionary()

    async def wait(self, *, key_id: str) -> None:
        """Wait for this task's turn, which lasts until the task waits for anything else. Returns at once if the turn is
        free, or is this task's. A request that began outside of a task goes on in its own from here."""
        task = asyncio.current_task()
        if task is None:
            await asyncio.sleep(0)
            task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        turns = self._loops.get(loop)
        if turns is None:
            turns = self._loops[loop] = _LoopTurns()
        if turns.is_taken:
            if turns.owner is task:
                return
            turn: asyncio.Future[None] = loop.create_future()
            turns.queue.add(turn, key_id=key_id)
            try:
                await turn
            finally:
                turns.queue.discard(turn, key_id=key_id)
        else:
            turns.is_taken = True
            loop.call_soon(turns.pass_on)
        turns.owner = task


class _LoopTurns:
    """The turns of one event loop. `owner`: the task whose turn it is."""

    def __init__(self) -> None:
        # Unbounded, because each item belongs to an open connection.
        self.queue = FairQueue[asyncio.Future[None]](sys.maxsize)
        self.is_taken = False
        self.owner: asyncio.Task[Any] | None = None

    def pass_on(self) -> None:
        """End the turn, and give the next one to the queue."""
        self.owner, self.is_taken = None, False
        while self.queue and not self.is_taken:
            turn = self.queue.take()
            if not turn.done():  # else its client has left
                turn.set_result(None)
                self.is_taken = True
                asyncio.get_running_loop().call_soon(self.pass_on)


Result = TypeVar("Result")


class _Job:
    """Work that is waiting or running, and the requests that wait for its result, each with its key's id."""

    def __init__(self, name: Hashable, work: Callable[[], Any]) -> None:
        self.name = name
        self.work = work
        self.is_running = False
        self.waiting: dict[asyncio.Future[Any], str] = {}


class ThreadPool:
    """Runs work on `threads` threads, for one event loop. Up to `queue` items wait, and API keys take turns.

    Requests for work of the same name share one run, which starts at the first turn of any of their keys. Work that no
    request waits for any more leaves the queue.
    """

    def __init__(self, *, threads: int, queue: int, executor: Executor | None = None) -> None:
        self._executor = executor or ThreadPoolExecutor(threads, thread_name_prefix="answer")
        self._idle = threads
        self._queue = FairQueue[_Job](queue)
        self._jobs: dict[Hashable, _Job] = {}

    async def run(self, work: Callable[[], Result], *, key_id: str, name: Hashable = None) -> Result:
        """Run `work` in a thread, and return or raise what it does. Raises 503 if the queue is full and no other key
        has a longer one. Concurrent work with an equal `name` runs once; None shares with none."""
        name = object() if name is None else name
        job = self._jobs.get(name)
        if job is None:
            job = self._jobs[name] = _Job(name, work)
        result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        job.waiting[result] = key_id
        if not job.is_running:
            self._wait(job, key_id)
        try:
            return await result
        finally:
            del job.waiting[result]
            if key_id not in job.waiting.values():
                self._queue.discard(job, key_id=key_id)
            if not job.waiting:
                self._forget(job)

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _wait(self, job: _Job, key_id: str) -> None:
        refused = self._queue.add(job, key_id=key_id)
        if refused is not None:
            refused_id, refused_job = refused
            for future, other_id in refused_job.waiting.items():
                if other_id == refused_id and not future.done():
                    future.set_exception(unavailable(1))
        self._start()

    def _start(self) -> None:
        while self._idle and self._queue:
            job = self._queue.take()
            for key_id in job.waiting.values():
                self._queue.discard(job, key_id=key_id)
            job.is_running = True
            self._idle -= 1
            running = asyncio.get_running_loop().run_in_executor(self._executor, job.work)
            running.add_done_callback(partial(self._end, job))

    def _end(self, job: _Job, running: asyncio.Future[Any]) -> None:
        self._forget(job)
        self._idle += 1
        self._start()
        failure = None if running.cancelled() else running.exception()
        for future in job.waiting:
            if future.done():
                continue
            if running.cancelled():
                future.cancel()
            elif failure is not None:
                future.set_exception(failure)
            else:
                future.set_result(running.result())

    def _forget(self, job: _Job) -> None:
        """Let later requests of the job's name run it again."""
        if self._jobs.get(job.name) is job:
            del self._jobs[job.name]
