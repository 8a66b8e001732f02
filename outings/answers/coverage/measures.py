"""How much a metro's listings of some types are, how fresh and how clean: for the route, and for the city's page."""

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.counts import select_default
from outings.answers.coverage.index import CONFIDENCE, Groups, Numbers, open_groups
from outings.answers.dates import find_start
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.instants import format_instant
from outings.contract.resources.coverage import Freshness, NeighborhoodCoverage, Quality, TypeCoverage
from outings.contract.values import Value
from outings.contract.vocabulary import COLLECTIONS, UNSPECIFIED, VERIFICATION_STATUSES
from outings.release.snapshot import Snapshot

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
    """Of these types, in a neighborhood as the lists read it or everywhere."""
    groups = open_snapshot(snapshot).open_index(open_groups)
    chosen = groups.choose(types, neighborhood=neighborhood)
    return Measures(
        listings={
            COLLECTIONS[each]: _cover_type(each, groups, snapshot=snapshot, today=today, where=neighborhood)
            for each in types
        },
        freshness=_measure_freshness(groups, chosen, start=find_start(today, snapshot.metro.timezone)),
        quality=_measure_quality(groups, chosen),
        verification=dict(zip((*VERIFICATION_STATUSES, UNSPECIFIED), groups.count_statuses(chosen), strict=True)),
        neighborhoods=_cover_neighborhoods(snapshot, chosen, types=types, where=neighborhood),
    )


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
    groups = opened.open_index(open_groups)
    areas = opened.open_index(open_areas).narrow(frozenset(types))
    known = areas.are_known(types)
    numbers = [number for number in (range(len(areas)) if where is None else areas.find(where)) if known[number]]
    lively = groups.find_lively(chosen, slugs=areas.slugs)
    return NeighborhoodCoverage(named=len(numbers), with_listings=len({*lively.tolist()}.intersection(numbers)))
