"""The store of counters that a configuration names."""

from pathlib import Path

from edge.limits.counting import Limits
from edge.limits.mapped import NAME, MappedLimits

LOCAL = "local"


def open_limits(rate_storage: str, *, state: Path) -> Limits:
    """`state`: the folder of this machine's counters. TableError; ImportError without the extra `redis`."""
    if rate_storage == LOCAL:
        return MappedLimits(state / NAME)
    from edge.limits.redis import RedisLimits

    return RedisLimits(rate_storage)
