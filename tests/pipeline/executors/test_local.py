"""Builds on one machine, by as many processes as the work is worth or as the operator sets."""

import os
from collections.abc import Callable

import pytest

from pipeline.executors.local import START, LocalExecutor

Open = Callable[[int | None], LocalExecutor]
LITTLE, MUCH = (START, START), (100 * START, 100 * START)


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def open_executor(lines: list[str]) -> Open:
    def call(count: int | None) -> LocalExecutor:
        return LocalExecutor(count, limit=2, abandon=lambda: None, tell=lines.append)

    return call


def test_little_work_is_done_by_the_build_itself_and_much_by_workers_that_stay(
    open_executor: Open, lines: list[str]
) -> None:
    with open_executor(None) as executor:
        executor.expect("feeds", LITTLE)
        assert executor.submit(os.getpid).result() == os.getpid()
        executor.expect("metros", MUCH)
        assert executor.submit(os.getpid).result() != os.getpid()
        executor.expect("the rest", LITTLE[:1])
        assert executor.submit(os.getpid).result() != os.getpid()
    assert lines == [
        "feeds: 2, in this process", "metros: 2, in 2 worker processes", "the rest: 1, in 1 worker process"
    ]  # fmt: skip


def test_the_operators_number_of_workers_is_used_whatever_the_work(open_executor: Open) -> None:
    with open_executor(2) as executor:
        executor.expect("metros", LITTLE)
        assert executor.submit(os.getpid).result() != os.getpid()
    with open_executor(1) as executor:
        executor.expect("metros", MUCH)
        assert executor.submit(os.getpid).result() == os.getpid()


def test_a_stage_without_tasks_is_not_logged(open_executor: Open, lines: list[str]) -> None:
    with open_executor(2) as executor:
        executor.expect("feeds", ())
    assert lines == []
