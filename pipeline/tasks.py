"""The two kinds of tasks of a build: first the feeds, then the metros.

Inputs and results are small and can be pickled, so any `concurrent.futures.Executor` can run the tasks
(`task_runner`).
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.release.root import FeedMemory, Withdrawals
from pipeline.clean.feed_read import SpoolFiles
from pipeline.fetch.source import FeedSource
from pipeline.publish.metro_plan import MetroBuild, MetroPlan
from pipeline.records.record import Problem
from pipeline.resolve.claims import Claims
from pipeline.resolve.foreign_organizations import MetroOrganizations
from pipeline.resolve.shrink_guard import FeedLoss


class FeedTask(Struct, frozen=True, kw_only=True):
    """`source` is what was opened for the feed. It must be readable where the task runs. `withdrawals` is left out."""

    feed: FeedTable
    source: FeedSource
    configuration: Configuration
    spool: Path
    withdrawals: Withdrawals = {}


class FeedResult(Struct, frozen=True, kw_only=True):
    """What a feed gave. `crawled`: its newest `crawled_at`, against which freshness is measured.

    `files`: the several in which lines are (`feeds.feed_read.locate_problems`). `decided`: how they were read,
    where that was a choice. `spooled`: the files of all records.
    `items`: of a feed of items those of which it spoke; `is_whole`: it began anew, and spoke of all there are.
    """

    feed: str
    memory: FeedMemory
    problems: tuple[Problem, ...]
    unknown: Mapping[str, int]
    crawled: datetime | None
    files: tuple[str, ...] = ()
    items: frozenset[str] = frozenset()
    is_whole: bool = False
    spooled: SpoolFiles = ()
    decided: tuple[str, ...] = ()

    def set_aside(self, lost: int) -> "FeedResult":
        """So many of its records were refused when the metros were put together."""
        listings, quarantined = self.memory.listings - lost, self.memory.quarantined + lost
        return replace(self, memory=replace(self.memory, listings=listings, quarantined=quarantined))


class MetroTask(Struct, frozen=True, kw_only=True):
    """`feeds` are results in the configuration's order. `deltas` are the names of delta feeds. `others` are the
    metros that are built together with this one. `lenders` are the organizations of all metros, once they are known.
    `refused` has the reasons by the ids that are another metro's."""

    plan: MetroPlan
    configuration: Configuration
    feeds: tuple[FeedResult, ...]
    deltas: frozenset[str]
    others: frozenset[str]
    spool: Path
    lenders: tuple[MetroOrganizations, ...] = ()
    refused: Mapping[str, str] = {}


class MetroResult(Struct, frozen=True, kw_only=True):
    """`problems` are those found while the metro's records were put together. `last_good` has, for each feed, the
    stamps of the published versions that stay in place of quarantined records. `losses`: what leaves, by feed;
    `claims`: whose all ids are, where there are several metros."""

    built: MetroBuild
    problems: tuple[Problem, ...]
    last_good: Mapping[str, tuple[datetime, ...]] = {}
    losses: Mapping[str, FeedLoss] = {}
    claims: Claims = {}
