"""The two units of a build's work, pure but for files and the store: first a feed, then a metro.

What goes in and out is small and picklable, so that any `concurrent.futures.Executor` carries it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from time import perf_counter

import msgspec
import polars as pl
from msgspec import Struct, structs
from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.release.objects import Corrupt
from outings.release.root import FeedMemory
from outings.release.store import NotFound, Store
from outings.release.stores import open_store
from outings.release.tables import NEIGHBORHOODS
from pipeline.changes.diff import PUBLISHED
from pipeline.facts.geography import Neighborhoods
from pipeline.feeds.cleaned import list_cleaned
from pipeline.feeds.kept import put_kept, read_kept, recall_cleaned
from pipeline.feeds.reading import FeedRead, read_feed, read_source
from pipeline.feeds.rpde.reading import list_standing
from pipeline.feeds.rpde.standing import put_standing
from pipeline.feeds.source import Source
from pipeline.listings.identity import assign_id, identify_records
from pipeline.listings.previous import ORGANIZATION, Previous
from pipeline.listings.resolution import Setting
from pipeline.listings.resolving import Resolving
from pipeline.metro import MetroBuilt, MetroPlan, build_metro, find_horizon, open_previous
from pipeline.neighborhoods import read_metro_neighborhoods
from pipeline.objects.standing import Standing, encode_standing, read_standing
from pipeline.records.record import Problem
from pipeline.records.spool import Spooled, Told, read_spool, spool_records
from pipeline.shrink import refuse_restart


class FeedWork(Struct, frozen=True, kw_only=True):
    """`source`: what was opened for it, readable where this is done."""

    feed: FeedTable
    source: Source
    configuration: Configuration
    spool: Path


class FeedDone(Struct, frozen=True, kw_only=True):
    """What a feed gave. `crawled`: its newest `crawled_at`, against which freshness is measured.

    `files`: where in several files a record's line is (`feeds.reading.locate_problems`). `spooled`: the files of its
    records. `items`: of a feed of items those of which it spoke; `is_whole`: it began anew, and spoke of all there are.
    """

    feed: str
    memory: FeedMemory
    problems: tuple[Problem, ...]
    unknown: Mapping[str, int]
    crawled: datetime | None
    files: tuple[tuple[str, int], ...] = ()
    items: tuple[str, ...] = ()
    is_whole: bool = False
    spooled: Spooled = ()


class MetroWork(Struct, frozen=True, kw_only=True):
    """`feeds`: names in the configuration's order, with what they gave; `deltas`: those that say only what changed.
    `restarts`: of those of them that began anew, how much they may shrink."""

    plan: MetroPlan
    configuration: Configuration
    feeds: tuple[FeedDone, ...]
    deltas: frozenset[str]
    restarts: Mapping[str, float]
    spool: Path
    neighborhoods: Path | None


class MetroDone(Struct, frozen=True, kw_only=True):
    """`problems`: what was set aside or left out when the metro's records were put together. `last_good`: by feed, the
    stamps of the published versions that stay in place of what is quarantined."""

    built: MetroBuilt
    problems: tuple[Problem, ...]
    last_good: Mapping[str, tuple[datetime, ...]] = {}


def do_feed(work: FeedWork) -> FeedDone:
    source, store = work.source, _open_store(work.configuration)
    kept, items = source.kept, None
    read = _recall_feed(source, store)
    if read is None:
        read = _read_feed(work, store)
        if source.asked is not None and source.next is None:
            kept = put_kept(store, read)
        if source.next is not None:
            (file,) = source.files
            items = source.items or put_standing(store, list_standing(file.path, own=file.own))
    cleaned = list_cleaned(read.records)
    spooled = spool_records(
        ((each.metro, each.kind, each.encoded) for each in cleaned), folder=work.spool, feed=work.feed.name
    )
    crawled = [each.crawled_at for each in cleaned if each.crawled_at is not None]
    return FeedDone(
        feed=work.feed.name,
        memory=FeedMemory(
            hash=read.hash,
            read=read.read,
            listings=len(read.records),
            merged=read.merged,
            quarantined=read.quarantined,
            asked=source.asked,
            records=kept,
            etag=source.etag,
            last_modified=source.last_modified,
            next=source.next,
            walked_at=source.walked_at,
            items=items,
        ),
        problems=read.problems,
        unknown=read.unknown,
        crawled=max(crawled, default=None),
        files=read.files,
        items=() if source.is_whole else read.items,
        is_whole=source.is_whole,
        spooled=spooled,
    )


def _recall_feed(source: Source, store: Store) -> FeedRead | None:
    """What was read before, where nothing was said since; None where it has to be read, also because it is torn."""
    if source.kept is None:
        return None
    try:
        return read_kept(store, source.kept)
    except (NotFound, Corrupt):
        return None


def _read_feed(work: FeedWork, store: Store) -> FeedRead:
    source = work.source
    if source.files:
        recalled = recall_cleaned(store, source.before)
        return read_source(work.feed, work.configuration, source, recalled=recalled)
    # Its server said that nothing changed: what it was before has to be asked for again.
    return read_feed(work.feed, work.configuration)


def _open_store(configuration: Configuration) -> Store:
    settings = configuration.store
    return open_store(settings.url, endpoint_url=settings.endpoint_url, region=settings.region)


def do_metro(work: MetroWork) -> MetroDone:
    plan, store = work.plan, _open_store(work.configuration)
    started = perf_counter()
    previous = open_previous(
        store, plan.base, cache=plan.cache, vocabulary=plan.vocabulary, program=plan.program
    )  # fmt: skip
    neighborhoods, wrong = read_metro_neighborhoods(plan.metro.slug, work.neighborhoods)
    gathered = _gather_records(work, previous, store)
    standing, last_good, problems = gathered.standing, gathered.last_good, gathered.problems
    resolving = Resolving(
        gathered.by_id,
        previous,
        setting=Setting(metro=plan.metro, vocabulary=plan.vocabulary, horizon=find_horizon(plan.today)),
        neighborhoods=neighborhoods,
        carried=gathered.carried,
    )
    del gathered  # of a million listings a gigabyte
    compared = perf_counter()
    built = build_metro(
        resolving.list_rows(),
        previous,
        plan=plan,
        neighborhoods=_make_neighborhoods(neighborhoods),
        store=store,
        stays=resolving.stays,
        standing=standing,
    )
    return MetroDone(
        built=replace(built, seconds={"compare": compared - started, **built.seconds}),
        problems=(*problems, *resolving.problems, *wrong),
        last_good=last_good,
    )


class _Gathered(Struct, frozen=True, kw_only=True):
    """`by_id`: records by their listing's id; `carried`: ids of rows that stay as they are."""

    by_id: Mapping[str, Told]
    carried: Sequence[str]
    last_good: Mapping[str, tuple[datetime, ...]]
    standing: Standing
    problems: Sequence[Problem]


def _gather_records(work: MetroWork, previous: Previous, store: Store) -> _Gathered:
    """What the feeds say, and what those that say only what changed said before."""
    spooled = {feed.feed: (feed.spooled, feed.crawled) for feed in work.feeds}
    told = list(read_spool(work.spool, metro=work.plan.metro.slug, spooled=spooled))
    _check_restarts(work, previous, told)
    carried = _list_carried(work, previous)
    given = {assign_id(each.head) for each in told}
    if carried:
        # A record is its feed's whatever id it has by now: a removal need not state it.
        spoken = chain(told, _read_moved(work))
        given |= previous.find_sources({f"{each.head.feed}/{each.head.type}/{each.head.source_id}" for each in spoken})
    carried = carried.difference(given)
    problems: list[Problem] = []
    stood, torn = _read_standing(work, carried, store, problems)
    by_id = identify_records([*(each for each in told if not each.head.deleted), *stood], problems)
    return _Gathered(
        by_id=by_id,
        carried=[row_id for row_id in previous.list_shown() if row_id in carried and row_id not in by_id],
        last_good={feed.feed: _list_last_good(feed, previous, given) for feed in work.feeds},
        standing=Standing(encode_standing(each for each in by_id.values() if each.head.feed in work.deltas), torn),
        problems=problems,
    )


def _read_moved(work: MetroWork) -> Iterator[Told]:
    """What feeds that say only what changed say of other metros: a listing is of one."""
    spooled = {feed.feed: (feed.spooled, feed.crawled) for feed in work.feeds if feed.feed in work.deltas}
    others = {metro for parts, _ in spooled.values() for metro, _ in parts} - {work.plan.metro.slug}
    for metro in sorted(others):
        for told in read_spool(work.spool, metro=metro, spooled=spooled):
            if not told.head.deleted and told.head.type != ORGANIZATION:
                yield told


def _read_standing(
    work: MetroWork, carried: Collection[str], store: Store, problems: list[Problem]
) -> tuple[list[Told], frozenset[str]]:
    """Of the rows that are carried; where they are gone or torn these stay as they are until they are said again."""
    base = work.plan.base
    if base is None or base.manifest.standing is None:
        return [], frozenset()
    manifest, sha = base.manifest, base.manifest.standing
    try:
        told = read_standing(store, sha, before=manifest.vocabulary, vocabulary=work.plan.vocabulary)
        return [each for each in told if assign_id(each.head) in carried], frozenset()
    except (NotFound, Corrupt, msgspec.DecodeError) as error:
        reason = f"unreadable: what it said before is gone or torn, and stays as it is until it is said again: {error}"
        problems += [
            Problem(feed=name, line=0, source_id=None, field=None, reason=reason, quarantined=False)
            for name in sorted(work.deltas)
        ]
        return [], frozenset({sha})


def _list_last_good(feed: FeedDone, previous: Previous, given: Collection[str]) -> tuple[datetime, ...]:
    """The stamps of the published rows that stay in place of what can't be read."""
    ids = {row_id for source_id in _list_unread(feed) for row_id in previous.find_source(feed.feed, source_id)}
    rows = (previous.get(row_id) for row_id in ids.difference(given))
    stamps = (row["updated_at"] for row in rows if row is not None and row["status"] == PUBLISHED)
    return tuple(datetime.fromtimestamp(stamp, UTC) for stamp in sorted(stamps))


def _check_restarts(work: MetroWork, previous: Previous, told: Sequence[Told]) -> None:
    """Raises ShrinkRefused. What these feeds spoke of before is known by their rows alone."""
    for feed in work.feeds:
        if feed.feed in work.restarts:
            rows = (previous.get(row_id) for row_id in previous.find_feed(feed.feed))
            had = sum(row is not None and row["status"] == PUBLISHED for row in rows)
            has = sum(each.head.feed == feed.feed and not each.head.deleted for each in told)
            has += feed.memory.quarantined
            refuse_restart(feed.feed, had=had, has=has, max_shrink=work.restarts[feed.feed])


def _list_carried(work: MetroWork, previous: Previous) -> frozenset[str]:
    """Ids of rows of the release before that stay if nothing is said of them: what a delta feed does not speak of, and
    the last good version of what was quarantined (feeds, section 2)."""
    carried: set[str] = set()
    for feed in work.feeds:
        if feed.is_whole:
            carried.update(previous.find_items(feed.feed, _list_unread(feed)))
        elif feed.feed in work.deltas:
            carried.update(previous.find_feed(feed.feed, but=frozenset(feed.items)))
        for source_id in _list_unread(feed):
            carried.update(previous.find_source(feed.feed, source_id))
    return frozenset(carried)


def _list_unread(feed: FeedDone) -> dict[str, None]:
    """The source ids of records that are quarantined, each once, where a record still says its own."""
    unread = (problem.source_id for problem in feed.problems if problem.quarantined)
    return dict.fromkeys(source_id for source_id in unread if source_id)


def _make_neighborhoods(neighborhoods: Neighborhoods) -> pl.DataFrame:
    rows = sorted((structs.asdict(each) for each in neighborhoods), key=lambda row: str(row["slug"]))
    return pl.DataFrame(rows, schema=dict(NEIGHBORHOODS))
