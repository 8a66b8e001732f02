"""Counts failed keys by client address: an address with too many gets 429. An active key passes from anywhere."""

from collections.abc import Callable

from edge.limits.address_buckets import AddressBuckets
from outings.contract.errors import ApiError, rate_limited, unauthorized

# Per client address and worker. It does not protect against guessing, since a key has 62^30 values: it limits the work
# that wrong keys cause.
MOST_PER_MINUTE = 60


class FailureLimiter:
    """`clock`: microseconds. For one thread."""

    def __init__(self, *, clock: Callable[[], int]) -> None:
        self._buckets = AddressBuckets(per_minute=MOST_PER_MINUTE, clock=clock)

    def make_refusal(self, address: str | None) -> ApiError:
        """Of a request without a key in force: 401, and 429 once there were too many. None is not counted."""
        wait = 0 if address is None else self._buckets.take(address)
        return rate_limited(wait) if wait else unauthorized()
