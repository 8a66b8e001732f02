"""Which records are a metro's: what its feeds say now, and what stands of what they said before. No engine is imported
here: a build whose workers do its work looks at these alone."""

from collections.abc import Callable, Iterable
from datetime import datetime

import msgspec

from outings.release.store import Corrupt, NotFound, Store, open_configured_store
from pipeline.clean.feed_read import SpoolFiles, read_spool
from pipeline.fetch.source import find_item
from pipeline.records.record import ORGANIZATION
from pipeline.resolve.delta_state import DeltaRecords, read_delta_state
from pipeline.resolve.foreign_organizations import MetroOrganizations, list_lent, put_lent
from pipeline.tasks import FeedResult, MetroTask


def put_organizations(work: MetroTask) -> MetroOrganizations:
    """Writes the records of the metro's own organizations, as they will be after the build, into a file for other
    metros."""
    metro, base, store = work.plan.metro.slug, work.plan.base, open_configured_store(work.configuration.store)
    earlier, _ = read_earlier_records(store, None if base is None else base.manifest.lent)
    stays = make_stays(work)
    entries = read_spool(work.spool, metro=metro, spooled=list_spooled(work.feeds), kinds=(ORGANIZATION,))
    lent = list_lent(entries, (each for each in earlier.records if stays(each.head.feed, each.head.source_id)))
    return put_lent(metro, lent, folder=work.spool, vocabulary=work.plan.vocabulary, words=earlier.words)


def list_spooled(feeds: Iterable[FeedResult]) -> dict[str, tuple[SpoolFiles, datetime | None]]:
    return {feed.feed: (feed.spooled, feed.crawled) for feed in feeds}


def read_earlier_records(store: Store, sha: str | None) -> tuple[DeltaRecords, str | None]:
    """And the object that can't be read, if so."""
    if sha is None:
        return DeltaRecords(), None
    try:
        return read_delta_state(store, sha), None
    except (NotFound, Corrupt, msgspec.DecodeError):
        return DeltaRecords(), sha


def make_stays(work: MetroTask) -> Callable[[str, str], bool]:
    """Whether what a feed said of a source id stands, if it says no more of it: where it says only what changed and
    took nothing back, and where it can't be read now (feeds, section 2)."""
    speaking = {feed.feed: (feed, list_unread(feed)) for feed in work.feeds}

    def stays(name: str, source_id: str) -> bool:
        if name not in speaking:
            return False
        feed, unread = speaking[name]
        if source_id in unread or name not in work.deltas:
            return source_id in unread
        item = find_item(source_id)
        return item in unread if feed.is_whole else item not in feed.items

    return stays


def list_unread(feed: FeedResult) -> dict[str, None]:
    """The source ids of records that are quarantined, each once, where a record still says its own."""
    unread = (problem.source_id for problem in feed.problems if problem.quarantined)
    return dict.fromkeys(source_id for source_id in unread if source_id)
