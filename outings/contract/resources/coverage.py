"""Coverage: how much a metro's data is, how fresh and how clean. Shares are of all published listings that count, from
0 to 1 with three decimals; null where there is none."""

from typing import Annotated

from msgspec import Struct

from outings.contract.resources.shared import Member
from outings.contract.resources.words import Instant, means


class TypeCoverage(Member, frozen=True, kw_only=True):
    """Of one collection. `next_30_days`: what its list has from today to the 30th day after, whatever the audience and
    confidence, each class by itself; places all. `dateless`: what states no date at all."""

    published: Annotated[int, means("How many are published.")]
    next_30_days: Annotated[
        int, means("How many the list has from today to the 30th day after, whatever their audience.")
    ]
    dateless: Annotated[int, means("How many state no date.")]


class Freshness(Member, frozen=True, kw_only=True):
    """As of the beginning of the metro's local date: what was read or verified since then is 0 hours old."""

    newest_crawled_at: Annotated[Instant | None, means("When a source was last read.")]
    median_age_hours: Annotated[float | None, means("Half of the listings were read longer ago than this.")]
    crawled_7d_share: Annotated[float | None, means("The share read in the last 7 days.")]
    verified_30d_share: Annotated[float | None, means("The share verified in the last 30 days.")]


class Quality(Member, frozen=True, kw_only=True):
    mean_confidence: Annotated[float | None, means("The mean of `confidence`.")]
    with_coordinates_share: Annotated[float | None, means("The share that has coordinates.")]
    with_price_share: Annotated[float | None, means("The share that states a price, free included.")]
    with_ages_share: Annotated[float | None, means("The share that states an age.")]
    with_image_share: Annotated[float | None, means("The share that has a picture.")]
    with_time_share: Annotated[float | None, means("The share that states a clock time.")]


class NeighborhoodCoverage(Member, frozen=True, kw_only=True):
    """`named`: neighborhoods of the metro's map; `with_listings`: those of them with a published listing."""

    named: Annotated[int, means("How many the directory has.")]
    with_listings: Annotated[int, means("How many of them have a published listing.")]


class CoverageRelease(Member, frozen=True, kw_only=True):
    """What answered, and when it last read anything new of this metro."""

    id: Annotated[str, means("What `release` takes.")]
    built_at: Annotated[Instant, means("When it last read anything new of this metro.")]


class Coverage(Struct, frozen=True, kw_only=True):
    """`listings` by collection, those alone that count; `verification` by status, `unspecified` last."""

    metro: str
    listings: Annotated[dict[str, TypeCoverage], means("How much there is, by collection.")]
    freshness: Annotated[Freshness, means("How new it is.")]
    quality: Annotated[Quality, means("How complete it is.")]
    verification: Annotated[dict[str, int], means("How many listings have each status of verification.")]
    neighborhoods: Annotated[NeighborhoodCoverage, means("How many neighborhoods there are.")]
    release: Annotated[CoverageRelease, means("The release that answered.")]
