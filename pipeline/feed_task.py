"""The task of a feed: read it, and write its records to files for metros. Uses nothing but files and the store."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from msgspec import MsgspecError
from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.release.root import FeedMemory
from outings.release.store import Corrupt, NotFound, Store, open_configured_store
from pipeline.clean.feed_read import FeedRead, put_cached_read, read_cached_read, spool_records
from pipeline.clean.reading import read_source
from pipeline.clean.withdrawn_records import strip_read
from pipeline.fetch.formats import load_reader
from pipeline.fetch.opening import is_remote, open_sources
from pipeline.fetch.source import FeedError, FeedSource
from pipeline.scratch import open_scratch
from pipeline.tasks import FeedResult, FeedTask


def read_records(work: FeedTask) -> FeedResult:
    """Return the feed's records: the stored ones if it is unchanged or can't be read now, else those that it sends."""
    source, store = work.source, open_configured_store(work.configuration.store)
    stored, pages = source.unchanged, source.pages
    read = _recall_feed(stored, store)
    if read is None and source.failure is not None:
        raise FeedError(work.feed.name, work.feed.url, source.failure)
    if read is None:
        earlier = _recall_feed(source.before, store)
        if source.files:
            cleaned = () if earlier is None else earlier.cleaned
            read = read_source(work.feed, work.configuration, source, before=cleaned)
        else:
            # Its server said that nothing changed, but the stored records are lost: the feed is requested again.
            read = read_feed(work.feed, work.configuration)
        read = strip_read(read, work.taken)
        if source.question is not None and source.next is None:
            stored = put_cached_read(store, read)
        # A page may have what was taken down: then all are fetched again.
        pages = None if read.withdrawn or not is_remote(work.feed) else _put_pages(store, source)
    result = spool_feed(
        read, spool=work.spool, is_whole=source.is_whole, question=source.question, records=stored,
        etag=source.etag, last_modified=source.last_modified, pages=pages, next=source.next,
        walked_at=source.walked_at, metro=work.feed.metro, slugs=work.configuration.metro_slugs,
    )  # fmt: skip
    if not work.feed.expect.fresh or source.failure is not None:
        return result
    return replace(result, memory=replace(result.memory, newest=find_newest(work.feed, source, result.crawled)))


def read_feed(
    feed: FeedTable,
    configuration: Configuration,
    *,
    tell: Callable[[str], None] = lambda _: None,
    run: Callable[[Callable[[], FeedRead], FeedTable], FeedRead] = lambda read, _: read(),
) -> FeedRead:
    """Open and read all of `feed`, outside of a build. Raises what `read_source` and `open_sources` raise.

    `run` calls the function that reads the opened files, in this process or in another one (`run_bounded`).
    """
    with open_scratch() as scratch:
        source = open_sources([feed], configuration, scratch=scratch, tell=tell)[feed.name]
        load_reader(feed.format)  # here, not in each child of `run`
        return run(lambda: read_source(feed, configuration, source), feed)


def spool_feed(
    read: FeedRead, *, spool: Path, is_whole: bool, slugs: Mapping[str, str], **remembered: Any
) -> FeedResult:
    """Write the feed's records to files in `spool`. `slugs`: those of metros by all their names, since records of an
    earlier version may name a metro by an old slug. `remembered`: further members of the FeedMemory, such as `etag`."""
    spooled = spool_records(
        ((slugs.get(record.metro, record.metro), record.kind, record.encoded) for record in read.cleaned),
        folder=spool, feed=read.feed,
    )  # fmt: skip
    crawled = (record.crawled_at for record in read.cleaned if record.crawled_at is not None)
    return FeedResult(
        feed=read.feed,
        memory=FeedMemory(
            hash=read.hash, listings=len(read.cleaned) + read.withdrawn, **read.list_counts(), **remembered,
        ),
        problems=read.problems,
        unknown=read.unknown,
        crawled=max(crawled, default=None),
        files=read.files,
        items=frozenset() if is_whole else frozenset(read.items),
        is_whole=is_whole,
        spooled=spooled,
        decided=read.decided,
    )  # fmt: skip


def _put_pages(store: Store, source: FeedSource) -> str | None:
    # A build of files alone does without an HTTP client.
    from pipeline.fetch.linked_pages import put_pages

    return put_pages(store, source.files)


def _recall_feed(sha: str | None, store: Store) -> FeedRead | None:
    """Return the cached result of an earlier reading of the feed, or None if there is none or it is damaged."""
    if sha is None:
        return None
    try:
        return read_cached_read(store, sha)
    except (NotFound, Corrupt, MsgspecError):
        return None


def find_newest(feed: FeedTable, source: FeedSource, crawled: datetime | None) -> datetime | None:
    """Return when the feed last changed: its newest `crawled_at`, else what its server says, else its files' time."""
    if crawled is not None:
        return crawled
    if source.last_modified is not None:
        try:
            return parsedate_to_datetime(source.last_modified).astimezone(UTC)
        except ValueError:
            return None
    times = [] if is_remote(feed) else [file.path.stat().st_mtime for file in source.files]
    return datetime.fromtimestamp(int(max(times)), UTC) if times else None
