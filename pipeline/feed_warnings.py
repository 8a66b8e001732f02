"""Warnings about a whole feed whose records are all right: it is empty, its dates are over, or it is much smaller."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import polars as pl
from msgspec import Struct

from outings.contract.resources.directories import Bounds
from outings.release.manifest import FeedAccount
from outings.release.tables import PUBLISHED
from pipeline.clean.feed_read import FeedRead
from pipeline.clean.record_report import HIDDEN, FeedCount, describe_dates
from pipeline.fetch.keep_and_drop import HEADING
from pipeline.tables.feed_account import FEED, mark_open, sort_shown
from pipeline.tables.repeated import RepeatedListings

# Most examples in a warning.
_EXAMPLES = 3
_SHOWN_TYPES = 5
# Degrees. A city lists what is an hour or two away. What is further is at 0, 0, or has its coordinates swapped.
_FAR_AWAY = 1.0

Tables = Mapping[str, pl.DataFrame]


class FeedWarning(Struct, frozen=True, kw_only=True):
    """A warning about a feed. The codes are in docs/commands.md. `count`: how many records or listings it is about, and
    `examples` some of them."""

    feed: str
    code: str
    message: str
    count: int = 0
    examples: tuple[str, ...] = ()


def warn_of_reading(read: FeedRead) -> Iterator[FeedWarning]:
    if read.read == 0:
        yield FeedWarning(feed=read.feed, code="no_records", message="has no records")
    for reason in read.missed:
        yield FeedWarning(feed=read.feed, code="expectation", message=f"expected {reason}")
    if read.cut is not None:
        yield FeedWarning(feed=read.feed, code="page_limit", message=read.cut)
    named = sorted(read.passed_over.items(), key=lambda pair: (-pair[1], pair[0]))
    chosen = [pair for pair in named if pair[0].startswith(("keep ", "drop ")) or pair[0] == HEADING]
    for code, what, group in (
        ("passed_over", "{} of types that are no listing passed over", [pair for pair in named if pair not in chosen]),
        ("left_out", "{} left out, as headings or by keep and drop", chosen),
    ):
        count = sum(number for _, number in group)
        if count:
            counted = f"{count:,} {_pluralize(count, 'node' if code == 'passed_over' else 'row')}"
            examples = tuple(f"{name} ({number:,})" for name, number in group[:_SHOWN_TYPES])
            yield FeedWarning(feed=read.feed, code=code, count=count, message=what.format(counted), examples=examples)


def warn_of_dates(count: FeedCount) -> Iterator[FeedWarning]:
    """Yield a warning if the dates of a feed are all over, or all far off."""
    account = count.account or FeedAccount()
    if message := describe_dates(account):
        code = "nothing_soon" if account.coming else "no_future_date"
        yield FeedWarning(feed=count.feed, code=code, message=message, count=account.dated)


def list_far_away(tables: Tables, bounds: Bounds) -> Iterator[tuple[str, str]]:
    """Yield the feed of each published listing with a point far outside the metro's bounds, and its name and point."""
    distance = pl.max_horizontal(
        bounds.south - pl.col("lat"), pl.col("lat") - bounds.north, bounds.west - pl.col("lng"),
        pl.col("lng") - bounds.east,
    )  # fmt: skip
    placed = tables["listings"].filter(pl.col("status") == PUBLISHED).drop_nulls(["lat", "lng"])
    for feed, name, lat, lng in placed.filter(distance > _FAR_AWAY).select(FEED, "name", "lat", "lng").iter_rows():
        yield feed, f"{name}: {lat:g}, {lng:g}"


def warn_of_points(feed: str, far: Sequence[str]) -> FeedWarning:
    """Make the warning about the listings of a feed that `list_far_away` found."""
    message = f"{len(far):,} {_pluralize(len(far), 'listing')} more than a degree outside the metro's bounds"
    return _warn_of_names(feed, "far_away", message, far)


def warn_of_repeated(repeated: RepeatedListings) -> FeedWarning:
    """Make the warning about listings that another feed has too, with the feed to prefer. Nothing is merged."""
    is_place, count = repeated.kind == "place", len(repeated.names)
    lesser = repeated.other if repeated.fuller == repeated.feed else repeated.feed
    fuller = f"{repeated.fuller} says more of them" if repeated.fuller else "both say as much"
    same = "name and point" if is_place else "name, time and place"
    message = f"{count:,} {_pluralize(count, repeated.kind)} with the {same} of one in {repeated.other}; {fuller}"
    remedy = "drop or keep, or venues = false if they are venues of its events" if is_place else "drop or keep"
    advice = f". Readers see both: to show one, leave them out of {lesser} with {remedy}, or delete that feed"
    return _warn_of_names(repeated.feed, "repeated", message + advice, repeated.names)


def warn_of_removals(feed: str, gone: Sequence[str], *, had: int, is_configured: bool) -> FeedWarning:
    """Make a warning about published listings that a build would remove. `gone`: their names; `had`: how many
    published listings the feed has now."""
    text = f"{len(gone):,} of {had:,} published {_pluralize(had, 'listing')} would be removed"
    why = "" if is_configured else ", because the configuration has this feed no more"
    return _warn_of_names(feed, "removals", text + why, sorted(gone))


def warn_of_hiding(before: Tables, after: Tables, *, today: date) -> Iterator[FeedWarning]:
    """Yield warnings, by feed and reason, of listings that are in default lists now and would be hidden from them.
    `before`: a metro's tables in the current release; `after`: those that a build would make."""
    shown = sort_shown(mark_open(before, today=today)).filter(pl.col("reason") == "served")
    totals = dict(shown.group_by("feed").len().iter_rows())
    later = sort_shown(mark_open(after, today=today)).filter(~pl.col("reason").is_in(["served", "withdrawn"]))
    hidden = later.join(shown.select("id"), on="id", how="semi")
    groups = hidden.group_by("feed", "reason").agg(pl.col("name").sort()).sort("feed", "reason")
    for feed, reason, names in groups.iter_rows():
        why, change = HIDDEN[reason]
        message = f"of {totals[feed]:,} listings in default lists, {len(names):,} {why} ({change})"
        yield _warn_of_names(feed, "hidden", message, names)


def _warn_of_names(feed: str, code: str, message: str, names: Sequence[str]) -> FeedWarning:
    return FeedWarning(feed=feed, code=code, message=message, count=len(names), examples=tuple(names[:_EXAMPLES]))


def format_warning(warning: FeedWarning) -> str:
    named = "; ".join(warning.examples)
    left = warning.count - len(warning.examples)
    if warning.code in ("removals", "hidden") and left:
        named += f"; and {left:,} more"
    return f"{warning.feed}: {warning.message}" + (f": {named}" if named else "")


def _pluralize(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"
