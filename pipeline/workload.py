"""How much work a build's tasks are, in milliseconds of a processor: what decides how many processes share it.

The figures are of one machine (100,000 made listings in one process, `python -m bench.build`); elsewhere their ratios
hold, and no result depends on them.
"""

from collections.abc import Sequence

from pipeline.feeds.source import FeedSource
from pipeline.tasks import FeedTask, MetroTask

# Of one record: read and cleaned, or found as it was before.
_READ, _RECALLED = 0.07, 0.02
# Of one listing: made, or staying as it was.
_MADE, _STAYING = 0.45, 0.1
# Of one process that starts: Python, its imports, and what a first task reads.
START = 1_000.0

# How many records a feed has is known once it is read; a record of the cities and of made listings has so many.
_RECORD_BYTES = 900


def measure_feed(task: FeedTask) -> float:
    return _count_bytes(task.source) / _RECORD_BYTES * (_READ if _is_new(task.source) else _RECALLED)


def measure_metro(task: MetroTask) -> float:
    """By what its feeds gave. Where another program made the release before, all its listings are made again."""
    base = task.plan.base
    origins = None if base is None else base.manifest.origins
    if origins is None or origins.program != task.plan.program:
        return _MADE * sum(feed.memory.read for feed in task.feeds)
    return sum(_MADE * feed.cleaned + _STAYING * (feed.memory.read - feed.cleaned) for feed in task.feeds)


def choose_processes(amounts: Sequence[float], *, limit: int) -> int:
    """So many that what the last of them saves by the clock is more than starting all of them costs; at most `limit`,
    and none without a task. One: the process that asks does the work."""

    def find_gain(count: int) -> float:
        last = max(max(amounts), sum(amounts) / count)
        return sum(amounts) - last - count * START

    best = max(range(2, min(limit, len(amounts)) + 1), key=find_gain, default=1)
    return best if best > 1 and find_gain(best) > 0 else 1


def _is_new(source: FeedSource) -> bool:
    return source.kept is None and source.before is None


def _count_bytes(source: FeedSource) -> int:
    return sum(size for _, size, _ in (file.state for file in source.files))
