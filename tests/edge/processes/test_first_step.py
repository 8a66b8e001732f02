"""An answer runs until it waits, and only then becomes a task."""

import asyncio

from edge.serving.http_protocol import begin


async def note(steps: list[str], *, until: asyncio.Future[str] | None = None) -> None:
    try:
        steps.append("begun")
        if until is not None:
            steps.append(await until)
            await asyncio.sleep(0)
        steps.append("ended")
    except ValueError as error:
        steps.append(str(error))
    finally:
        steps.append("left")


def test_what_waits_for_nothing_needs_no_task() -> None:
    steps: list[str] = []

    async def run() -> None:
        assert begin(note(steps)) is None

    asyncio.run(run())
    assert steps == ["begun", "ended", "left"]


def test_what_waits_goes_on_as_a_task_with_what_it_waited_for() -> None:
    steps: list[str] = []

    async def run() -> None:
        awaited = asyncio.get_running_loop().create_future()
        task = begin(note(steps, until=awaited))
        assert task is not None
        assert steps == ["begun"]
        awaited.set_result("waited")
        await task

    asyncio.run(run())
    assert steps == ["begun", "waited", "ended", "left"]


def test_a_failure_of_what_is_waited_for_is_raised_where_it_waits() -> None:
    steps: list[str] = []

    async def run() -> None:
        awaited = asyncio.get_running_loop().create_future()
        task = begin(note(steps, until=awaited))
        assert task is not None
        await asyncio.sleep(0)
        awaited.set_exception(ValueError("failed"))
        await task

    asyncio.run(run())
    assert steps == ["begun", "failed", "left"]


def test_what_is_cancelled_is_left_whether_its_task_has_begun_or_not() -> None:
    for turns in (0, 3):
        steps: list[str] = []

        async def run(steps: list[str] = steps, turns: int = turns) -> None:
            task = begin(note(steps, until=asyncio.get_running_loop().create_future()))
            assert task is not None
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            await asyncio.sleep(0)

        asyncio.run(run())
        assert steps == ["begun", "left"]
