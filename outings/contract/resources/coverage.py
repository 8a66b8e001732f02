"""Coverage: how much a metro's data is, how fresh and how clean. Shares are of all published listings that count, from
0 to 1 with three decimals; null where there is none."""

from msgspec import Struct

from outings.contract.resources.shared import Member
from outings.contract.resources.words import Instant


class TypeCoverage(Member, frozen=True, kw_only=True):
    """Of one collection. `next_30_days`: what its list has from today to the 30th day after, whatever the audience and
    confidence, each class by itself; places all. `dateless`: what states no date at all."""

    published: int
    next_30_days: int
    dateless: int


class Freshness(Member, frozen=True, kw_only=True):
    """As of the beginning of the metro's local date: what was read or verified since then is 0 hours old."""

    newest_crawled_at: Instant | None
    median_age_hours: float | None
    crawled_7d_share: float | None
    verified_30d_share: float | None


class Quality(Member, frozen=True, kw_only=True):
    mean_confidence: float | None
    with_coordinates_share: float | None
    with_price_share: float | None
    with_ages_share: float | None
    with_image_share: float | None
    with_time_share: float | None


class NeighborhoodCoverage(Member, frozen=True, kw_only=True):
    """`named`: neighborhoods of the metro's map; `with_listings`: those of them with a published listing."""

    named: int
    with_listings: int


class CoverageRelease(Member, frozen=True, kw_only=True):
    """What answered, and when it last read anything new of this metro."""

    id: str
    built_at: Instant


class Coverage(Struct, frozen=True, kw_only=True):
    """`listings` by collection, those alone that count; `verification` by status, `unspecified` last."""

    metro: str
    listings: dict[str, TypeCoverage]
    freshness: Freshness
    quality: Quality
    verification: dict[str, int]
    neighborhoods: NeighborhoodCoverage
    release: CoverageRelease


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Coverage.freshness": "How new it is.",
    "Coverage.listings": "How much there is, by collection.",
    "Coverage.neighborhoods": "How many neighborhoods there are.",
    "Coverage.quality": "How complete it is.",
    "Coverage.release": "The release that answered.",
    "Coverage.verification": "How many listings have each status of verification.",
    "CoverageRelease.built_at": "When it last read anything new of this metro.",
    "CoverageRelease.id": "What `release` takes.",
    "Freshness.crawled_7d_share": "The share read in the last 7 days.",
    "Freshness.median_age_hours": "Half of the listings were read longer ago than this.",
    "Freshness.newest_crawled_at": "When a source was last read.",
    "Freshness.verified_30d_share": "The share verified in the last 30 days.",
    "NeighborhoodCoverage.named": "How many the directory has.",
    "NeighborhoodCoverage.with_listings": "How many of them have a published listing.",
    "Quality.mean_confidence": "The mean of `confidence`.",
    "Quality.with_ages_share": "The share that states an age.",
    "Quality.with_coordinates_share": "The share that has coordinates.",
    "Quality.with_image_share": "The share that has a picture.",
    "Quality.with_price_share": "The share that states a price, free included.",
    "Quality.with_time_share": "The share that states a clock time.",
    "TypeCoverage.dateless": "How many state no date.",
    "TypeCoverage.next_30_days": "How many the list has from today to the 30th day after, whatever their audience.",
    "TypeCoverage.published": "How many are published.",
}
