"""Rate limiter: counts the requests of a key against its rate and its client's quota."""

from collections.abc import Awaitable
from pathlib import Path

import structlog
from msgspec import Struct

from edge.limits.header_fields import encode_fields, find_wait
from edge.limits.mapped_store import LOCAL, NAME, MappedLimitStore
from edge.limits.months import find_month
from edge.limits.store import LimitState, LimitStore, LimitStoreError, Operation, Outcome, read_microseconds
from edge.principal import Allowance, Principal
from edge.usage.counts import Counter, Counts
from outings.contract.errors import ApiError, quota_exceeded, rate_limited

log = structlog.get_logger()

_PASSED = Outcome.PASSED


class LimitDecision(Struct, frozen=True, kw_only=True, gc=False):
    """A decision on one request: whether it is within its limits, and what is left. `reading` is None if the store
    could not count it."""

    allowance: Allowance
    reading: LimitState | None

    @property
    def has_passed(self) -> bool:
        return self.reading is None or self.reading.outcome is _PASSED

    def encode_fields(self) -> bytes:
        """The header fields, as lines. They show a full allowance if nothing could be counted."""
        if self.reading is not None:
            return encode_fields(self.allowance, self.reading)
        now = read_microseconds()
        fresh = LimitState(outcome=_PASSED, now=now, load=0, month=find_month(now), used=0)
        return encode_fields(self.allowance, fresh)

    def make_refusal(self) -> ApiError:
        assert self.reading is not None
        wait = find_wait(self.allowance, self.reading)
        return rate_limited(wait) if self.reading.outcome is Outcome.RATE_SPENT else quota_exceeded(wait)


class RateLimiter(Struct):
    """If the store of counters is out of reach, requests pass; the log and a metric say so."""

    limits: LimitStore
    counts: Counts
    is_down: bool = False

    def take(self, principal: Principal) -> Awaitable[LimitDecision]:
        """Count a request."""
        return self._count(principal.allowance, Operation.TAKE)

    async def show(self, principal: Principal) -> LimitDecision:
        return await self._count(principal.allowance, Operation.PEEK)

    async def refund(self, taken: LimitDecision) -> LimitDecision:
        """Gives back a request of the quota, unless it was not counted."""
        if taken.reading is None:
            return taken
        return await self._count(taken.allowance, Operation.REFUND, month=taken.reading.month)

    async def _count(self, allowance: Allowance, operation: Operation, *, month: int = 0) -> LimitDecision:
        try:
            reading = await self.limits.apply(allowance, operation, month=month)
        except LimitStoreError as error:
            self.counts.add(Counter.UNCOUNTED)
            if not self.is_down:
                log.error("limits_down", reason=str(error))
            self.is_down = True
            return LimitDecision(allowance=allowance, reading=None)
        if self.is_down:
            log.info("limits_back")
            self.is_down = False
        return LimitDecision(allowance=allowance, reading=reading)


def open_limits(rate_storage: str, *, state: Path) -> LimitStore:
    """The store of counters that a configuration names. `state` is the folder of this machine's counters. Raises
    TableError, and ImportError without the extra `redis`."""
    if rate_storage == LOCAL:
        return MappedLimitStore(state / NAME)
    from edge.limits.redis_store import RedisLimitStore

    return RedisLimitStore(rate_storage)
