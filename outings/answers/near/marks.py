"""By row: what answers near a point ask of a listing beside its filters."""

import polars as pl

# What it is made of.
LISTINGS = ("has_time",)


def make_marks(listings: pl.DataFrame) -> pl.DataFrame:
    return listings.select(has_time=pl.col("has_time").fill_null(value=False).cast(pl.UInt8()))
