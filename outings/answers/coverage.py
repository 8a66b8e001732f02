"""`/v1/{metro}/coverage`: how much there is of a metro, how fresh it is, and how complete."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta

import msgspec
import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from outings.answers.counts import select_default
from outings.answers.dates import find_start
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import choose_types, find_route_filters
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import SnapshotReader, derive_table, open_snapshot
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
from outings.contract.values import Value, echo_value, format_instant
from outings.contract.vocabulary import COLLECTIONS, TYPES, UNSPECIFIED, VERIFICATION_STATUSES
from outings.release.mapped_table import MappedTable
from outings.release.snapshot import Snapshot
from outings.release.tables import PUBLISHED

# Confidences are summed as whole numbers: a sum is the same in whatever order.
CONFIDENCE = 1_000_000

# What they are made of.
LISTINGS = (
    "type", "status", "neighborhood_slug", "neighborhood_key", "confidence", "lat", "lng", "age_min", "age_max",
    "verified_at", "crawled_at", "verification", "has_image", "has_price", "has_clock", "has_date",
)  # fmt: skip
# By verification status, those without one last.
_CHECKED = tuple(f"checked_{number}" for number in range(len(VERIFICATION_STATUSES) + 1))

Numbers = NDArray[np.int64]


def make_groups(listings: pl.DataFrame) -> pl.DataFrame:
    """`crawled`, `verified`: the instants that are stated, rising. A neighborhood that is not stated is empty."""
    published = listings.filter(pl.col("status") == PUBLISHED)
    statuses = pl.col("verification").fill_null(len(VERIFICATION_STATUSES))
    return (
        published.group_by(
            "type", slug=pl.col("neighborhood_slug").fill_null(""), key=pl.col("neighborhood_key").fill_null("")
        )
        .agg(
            *(is_stated.sum().cast(pl.Int64()).alias(name) for name, is_stated in list_counted().items()),
            (pl.col("confidence") * CONFIDENCE).round().cast(pl.Int64()).sum().alias("confidence"),
            *((statuses == number).sum().cast(pl.Int64()).alias(name) for number, name in enumerate(_CHECKED)),
            pl.col("crawled_at").drop_nulls().sort().alias("crawled"),
            pl.col("verified_at").drop_nulls().sort().alias("verified"),
        )
        .sort("type", "slug", "key")
    )


def list_counted() -> dict[str, pl.Expr]:
    """List the counts of each group of published listings."""
    return {
        "published": pl.col("status") == PUBLISHED,
        "dateless": ~pl.col("has_date"),
        "with_coordinates": pl.col("lat").is_not_null() & pl.col("lng").is_not_null(),
        "with_price": pl.col("has_price"),
        "with_ages": pl.col("age_min").is_not_null() | pl.col("age_max").is_not_null(),
        "with_image": pl.col("has_image"),
        "with_time": pl.col("has_clock"),
    }


GROUPS = derive_table("groups", make_groups, {"listings": LISTINGS})


class Groups:
    def __init__(self, table: MappedTable) -> None:
        self._arrays = table.read_arrays()
        self._crawled, self._verified = table.read_lists("crawled"), table.read_lists("verified")
        # Neighborhoods by number, each beside every group that is there.
        self._links: tuple[Numbers, Numbers] | None = None
        self._by_slug: dict[str, list[int]] = defaultdict(list)
        self._by_key: dict[str, list[int]] = defaultdict(list)
        for number, (slug, key) in enumerate(zip(table.read_texts("slug"), table.read_texts("key"), strict=True)):
            if slug:
                self._by_slug[slug].append(number)
            if key:
                self._by_key[key].append(number)

    def find_lively(self, chosen: Numbers, *, slugs: Sequence[str]) -> Numbers:
        """Return True for each of the metro's neighborhoods in which one of the groups has a listing."""
        if self._links is None:
            members = [self.find_neighborhood(slug) for slug in slugs]
            areas = np.repeat(np.arange(len(members)), [each.size for each in members])
            self._links = areas, np.concatenate(members) if members else areas
        areas, groups = self._links
        return np.unique(areas[np.isin(groups, chosen)])

    def choose(self, types: Collection[str], *, neighborhood: str | None = None) -> Numbers:
        """The groups of these types, in a neighborhood as the lists read it."""
        codes = [TYPES.index(each) for each in types]
        own = np.flatnonzero(np.isin(self._arrays["type"], codes))
        return own if neighborhood is None else np.intersect1d(own, self.find_neighborhood(neighborhood))

    def find_neighborhood(self, text: str) -> Numbers:
        matches = [*self._by_slug.get(text.casefold(), ()), *self._by_key.get(fold_text(text), ())]
        return np.array(matches, dtype=np.int64)

    def add(self, name: str, groups: Numbers) -> int:
        """The sum of what is counted under this name, or of confidences in millionths."""
        return int(self._arrays[name][groups].sum())

    def count_statuses(self, groups: Numbers) -> list[int]:
        """Count listings by verification status, those without one last."""
        return [self.add(name, groups) for name in _CHECKED]

    def read_crawled(self, groups: Numbers) -> Numbers:
        """The instants that are stated, in no order."""
        return _join(self._crawled, groups)

    def read_verified(self, groups: Numbers) -> Numbers:
        return _join(self._verified, groups)


def open_groups(reader: SnapshotReader) -> Groups:
    return Groups(reader.open_table(GROUPS))


def _join(lists: tuple[Numbers, Numbers], groups: Iterable[int]) -> Numbers:
    ends, values = lists
    parts = [values[ends[group] : ends[group + 1]] for group in groups]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


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
    """Measure the listings of some types, in a neighborhood as the lists read it, or everywhere."""
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
    """Return the median age in hours with one decimal, rounded half up; the mean of the two middle ones if even."""
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
    """Return the share with three decimals, rounded half up; None of nothing."""
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


_encoder = msgspec.json.Encoder()


def plan_coverage(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    """Plan the answer. It names the release, so its ETag differs with each."""
    today = about.dates[snapshot.metro.slug]
    tag = make_tag("coverage", about.release.id, snapshot.hash, query.text, today, about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_coverage(query, snapshot=snapshot, about=about))


def answer_coverage(query: Query, *, snapshot: Snapshot, about: AnswerContext) -> list[bytes]:
    """The body as parts."""
    today = about.dates[snapshot.metro.slug]
    types = choose_types(query, about.entitlement)
    measures = measure_coverage(snapshot, types=types, today=today, neighborhood=query.get_as("neighborhood", str))
    release = CoverageRelease(id=about.release.id, built_at=format_instant(snapshot.stamp))
    coverage = Coverage(metro=snapshot.metro.slug, release=release, **asdict(measures))
    filters = find_route_filters(query)
    meta = CoverageMeta(
        metro=snapshot.metro.slug,
        applied_filters={name: echo_value(value) for name, value in filters.values.items()},
        defaults_applied=filters.defaults,
        generated_at=format_instant(snapshot.stamp),
    )
    return [b'{"data":', _encoder.encode(coverage), b',"meta":', _encoder.encode(meta), b"}"]
