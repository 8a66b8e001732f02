"""Runs a task of a build. What a task does is imported where it runs: a build without a change, and one whose work is
done by other processes, start without the engines."""

from pipeline.fetch.bounded_task import run_bounded
from pipeline.memory import collect_seldom
from pipeline.resolve.foreign_organizations import MetroOrganizations
from pipeline.tasks import FeedResult, FeedTask, MetroResult, MetroTask


def run_feed_task(work: FeedTask) -> FeedResult:
    def read() -> FeedResult:
        with collect_seldom():
            return read_records(work)

    from pipeline.feed_task import read_records
    from pipeline.fetch.reader import load_reader

    if work.source.kept is None:
        load_reader(work.feed.format)  # once, not in each child
    return run_bounded(read, work.feed)


def run_metro_task(work: MetroTask) -> MetroResult:
    with collect_seldom():
        from pipeline.metro_task import build_listings

        return build_listings(work)


def lend_organizations(work: MetroTask) -> MetroOrganizations:
    from pipeline.metro_records import put_organizations

    return put_organizations(work)
