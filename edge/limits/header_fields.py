"""Header fields that show the limits of a key, and the value of `Retry-After`."""

from functools import lru_cache

from edge.limits.gcra import count_left, wait_for_all, wait_for_room
from edge.limits.months import SECOND, find_beginning
from edge.limits.store import LimitState
from edge.principal import Allowance

# What differs from one response to the next, written at once: field by field it takes three times as long.
_MOVING = (
    b"%bx-ratelimit-remaining: %d\r\nx-ratelimit-reset: %d\r\nratelimit-remaining: %d\r\nratelimit-reset: %d\r\n"
    b'ratelimit: "minute";r=%d;t=%d'
)
_PER_MINUTE = _MOVING + b"\r\n"
_PER_MONTH = _MOVING + b', "month";r=%d;t=%d\r\nx-quota-remaining: %d\r\nx-quota-reset: %d\r\n'

FIELDS = (
    "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
    "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy", "RateLimit",
    "X-Quota-Limit", "X-Quota-Remaining", "X-Quota-Reset",
)  # fmt: skip


def encode_fields(allowance: Allowance, reading: LimitState) -> bytes:
    """The lines of a response to a known key, as of `reading`. Resets are when a whole allowance is left, if nothing is
    asked until then. `RateLimit` and its policy as in draft-ietf-httpapi-ratelimit-headers-10."""
    limit, per_month = allowance.per_minute, allowance.per_month
    left, wait = count_left(reading.load, limit), wait_for_all(reading.load, limit)
    seconds, reset = -(-wait // SECOND), -(-(reading.now + wait) // SECOND)
    if per_month is None:
        return _PER_MINUTE % (_encode_fixed(limit, per_month), left, reset, left, seconds, left, seconds)
    ends = _find_end(reading.month)
    unused = max(0, per_month - reading.used)
    until = -(-(ends * SECOND - reading.now) // SECOND)
    return _PER_MONTH % (
        _encode_fixed(limit, per_month), left, reset, left, seconds, left, seconds, unused, until, unused, ends,
    )  # fmt: skip


def find_wait(allowance: Allowance, reading: LimitState) -> int:
    """Return `Retry-After` of a refused request: whole seconds, at least 1, and enough for rate and quota both."""
    wait = wait_for_room(reading.load, allowance.per_minute)
    if allowance.per_month is not None and reading.used >= allowance.per_month:
        wait = max(wait, _find_end(reading.month) * SECOND - reading.now)
    return max(1, -(-wait // SECOND))


@lru_cache(maxsize=1024)
def _encode_fixed(per_minute: int, per_month: int | None) -> bytes:
    """What is the same in each response to a key."""
    policy = b'"minute";q=%d;w=60' % per_minute
    quota = b""
    if per_month is not None:
        policy = b'%b, "month";q=%d' % (policy, per_month)
        quota = b"x-quota-limit: %d\r\n" % per_month
    fixed = b"x-ratelimit-limit: %d\r\nratelimit-limit: %d\r\nratelimit-policy: %b\r\n%b"
    return fixed % (per_minute, per_minute, policy, quota)


@lru_cache(maxsize=4)
def _find_end(month: int) -> int:
    """Unix seconds."""
    return find_beginning(month + 1) // SECOND
