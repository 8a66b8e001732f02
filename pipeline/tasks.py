"""The two kinds of tasks of a build: first one for each feed, then one for each metro.

Inputs and results are small and can be pickled, so any `concurrent.futures.Executor` can run the tasks. Modules that a
task needs are imported when it runs, so that a build that runs none itself starts without the engines.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.contract.languages.language import ENGLISH, read_shipped_language
from outings.failures import OperatorError
from outings.release.root import FeedMemory
from outings.release.store import Store, open_configured_store
from pipeline.clean.feed_read import SpooledRecord, SpoolFiles, read_spool
from pipeline.clean.withdrawn_records import WithdrawalMatcher
from pipeline.fetch.bounded_task import run_bounded
from pipeline.fetch.source import FeedError, FeedSource, SettingError, find_item
from pipeline.publish.metro_plan import MetroBuild, MetroPlan
from pipeline.records.ids import name_source
from pipeline.records.record import ORGANIZATION, Problem
from pipeline.resolve.addresses import AddressPoints, AddressSearch, read_book
from pipeline.resolve.delta_state import read_earlier_records
from pipeline.resolve.foreign_organizations import MetroOrganizations, list_own_organizations, put_organizations
from pipeline.resolve.metro_claims import Claims
from pipeline.resolve.shrink_guard import FeedLoss

# How much work a task is, in milliseconds of a processor, which decides how many processes share a build. The figures
# are of one machine (100,000 made listings in one process, `python -m bench.build`); elsewhere their ratios hold, and
# no result depends on them. Of one record that is read and cleaned; of one listing that is made, or is unchanged.
_READ, _MADE, _STAYING = 0.07, 0.45, 0.1
# How many records a feed has is known once it is read; a record of the cities and of made listings has so many.
_RECORD_BYTES = 900


class FeedTask(Struct, frozen=True, kw_only=True):
    """The input of a feed's task. `source` is what was opened for the feed; the worker must be able to read it.
    `taken`: recognizes what to leave out."""

    feed: FeedTable
    source: FeedSource
    configuration: Configuration
    spool: Path
    taken: WithdrawalMatcher

    def measure(self) -> float:
        return sum(size for _, size, _ in (file.state for file in self.source.files)) / _RECORD_BYTES * _READ


class FeedResult(Struct, frozen=True, kw_only=True):
    """The result of reading a feed.

    Attributes:
        crawled: the feed's newest `crawled_at`, against which freshness is measured.
        files: the files to which the line numbers of problems refer, if there are several.
        decided: what the program had to guess about the files, such as an encoding.
        spooled: the files with all cleaned records.
        items: in an RPDE feed, the ids of the items that it sent this time.
        is_whole: the RPDE feed was read from its beginning, so it sent all items that exist.
        is_last_good: nothing was read, and all rows of the feed's last good version are unchanged.
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
    is_last_good: bool = False

    def set_aside(self, lost: int) -> "FeedResult":
        """Return the result with `lost` records moved to the quarantined ones, because they were refused when metros
        were built."""
        listings, quarantined = self.memory.listings - lost, self.memory.quarantined + lost
        return replace(self, memory=replace(self.memory, listings=listings, quarantined=quarantined))

    def list_unread(self) -> dict[str, None]:
        """Return the source ids of quarantined records, each once. Records without one are left out."""
        unread = (problem.source_id for problem in self.problems if problem.quarantined)
        return dict.fromkeys(source_id for source_id in unread if source_id)


class MetroTask(Struct, frozen=True, kw_only=True):
    """The input of a metro's task. `feeds`: results in the configuration's order. `deltas`: names of delta feeds.
    `others`: the metros that are built together with this one. `organizations`: where those of all metros are stored,
    once that is known. `refused`: the reason for each id that another metro has. `addresses`: with `[geocoder] build`,
    points of addresses without coordinates."""

    plan: MetroPlan
    configuration: Configuration
    feeds: tuple[FeedResult, ...]
    deltas: frozenset[str]
    others: frozenset[str]
    spool: Path
    organizations: tuple[MetroOrganizations, ...] = ()
    refused: Mapping[str, str] = {}
    addresses: AddressPoints | None = None

    def measure(self) -> float:
        """Estimate the work by the number of records in its feeds: all are made again if another program made the
        previous release; otherwise most are unchanged."""
        origins = None if self.plan.previous is None else self.plan.previous.manifest.origins
        is_made = origins is None or origins.program != self.plan.program
        return (_MADE if is_made else _STAYING) * sum(feed.memory.read for feed in self.feeds)


def make_metro_task(
    plan: MetroPlan,
    configuration: Configuration,
    feeds: Iterable[FeedResult],
    *,
    others: frozenset[str],
    spool: Path,
    organizations: tuple[MetroOrganizations, ...] = (),
) -> MetroTask:
    """Make the task of a metro. `feeds`: the results of all feeds, of which it takes its own."""
    own = {feed.name: feed for feed in configuration.feeds if feed.metro in (None, plan.metro.slug)}
    return MetroTask(
        plan=plan,
        configuration=configuration,
        feeds=tuple(feed for feed in feeds if feed.feed in own),
        deltas=frozenset(name for name, feed in own.items() if feed.mode == "delta"),
        others=others - {plan.metro.slug},
        spool=spool,
        organizations=organizations,
    )


class MetroResult(Struct, frozen=True, kw_only=True):
    """The result of building a metro.

    Attributes:
        problems: those found in the metro's records and in its file of neighborhoods.
        last_good: for each feed, the stamps of published rows that remain in place of quarantined records.
        losses: the listings that the release loses, by feed.
        claims: the ids that each feed has, for the comparison with other metros.
    """

    metro: str
    built: MetroBuild
    problems: tuple[Problem, ...]
    last_good: Mapping[str, tuple[datetime, ...]] = {}
    losses: Mapping[str, FeedLoss] = {}
    claims: Claims = {}


def try_feed_task(
    work: FeedTask, *, run: Callable[[Callable[[], FeedResult], FeedTable], FeedResult] = run_bounded
) -> FeedResult | OperatorError:
    """Read the feed with `run`, in a child process with limits of time and memory. Return the error instead of the
    result if the feed can't be read."""
    from pipeline.feed_task import read_records
    from pipeline.fetch.formats import load_reader

    try:
        if work.source.unchanged is None:
            load_reader(work.feed.format)  # once here, not in each child process
        return run(partial(read_records, work), work.feed)
    except (FeedError, SettingError) as error:
        return error


def run_metro_task(work: MetroTask) -> MetroResult:
    from pipeline.metro_task import build_listings

    return build_listings(work)


def search_metro_addresses(work: MetroTask) -> AddressSearch:
    """Find the points of a metro's addresses in its own records."""
    from pipeline.resolve.facts.neighborhood_map import read_metro_neighborhoods
    from pipeline.resolve.local_addresses import search_addresses

    plan, store = work.plan, open_configured_store(work.configuration.store)
    stated = {
        name_source(entry.head): entry
        for entry in read_spool(work.spool, metro=plan.metro.slug, spooled=list_spooled(work.feeds))
    }  # fmt: skip
    entries = {name_source(entry.head): entry for entry in read_stored_records(work, store, "delta_state")} | stated
    return search_addresses(
        (entry for entry in entries.values() if entry.head.type != ORGANIZATION and not entry.head.deleted),
        plan.metro,
        plan.language or read_shipped_language(ENGLISH),
        neighborhoods=read_metro_neighborhoods(plan.metro.slug, plan.neighborhoods)[0],
        centroids=plan.centroids,
        book=read_book(store, None if plan.previous is None else plan.previous.manifest.located),
    )


def store_organizations(work: MetroTask) -> MetroOrganizations:
    """Write the records of the metro's own organizations, as they will be after the build, to a file for other
    metros."""
    metro, store = work.plan.metro.slug, open_configured_store(work.configuration.store)
    entries = read_spool(work.spool, metro=metro, spooled=list_spooled(work.feeds), kinds=(ORGANIZATION,))
    own = list_own_organizations(entries, read_stored_records(work, store, "lent"))
    return put_organizations(metro, own, folder=work.spool)


def list_spooled(feeds: Iterable[FeedResult]) -> dict[str, tuple[SpoolFiles, datetime | None]]:
    return {feed.feed: (feed.spooled, feed.crawled) for feed in feeds}


def read_stored_records(work: MetroTask, store: Store, name: Literal["delta_state", "lent"]) -> list[SpooledRecord]:
    """Read records that the previous release stores of the metro, without those that its feeds changed or removed.
    `name`: the manifest's member with the object."""
    previous, is_unchanged = work.plan.previous, make_is_unchanged(work)
    earlier = read_earlier_records(store, None if previous is None else getattr(previous.manifest, name))
    return [entry for entry in earlier if is_unchanged(entry.head.feed, entry.head.source_id)]


def make_is_unchanged(work: MetroTask) -> Callable[[str, str], bool]:
    """Return a function that takes a feed and a source id, and returns True if the earlier record is unchanged
    although the feed does not mention it: if it is a delta feed that did not remove it, or if the feed can't be read
    now."""
    speaking = {feed.feed: (feed, feed.list_unread()) for feed in work.feeds}

    def is_unchanged(name: str, source_id: str) -> bool:
        if name not in speaking:
            return False
        feed, unread = speaking[name]
        if feed.is_last_good:
            return True
        if source_id in unread or name not in work.deltas:
            return source_id in unread
        item = find_item(source_id)
        return item in unread if feed.is_whole else item not in feed.items

    return is_unchanged
