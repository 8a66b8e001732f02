"""The decision: the stored counts and an operation → the new counts, and whether the request passes."""

from msgspec import Struct

from edge.limits.gcra import MINUTE, has_room, leak
from edge.limits.store import LimitState, Operation, Outcome
from edge.principal import Allowance

# A name of an enumeration costs as much as the rule itself.
_TAKE, _REFUND, _PASSED = Operation.TAKE, Operation.REFUND, Outcome.PASSED


class StoredCounts(Struct, frozen=True, kw_only=True):
    """Counts in a store: `load` of the key's bucket at the time `then`, and the client's `used` requests in `month`."""

    then: int = 0
    load: int = 0
    month: int = 0
    used: int = 0


def decide(
    before: StoredCounts, allowance: Allowance, operation: Operation, *, now: int, month: int, refunded: int = 0
) -> LimitState:
    """`month` is that of `now`; another one's count is gone. `refunded`: the month of a `REFUND`."""
    load = leak(before.load, then=before.then, now=now, limit=allowance.per_minute)
    used = before.used if before.month == month else 0
    outcome = _PASSED
    if operation is _TAKE:
        if not has_room(load, allowance.per_minute):
            outcome = Outcome.RATE_SPENT
        elif allowance.per_month is not None and used >= allowance.per_month:
            outcome = Outcome.QUOTA_SPENT
        else:
            load, used = load + MINUTE, used + 1
    elif operation is _REFUND and refunded == month:
        used = max(0, used - 1)
    return LimitState(outcome=outcome, now=now, load=load, month=month, used=used)
