"""A dry run of a build, for `outings check`: make tables from records, and report what a build would report.

It reads the current release, because a build depends on it: records that a delta feed does not mention stay, those
that another feed does not mention are removed. Nothing is published.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from outings.configuration import FORMATS, Configuration
from outings.configuration.tables import MetroTable
from outings.release.manifest import FeedAccount, add_accounts
from outings.release.store import Store
from pipeline.address_service import AddressService
from pipeline.clean.feed_read import FeedRead, locate_problems
from pipeline.clean.record_report import FeedCount, count_feed
from pipeline.clean.withdrawn_records import WithdrawalMatcher, strip_read
from pipeline.clock import AsOf
from pipeline.feed_task import spool_feed
from pipeline.feed_warnings import (
    FeedWarning,
    list_far_away,
    warn_of_dates,
    warn_of_hiding,
    warn_of_points,
    warn_of_reading,
    warn_of_removals,
    warn_of_repeated,
)
from pipeline.metro_task import gather_records, make_rows
from pipeline.plan import Build, plan_metro
from pipeline.previous_release import PreviousRelease
from pipeline.publish.metro import open_builder, open_previous
from pipeline.records.record import Problem
from pipeline.resolve.facts.neighborhood_map import read_metro_neighborhoods, tabulate_neighborhoods
from pipeline.resolve.foreign_organizations import MetroOrganizations
from pipeline.resolve.metro_claims import Claims, find_refused
from pipeline.resolve.previous_rows import PreviousSnapshot
from pipeline.resolve.shrink_guard import FeedLoss, add_losses, explain_shrink
from pipeline.tables.feed_account import count_tables
from pipeline.tables.repeated import find_repeated
from pipeline.tables.snapshot_tables import make_tables
from pipeline.tasks import FeedResult, MetroTask, make_metro_task, search_metro_addresses, store_organizations


class DryRun:
    """A build that publishes nothing. Add each feed after it is read; then run each metro.

    `previous`: the current release. Records are written to files in `scratch`, as in a build.
    """

    def __init__(
        self, configuration: Configuration, *, as_of: AsOf, store: Store, previous: PreviousRelease, scratch: Path
    ) -> None:
        self._configuration, self._as_of, self._store, self._previous = configuration, as_of, store, previous
        self._scratch = scratch
        self._feeds = {feed.name: feed for feed in configuration.feeds}
        self._withdrawn = WithdrawalMatcher(previous.withdrawals, previous.first_slugs)
        self._results: dict[str, FeedResult] = {}
        self._warnings: list[FeedWarning] = []
        self._far_away = defaultdict[str, list[str]](list)
        self._gone: dict[str, str] = {}  # names of rows that leave a metro, by id
        self._losses: list[Mapping[str, FeedLoss]] = []
        self._claims: list[Claims] = []
        self._accounts: list[Mapping[str, FeedAccount]] = []

    def add_feed(self, read: FeedRead) -> None:
        read = strip_read(read, self._withdrawn)
        is_whole = FORMATS[self._feeds[read.feed].format].is_paged
        slugs = self._configuration.metro_slugs
        self._results[read.feed] = spool_feed(read, spool=self._scratch, is_whole=is_whole, slugs=slugs)
        self._warnings += warn_of_reading(read)

    def run(self, metro: MetroTable) -> list[Problem]:
        """Make the metro's tables as a build does, and count what they have. Return the problems of its records and of
        its neighborhoods. Raises FeedError if the neighborhoods can't be read."""
        neighborhoods, wrong = read_metro_neighborhoods(metro.slug, metro.neighborhoods)
        work = replace(
            self._works[metro.slug], organizations=self._organizations, refused=self._refused.get(metro.slug, {})
        )
        geocoder, today = self._configuration.geocoder, work.plan.today
        if geocoder.build:
            service = AddressService(geocoder, is_open=False)
            addresses = service.settle(search_metro_addresses(work), metro=metro.slug, bounds=metro.bounds)
            work = replace(work, addresses=addresses)
            self._accounts.append(addresses.account)
        previous = self._open_previous(work)
        # Compared with nothing, so that no listing is withdrawn from the tables.
        with open_builder(PreviousSnapshot(None), replace(work.plan, previous=None)) as builder:
            records, problems, _ = make_rows(work, previous, builder, neighborhoods=neighborhoods, store=self._store)
            tables = make_tables(builder, tabulate_neighborhoods(neighborhoods)).tables
        self._losses.append(records.losses)
        self._claims.append(records.claims)
        self._accounts += [records.account, count_tables(tables, today=today)]
        self._warnings += map(warn_of_repeated, find_repeated(tables, today=today))
        for feed, name in list_far_away(tables, metro.bounds):
            self._far_away[feed].append(name)
        for row_id in (row_id for loss in records.losses.values() for row_id in loss.gone):
            row = previous.get(row_id)
            assert row is not None
            self._gone[row_id] = f"{row['name']} ({row['kind']} {row_id})"
        before = {name: previous.read_table(name) for name in ("occurrences", "sections", "sessions", "listings")}
        self._warnings += warn_of_hiding(before, tables, today=today)
        for feed, lost in Counter(problem.feed for problem in problems if problem.quarantined).items():
            self._results[feed] = self._results[feed].set_aside(lost)
        located = [
            problem
            for feed, result in self._results.items()
            for problem in locate_problems((own for own in problems if own.feed == feed), result.files)
        ]
        return [*located, *wrong]

    @property
    def counts(self) -> list[FeedCount]:
        accounts = add_accounts(self._accounts)
        return [
            count_feed(feed, result.memory, accounts.get(feed, FeedAccount())) for feed, result in self._results.items()
        ]

    @property
    def warnings(self) -> list[FeedWarning]:
        """Return the warnings in the order of the feeds. Call it after all metros were run."""
        warnings = [
            *self._warnings,
            *(warning for count in self.counts for warning in warn_of_dates(count)),
            *(warn_of_points(feed, far) for feed, far in self._far_away.items()),
            *self._warn_of_losses(),
        ]
        order = [feed.name for feed in self._configuration.feeds]
        return sorted(warnings, key=lambda warning: order.index(warning.feed) if warning.feed in order else len(order))

    def _warn_of_losses(self) -> Iterator[FeedWarning]:
        unread = self._feeds.keys() - self._results.keys()
        for name, loss in add_losses(self._losses, claims=self._claims).items():
            feed = self._feeds.get(name)
            if name in unread:
                continue
            reason = None if feed is None else explain_shrink(loss, max_shrink=feed.max_shrink)
            if feed is not None and feed.mode == "full" and reason is not None:
                yield FeedWarning(feed=name, code="shrink", message=f"a build would refuse it: {reason}")
            if loss.gone:
                names = [self._gone[row_id] for row_id in loss.gone]
                yield warn_of_removals(name, names, had=loss.had, is_configured=feed is not None)

    def _open_previous(self, work: MetroTask) -> PreviousSnapshot:
        plan = work.plan
        return open_previous(self._store, plan.previous, cache=plan.cache, vocabulary=plan.vocabulary)

    @cached_property
    def _refused(self) -> dict[str, dict[str, str]]:
        """Return for each metro the ids that it can't have because another metro has them, each with the reason."""
        if len(self._works) < 2:
            return {}
        claims = {}
        for slug, work in self._works.items():
            previous = self._open_previous(work)
            claims[slug] = gather_records(work, previous, self._store).claims
        return find_refused(claims, feeds=list(self._feeds), find_unbuilt=lambda _: {})

    @cached_property
    def _works(self) -> dict[str, MetroTask]:
        """Return the tasks by metro. Call it after every feed was added."""
        configuration, cache = self._configuration, self._scratch / ".cache"
        build = Build(configuration=configuration, as_of=self._as_of)
        slugs = frozenset(metro.slug for metro in configuration.metros)
        works = {}
        for metro in configuration.metros:
            stamp = self._as_of.read_instant(metro.timezone)
            plan = replace(plan_metro(build, metro, previous=self._previous, stamp=stamp), cache=cache)
            works[metro.slug] = make_metro_task(
                plan, configuration, self._results.values(), others=slugs, spool=self._scratch
            )
        return works

    @cached_property
    def _organizations(self) -> tuple[MetroOrganizations, ...]:
        return tuple(store_organizations(work) for work in self._works.values())
