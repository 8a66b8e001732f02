"""Find events and places that two feeds of a metro list: the same name at the same time and place."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import cast

import polars as pl
from msgspec import Struct

from outings.contract.vocabulary import TYPES
from outings.release.tables import PUBLISHED
from pipeline.tables.feed_account import FEED

# Degrees between two points of one place, some 500 m.
_NEAR = 0.005
_SAID = ("has_price", "has_image", "has_clock", "has_age", "has_point")


class RepeatedListings(Struct, frozen=True, kw_only=True):
    """The events, or the places, of two feeds that are the same. `fuller`: the feed that says more of them, "" if
    both say as much."""

    kind: str
    feed: str
    other: str
    names: tuple[str, ...]
    fuller: str


def find_repeated(tables: Mapping[str, pl.DataFrame], *, today: date) -> Iterator[RepeatedListings]:
    """Yield the repeated events, and the repeated places, of each pair of feeds."""
    listings = tables["listings"].filter(pl.col("status") == PUBLISHED).with_columns(
        FEED, key=pl.col("name_key").str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars(),
        venue=pl.col("address").str.split(",").list.first().str.to_lowercase(),
        has_age=pl.any_horizontal(pl.col("age_min", "age_max").is_not_null()), has_point=pl.col("lat").is_not_null(),
    )  # fmt: skip
    shared = listings.filter(pl.col("feed").n_unique().over("key") > 1)
    if shared.is_empty():
        return
    said = pl.sum_horizontal(pl.col(name).fill_null(value=False).cast(pl.Int32) for name in _SAID)
    dates = tables["occurrences"].filter(pl.col("date") >= today).select("row", "starts_local")
    columns = shared.select("row", "type", "name", "feed", "key", "venue", "lat", "lng", said=said)
    places = columns.filter(pl.col("type") == TYPES.index("place"))
    dated = pl.concat([columns.join(dates, on="row"), places], how="diagonal")
    apart = (pl.col("lat") - pl.col("lat_right")).abs() + (pl.col("lng") - pl.col("lng_right")).abs() > 2 * _NEAR
    has_points = pl.col("lat").is_not_null() & pl.col("lat_right").is_not_null()
    elsewhere = pl.when(has_points).then(apart).otherwise(pl.col("venue") != pl.col("venue_right"))
    pairs = (
        dated.join(dated, on=["type", "key", "starts_local"], nulls_equal=True)
        .filter((pl.col("feed") < pl.col("feed_right")) & ~elsewhere.fill_null(value=False))
        .unique(["row", "row_right"]).sort("row", "row_right")
    )  # fmt: skip
    for (feed, other, kind), found in pairs.group_by("feed", "feed_right", "type", maintain_order=True):
        more = int(found["said"].sum()) - int(found["said_right"].sum())
        names = found.unique("row", keep="first", maintain_order=True)["name"].to_list()
        fuller = str(feed if more > 0 else other if more < 0 else "")
        yield RepeatedListings(
            kind=TYPES[cast("int", kind)], feed=str(feed), other=str(other), names=tuple(names), fuller=fuller
        )
