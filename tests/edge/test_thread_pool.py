"""Slow work waits in one place: keys take turns, equal work is done once, and what nobody waits for is dropped."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Executor, Future
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.thread_pool import FairQueue, ThreadPool
from outings.contract.errors import ApiError


class Steps(Executor):
    """Work that is done when the test says so, one piece after the other."""

    def __init__(self) -> None:
        self.started: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, work: Callable[..., Any], /, *_: Any, **__: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.started.append((future, work))
        return future

    def finish(self) -> None:
        """Do the work that was started last."""
        future, work = self.started[-1]
        try:
            future.set_result(work())
        except ValueError as error:
            future.set_exception(error)


def run(scenario: Callable[[ThreadPool, Steps], Coroutine[Any, Any, None]], *, queue: int = 64) -> None:
    steps = Steps()
    asyncio.run(scenario(ThreadPool(threads=1, queue=queue, executor=steps), steps))


async def settle() -> None:
    """Let everything happen that can happen now."""
    for _ in range(10):
        await asyncio.sleep(0)


async def finish(steps: Steps) -> None:
    steps.finish()
    await settle()


async def start(pool: ThreadPool, key_id: str, done: list[str], *names: str) -> list[asyncio.Task[None]]:
    """A request for each name, which is that of its work."""

    async def ask(name: str) -> None:
        await pool.run(lambda: done.append(name), key_id=key_id, name=name)

    tasks = [asyncio.create_task(ask(name)) for name in names]
    await settle()
    return tasks


def test_a_key_waits_for_one_piece_of_work_of_each_other_key() -> None:
    async def scenario(pool: ThreadPool, steps: Steps) -> None:
        done: list[str] = []
        await start(pool, "greedy", done, *(f"greedy {n}" for n in range(40)))
        await start(pool, "modest", done, "modest 0", "modest 1")
        for _ in range(5):
            await finish(steps)
        assert done == ["greedy 0", "greedy 1", "modest 0", "greedy 2", "modest 1"]

    run(scenario)


def test_work_that_nobody_waits_for_any_more_is_never_begun() -> None:
    async def scenario(pool: ThreadPool, steps: Steps) -> None:
        done: list[str] = []
        tasks = await start(pool, "greedy", done, *(f"greedy {n}" for n in range(40)))
        for task in tasks:
            task.cancel()
        await start(pool, "modest", done, "modest")
        await finish(steps)
        await finish(steps)
        assert done == ["greedy 0", "modest"]
        assert len(steps.started) == 2

    run(scenario)


def test_equal_work_is_done_once_and_for_whoever_still_waits() -> None:
    async def scenario(pool: ThreadPool, steps: Steps) -> None:
        done: list[str] = []
        await start(pool, "a", done, "first")
        gone, *_ = await start(pool, "a", done, "same", "same")
        await start(pool, "b", done, "same")
        gone.cancel()
        await finish(steps)
        running = await start(pool, "c", done, "same")
        await finish(steps)
        assert done == ["first", "same"]
        assert len(steps.started) == 2
        assert running[0].done()
        await start(pool, "c", done, "same")
        await finish(steps)
        assert done == ["first", "same", "same"]

    run(scenario)


def test_equal_work_has_its_turn_when_any_of_its_keys_has() -> None:
    async def scenario(pool: ThreadPool, steps: Steps) -> None:
        done: list[str] = []
        await start(pool, "greedy", done, *(f"greedy {n}" for n in range(40)))
        await start(pool, "modest", done, "greedy 39")
        for _ in range(3):
            await finish(steps)
        assert done == ["greedy 0", "greedy 1", "greedy 39"]

    run(scenario)


def test_a_failure_reaches_every_request_that_waits() -> None:
    async def scenario(pool: ThreadPool, steps: Steps) -> None:
        async def ask(key_id: str) -> None:
            await pool.run(lambda: int("no number"), key_id=key_id, name="same")

        tasks = [asyncio.create_task(ask(key_id)) for key_id in "ab"]
        await settle()
        await finish(steps)
        assert [type(task.exception()) for task in tasks] == [ValueError, ValueError]

    run(scenario)


def read_refusal(task: asyncio.Task[None]) -> tuple[int, str]:
    error = task.exception()
    assert isinstance(error, ApiError)
    return error.status, error.headers["Retry-After"]


def test_a_full_queue_refuses_the_key_that_has_most_in_it_with_503() -> None:
    async def scenario(pool: ThreadPool, steps: Steps) -> None:
        done: list[str] = []
        first, second, third, fourth = await start(pool, "greedy", done, *"1234")
        assert read_refusal(fourth) == (503, "1")
        [modest] = await start(pool, "modest", done, "modest")
        assert read_refusal(third) == (503, "1")
        [another] = await start(pool, "another", done, "another")
        assert read_refusal(another) == (503, "1")
        for _ in range(3):
            await finish(steps)
        assert [entry.done() for entry in (first, second, modest)] == [True] * 3
        assert done == ["1", "2", "modest"]

    run(scenario, queue=2)


@given(keys=st.lists(st.sampled_from("abc"), max_size=30), places=st.integers(1, 6))
def test_all_work_is_taken_in_the_order_of_its_key(keys: Sequence[str], places: int) -> None:
    queue, items = FairQueue[tuple[str, int]](places), list(enumerate(keys))
    refused = set()
    for number, key_id in items:
        rejected = queue.add((key_id, number), key_id=key_id)
        refused |= set() if rejected is None else {rejected[1]}
    kept = {(key_id, number) for number, key_id in items} - refused
    taken = [queue.take() for _ in range(len(queue))]
    assert set(taken) == kept
    assert len(taken) == min(places, len(items))
    for key_id in "abc":
        own = [number for other, number in taken if other == key_id]
        assert own == sorted(own)
        # Between two of one key no other key has two.
        for at in range(len(taken) - 1):
            until = next((n for n in range(at + 1, len(taken)) if taken[n][0] == taken[at][0]), len(taken))
            between = [other for other, _ in taken[at + 1 : until]]
            assert len(between) == len(set(between)) or until == len(taken)


@pytest.mark.parametrize("key_id", ["a", "b"])
def test_discarding_a_key_that_does_not_wait_is_no_error(key_id: str) -> None:
    queue = FairQueue[str](2)
    queue.add("work", key_id="a")
    queue.discard("other", key_id=key_id)
    assert queue.take() == "work"
