"""Counts failed keys by client address: an address with too many gets 429. An active key passes from anywhere."""

from collections.abc import Callable

from cachetools import FIFOCache

from edge.limits.gcra import MINUTE, has_room, leak, wait_for_room
from outings.contract.errors import ApiError, rate_limited, unauthorized

# Failures of one origin, of each worker. A check sum tells typing errors from keys, and 62 letters to the thirtieth
# leave nothing to guess: the bound is on what failures cost us.
MOST_PER_MINUTE = 60
MOST_ORIGINS = 16_384
_SECOND = 1_000_000


class _Bucket:
    def __init__(self) -> None:
        self.then = 0
        self.load = 0


class FailureLimiter:
    """`clock`: microseconds. An origin that was evicted from the cache starts a new minute. For one thread."""

    def __init__(self, *, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._buckets: FIFOCache[str, _Bucket] = FIFOCache(MOST_ORIGINS)

    def make_refusal(self, origin: str | None) -> ApiError:
        """Of a request without a key in force: 401, and 429 once there were too many. None is not counted."""
        if origin is None:
            return unauthorized()
        bucket, now = self._buckets.setdefault(origin, _Bucket()), self._clock()
        bucket.load = leak(bucket.load, then=bucket.then, now=now, limit=MOST_PER_MINUTE)
        bucket.then = now
        if not has_room(bucket.load, MOST_PER_MINUTE):
            return rate_limited(-(-wait_for_room(bucket.load, MOST_PER_MINUTE) // _SECOND))
        bucket.load += MINUTE
        return unauthorized()
