"""Add blocks about a listing's sources (`include=source`), as its feed states them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cached_property

import msgspec

from outings.answers.dates import find_start
from outings.answers.documents.fields import add_member
from outings.answers.plan import AnswerContext
from outings.answers.snapshot.reader import SnapshotReader, derive_table, open_snapshot
from outings.contract.envelope import Notice, unavailable_source
from outings.contract.query import Query
from outings.contract.resources.shared import SourceBlock, Verification
from outings.contract.values import DAY, format_instant, number_day
from outings.contract.vocabulary import TYPES, VERIFICATION_STATUSES
from outings.lazy_polars import pl
from outings.release.mapped_table import NOT_STATED
from outings.release.snapshot import Snapshot


def list_addons(query: Query, context: AnswerContext) -> tuple[str, ...]:
    """Return the add-ons in `include` that the key allows. The edge adds notices about the others."""
    words = query.get_words("include")
    return tuple(word for word in words if context.entitlement.allows_addon(word)) if words else ()


_encode = msgspec.json.Encoder().encode
_UNKNOWN = -1
# Days since the last check of a source after which its dates are stale.
STALE_DAYS = 30
# Outcomes of a check that reached the source, so that the score is based on it.
_REACHED = frozenset({"clear", "changed", "flagged", "gone"})
_DISPUTED = frozenset({"changed", "flagged"})
# Members of a listing that state dates or times. A changed member such as `term.starts_on` counts as `term`.
DATE_MEMBERS = frozenset({
    "starts_local", "ends_local", "starts_at", "ends_at", "date_on", "start_time", "end_time", "all_day", "timezone",
    "rrule", "exdates", "rdates", "recurrence_description", "term", "schedule", "sections", "sessions", "starts_on",
    "ends_on", "days", "year",
})  # fmt: skip
# Members that a check reports as changed if it finds the page at another address.
_ADDRESS_MEMBERS = frozenset({"url", "source", "source_url"})

# The columns of other tables from which the table of sources is made.
LISTINGS = (
    "row", "type", "has_date", "source_url", "crawled_at", "verification", "checked_at", "changed_fields",
    "beyond_starts_local",
)  # fmt: skip
OCCURRENCES = ("row", "date")
SPANS = ("row", "starts_on", "ends_on")


def make_sources(
    listings: pl.DataFrame, occurrences: pl.DataFrame, sections: pl.DataFrame, sessions: pl.DataFrame
) -> pl.DataFrame:
    """Return a table, by row, of what feeds state about each listing's source. `last`: the listing's last day, counted
    since 1970, NOT_STATED if it has no end. A text that is not stated is empty."""
    session_ends = pl.coalesce("ends_on", "starts_on")
    lasts = pl.concat(
        (
            occurrences.group_by("row").agg(last=pl.col("date").max()),
            sections.group_by("row").agg(last=_find_last(pl.col("ends_on"))),
            sessions.group_by("row").agg(last=_find_last(session_ends)),
        )
    )
    joined = listings.join(lasts, on="row", how="left", maintain_order="left")
    return joined.select(
        pl.col("type"),
        pl.col("has_date").cast(pl.Int8()).fill_null(_UNKNOWN),
        pl.col("verification").cast(pl.Int16()).fill_null(_UNKNOWN),
        pl.col("crawled_at", "checked_at").fill_null(_UNKNOWN),
        pl.col("source_url", "changed_fields").fill_null(""),
        last=pl.max_horizontal(pl.col("last").to_physical(), pl.col("beyond_starts_local") // DAY)
        .cast(pl.Int32())
        .fill_null(NOT_STATED),
    )


def _find_last(ends: pl.Expr) -> pl.Expr:
    """Return the latest of the ends, or null if one of them is null."""
    return pl.when(ends.is_null().any()).then(None).otherwise(ends.max())


SOURCES = derive_table(
    "sources",
    make_sources,
    {"listings": LISTINGS, "occurrences": OCCURRENCES, "sections": SPANS, "sessions": SPANS},
)


class Sources:
    """The table of a snapshot's sources, opened to make blocks."""

    def __init__(self, reader: SnapshotReader) -> None:
        table = reader.open_table(SOURCES)
        self._types, self._dated = table.view_array("type"), table.view_array("has_date")
        self._lasts, self._statuses = table.view_array("last"), table.view_array("verification")
        self._crawled, self._checked = table.view_array("crawled_at"), table.view_array("checked_at")
        self._urls, self._changed = table.read_texts("source_url"), table.read_texts("changed_fields")

    def make_block(self, row: int, today: date, start: int) -> SourceBlock | None:
        """Return the block of a listing, or None if the feed says nothing of its source. `start`: when `today` begins,
        in seconds since 1970."""
        url, changed = self._urls[row], self._changed[row]
        code, crawled, checked = self._statuses[row], self._crawled[row], self._checked[row]
        if not (url or changed) and (code, crawled, checked) == (_UNKNOWN, _UNKNOWN, _UNKNOWN):
            return None
        status = None if code == _UNKNOWN else VERIFICATION_STATUSES[code]
        crawled_at, checked_at = (None if time == _UNKNOWN else format_instant(time) for time in (crawled, checked))
        fields = tuple(changed.split("\n")) if changed else ()
        return SourceBlock(
            url=url or None,
            crawled_at=crawled_at,
            score_basis="verified" if status in _REACHED else "baseline",
            verification=Verification(status=status, checked_at=checked_at, changed_fields=fields),
            date_health=self._judge_dates(
                row, today, start, is_disputed=status in _DISPUTED and _name_any(fields, DATE_MEMBERS)
            ),
            source_health=_judge_source(status, fields, is_visited=max(crawled, checked) != _UNKNOWN),
        )

    def _judge_dates(self, row: int, today: date, start: int, *, is_disputed: bool) -> str | None:
        if TYPES[self._types[row]] == "place":
            return None
        if self._dated[row] == 0:
            return "missing"
        if is_disputed:
            return "conflicting"
        last = self._lasts[row]
        if last != NOT_STATED and last < number_day(today):
            return "past"
        latest = max(self._crawled[row], self._checked[row])
        return "stale" if latest != _UNKNOWN and latest < start - STALE_DAYS * DAY else "ok"


def _judge_source(status: str | None, fields: Sequence[str], *, is_visited: bool) -> str | None:
    """Return the health of a source, or None if nobody has visited it. No feed states how slow a source is."""
    if status in ("gone", "unreachable"):
        return status
    if _name_any(fields, _ADDRESS_MEMBERS):
        return "redirected"
    return "ok" if status is not None or is_visited else None


def _name_any(fields: Sequence[str], members: frozenset[str]) -> bool:
    return any(field.partition(".")[0] in members for field in fields)


class SourceBlocks:
    """A maker of the source blocks of one answer's items. It counts the missing ones for a notice."""

    def __init__(self, query: Query, *, snapshot: Snapshot, context: AnswerContext) -> None:
        self.is_requested = "source" in list_addons(query, context)
        self._snapshot = snapshot
        self._date = context.dates[snapshot.metro.slug]
        self._items = self._missing = 0

    def make(self, row: int) -> SourceBlock | None:
        """Return the block of a listing, or None if none was requested or its feed states none."""
        if not self.is_requested:
            return None
        self._items += 1
        block = open_snapshot(self._snapshot).open_index(Sources).make_block(row, self._date, self._start)
        self._missing += block is None
        return block

    def attach(self, document: bytes, row: int) -> bytes:
        block = self.make(row)
        return document if block is None else add_member(document, "source", _encode(block))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return a notice if source blocks are missing from the items so far."""
        return (unavailable_source(self._missing, of=self._items),) if self._missing else ()

    @cached_property
    def _start(self) -> int:
        return find_start(self._date, self._snapshot.metro.timezone)
