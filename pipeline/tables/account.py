"""Count a feed's listings in a metro: served, or hidden from the default lists."""

from collections.abc import Iterable, Mapping
from datetime import date

import polars as pl
from msgspec.structs import replace

from outings.contract.vocabulary import AUDIENCES, TYPES
from outings.release.manifest import FeedAccount
from outings.release.tables import PUBLISHED

# Columns of a listing that decide if it is shown.
COLUMNS = ("id", "name", "source", "status", "type", "audience", "confidence", "has_date")
# As the lists' own parameters have them: `min_confidence` of places, and of all others.
LEAST_CONFIDENCE = {"place": 0.5, "other": 0.7}


def count_tables(tables: Mapping[str, pl.DataFrame], *, today: date) -> dict[str, FeedAccount]:
    """Count the listings and organizations of a metro's tables by feed."""
    organizations = tables["organizations"].filter((pl.col("status") == PUBLISHED) & pl.col("home").is_null())
    return count_shown(mark_open(tables, today=today), organizations=organizations["source"])


def mark_open(tables: Mapping[str, pl.DataFrame], *, today: date) -> pl.DataFrame:
    """Return the COLUMNS of a metro's listings, and `is_open`: True if a date of it is or may be today or later."""
    goes_on = pl.col("ends_on").is_null() | (pl.col("ends_on") >= today)
    starts_later = pl.col("beyond_starts_local").is_not_null()
    rows = [tables["occurrences"].filter(pl.col("date") >= today), tables["listings"].filter(starts_later)]
    rows += [tables[name].filter(goes_on) for name in ("sections", "sessions")]
    open_rows = pl.concat([frame.select("row") for frame in rows])["row"].unique()
    return tables["listings"].select(*COLUMNS, is_open=pl.col("row").is_in(open_rows.implode()))


def sort_shown(listings: pl.DataFrame) -> pl.DataFrame:
    """Return `id`, `name`, `feed` and `reason` of listings: what hides each from default lists, or "served".

    Args:
        listings: the COLUMNS, and `is_open`.
    """
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
    return listings.select("id", "name", feed=pl.col("source").str.split("/").list.first(), reason=reason)


def count_shown(listings: pl.DataFrame, *, organizations: Iterable[str | None]) -> dict[str, FeedAccount]:
    """Count published listings by feed and by what hides them.

    Args:
        listings: as in `sort_shown`.
        organizations: the sources of the published organizations, which are always shown.
    """
    published = sort_shown(listings).filter(pl.col("reason") != "unpublished")
    accounts: dict[str, FeedAccount] = {}
    for feed, why, count in published.group_by("feed", "reason").len().sort("feed", "reason").iter_rows():
        if feed:
            accounts[feed] = replace(accounts.get(feed, FeedAccount()), **{why: count})
    for source in organizations:
        if feed := (source or "").partition("/")[0]:
            known = accounts.get(feed, FeedAccount())
            accounts[feed] = replace(known, served=known.served + 1)
    return accounts
