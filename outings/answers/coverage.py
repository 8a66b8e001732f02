"""`/v1/{metro}/coverage`: how many listings a metro has, how fresh and how complete they are."""

import math
from collections.abc import Sequence
from datetime import date, timedelta

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace

from outings.answers.dates import find_start
from outings.answers.live_counts import select_default
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import choose_types, find_route_filters
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.envelope import encode_detail
from outings.contract.query import Query
from outings.contract.resources.directories import (
    Coverage,
    CoverageRelease,
    Freshness,
    NeighborhoodCoverage,
    Quality,
    TypeCoverage,
)
from outings.contract.resources.meta import CoverageMeta
from outings.contract.text import fold_text
from outings.contract.values import Value, format_instant
from outings.contract.vocabulary import COLLECTIONS, TYPES, UNSPECIFIED, VERIFICATION_STATUSES
from outings.lazy_polars import pl
from outings.release.snapshot import Snapshot
from outings.release.tables import PUBLISHED, read_columns

# Confidences are summed as whole millionths, so that a sum does not depend on the order.
CONFIDENCE = 1_000_000

LISTINGS = (
    "type", "status", "neighborhood_slug", "neighborhood_key", "confidence", "lat", "lng", "age_min", "age_max",
    "verified_at", "crawled_at", "verification", "has_image", "has_price", "has_clock", "has_date",
)  # fmt: skip


def list_counted() -> "dict[str, pl.Expr]":
    """Return the conditions by which coverage counts listings, by name."""
    return {
        "published": pl.col("status") == PUBLISHED,
        "dateless": ~pl.col("has_date"),
        "with_coordinates": pl.col("lat").is_not_null() & pl.col("lng").is_not_null(),
        "with_price": pl.col("has_price"),
        "with_ages": pl.col("age_min").is_not_null() | pl.col("age_max").is_not_null(),
        "with_image": pl.col("has_image"),
        "with_time": pl.col("has_clock"),
    }


def open_published(reader: SnapshotReader) -> "pl.DataFrame":
    """Return the published listings of a snapshot, with the columns that are counted."""
    return read_columns(reader.tables["listings"], "listings", LISTINGS).filter(pl.col("status") == PUBLISHED)


_NEXT_DAYS = 30
_HOUR = 3600
_DAY = 24 * _HOUR


class Measures(Struct, frozen=True, kw_only=True):
    """The members of `Coverage` that follow from a snapshot and a date. `listings` by collection."""

    listings: dict[str, TypeCoverage]
    freshness: Freshness
    quality: Quality
    verification: dict[str, int]
    neighborhoods: NeighborhoodCoverage


def measure_coverage(
    snapshot: Snapshot, *, types: Sequence[str], today: date, neighborhood: str | None = None
) -> Measures:
    """Measure the listings of some types, everywhere or in a neighborhood, named as in the lists' parameter."""
    chosen = open_snapshot(snapshot).open_index(open_published)
    chosen = chosen.filter(pl.col("type").is_in([TYPES.index(listing_type) for listing_type in types]))
    if neighborhood is not None:
        is_named = pl.col("neighborhood_slug") == neighborhood.casefold()
        chosen = chosen.filter(is_named | (pl.col("neighborhood_key") == fold_text(neighborhood)))
    confidence = (pl.col("confidence") * CONFIDENCE).round().cast(pl.Int64()).sum()
    conditions = {name: is_met.sum().cast(pl.Int64()) for name, is_met in list_counted().items()}
    counted = chosen.group_by("type").agg(**conditions, confidence=confidence)
    counts = counted.sum().row(0, named=True)
    by_type = {row["type"]: row for row in counted.iter_rows(named=True)}
    statuses = chosen["verification"].fill_null(len(VERIFICATION_STATUSES)).to_numpy()
    by_status = np.bincount(statuses, minlength=len(VERIFICATION_STATUSES) + 1).tolist()
    shares = {f"{name}_share": share(counts[name], counts["published"]) for name in _SHARED}
    return Measures(
        listings={
            COLLECTIONS[listing_type]: TypeCoverage(
                published=own["published"],
                next_30_days=_count_next(listing_type, snapshot, today=today, neighborhood=neighborhood),
                dateless=own["dateless"],
            )
            for listing_type in types
            for own in [by_type.get(TYPES.index(listing_type), _NOTHING)]
        },
        freshness=_measure_freshness(chosen, start=find_start(today, snapshot.metro.timezone)),
        quality=Quality(mean_confidence=share(counts["confidence"], counts["published"] * CONFIDENCE), **shares),
        verification=dict(zip((*VERIFICATION_STATUSES, UNSPECIFIED), by_status, strict=True)),
        neighborhoods=_cover_neighborhoods(snapshot, chosen, types=types, neighborhood=neighborhood),
    )


_NOTHING = {"published": 0, "dateless": 0}
_SHARED = ("with_coordinates", "with_price", "with_ages", "with_image", "with_time")


def _count_next(listing_type: str, snapshot: Snapshot, *, today: date, neighborhood: str | None) -> int:
    """Count the listings of the next 30 days, whatever their audience and confidence."""
    given: dict[str, Value] = {"audience": ("all",), "min_confidence": 0}
    if listing_type != "place":
        given |= {"from": today, "to": today + timedelta(days=_NEXT_DAYS)}
    if neighborhood is not None:
        given["neighborhood"] = neighborhood
    selection = replace(select_default(listing_type, snapshot, today, **given), folds_programs=False)
    return open_evaluator(open_snapshot(snapshot)).count_rows(selection)


def _measure_freshness(chosen: "pl.DataFrame", *, start: int) -> Freshness:
    crawled, verified = (chosen[name].drop_nulls() for name in ("crawled_at", "verified_at"))
    newest = crawled.max()
    ages = (start - crawled).clip(lower_bound=0)
    hours = ages.median()
    return Freshness(
        newest_crawled_at=format_instant(newest) if isinstance(newest, int) else None,
        # With one decimal, rounded half up.
        median_age_hours=math.floor(10 * hours / _HOUR + 0.5) / 10 if isinstance(hours, float) else None,
        crawled_7d_share=share(int((crawled >= start - 7 * _DAY).sum()), chosen.height),
        verified_30d_share=share(int((verified >= start - 30 * _DAY).sum()), chosen.height),
    )


def share(part: int, whole: int) -> float | None:
    """Return part ÷ whole with three decimals, rounded half up; None if `whole` is 0."""
    return (2000 * part + whole) // (2 * whole) / 1000 if whole else None


def _cover_neighborhoods(
    snapshot: Snapshot, chosen: "pl.DataFrame", *, types: Sequence[str], neighborhood: str | None
) -> NeighborhoodCoverage:
    areas = open_snapshot(snapshot).open_index(open_areas).narrow(frozenset(types))
    is_known, numbers = areas.are_known(types), range(len(areas)) if neighborhood is None else areas.find(neighborhood)
    named = [areas.slugs[number] for number in numbers if is_known[number]]
    slugs, keys = ({*chosen[name].drop_nulls()} for name in ("neighborhood_slug", "neighborhood_key"))
    with_listings = sum(slug.casefold() in slugs or fold_text(slug) in keys for slug in named)
    return NeighborhoodCoverage(named=len(named), with_listings=with_listings)


_encoder = msgspec.json.Encoder()


def plan_coverage(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    """Plan the answer. The body shows the release's id, so the ETag changes with each release."""
    today = context.dates[snapshot.metro.slug]
    tag = make_tag("coverage", context.release.id, snapshot.hash, query.text, today, context.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_coverage(query, snapshot=snapshot, context=context))


def answer_coverage(query: Query, *, snapshot: Snapshot, context: AnswerContext) -> list[bytes]:
    """Measure the coverage of a metro and return the body as chunks of bytes."""
    today = context.dates[snapshot.metro.slug]
    types = choose_types(query, context.entitlement)
    measures = measure_coverage(snapshot, types=types, today=today, neighborhood=query.get_as("neighborhood", str))
    release = CoverageRelease(id=context.release.id, built_at=format_instant(snapshot.stamp))
    coverage = Coverage(metro=snapshot.metro.slug, release=release, **asdict(measures))
    described = find_route_filters(query).describe()
    meta = CoverageMeta(metro=snapshot.metro.slug, generated_at=format_instant(snapshot.stamp), **described)
    return encode_detail(_encoder.encode(coverage), meta=_encoder.encode(meta), notices=query.notices)
