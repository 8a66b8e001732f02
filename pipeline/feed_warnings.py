"""Warnings about a whole feed whose records are all right: it is empty, its dates are over, or it is much smaller."""

from collections import Counter
from collections.abc import Collection, Iterator
from datetime import date, datetime

import numpy as np
import polars as pl
from msgspec import Struct

from outings.contract.resources.directories import Bounds
from outings.contract.values import DAY, number_day, read_date
from outings.contract.vocabulary import TYPES
from outings.release.manifest import FeedAccount
from outings.release.tables import LISTINGS, PUBLISHED, make_schema
from pipeline.clean.feed_read import FeedRead, SpooledRecord
from pipeline.clean.report import HIDDEN
from pipeline.dates.recurrence import names_start
from pipeline.fetch.row_choice import HEADING
from pipeline.resolve.listings.rows import Row
from pipeline.resolve.previous import PreviousSnapshot
from pipeline.tables.account import COLUMNS, count_shown, mark_open, sort_shown

# Most examples in a warning.
_EXAMPLES = 3
_SHOWN_TYPES = 5
# Degrees. A city lists what is an hour or two away. What is further is at 0, 0, or has its coordinates swapped.
_FAR_AWAY = 1.0


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


class DateSurvey:
    """Count the listings of each feed that have a date, and find the last date, to warn if all are over."""

    def __init__(self) -> None:
        self._dated = Counter[str]()
        self._last: dict[str, date] = {}
        self._going_on = set[str]()

    def add(self, row: Row, *, today: date) -> None:
        feed, last = _name_feed(row.columns["source"]), _find_last(row)
        if feed in self._going_on or row.columns["status"] != PUBLISHED or last is None:
            return
        self._dated[feed] += 1
        self._last[feed] = max(last, self._last.get(feed, last))
        if last >= today:
            self._going_on.add(feed)

    def list_warnings(self) -> Iterator[FeedWarning]:
        for feed, count in self._dated.items():
            if feed not in self._going_on:
                text = f"none of {count:,} {_pluralize(count, 'listing')} with a date is today or later"
                message = f"{text}; the last was on {self._last[feed]}"
                yield FeedWarning(feed=feed, code="no_future_date", message=message, count=count)


class AccountSurvey:
    """Count the rows of a metro that readers would see, and those that default lists hide."""

    def __init__(self) -> None:
        self._rows: list[dict[str, object]] = []
        self._organizations: list[str | None] = []

    def add(self, row: Row, *, today: date) -> None:
        if row.kind == "organization":
            if row.columns["status"] == PUBLISHED and row.columns.get("home") is None:
                self._organizations.append(row.columns["source"])
            return
        columns = {name: row.columns.get(name) for name in COLUMNS}
        self._rows.append({**columns, "id": row.id, "type": TYPES.index(row.kind), "is_open": _is_open(row, today)})

    def tabulate(self) -> pl.DataFrame:
        schema = make_schema({name: LISTINGS[name] for name in COLUMNS}) | {"is_open": pl.Boolean()}
        return pl.DataFrame(self._rows, schema=schema)

    def count(self) -> dict[str, FeedAccount]:
        return count_shown(self.tabulate(), organizations=self._organizations)


def _is_open(row: Row, today: date) -> bool:
    """Return True if a date of the row is today or later, or if its end is not known."""
    if row.kind != "event":
        return (_find_last(row) or date.max) >= today
    if row.columns["beyond_starts_local"] is not None:
        return True
    starts = None if row.occurrences is None else row.occurrences.starts_local
    return starts is not None and bool((starts >= number_day(today) * DAY).any())


def _find_last(row: Row) -> date | None:
    """Return the row's last date, or None if it has no dates. If a section or session has a start but no end, return
    the latest possible date."""
    if row.kind == "event":
        return _find_last_start(row)
    # A section or session begins with its number, first day and last day.
    spans = [(first, last) for _, first, last, *_ in row.happenings if first is not None or last is not None]
    return max((date.max if last is None else last for _, last in spans), default=None)


def _find_last_start(row: Row) -> date | None:
    if row.columns["beyond_starts_local"] is not None:
        return read_date(int(row.columns["beyond_starts_local"]) // DAY)
    if row.occurrences is not None and len(row.occurrences):
        return read_date(int(np.maximum(row.occurrences.starts_local, row.occurrences.ends_local).max()) // DAY)
    # A series without dates within the horizon.
    starts = None if row.members is None else row.members.starts_local
    return None if starts is None else datetime.fromisoformat(starts).date()


class RuleSurvey:
    """Find event series whose first date does not follow their own rule, to warn that one of the two is wrong."""

    def __init__(self) -> None:
        self._series: dict[str, list[str]] = {}

    def add(self, row: Row, entry: SpooledRecord) -> None:
        if row.kind != "event" or row.members is None or row.members.rrule is None:
            return
        starts = row.members.starts_local
        if starts is not None and not names_start(row.members.rrule, datetime.fromisoformat(starts)):
            name = entry.head.source_id
            self._series.setdefault(entry.head.feed, []).append(f"{name}: {starts} and {row.members.rrule}")

    def list_warnings(self) -> Iterator[FeedWarning]:
        for feed, series in self._series.items():
            text = f"{len(series):,} series with a first date that is none of the rule's, and is shown all the same"
            yield FeedWarning(
                feed=feed,
                code="start_outside_rule",
                message=text,
                count=len(series),
                examples=tuple(series[:_EXAMPLES]),
            )


class PointSurvey:
    """Find listings with a point far outside their metro's bounds, to warn of them."""

    def __init__(self) -> None:
        self._far: dict[str, list[str]] = {}

    def add(self, row: Row, *, bounds: Bounds) -> None:
        lat, lng = row.columns.get("lat"), row.columns.get("lng")  # organizations have none
        if row.columns["status"] != PUBLISHED or lat is None or lng is None:
            return
        north_south = max(bounds.south - lat, lat - bounds.north)
        if max(north_south, bounds.west - lng, lng - bounds.east) > _FAR_AWAY:
            feed = _name_feed(row.columns["source"])
            self._far.setdefault(feed, []).append(f"{row.columns['name']}: {lat:g}, {lng:g}")

    def list_warnings(self) -> Iterator[FeedWarning]:
        for feed, far in self._far.items():
            text = f"{len(far):,} {_pluralize(len(far), 'listing')} more than a degree outside the metro's bounds"
            yield FeedWarning(
                feed=feed, code="far_away", message=text, count=len(far), examples=tuple(far[:_EXAMPLES])
            )  # fmt: skip


class RemovalSurvey:
    """Find published listings that a build would remove, to warn of them."""

    def __init__(self) -> None:
        self._had = Counter[str]()
        self._gone: dict[str, dict[str, str]] = {}
        self._shown = set[str]()

    def add(self, previous: PreviousSnapshot, shown: Collection[str], *, unread: Collection[str]) -> None:
        """Add a metro. `shown`: ids of the rows that it would have; `unread`: feeds that could not be read."""
        own = previous.organizations.filter(pl.col("home").is_null())
        for kind, frame in ((None, previous.listings), ("organization", own)):
            published = frame.filter(pl.col("status") == PUBLISHED)
            for row in published.iter_rows(named=True):
                feed = _name_feed(row["source"])
                if not feed or feed in unread:
                    continue
                self._had[feed] += 1
                if row["id"] not in shown:
                    name = kind or TYPES[row["type"]]
                    self._gone.setdefault(feed, {})[row["id"]] = f"{row['name']} ({name} {row['id']})"
        self._shown.update(shown)

    def list_warnings(self, *, configured: Collection[str]) -> Iterator[FeedWarning]:
        for feed, lost in self._gone.items():
            # Listings that moved to another metro are not removed.
            gone = [name for row_id, name in lost.items() if row_id not in self._shown]
            if not gone:
                continue
            had = self._had[feed]
            text = f"{len(gone):,} of {had:,} published {_pluralize(had, 'listing')} would be removed"
            why = "" if feed in configured else ", because the configuration has this feed no more"
            examples = tuple(sorted(gone)[:_EXAMPLES])
            yield FeedWarning(feed=feed, code="removals", message=text + why, count=len(gone), examples=examples)


def warn_of_hiding(previous: PreviousSnapshot, listings: pl.DataFrame, *, today: date) -> Iterator[FeedWarning]:
    """Yield warnings, by feed and reason, of listings that are in default lists now and would be hidden from them."""
    tables = {name: previous.read_table(name) for name in ("occurrences", "sections", "sessions", "listings")}
    shown = sort_shown(mark_open(tables, today=today)).filter(pl.col("reason") == "served")
    totals = dict(shown.group_by("feed").len().iter_rows())
    hidden = sort_shown(listings).filter(pl.col("reason") != "served").join(shown.select("id"), on="id", how="semi")
    groups = hidden.group_by("feed", "reason").agg(pl.col("name").sort()).sort("feed", "reason")
    for feed, reason, names in groups.iter_rows():
        why, change = HIDDEN[reason]
        message = f"of {totals[feed]:,} listings in default lists, {len(names):,} {why} ({change})"
        yield FeedWarning(
            feed=feed, code="hidden", message=message, count=len(names), examples=tuple(names[:_EXAMPLES])
        )  # fmt: skip


def format_warning(warning: FeedWarning) -> str:
    named = "; ".join(warning.examples)
    left = warning.count - len(warning.examples)
    if warning.code in ("removals", "hidden", "start_outside_rule") and left:
        named += f"; and {left:,} more"
    return f"{warning.feed}: {warning.message}" + (f": {named}" if named else "")


def _name_feed(source: str | None) -> str:
    return (source or "").partition("/")[0]


def _pluralize(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"
