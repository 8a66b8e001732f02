"""The mapped file: shared by processes, kept over their ends, and refused where it is another's."""

import asyncio
import os
import random
import signal
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from edge.limits.limiter import (
    SLOTS,
    Allowance,
    LimitState,
    LimitStoreError,
    MappedLimitStore,
    Operation,
    Outcome,
    TableError,
)
from tests.edge.limits.conftest import BEGIN, Clock
from tests.forking import CONTEXT

ENDLESS = 10**9
SECOND = 1_000_000


def apply(limits: MappedLimitStore, allowance: Allowance, operation: Operation = Operation.TAKE) -> LimitState:
    return asyncio.run(limits.apply(allowance, operation))


def make_allowance(*, key: int = 0, client: int = 1, per_minute: int = ENDLESS) -> Allowance:
    return Allowance(key=key, client=client, per_minute=per_minute, per_month=ENDLESS)


def test_counts_are_there_for_the_next_process(tmp_path: Path) -> None:
    allowance = make_allowance(per_minute=60)
    first = MappedLimitStore(tmp_path / "limits", clock=Clock())
    for _ in range(10):
        apply(first, allowance)
    asyncio.run(first.close())
    reading = apply(MappedLimitStore(tmp_path / "limits", clock=Clock()), allowance, Operation.PEEK)
    assert (reading.used, reading.load) == (10, 10 * 60 * SECOND)


def test_the_folder_is_made_and_nobody_else_may_read_the_file(tmp_path: Path) -> None:
    MappedLimitStore(tmp_path / "a" / "b" / "limits")
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["limits"]
    assert (tmp_path / "a" / "b" / "limits").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("change", ["text", "empty", "short", "layout"])
def test_a_file_of_another_kind_is_refused_and_left_as_it_is(tmp_path: Path, change: str) -> None:
    path = tmp_path / "limits"
    asyncio.run(MappedLimitStore(path).close())
    whole = path.read_bytes()
    changed = {
        "text": b"A letter to my aunt.\n",
        "empty": b"",
        "short": whole[:-1],
        "layout": whole[:16] + b"\x63" + whole[17:],
    }[change]
    path.write_bytes(changed)
    with pytest.raises(TableError, match=r"limits: .*move the file away"):
        MappedLimitStore(path)
    assert path.read_bytes() == changed


def test_a_folder_that_cannot_be_written_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match="file/limits: can't be written"):
        MappedLimitStore(tmp_path / "file" / "limits")


def test_a_slot_that_the_file_has_not_is_not_counted(tmp_path: Path) -> None:
    limits = MappedLimitStore(tmp_path / "limits")
    with pytest.raises(LimitStoreError, match=str(SLOTS)):
        apply(limits, make_allowance(client=SLOTS))
    assert apply(limits, make_allowance(key=SLOTS - 1, client=SLOTS - 2)).used == 1


def take_many(path: Path, number: int, times: int) -> None:
    """One client's, and one of two keys' rates."""

    async def take() -> None:
        limits = MappedLimitStore(path, clock=Clock())
        for _ in range(times):
            await limits.apply(make_allowance(key=2 + number % 2), Operation.TAKE)

    asyncio.run(take())


def test_no_count_of_several_processes_is_lost_or_doubled(tmp_path: Path) -> None:
    path, times = tmp_path / "limits", 3_000
    processes = [CONTEXT.Process(target=take_many, args=(path, number, times)) for number in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    limits = MappedLimitStore(path, clock=Clock())
    for key in (2, 3):
        reading = apply(limits, make_allowance(key=key), Operation.PEEK)
        assert (reading.used, reading.load) == (4 * times, 2 * times * 60 * SECOND)


def take_and_tell(path: Path, report: Path, go: Event) -> None:
    """Appends a byte for every request that was counted, after it was."""
    file = os.open(report, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def take() -> None:
        limits = MappedLimitStore(path, clock=Clock())
        go.set()
        while True:
            if (await limits.apply(make_allowance(), Operation.TAKE)).outcome is Outcome.PASSED:
                os.write(file, b"x")

    asyncio.run(take())


def test_a_killed_worker_loses_no_count_and_holds_up_nobody(tmp_path: Path, cases: int) -> None:
    """Each kill may hit one request that was counted and not told."""
    path = tmp_path / "limits"
    limits = MappedLimitStore(path, clock=Clock())
    counted = 0
    chance = random.Random(cases)
    for kill in range(1, cases + 1):
        results = tmp_path / f"told-{kill}"
        go = CONTEXT.Event()
        process = CONTEXT.Process(target=take_and_tell, args=(path, results, go))
        process.start()
        assert go.wait(30)
        time.sleep(chance.random() / 50)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        counted += results.stat().st_size
        reading = apply(limits, make_allowance(), Operation.PEEK)
        assert counted <= reading.used <= counted + kill
        assert counted <= reading.load // (60 * SECOND) <= counted + kill


def hold_slot(path: Path, go: Event) -> None:
    """Stops inside an operation, with the slot held."""

    def stop() -> int:
        go.set()
        os.kill(os.getpid(), signal.SIGSTOP)
        return BEGIN

    asyncio.run(MappedLimitStore(path, clock=stop).apply(make_allowance(), Operation.TAKE))


def test_a_slot_that_stays_held_sleeps_on_no_loop_and_is_uncounted(tmp_path: Path) -> None:
    path, go = tmp_path / "limits", CONTEXT.Event()
    limits = MappedLimitStore(path, clock=Clock())
    process = CONTEXT.Process(target=hold_slot, args=(path, go))
    process.start()
    assert go.wait(30)
    assert process.pid is not None

    async def ask() -> list[object]:
        turns = 0

        async def turn() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        turning = asyncio.create_task(turn())
        locked = await asyncio.gather(limits.apply(make_allowance(), Operation.TAKE), return_exceptions=True)
        others = await limits.apply(make_allowance(key=6, client=7), Operation.TAKE)
        turning.cancel()
        assert turns > 100
        return [*locked, others]

    try:
        blocked, others = asyncio.run(ask())
        assert isinstance(blocked, LimitStoreError)
        assert isinstance(others, LimitState)
        os.kill(process.pid, signal.SIGCONT)
        process.join(30)
        assert apply(limits, make_allowance()).used == 2
    finally:
        process.kill()
        process.join()
