"""How much a metro's data is, how fresh and how clean, for what the key may read."""

from collections.abc import Sequence
from datetime import date, timedelta

import msgspec
import numpy as np
from msgspec.structs import replace

from outings.answers.context import AnswerContext
from outings.answers.counts import select_default
from outings.answers.coverage.index import CONFIDENCE, Groups, Numbers, open_groups
from outings.answers.dates import find_start
from outings.answers.plan import AnswerPlan, make_tag
from outings.answers.selecting.collections import choose_types
from outings.answers.selecting.defaults import find_route_filters
from outings.answers.selecting.evaluators import open_evaluator
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.instants import format_instant
from outings.contract.meta import CoverageMeta
from outings.contract.query import Query
from outings.contract.resources.coverage import (
    Coverage,
    CoverageRelease,
    Freshness,
    NeighborhoodCoverage,
    Quality,
    TypeCoverage,
)
from outings.contract.values import Value, echo_value
from outings.contract.vocabulary import COLLECTIONS, UNSPECIFIED, VERIFICATION_STATUSES
from outings.release.snapshot import Snapshot

_NEXT_DAYS = 30
_HOUR = 3600
_DAY = 24 * _HOUR
_encoder = msgspec.json.Encoder()


def plan_coverage(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    """It names the release that answers."""
    today = about.dates[snapshot.metro.slug]
    tag = make_tag("coverage", about.release.id, snapshot.hash, query.text, today, about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_coverage(query, snapshot=snapshot, about=about))


def answer_coverage(query: Query, *, snapshot: Snapshot, about: AnswerContext) -> list[bytes]:
    """The body as parts."""
    today = about.dates[snapshot.metro.slug]
    groups = open_snapshot(snapshot).open_index(open_groups)
    types = choose_types(query, about.entitlement)
    where = query.get_as("neighborhood", str)
    chosen = groups.choose(types, neighborhood=where)
    coverage = Coverage(
        metro=snapshot.metro.slug,
        listings={
            COLLECTIONS[each]: _cover_type(each, groups, snapshot=snapshot, today=today, where=where) for each in types
        },
        freshness=_measure_freshness(groups, chosen, start=find_start(today, snapshot.metro.timezone)),
        quality=_measure_quality(groups, chosen),
        verification=dict(zip((*VERIFICATION_STATUSES, UNSPECIFIED), groups.count_statuses(chosen), strict=True)),
        neighborhoods=_cover_neighborhoods(snapshot, chosen, types=types, where=where),
        release=CoverageRelease(id=about.release.id, built_at=format_instant(snapshot.stamp)),
    )
    filters = find_route_filters(query)
    meta = CoverageMeta(
        metro=snapshot.metro.slug,
        applied_filters={name: echo_value(value) for name, value in filters.values.items()},
        defaults_applied=filters.defaults,
        generated_at=format_instant(snapshot.stamp),
    )
    return [b'{"data":', _encoder.encode(coverage), b',"meta":', _encoder.encode(meta), b"}"]


def _cover_type(
    listing_type: str, groups: Groups, *, snapshot: Snapshot, today: date, where: str | None
) -> TypeCoverage:
    own = groups.choose((listing_type,), neighborhood=where)
    return TypeCoverage(
        published=groups.add("published", own),
        next_30_days=_count_next(listing_type, snapshot, today=today, where=where),
        dateless=groups.add("dateless", own),
    )


def _count_next(listing_type: str, snapshot: Snapshot, *, today: date, where: str | None) -> int:
    given: dict[str, Value] = {"audience": ("all",), "min_confidence": 0}
    if listing_type != "place":
        given |= {"from": today, "to": today + timedelta(days=_NEXT_DAYS)}
    if where is not None:
        given["neighborhood"] = where
    selection = replace(select_default(listing_type, snapshot, today, **given), has_cards=False)
    return open_evaluator(open_snapshot(snapshot)).count_rows(selection)


def _measure_freshness(groups: Groups, chosen: Numbers, *, start: int) -> Freshness:
    crawled, verified = groups.read_crawled(chosen), groups.read_verified(chosen)
    published = groups.add("published", chosen)
    return Freshness(
        newest_crawled_at=format_instant(int(crawled.max())) if crawled.size else None,
        median_age_hours=_find_median(np.maximum(start - crawled, 0)),
        crawled_7d_share=share(int((crawled >= start - 7 * _DAY).sum()), published),
        verified_30d_share=share(int((verified >= start - 30 * _DAY).sum()), published),
    )


def _find_median(ages: Numbers) -> float | None:
    """In hours, with one decimal, rounded half up; of an even number, between the two in the middle."""
    if not ages.size:
        return None
    low, high = (ages.size - 1) // 2, ages.size // 2
    middle = np.partition(ages, (low, high))
    seconds = int(middle[low]) + int(middle[high])  # twice the median
    return (10 * seconds + _HOUR) // (2 * _HOUR) / 10


def _measure_quality(groups: Groups, chosen: Numbers) -> Quality:
    published = groups.add("published", chosen)
    shares: dict[str, float | None] = {
        f"{name}_share": share(groups.add(name, chosen), published)
        for name in ("with_coordinates", "with_price", "with_ages", "with_image", "with_time")
    }
    return Quality(mean_confidence=share(groups.add("confidence", chosen), published * CONFIDENCE), **shares)


def share(part: int, whole: int) -> float | None:
    """With three decimals, rounded half up."""
    return (2000 * part + whole) // (2 * whole) / 1000 if whole else None


def _cover_neighborhoods(
    snapshot: Snapshot, chosen: Numbers, *, types: Sequence[str], where: str | None
) -> NeighborhoodCoverage:
    opened = open_snapshot(snapshot)
    areas, groups = opened.open_index(open_areas), opened.open_index(open_groups)
    known = areas.are_known(types)
    numbers = [number for number in (range(len(areas)) if where is None else areas.find(where)) if known[number]]
    lively = groups.find_lively(chosen, slugs=areas.slugs)
    return NeighborhoodCoverage(named=len(numbers), with_listings=len({*lively.tolist()}.intersection(numbers)))
