"""The store of counters that a configuration names."""

from pathlib import Path

from edge.limits.mapped_store import NAME, MappedLimitStore
from edge.limits.store import LimitStore

LOCAL = "local"


def open_limits(rate_storage: str, *, state: Path) -> LimitStore:
    """`state` is the folder of this machine's counters. Raises TableError, and ImportError without the extra
    `redis`."""
    if rate_storage == LOCAL:
        return MappedLimitStore(state / NAME)
    from edge.limits.redis_store import RedisLimitStore

    return RedisLimitStore(rate_storage)
