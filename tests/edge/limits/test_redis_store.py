"""Redis: by its own clock, for several machines at once, and gone and back."""

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from edge.limits.limiter import Allowance, LimitStoreError, Operation, Outcome, encode_fields, open_limits
from edge.response_headers import split_lines
from tests.edge.limits.conftest import RedisServer

if TYPE_CHECKING:
    from edge.limits.redis_store import RedisLimitStore

ALLOWANCE = Allowance(key=1, client=2, per_minute=600, per_month=10**9)
# Redis has answered by then, however busy the machine is.
PATIENCE = 60.0


def open_store(address: str, *, timeout_seconds: float = 1.0) -> "RedisLimitStore":
    """Open a store. The client of Redis takes a second to import, so only the worker that runs these tests does."""
    from edge.limits.redis_store import RedisLimitStore

    return RedisLimitStore(address, timeout_seconds=timeout_seconds)


async def take(limits: "RedisLimitStore", times: int) -> list[Outcome]:
    readings = await asyncio.gather(*(limits.apply(ALLOWANCE, Operation.TAKE) for _ in range(times)))
    return [reading.outcome for reading in readings]


async def wait_until_counted(limits: "RedisLimitStore") -> None:
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        try:
            await limits.apply(ALLOWANCE, Operation.PEEK)
        except LimitStoreError:
            await asyncio.sleep(0.05)
        else:
            return
    raise AssertionError("it does not count again")


async def take_in_vain(limits: "RedisLimitStore", times: int) -> int:
    """Count how many requests reached Redis. The others were refused because one before them had failed."""
    attempts = 0
    for _ in range(times):
        with pytest.raises(LimitStoreError) as refused:
            await limits.apply(ALLOWANCE, Operation.TAKE)
        attempts += str(refused.value) != "Redis did not answer"
    return attempts


def test_time_is_rediss_own(redis: RedisServer) -> None:
    redis.clear()

    async def ask() -> None:
        limits = open_limits(redis.name_url(), state=Path("nowhere"))
        reading = await limits.apply(ALLOWANCE, Operation.TAKE)
        assert abs(reading.now / 1e6 - time.time()) < 60
        fields = dict(split_lines(encode_fields(ALLOWANCE, reading)))
        assert fields[b"x-ratelimit-remaining"] == b"599"
        assert time.time() < int(fields[b"x-quota-reset"]) <= time.time() + 31 * 86_400 + 60
        await limits.close()

    asyncio.run(ask())


@pytest.mark.long
def test_several_edges_share_one_count(redis: RedisServer) -> None:
    redis.clear()

    async def ask() -> None:
        edges = [open_store(redis.name_url(), timeout_seconds=PATIENCE) for _ in range(3)]
        began = time.monotonic()
        outcomes = [value for batch in await asyncio.gather(*(take(edge, 300) for edge in edges)) for value in batch]
        spent = time.monotonic() - began
        passed = outcomes.count(Outcome.PASSED)
        assert 600 <= passed <= 600 * (1 + spent / 60) + 1
        assert (await edges[0].apply(ALLOWANCE, Operation.PEEK)).used == passed
        for edge in edges:
            await edge.close()

    asyncio.run(ask())


def test_a_rate_is_forgotten_when_it_is_whole_and_a_quota_after_its_month(redis: RedisServer) -> None:
    redis.clear()

    async def ask() -> None:
        limits = open_store(redis.name_url(), timeout_seconds=PATIENCE)
        await limits.apply(ALLOWANCE, Operation.TAKE)
        client = limits._redis
        assert sorted(await client.keys()) == [b"outings:{2}", b"outings:{2}:1"]
        assert 60 <= await client.ttl("outings:{2}:1") <= 120
        assert 31 * 86_400 < await client.ttl("outings:{2}") <= 70 * 86_400
        await limits.close()

    asyncio.run(ask())


def test_a_redis_that_is_killed_is_missed_and_counting_resumes(own_redis: RedisServer, cases: int) -> None:
    async def ask() -> None:
        limits, counted = open_store(own_redis.name_url(), timeout_seconds=PATIENCE), 0
        for _ in range(min(cases, 5)):
            counted += (await take(limits, 10)).count(Outcome.PASSED)
            own_redis.kill()
            assert 1 <= await take_in_vain(limits, 200) < 20
            own_redis.start()
            await wait_until_counted(limits)
            assert (await limits.apply(ALLOWANCE, Operation.PEEK)).used == counted
        await limits.close()

    asyncio.run(ask())


def test_a_redis_that_hangs_costs_a_few_readers_the_time_out_and_no_more(own_redis: RedisServer) -> None:
    async def ask() -> None:
        limits = open_store(own_redis.name_url())
        await wait_until_counted(limits)
        assert own_redis.process is not None
        os.kill(own_redis.process.pid, signal.SIGSTOP)
        try:
            assert 1 <= await take_in_vain(limits, 200) < 20
        finally:
            os.kill(own_redis.process.pid, signal.SIGCONT)
        await wait_until_counted(limits)
        await limits.close()

    asyncio.run(ask())


def test_what_is_reported_of_a_failure_names_no_password() -> None:
    async def ask() -> None:
        limits = open_store("redis://:open-sesame@127.0.0.1:1/0")
        with pytest.raises(LimitStoreError) as raised:
            await limits.apply(ALLOWANCE, Operation.TAKE)
        assert "sesame" not in str(raised.value)
        await limits.close()

    asyncio.run(ask())
