"""Decide what a build does with a feed that fails: it keeps the feed's last good version, or stops."""

from datetime import datetime

from msgspec.structs import replace

from outings.configuration import FeedTable
from outings.failures import GuardRefusal, OperatorError
from outings.release.root import FeedMemory
from pipeline.clean.expectations import explain_stale
from pipeline.fetch.source import FeedSource, SettingError
from pipeline.records.record import Problem
from pipeline.tasks import FeedResult


class ExpectationRefusal(GuardRefusal):
    """A feed misses what its `expect` says, and nothing is published."""


def keep_version(
    feed: FeedTable, error: OperatorError, *, source: FeedSource | None, memory: FeedMemory | None
) -> FeedSource:
    """Return the source of the feed's last good version, or one that gives nothing if there is none.

    Args:
        feed: the feed that failed.
        error: why. It is raised if the feed says `on_error = "stop"`, or if a setting is wrong that is not the one of
            the last good version: then the operator has just changed it.
        source: what was opened for the feed, None if that failed.
        memory: what the previous release remembers of the feed.
    """
    good = memory if memory is not None and memory.hash else None
    is_same = source is not None and good is not None and source.question == good.question
    if feed.on_error == "stop" or (isinstance(error, SettingError) and not is_same):
        raise error
    if good is None or (source is not None and source.failure is not None):  # its stored records are lost
        return FeedSource(hash="" if good is None else good.hash, failure=str(error))
    return FeedSource(
        hash=good.hash, unchanged=good.records if feed.mode == "full" else None, question=good.question, etag=good.etag,
        last_modified=good.last_modified, pages=good.pages, next=good.next, walked_at=good.walked_at,
        failure=str(error),
    )  # fmt: skip


def make_last_good(feed: FeedTable, memory: FeedMemory | None, *, problems: tuple[Problem, ...]) -> FeedResult:
    """Return a result for a feed that can't be read, so that all its earlier records stay unchanged."""
    memory = memory or FeedMemory(hash="", metro=feed.metro, read=0, listings=0, merged=0, quarantined=0)
    return FeedResult(feed=feed.name, memory=memory, problems=problems, unknown={}, crawled=None, is_last_good=True)


def date_version(
    feed: FeedTable, result: FeedResult, source: FeedSource, *, earlier: FeedMemory | None, now: datetime
) -> FeedResult:
    """Return the result with the time at which its version was read, and with the failure that keeps it in force.

    Args:
        feed: the feed, whose `fresh` may be missed by now.
        result: what the release will have of the feed.
        source: what was opened for it.
        earlier: what the previous release has of it.
        now: the build's stamp.
    """
    memory = result.memory
    if source.failure is None:
        missed = [reason for reason in memory.missed if not reason.startswith("fresh")]
        missed += explain_stale(feed, memory.newest, now=now)
        return replace(result, memory=replace(memory, read_at=now, failed_at=None, failure=None, missed=tuple(missed)))
    memory = replace(memory, failed_at=now, failure=source.failure)
    if earlier is not None and earlier.hash:
        memory = replace(memory, read_at=earlier.read_at, newest=earlier.newest, missed=earlier.missed)
    return replace(result, memory=memory)


def find_failure(feed: FeedTable, memory: FeedMemory, *, now: datetime) -> ExpectationRefusal | None:
    """Return an error if the feed misses the expectations in its configuration, else None."""
    missed = (*memory.missed, *explain_stale(feed, memory.newest, now=now))
    is_refused = missed and feed.expect.otherwise != "warn"
    return ExpectationRefusal(f"feed {feed.name}: expect: {'; '.join(missed)}") if is_refused else None
