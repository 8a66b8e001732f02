"""Report what happened to every record that was read, for people and as JSON."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from outings.contract.values import format_instant
from outings.release.manifest import FeedAccount
from outings.release.root import FeedMemory, FeedTally
from pipeline.records.record import Problem

_INDEX = re.compile(r"\[\d+\]")
# The days of lists without from and to.
SOON_DAYS = 30


class FeedCount(FeedTally, frozen=True, kw_only=True, omit_defaults=True):
    """The counts of a feed's records in a report. `account`: counts of the feed's listings by how readers see them, so
    that `listings` - `withdrawn` - `removals` + `earlier` = `served` + `hidden` + `unpublished`. Fields with their
    default value are not encoded."""

    feed: str
    account: FeedAccount | None = None


def count_feed(feed: str, memory: FeedMemory, account: FeedAccount | None = None) -> FeedCount:
    counts = {name: getattr(memory, name) for name in FeedTally.__struct_fields__}
    count = FeedCount(feed=feed, account=account, **counts)
    return count if memory.failure is not None else replace(count, read_at=None)


class ProblemGroup(Struct, frozen=True, kw_only=True):
    """The problems of one feed and field with the same code. `example` is the first of them."""

    feed: str
    field: str | None
    code: str
    count: int
    quarantined: bool
    example: Problem


class Report(Struct, frozen=True, kw_only=True):
    """The report on the records of a build. `unknown_members`: counts of members that no record has, by feed and path.
    `decided`: choices made while reading a feed's files. `uncovered`: by metro, the parts of search for which its
    language has no words."""

    feeds: tuple[FeedCount, ...]
    problems: tuple[ProblemGroup, ...]
    unknown_members: Mapping[str, Mapping[str, int]]
    decided: Mapping[str, Sequence[str]] = {}
    uncovered: Mapping[str, Sequence[str]] = {}


def make_report(
    feeds: Sequence[FeedCount],
    problems: Iterable[Problem],
    unknown_members: Mapping[str, Mapping[str, int]],
    *,
    decided: Mapping[str, Sequence[str]] = {},
    uncovered: Mapping[str, Sequence[str]] = {},
) -> Report:
    return Report(
        feeds=tuple(feeds),
        problems=tuple(
            ProblemGroup(
                feed=first.feed, field=name_field(first), code=name_code(first), count=1 + len(others),
                quarantined=first.quarantined, example=first,
            )
            for first, *others in group_by_cause(problems)
        ),
        unknown_members={feed: members for feed, members in unknown_members.items() if members},
        decided={feed: reasons for feed, reasons in decided.items() if reasons},
        uncovered={metro: reasons for metro, reasons in uncovered.items() if reasons},
    )  # fmt: skip


def sum_counts(feeds: Iterable[FeedCount]) -> dict[str, Any]:
    """Return the sums for the member `records` of `--json`."""
    counts = list(feeds)
    return {
        name: sum(getattr(count, name) for count in counts) for name in ("read", "listings", "merged", "quarantined")
    }


def group_by_cause(problems: Iterable[Problem]) -> list[list[Problem]]:
    """Group the problems by feed, field and code. Groups that quarantine come first, then the largest."""

    def name_group(problem: Problem) -> tuple[bool, str, str, str]:
        return not problem.quarantined, problem.feed, name_field(problem) or "", name_code(problem)

    groups = [list(members) for _, members in groupby(sorted(problems, key=name_group), key=name_group)]
    return sorted(groups, key=lambda group: (not group[0].quarantined, -len(group)))


def name_code(problem: Problem) -> str:
    """Return the code of the problem: the part of its reason before the colon."""
    return problem.reason.split(":")[0]


def name_field(problem: Problem) -> str | None:
    """Return the path of the member, without the index of a list's entry."""
    return _INDEX.sub("[]", problem.field or "") or None


_HIDDEN_FROM = "What readers do not see by default, and what was not taken"


def list_notes(report: Report) -> dict[str, list[str]]:
    """Return what `check` and the pages of a build say about feeds in words: lines by their title."""
    notes = {
        _HIDDEN_FROM: [f"{count.feed}: {line}" for count in report.feeds for line in list_account(count)],
        "How files were read": [f"{feed}: {reason}" for feed, decided in report.decided.items() for reason in decided],
        "What the language of a metro leaves unread": [
            f"{metro}: {reason}" for metro, uncovered in report.uncovered.items() for reason in uncovered
        ],
    }
    return {title: lines for title, lines in notes.items() if lines}


def format_report(report: Report) -> str:
    """Return the report as text: the counts of each feed, then sections on what was lost, left out or assumed."""
    feeds, groups, notes = report.feeds, report.problems, list_notes(report)
    sections = {
        _HIDDEN_FROM: notes.pop(_HIDDEN_FROM, []),
        "Expectations that feeds do not meet": [
            f"{count.feed}: {reason}" for count in feeds for reason in count.missed
        ],
        "Last good versions that stay": [
            f"{count.feed}: {count.last_good:,}, the oldest from {format_instant(count.last_good_since)}"
            for count in feeds
            if count.last_good_since is not None
        ],
        "Quarantined records": [_format_group(group) for group in groups if group.quarantined],
        "Values left out of records that were kept": [
            _format_group(group) for group in groups if not group.quarantined
        ],
        "Unknown members that were left out": [
            f"{feed}: {', '.join(f'{path} ({count:,})' for path, count in members.items())}"
            for feed, members in report.unknown_members.items()
        ],
        **notes,
    }
    lines = _format_counts(feeds) if feeds else ["no feed was read"]
    for title, texts in sections.items():
        lines += ["", f"{title}:", *(f"  {text}" for text in texts)] if texts else []
    return "\n".join(lines)


def _format_counts(feeds: Sequence[FeedCount]) -> list[str]:
    """Return lines of text: the counts of each feed, and of several their sum."""
    counts = feeds if len(feeds) == 1 else [*feeds, FeedCount(feed="all", **sum_counts(feeds))]
    name, number = max(len(count.feed) for count in counts), max(len(f"{count.read:,}") for count in counts)
    lines = []
    for count in counts:
        parts = {
            "listing" if count.listings == 1 else "listings": count.listings,
            "merged": count.merged, "quarantined": count.quarantined,
        }  # fmt: skip
        sum_ = " + ".join(f"{part:,} {what}" for what, part in parts.items() if part)
        earlier = " (last good version)" if count.failure is not None and count.read_at is not None else ""
        equal = f" = {sum_}" if sum_ else ""
        lines.append(f"{count.feed:{name}}  {count.read:>{number},} read{equal}{earlier}")
    return lines + [f"  {count.feed}: {count.withdrawn:,} taken down, left out" for count in feeds if count.withdrawn]


def list_account(count: FeedCount) -> Iterator[str]:
    """Yield a line for each cause of lost or hidden records: their number and the setting that changes it."""
    other = count.merged - count.repeated
    if count.repeated:
        yield f"{count.repeated:,} merged that say the same again"
    if other:
        shown = f", such as {'; '.join(count.merges)}" if count.merges else ""
        yield f"{other:,} merged into a later record with the same source_id{shown} (give each its own source_id)"
    account = count.account or FeedAccount()
    for name, (why, change) in (HIDDEN | _ADDRESSES).items():
        if number := getattr(account, name):
            yield f"{number:,} {why} ({change})"
    filled = ", ".join(f"{name} ({number:,})" for name, number in count.filled.items())
    lines = {
        describe_dates(account): account.dated,
        f"{account.earlier:,} listings of earlier versions stay": account.earlier,
        f"{count.removals:,} records only say that something is gone": count.removals,
        f"defaults filled {filled}": count.filled,
        f"columns not placed: {', '.join(count.unplaced)}": count.unplaced,
    }
    yield from (line for line, is_told in lines.items() if line and is_told)
    yield from count.unread
    if count.account is not None and is_empty(count):
        yield "not one listing is published"


def describe_dates(account: FeedAccount) -> str:
    """Return a line if no listing with a date is in default lists, because all dates are over or far off; else ""."""
    if account.soon or not account.dated:
        return ""
    named = f"none of {account.dated:,} {'listing' if account.dated == 1 else 'listings'} with a date is"
    if not account.coming:
        return f"{named} today or later; the last was on {account.last_on}"
    return f"{named} in the next {SOON_DAYS} days, so lists without from and to have none of them"


def is_empty(count: FeedCount) -> bool:
    """Return True if the feed is known to have no published listing, and not because all were taken down."""
    return count.account is not None and not count.account.served + count.account.hidden + count.withdrawn


def explain_empty(count: FeedCount) -> str:
    """Return a line about a feed that has no published listing, with what became of its records."""
    unpublished = count.account.unpublished if count.account else 0
    causes = {"quarantined": count.quarantined, "not published by their status": unpublished}
    told = ", ".join(f"{number:,} {what}" for what, number in causes.items() if number)
    why = f"of {count.read:,} records {told}" if told else "it has no records"
    return f"feed {count.feed}: not one listing of it is published: {why}"


# Why a listing is in no default list, and the setting that changes it.
HIDDEN = {
    "confidence": ("hidden by a confidence below 0.7, of places 0.5", "confidence, defaults.confidence"),
    "audience": ("hidden because they are for adults alone", "audience or adults_only of the record"),
    "undated": ("hidden because they have no date", "starts_local or date_on"),
    "over": ("hidden because they are over", "nothing to do: list earlier dates with from and to"),
    "unpublished": ("not published, because the records say so", "status"),
}
# What became of records without coordinates.
_ADDRESSES = {
    "located": ("got a point by the address", "[geocoder] build"),
    "unlocated": ("with an address that nobody has a point of", "lat and lng, [geocoder] provider"),
    "unasked": ("with an address that the next build asks for", "[geocoder] max_requests"),
}


def describe_kept(count: FeedCount) -> str:
    """Return why a feed failed, and the age of its last good version, which stays published."""
    if count.read_at is None or count.failed_at is None:
        return f"{count.failure}; it has no earlier version, so nothing of it is published"
    hours = int((count.failed_at - count.read_at).total_seconds() / 3_600)
    number, unit = (hours // 24, "day") if hours >= 24 else (hours, "hour")
    age = f"{number} {unit if number == 1 else unit + 's'}" if number else "less than an hour"
    return f"{count.failure}; its version of {count.read_at:%Y-%m-%d %H:%M} UTC stays, {age} old"


def _format_group(group: ProblemGroup) -> str:
    example = group.example
    source = f" ({example.source_id})" if example.source_id else ""
    text = " ".join((example.value or "").split())
    value = "" if example.value is None else f' "{text[:60]}{"…" * (len(text) > 60)}"'
    where = f"{group.feed}: {group.field}: " if group.field else f"{group.feed}: "
    line = f"line {example.line}" if example.line else ""  # neighborhoods are no lines
    place = " ".join(part for part in (example.file, line) if part)
    shown = f"{place}{source}:{value}".removesuffix(":").strip()
    return f"{where}{group.count:,} × {example.reason}" + (f"; as {shown}" if shown else "")
