"""Describe a build, as text and as the object of `build --json`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from outings.release.manifest import FeedAccount
from pipeline.building import BuildResult
from pipeline.clean.record_report import (
    FeedCount,
    Report,
    count_feed,
    format_report,
    list_notes,
    make_report,
    sum_counts,
)
from pipeline.records.record import Problem
from pipeline.tasks import FeedResult

CHANGES = ("created", "updated", "removed", "restored")


def count_feeds(feeds: Sequence[FeedResult], accounts: Mapping[str, FeedAccount] | None) -> list[FeedCount]:
    """Count the records of each feed. `accounts`: how many are served or hidden, and why; None if that is not known."""
    return [
        count_feed(feed.feed, feed.memory, accounts.get(feed.feed, FeedAccount()) if accounts is not None else None)
        for feed in feeds
    ]


def make_feeds_report(
    feeds: Sequence[FeedResult],
    problems: Iterable[Problem],
    *,
    uncovered: Mapping[str, Sequence[str]] = {},
    accounts: Mapping[str, FeedAccount] | None = None,
) -> Report:
    return make_report(
        count_feeds(feeds, accounts),
        problems,
        {feed.feed: feed.unknown for feed in feeds},
        decided={feed.feed: feed.decided for feed in feeds},
        uncovered=uncovered,
    )


def make_build_report(built: BuildResult) -> Report:
    problems = [*(problem for feed in built.feeds for problem in feed.problems), *built.problems]
    return make_feeds_report(built.feeds, problems, uncovered=built.uncovered, accounts=built.accounts)


def describe_feeds(feeds: Sequence[FeedResult]) -> dict[str, Any]:
    """Describe the feeds that were read by a build that published nothing."""
    report = make_feeds_report(feeds, (problem for feed in feeds for problem in feed.problems))
    return {"records": sum_counts(report.feeds), **structs.asdict(report), "notes": list_notes(report)}


def describe_build(built: BuildResult, *, quarantine: Path | None) -> dict[str, Any]:
    report = make_build_report(built)
    return {
        "release": built.published.id,
        "built_at": built.published.pointer.published_at,
        "records": sum_counts(report.feeds),
        "changes": {kind: built.changes.get(kind, 0) for kind in CHANGES},
        "objects": built.objects,
        "seconds": {stage: round(seconds, 3) for stage, seconds in built.seconds.items()},
        "quarantine": None if quarantine is None else str(quarantine),
        "feeds": report.feeds,
        "problems": report.problems,
        "unknown_members": report.unknown_members,
        "decided": report.decided,
        "uncovered": report.uncovered,
        "notes": list_notes(report),
    }


def format_build(built: BuildResult, *, quarantine: Path | None) -> str:
    changes = ", ".join(f"{built.changes.get(kind, 0):,} {kind}" for kind in CHANGES)
    objects = built.objects
    done = f"release {built.published.id}: {changes}; {objects.written:,} of {objects.total:,} objects written"
    size = f"({objects.bytes_written:,} bytes); {built.seconds['all']:.1f} s"
    return f"{format_report(make_build_report(built))}\n\n{done} {size}\nquarantine: {quarantine or 'not written'}"
