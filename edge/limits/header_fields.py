"""Header fields that show the limits of a key, and the value of `Retry-After`."""

from functools import lru_cache

from edge.limits.gcra import count_left, wait_for_all, wait_for_room
from edge.limits.months import SECOND, find_beginning
from edge.limits.store import Allowance, LimitState, Outcome

Field = tuple[bytes, bytes]

FIELDS = (
    "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
    "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy", "RateLimit",
    "X-Quota-Limit", "X-Quota-Remaining", "X-Quota-Reset",
)  # fmt: skip


def list_fields(allowance: Allowance, reading: LimitState) -> tuple[Field, ...]:
    """Of a response to a known key, as of `reading`. Resets are when a whole allowance is left, if nothing is asked
    until then. `RateLimit` and its policy as in draft-ietf-httpapi-ratelimit-headers-10."""
    limit = allowance.per_minute
    left = b"%d" % count_left(reading.load, limit)
    wait = wait_for_all(reading.load, limit)
    seconds = b"%d" % -(-wait // SECOND)
    fields = (
        *_list_fixed(limit, allowance.per_month),
        (b"x-ratelimit-remaining", left),
        (b"x-ratelimit-reset", b"%d" % -(-(reading.now + wait) // SECOND)),
        (b"ratelimit-remaining", left),
        (b"ratelimit-reset", seconds),
    )
    if allowance.per_month is None:
        return (*fields, (b"ratelimit", b'"minute";r=%b;t=%b' % (left, seconds)))
    ends = _find_end(reading.month)
    unused = max(0, allowance.per_month - reading.used)
    until = -(-(ends * SECOND - reading.now) // SECOND)
    return (
        *fields,
        (b"ratelimit", b'"minute";r=%b;t=%b, "month";r=%d;t=%d' % (left, seconds, unused, until)),
        (b"x-quota-remaining", b"%d" % unused),
        (b"x-quota-reset", b"%d" % ends),
    )


def find_wait(allowance: Allowance, reading: LimitState) -> int:
    """`Retry-After` of what was refused: whole seconds, at least 1, always enough."""
    if reading.outcome is Outcome.QUOTA_SPENT:
        wait = _find_end(reading.month) * SECOND - reading.now
    else:
        wait = wait_for_room(reading.load, allowance.per_minute)
    return max(1, -(-wait // SECOND))


@lru_cache(maxsize=1024)
def _list_fixed(per_minute: int, per_month: int | None) -> tuple[Field, ...]:
    limit, policy = b"%d" % per_minute, b'"minute";q=%d;w=60' % per_minute
    fixed = ((b"x-ratelimit-limit", limit), (b"ratelimit-limit", limit))
    if per_month is None:
        return (*fixed, (b"ratelimit-policy", policy))
    policy = b'%b, "month";q=%d' % (policy, per_month)
    return (*fixed, (b"ratelimit-policy", policy), (b"x-quota-limit", b"%d" % per_month))


@lru_cache(maxsize=4)
def _find_end(month: int) -> int:
    """Unix seconds."""
    return find_beginning(month + 1) // SECOND
