"""Count a feed's listings in a metro: served, or hidden from the default lists."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import polars as pl

from outings.contract.vocabulary import AUDIENCES, TYPES
from outings.release.manifest import FeedAccount
from outings.release.tables import PUBLISHED
from pipeline.clean.record_report import SOON_DAYS

# The feed in `source`, which is `<feed>/<type>/<source_id>`.
FEED = pl.col("source").fill_null("").str.split("/").list.first().alias("feed")
# As the lists' own parameters have them: `min_confidence` of places, and of all others.
LEAST_CONFIDENCE = {"place": 0.5, "other": 0.7}


def count_tables(tables: Mapping[str, pl.DataFrame], *, today: date) -> dict[str, FeedAccount]:
    """Count the published listings of a metro's tables by feed and by what hides them. Organizations are always
    shown."""
    organizations = tables["organizations"].filter((pl.col("status") == PUBLISHED) & pl.col("home").is_null())
    shown = [
        sort_shown(mark_open(tables, today=today)).filter(pl.col("reason") != "unpublished").select("feed", "reason"),
        organizations.select(FEED, reason=pl.lit("served")),
    ]
    counts: dict[str, dict[str, Any]] = {row.pop("feed"): row for row in _count_dates(tables, today=today).to_dicts()}
    for feed, reason, count in pl.concat(shown).group_by("feed", "reason").len().sort("feed", "reason").iter_rows():
        if feed:
            counts.setdefault(feed, {})[reason] = count
    return {feed: FeedAccount(**by_reason) for feed, by_reason in counts.items()}


def _count_dates(tables: Mapping[str, pl.DataFrame], *, today: date) -> pl.DataFrame:
    """Count for each feed its published listings with dates, as FeedAccount names them. Default lists have classes and
    camps of any day that is not over. A section or session with a start but no end may go on for ever."""
    listings = tables["listings"]
    beyond = pl.coalesce(pl.col("beyond_starts_local"), "starts_at").cast(pl.Int64) * 1_000_000
    later = beyond.cast(pl.Datetime("us")).cast(pl.Date)
    ends = pl.when(pl.col("starts_on").is_not_null()).then(pl.col("ends_on").fill_null(date.max)).otherwise("ends_on")
    starts, occurrence = pl.col("starts_local").cast(pl.Date), pl.max_horizontal("starts_local", "ends_local")
    dates = [
        tables["occurrences"].select("row", first=starts, last=occurrence.cast(pl.Date)),
        listings.select("row", first=later, last=later),
        *(tables[name].select("row", first=pl.lit(date.min), last=ends) for name in ("sections", "sessions")),
    ]
    is_soon = (pl.col("first") < today + timedelta(days=SOON_DAYS)) & (pl.col("last") >= today)
    by_row = pl.concat(dates).drop_nulls("last").group_by("row").agg(pl.col("last").max(), soon=is_soon.any())
    dated = listings.filter(pl.col("status") == PUBLISHED).join(by_row, on="row")
    return dated.group_by(FEED).agg(
        pl.col("soon").sum(), dated=pl.len(), coming=(pl.col("last") >= today).sum(), last_on=pl.col("last").max()
    )  # fmt: skip


def mark_open(tables: Mapping[str, pl.DataFrame], *, today: date) -> pl.DataFrame:
    """Return a metro's listings with a column `is_open`: True if a date of the listing is or may be today or later."""
    goes_on = pl.col("ends_on").is_null() | (pl.col("ends_on") >= today)
    starts_later = pl.col("beyond_starts_local").is_not_null()
    rows = [tables["occurrences"].filter(pl.col("date") >= today), tables["listings"].filter(starts_later)]
    rows += [tables[name].filter(goes_on) for name in ("sections", "sessions")]
    open_rows = pl.concat([frame.select("row") for frame in rows])["row"].unique()
    return tables["listings"].with_columns(is_open=pl.col("row").is_in(open_rows.implode()))


def sort_shown(listings: pl.DataFrame) -> pl.DataFrame:
    """Return `id`, `name`, `feed` and `reason` of listings from `mark_open`. `reason`: what hides the listing from
    default lists, or "served"."""
    kind = pl.col("type")
    is_place, is_event = kind == TYPES.index("place"), kind == TYPES.index("event")
    least = pl.when(is_place).then(LEAST_CONFIDENCE["place"]).otherwise(LEAST_CONFIDENCE["other"])
    reason = (
        pl.when(pl.col("status") != PUBLISHED).then(pl.lit("unpublished"))
        .when(pl.col("audience") == AUDIENCES.index("adults")).then(pl.lit("audience"))
        .when(pl.col("confidence") < least).then(pl.lit("confidence"))
        .when(is_event & ~pl.col("has_date")).then(pl.lit("undated"))
        .when(~is_place & ~pl.col("is_open")).then(pl.lit("over"))
        .otherwise(pl.lit("served"))
    )  # fmt: skip
    return listings.select("id", "name", FEED, reason=reason)
