"""By row: what answers near a point ask of a listing beside its filters."""

import polars as pl

from outings.answers.selecting.buckets import pack_ages
from outings.answers.snapshot.derived import derive_table
from outings.contract.vocabulary import REGISTRATION_STATUSES

# Of a class that nobody can sign up for any more.
_CLOSED = [REGISTRATION_STATUSES.index(each) for each in ("full", "closed")]

# What it is made of.
LISTINGS = ("has_time", "is_free", "age_min", "age_max", "confidence", "categories", "is_recurring", "registration")


def make_traits(listings: pl.DataFrame) -> pl.DataFrame:
    """`is_free`: -1 where it is not stated. `ages`: a bit set over AGE_BANDS, with a last bit for those not stated."""
    return listings.select(
        has_time=pl.col("has_time").fill_null(value=False).cast(pl.UInt8()),
        is_recurring=pl.col("is_recurring").fill_null(value=False).cast(pl.UInt8()),
        is_closed=pl.col("registration").is_in(_CLOSED).fill_null(value=False).cast(pl.UInt8()),
        is_free=pl.col("is_free").cast(pl.Int8()).fill_null(-1),
        ages=pl.Series(pack_ages(listings)),
        confidence=pl.col("confidence").fill_null(0.0),
        categories=pl.col("categories").fill_null(0),
    )


TRAITS = derive_table("traits", make_traits, {"listings": LISTINGS})
