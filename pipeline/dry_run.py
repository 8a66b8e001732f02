"""Dry run of a build: makes the rows of all feeds' records without a store, and reports the records that make none."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

from msgspec.structs import replace

from outings.configuration import Configuration
from outings.configuration.tables import MetroTable
from outings.release.memory import MemoryStore
from pipeline.clock import AsOf
from pipeline.facts.geography import Neighborhoods
from pipeline.feeds.cleaned_records import list_cleaned
from pipeline.feeds.reading import FeedRead, locate_problems
from pipeline.listings.identity import identify_records
from pipeline.listings.previous import ORGANIZATION, PreviousSnapshot
from pipeline.listings.resolution import MetroContext
from pipeline.listings.row_maker import RowMaker
from pipeline.metro import find_horizon
from pipeline.plan import make_settings
from pipeline.records.record import Problem
from pipeline.records.report import FeedCount
from pipeline.records.spool import SpoolFiles, read_spool, spool_records
from pipeline.shared_organizations import ForeignOrganizations, MetroOrganizations, list_lent, put_lent


class DryRun:
    """Add each feed after it is read; then run each metro as if there were no earlier release.

    Records wait in files of `scratch`, as they do in a build.
    """

    def __init__(self, configuration: Configuration, *, as_of: AsOf, scratch: Path) -> None:
        self._configuration, self._as_of, self._scratch = configuration, as_of, scratch
        self._counts: dict[str, FeedCount] = {}
        self._spooled: dict[str, tuple[SpoolFiles, datetime | None]] = {}
        self._files: dict[str, Sequence[tuple[str, int]]] = {}

    def add_feed(self, read: FeedRead) -> None:
        cleaned = list_cleaned(read.records)
        spooled = spool_records(
            ((each.metro, each.kind, each.encoded) for each in cleaned), folder=self._scratch, feed=read.feed
        )
        crawled = (each.crawled_at for each in cleaned if each.crawled_at is not None)
        self._spooled[read.feed] = (spooled, max(crawled, default=None))
        self._files[read.feed] = read.files
        self._counts[read.feed] = FeedCount(
            feed=read.feed, read=read.read, listings=len(cleaned), merged=read.merged, quarantined=read.quarantined
        )

    def run(self, metro: MetroTable, neighborhoods: Neighborhoods) -> Iterator[Problem]:
        """The problems of the metro's records. They are also in the feeds' counts from then on."""
        problems: list[Problem] = []
        entries = read_spool(self._scratch, metro=metro.slug, spooled=self._spooled)
        by_id = identify_records((each for each in entries if not each.head.deleted), problems)
        setting = MetroContext(
            metro=make_settings(metro),
            vocabulary=self._configuration.vocabulary,
            horizon=find_horizon(self._as_of.read_date(metro.timezone)),
        )
        resolving = RowMaker(
            by_id,
            PreviousSnapshot(None),
            setting=setting,
            neighborhoods=neighborhoods,
            carried=(),
            find_loan=partial(self._lenders.find, metro=metro.slug),
        )
        for _ in resolving.list_rows():
            pass
        problems += resolving.problems
        for feed, lost in Counter(each.feed for each in problems if each.quarantined).items():
            count = self._counts[feed]
            self._counts[feed] = replace(count, listings=count.listings - lost, quarantined=count.quarantined + lost)
        for feed, files in self._files.items():
            yield from locate_problems((each for each in problems if each.feed == feed), files)

    @cached_property
    def _lenders(self) -> ForeignOrganizations:
        """Call it after every feed was added."""
        return ForeignOrganizations(
            [self._lend(metro.slug) for metro in self._configuration.metros],
            store=MemoryStore(),
            vocabulary=self._configuration.vocabulary,
        )

    def _lend(self, metro: str) -> MetroOrganizations:
        entries = read_spool(self._scratch, metro=metro, spooled=self._spooled, kinds=(ORGANIZATION,))
        vocabulary = self._configuration.vocabulary
        return put_lent(metro, list_lent(entries, ()), folder=self._scratch, vocabulary=vocabulary, words={})

    @property
    def counts(self) -> list[FeedCount]:
        return list(self._counts.values())
