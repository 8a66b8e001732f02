"""The protocol of a store that counts requests."""

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
    """Counts after an operation.

    Attributes:
        now: microseconds since 1970.
        load: of the key's bucket, as in gcra.py.
        used: requests billed to the client in `month`, which months.py numbers. Unlimited clients are billed too.
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
        """Apply an operation atomically, also beside other processes. Raises LimitStoreError.

        `month`: the month of the `TAKE` that a `REFUND` undoes; one of another month is not refunded.
        An implementation must not block the event loop.
        """

    async def close(self) -> None:
        """Release the store. Nothing may be counted after this."""
