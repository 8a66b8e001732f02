"""Withdrawals: what the operator took down, as a root says it, and the releases that ended with it.

Neither has a word of what was taken down: ids, times, codes, and hashes of what feeds call it by.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from msgspec import Struct


class Withdrawal(Struct, frozen=True, kw_only=True):
    """Of a listing or an organization, known by its id. `reason` is the operator's own code; by `marks`, which are
    hashes, records that speak of it are known (`pipeline.takedown.marks`). `is_over`: it may be published again."""

    type: str
    at: datetime
    reason: str
    marks: tuple[str, ...] = ()
    is_over: bool = False


class ReleaseRange(Struct, frozen=True, array_like=True):
    """The releases from this sequence to that one, both included: they hold what was taken down, and answer nobody."""

    first: int
    last: int


Withdrawals = Mapping[str, Withdrawal]


def list_withdrawn(withdrawals: Withdrawals) -> frozenset[str]:
    """The ids that no release may have."""
    return frozenset(row_id for row_id, each in withdrawals.items() if not each.is_over)


def has_ended(ended: Iterable[ReleaseRange], sequence: int) -> bool:
    return any(each.first <= sequence <= each.last for each in ended)


def add_ended(ended: Collection[ReleaseRange], first: int, last: int) -> tuple[ReleaseRange, ...]:
    """With one more run of releases, joined with those that it meets; in order."""
    for each in ended:
        if each.first <= last + 1 and first <= each.last + 1:
            first, last = min(first, each.first), max(last, each.last)
    apart = [each for each in ended if each.last + 1 < first or last + 1 < each.first]
    return tuple(sorted([*apart, ReleaseRange(first, last)], key=lambda each: each.first))


class WithdrawalChange(Struct, frozen=True, kw_only=True):
    """What a release changes of it. `withdrawals`: all there are from then on. Of the ids in `erased` the log keeps no
    word, and releases `since` this sequence end; None where none does."""

    withdrawals: Withdrawals
    erased: frozenset[str] = frozenset()
    since: int | None = None
