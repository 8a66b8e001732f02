"""Where requests are counted: a protocol for every store."""

import time
from enum import IntEnum
from typing import Protocol

from msgspec import Struct

from edge.principal import Allowance


def read_microseconds() -> int:
    return time.time_ns() // 1000


class Operation(IntEnum):
    """`TAKE` one of the rate and of the quota, `PEEK` at what is left, `REFUND` the quota of a request that failed."""

    TAKE = 0
    PEEK = 1
    REFUND = 2


class Outcome(IntEnum):
    """The outcome of a `TAKE`; every other operation passes. A refusal changes nothing."""

    PASSED = 0
    RATE_SPENT = 1
    QUOTA_SPENT = 2


class LimitState(Struct, frozen=True, kw_only=True, gc=False):
    """After an operation. `now`: microseconds since 1970. `load`: of the key's bucket, as in gcra.py. `used`: billed to
    the client in `month`, numbered as in months.py; to an unlimited one too.
    """

    outcome: Outcome
    now: int
    load: int
    month: int
    used: int


class LimitStoreError(Exception):
    """The store can't count now; the text says why."""


class LimitStore(Protocol):
    async def apply(self, allowance: Allowance, operation: Operation, *, month: int = 0) -> LimitState:
        """As a whole: two operations at once, in whatever processes, are one after the other. Raises LimitStoreError.

        `month`: that of the `TAKE` which a `REFUND` undoes; another month's is gone, and is not refunded.
        Nothing in it may block the event loop.
        """

    async def close(self) -> None:
        """Nothing is counted any more."""
