"""What a build would make of the records of all feeds, without a store: rows, and what is wrong with those records of
which none can be made."""

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
from pipeline.feeds.cleaned import list_cleaned
from pipeline.feeds.reading import FeedRead, locate_problems
from pipeline.lending import Lender, Lenders, list_lent, put_lent
from pipeline.listings.identity import identify_records
from pipeline.listings.previous import ORGANIZATION, Previous
from pipeline.listings.resolution import Setting
from pipeline.listings.resolving import Resolving
from pipeline.metro import find_horizon
from pipeline.plan import make_settings
from pipeline.records.record import Problem
from pipeline.records.report import FeedCount
from pipeline.records.spool import Spooled, read_spool, spool_records


class Rehearsal:
    """Feeds are added as they are read; then metro by metro is put together as where there is no release before.

    Records wait in files of `scratch`, as they do in a build.
    """

    def __init__(self, configuration: Configuration, *, as_of: AsOf, scratch: Path) -> None:
        self._configuration, self._as_of, self._scratch = configuration, as_of, scratch
        self._counts: dict[str, FeedCount] = {}
        self._spooled: dict[str, tuple[Spooled, datetime | None]] = {}
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

    def rehearse(self, metro: MetroTable, neighborhoods: Neighborhoods) -> Iterator[Problem]:
        """What is wrong with records once they are put together, which their feeds' counts tell from then on."""
        problems: list[Problem] = []
        told = read_spool(self._scratch, metro=metro.slug, spooled=self._spooled)
        by_id = identify_records((each for each in told if not each.head.deleted), problems)
        setting = Setting(
            metro=make_settings(metro),
            vocabulary=self._configuration.vocabulary,
            horizon=find_horizon(self._as_of.read_date(metro.timezone)),
        )
        resolving = Resolving(
            by_id,
            Previous(None),
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
    def _lenders(self) -> Lenders:
        """Every feed has been added by now."""
        return Lenders(
            [self._lend(metro.slug) for metro in self._configuration.metros],
            store=MemoryStore(),
            vocabulary=self._configuration.vocabulary,
        )

    def _lend(self, metro: str) -> Lender:
        said = read_spool(self._scratch, metro=metro, spooled=self._spooled, kinds=(ORGANIZATION,))
        vocabulary = self._configuration.vocabulary
        return put_lent(metro, list_lent(said, ()), folder=self._scratch, vocabulary=vocabulary, words={})

    @property
    def counts(self) -> list[FeedCount]:
        return list(self._counts.values())
