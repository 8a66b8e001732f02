"""A rate for each client address, counted by this process alone."""

from collections.abc import Callable

from cachetools import FIFOCache

from edge.limits.gcra import MINUTE, has_room, leak, wait_for_room
from edge.limits.months import SECOND

MOST_ADDRESSES = 16_384


class _Bucket:
    def __init__(self) -> None:
        self.then = 0
        self.load = 0


class AddressBuckets:
    """`clock`: microseconds. An address that was evicted from the cache starts a new minute. For one thread."""

    def __init__(self, *, per_minute: int, clock: Callable[[], int]) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: FIFOCache[str, _Bucket] = FIFOCache(MOST_ADDRESSES)

    def take(self, address: str) -> int:
        """Counts one, if there is room; else the seconds until there is."""
        bucket, now = self._buckets.setdefault(address, _Bucket()), self._clock()
        bucket.load = leak(bucket.load, then=bucket.then, now=now, limit=self._per_minute)
        bucket.then = now
        if not has_room(bucket.load, self._per_minute):
            return -(-wait_for_room(bucket.load, self._per_minute) // SECOND)
        bucket.load += MINUTE
        return 0
