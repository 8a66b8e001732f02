"""Rate-limit counters of several machines: one atomic script on Redis, by Redis's own clock.

`outings:{CLIENT}:KEY` is a key's bucket, gone when it is empty; `outings:{CLIENT}` a client's count of the month, gone
some time after it. CLIENT and KEY are slot numbers, so each registry needs its own Redis database.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from edge.limits.limiter import (
    MINUTE,
    Allowance,
    LimitState,
    LimitStoreError,
    Operation,
    Outcome,
    find_beginning,
    find_month,
    read_microseconds,
)

# What `limiter.decide` says, in Lua: one contract suite runs over both. Numbers are exact below 2^53. The month of the
# caller's clock may be the one before or after that of Redis's.
SCRIPT = """
local act, limit, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local month, begins, ends, refunded = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local minute, now = tonumber(ARGV[8]), tonumber(ARGV[9])
if not now then
  local clock = redis.call('TIME')
  now = clock[1] * 1000000 + clock[2]
end
if now < begins then month = month - 1 elseif now >= ends then month = month + 1 end
local bucket = redis.call('HMGET', KEYS[1], 'then', 'load')
local since = tonumber(bucket[1]) or 0
if since > now then
  since = now
  redis.call('HSET', KEYS[1], 'then', string.format('%.0f', now))
end
local load = math.min(tonumber(bucket[2]) or 0, limit * minute)
load = math.max(0, load - limit * (now - since))
local billed = redis.call('HMGET', KEYS[2], 'month', 'used')
local used, counted = 0, tonumber(billed[1]) or 0
if counted > month then redis.call('HSET', KEYS[2], 'month', month) end
if counted >= month then used = tonumber(billed[2]) end
local outcome = 0
if act == 'take' then
  if load + minute > limit * minute then
    outcome = 1
  elseif most >= 0 and used >= most then
    outcome = 2
  else
    load, used = load + minute, used + 1
    redis.call('HSET', KEYS[1], 'then', string.format('%.0f', now), 'load', string.format('%.0f', load))
    redis.call('PEXPIRE', KEYS[1], 120000)
    redis.call('HSET', KEYS[2], 'month', month, 'used', string.format('%.0f', used))
    redis.call('EXPIRE', KEYS[2], 5616000)
  end
elseif act == 'refund' and refunded == month and used > 0 then
  used = used - 1
  redis.call('HSET', KEYS[2], 'used', string.format('%.0f', used))
end
return {outcome, string.format('%.0f', now), string.format('%.0f', load), month, string.format('%.0f', used)}
"""

# A reply takes 0.3 ms; a busy machine that reads it late has not failed.
TIMEOUT_SECONDS = 1.0
# Pause after a failure, so that a Redis that hangs costs one reader the time-out, not every one.
REST_SECONDS = 1.0
MOST_CONNECTIONS = 16


class RedisLimitStore:
    """A store of counters in Redis, for one event loop. `url`: redis://, rediss:// or unix://. `clock`: microseconds
    since 1970, in place of Redis's clock. `timeout_seconds`: for a connection, and for a reply.

    A script whose reply is lost is not sent again, so it counts once at most.
    """

    def __init__(
        self, url: str, *, clock: Callable[[], int] | None = None, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> None:
        pool = ConnectionPool.from_url(
            url, socket_timeout=timeout_seconds, socket_connect_timeout=timeout_seconds, retry=Retry(NoBackoff(), 0)
        )
        self._free = asyncio.Semaphore(MOST_CONNECTIONS)
        self._redis = Redis(connection_pool=pool)
        self._script = self._redis.register_script(SCRIPT)
        self._clock = clock
        self._rests_until = 0.0

    async def apply(self, allowance: Allowance, operation: Operation, *, month: int = 0) -> LimitState:
        if asyncio.current_task() is None:  # redis-py's timeouts need one
            await asyncio.sleep(0)
        async with self._free:
            if time.monotonic() < self._rests_until:  # asked here: what failed for one holds for all that waited
                raise LimitStoreError("Redis did not answer")
            return await self._run_script(allowance, operation, month)

    async def _run_script(self, allowance: Allowance, operation: Operation, month: int) -> LimitState:
        now = read_microseconds() if self._clock is None else self._clock()
        present = find_month(now)
        most = -1 if allowance.per_month is None else allowance.per_month
        words: list[Any] = [
            operation.name.lower(), allowance.per_minute, most, present, find_beginning(present),
            find_beginning(present + 1), month, MINUTE, "" if self._clock is None else now,
        ]  # fmt: skip
        client = f"outings:{{{allowance.client}}}"
        try:
            outcome, *numbers = await self._script(keys=[f"{client}:{allowance.key}", client], args=words)
        except (TimeoutError, RedisError, OSError) as error:
            self._rests_until = time.monotonic() + REST_SECONDS
            # Idle connections are dead as well, or will be.
            with contextlib.suppress(RedisError, OSError):
                await self._redis.connection_pool.disconnect(inuse_connections=False)
            raise LimitStoreError(f"Redis: {type(error).__name__}") from error  # its text may have the URL's password
        counted, load, month, used = map(int, numbers)
        return LimitState(outcome=Outcome(outcome), now=counted, load=load, month=month, used=used)

    async def close(self) -> None:
        await self._redis.aclose()
        await self._redis.connection_pool.disconnect()
