"""How much work a build's tasks are, in milliseconds of a processor: what decides how many processes share it.

The figures are of one machine (100,000 made listings in one process, `python -m bench.build`); elsewhere their ratios
hold, and no result depends on them.
"""

from collections.abc import Sequence

from pipeline.fetch.source import FeedSource
from pipeline.tasks import FeedTask, MetroTask

# Of one record that is read and cleaned.
_READ = 0.07
# Of one listing: made, or staying as it was.
_MADE, _STAYING = 0.45, 0.1
# Of one process that starts: Python, its imports, and what a first task reads.
START = 1_000.0

# How many records a feed has is known once it is read; a record of the cities and of made listings has so many.
_RECORD_BYTES = 900


def measure_feed(task: FeedTask) -> float:
    return _count_bytes(task.source) / _RECORD_BYTES * _READ


def measure_metro(task: MetroTask) -> float:
    """By what its feeds gave. Where another program made the release before, all its listings are made again; else most
    stay as they were."""
    base = task.plan.base
    origins = None if base is None else base.manifest.origins
    if origins is None or origins.program != task.plan.program:
        return _MADE * sum(feed.memory.read for feed in task.feeds)
    return _STAYING * sum(feed.memory.read for feed in task.feeds)


def choose_processes(amounts: Sequence[float], *, limit: int) -> int:
    """So many that what the last of them saves by the clock is more than starting all of them costs; at most `limit`,
    and none without a task. One: the process that asks does the work."""

    def find_gain(count: int) -> float:
        last = max(max(amounts), sum(amounts) / count)
        return sum(amounts) - last - count * START

    best = max(range(2, min(limit, len(amounts)) + 1), key=find_gain, default=1)
    return best if best > 1 and find_gain(best) > 0 else 1


def _count_bytes(source: FeedSource) -> int:
    return sum(size for _, size, _ in (file.state for file in source.files))
