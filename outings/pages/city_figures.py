"""The figures of a city's page: how much, when, where, what is missing, how old. A pure function of a snapshot and a
local date; whatever the API says too comes from the code that answers it."""

from collections.abc import Mapping
from datetime import date, timedelta

import polars as pl
from msgspec import Struct

from outings.answers.counts import select_default
from outings.answers.coverage import LISTINGS, Measures, list_counted, measure_coverage
from outings.answers.dates import find_start
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.pages.density import DensityMap, draw_density
from outings.release.snapshot import Snapshot
from outings.release.tables import PUBLISHED, read_columns

# What a listing should have, in the order of the page; `list_counted` says when it has it.
MEMBERS = ("ages", "price", "coordinates", "image", "time")
# Types that have dates.
DATED = ("event", "class", "camp")
WEEKS = 5
MOST_ORGANIZATIONS = 20
MOST_NEIGHBORHOODS = 10
# Ages of data in days, from the beginning of the local date: one group up to each, then older, then not stated.
AGES = (7, 30, 90, 365)
INSTANTS = ("verified_at", "crawled_at", "updated_at")
_DAY = 24 * 3600
_COLUMNS = sorted({*LISTINGS, "organization_id", "neighborhood", "updated_at"})


class TypeFigures(Struct, frozen=True, kw_only=True):
    """`having`: how many of the published listings have each of MEMBERS."""

    collection: str
    published: int
    next_30_days: int
    dateless: int
    having: Mapping[str, int]


class DayFigure(Struct, frozen=True):
    """The events of a day, as the calendar of events counts them."""

    day: date
    count: int


class WeekFigure(Struct, frozen=True):
    """For each type that has dates, how many items its list has in the 7 days from `first`."""

    first: date
    counts: Mapping[str, int]


class GapFigures(Struct, frozen=True, kw_only=True):
    """An organization's published listings, and how many lack each of MEMBERS. `id` and `name` are null of the listings
    that name no organization."""

    id: str | None
    name: str | None
    listings: int
    missing: Mapping[str, int]


class NeighborhoodFigure(Struct, frozen=True):
    """`middle`: of those of its listings that have coordinates."""

    slug: str
    name: str
    count: int
    middle: tuple[float, float] | None


class AgeFigures(Struct, frozen=True):
    """`counts`: of published listings by the age of this instant, as AGES groups them."""

    instant: str
    counts: tuple[int, ...]


class CityFigures(Struct, frozen=True, kw_only=True):
    """`others`: what the organizations that `gaps` leaves out have together, and how many they are."""

    today: date
    measures: Measures
    types: tuple[TypeFigures, ...]
    days: tuple[DayFigure, ...]
    weeks: tuple[WeekFigure, ...]
    organizations: int
    gaps: tuple[GapFigures, ...]
    others: tuple[int, GapFigures] | None
    neighborhoods: tuple[NeighborhoodFigure, ...]
    ages: tuple[AgeFigures, ...]
    density: DensityMap | None

    @property
    def published(self) -> int:
        return sum(each.published for each in self.types)


def count_city(snapshot: Snapshot, *, today: date) -> CityFigures:
    """Raises what Polars raises where a table is broken."""
    listings = read_columns(snapshot.tables["listings"], "listings", _COLUMNS).filter(pl.col("status") == PUBLISHED)
    listings = listings.with_columns(is_stated.alias(name) for name, is_stated in list_having().items())
    located = listings.select("lat", "lng").drop_nulls()
    measures = measure_coverage(snapshot, types=TYPES, today=today)
    gaps, neighborhoods = _count_gaps(listings, snapshot), _count_neighborhoods(listings)
    places = [each.middle for each in neighborhoods]
    return CityFigures(
        today=today,
        measures=measures,
        types=tuple(_count_type(each, listings, measures) for each in TYPES),
        days=_count_days(snapshot, today),
        weeks=tuple(_count_week(snapshot, today=today, number=number) for number in range(WEEKS)),
        organizations=sum(each.name is not None for each in gaps),
        gaps=tuple(gaps[:MOST_ORGANIZATIONS]),
        others=_add_gaps(gaps[MOST_ORGANIZATIONS:]),
        neighborhoods=neighborhoods,
        ages=tuple(_count_ages(listings, each, start=find_start(today, snapshot.metro.timezone)) for each in INSTANTS),
        density=draw_density(located["lat"].to_numpy(), located["lng"].to_numpy(), places=places),
    )


def list_having() -> dict[str, pl.Expr]:
    """Of a published listing, whether it has each of MEMBERS."""
    counted = list_counted()
    return {name: counted[f"with_{name}"].fill_null(value=False) for name in MEMBERS}


def _count_type(listing_type: str, listings: pl.DataFrame, measures: Measures) -> TypeFigures:
    own = listings.filter(pl.col("type") == TYPES.index(listing_type))
    measure = measures.listings[COLLECTIONS[listing_type]]
    return TypeFigures(
        collection=COLLECTIONS[listing_type],
        published=measure.published,
        next_30_days=measure.next_30_days,
        dateless=measure.dateless,
        having={name: int(own[name].sum()) for name in MEMBERS},
    )


def _count_days(snapshot: Snapshot, today: date) -> tuple[DayFigure, ...]:
    days = 7 * WEEKS
    window = {"from": today, "to": today + timedelta(days=days - 1)}
    counted = open_evaluator(open_snapshot(snapshot)).count_days(
        select_default("event", snapshot, today, **window), days=days
    )
    return tuple(
        DayFigure(today + timedelta(days=number), count) for number, count in enumerate(counted.counts.tolist())
    )


def _count_week(snapshot: Snapshot, *, today: date, number: int) -> WeekFigure:
    first = today + timedelta(days=7 * number)
    window = {"from": first, "to": first + timedelta(days=6)}
    evaluator = open_evaluator(open_snapshot(snapshot))
    return WeekFigure(
        first,
        {COLLECTIONS[each]: evaluator.count_rows(select_default(each, snapshot, today, **window)) for each in DATED},
    )


def _count_gaps(listings: pl.DataFrame, snapshot: Snapshot) -> list[GapFigures]:
    """Those that lack most first."""
    names = read_columns(snapshot.tables["organizations"], "organizations", ["id", "name"]).unique("id")
    counted = listings.group_by("organization_id").agg(
        pl.len().alias("listings"), *((~pl.col(name)).sum().alias(name) for name in MEMBERS)
    )
    joined = counted.join(names, left_on="organization_id", right_on="id", how="left").with_columns(
        pl.col("name").fill_null(pl.col("organization_id")), lacking=pl.sum_horizontal(MEMBERS)
    )
    ordered = joined.sort("lacking", "listings", "name", "organization_id", descending=[True, True, False, False])
    return [
        GapFigures(
            id=row["organization_id"],
            name=row["name"],
            listings=row["listings"],
            missing={name: row[name] for name in MEMBERS},
        )
        for row in ordered.iter_rows(named=True)
    ]


def _add_gaps(gaps: list[GapFigures]) -> tuple[int, GapFigures] | None:
    if not gaps:
        return None
    missing = {name: sum(each.missing[name] for each in gaps) for name in MEMBERS}
    return len(gaps), GapFigures(id=None, name=None, listings=sum(each.listings for each in gaps), missing=missing)


def _count_neighborhoods(listings: pl.DataFrame) -> tuple[NeighborhoodFigure, ...]:
    """By name as listings state it, those with most listings first."""
    stated = listings.drop_nulls("neighborhood_slug").with_columns(
        pl.col("neighborhood").fill_null(pl.col("neighborhood_slug"))
    )
    counted = stated.group_by("neighborhood_slug").agg(
        pl.len().alias("count"), pl.col("neighborhood").min(), pl.col("lat", "lng").median()
    )
    ordered = counted.sort("count", "neighborhood", descending=[True, False]).head(MOST_NEIGHBORHOODS)
    return tuple(
        NeighborhoodFigure(slug, name, count, None if lat is None or lng is None else (lat, lng))
        for slug, name, count, lat, lng in ordered.select(
            "neighborhood_slug", "neighborhood", "count", "lat", "lng"
        ).iter_rows()
    )


def _count_ages(listings: pl.DataFrame, instant: str, *, start: int) -> AgeFigures:
    bounds = [start - days * _DAY for days in AGES]
    after = [int((listings[instant] >= bound).sum()) for bound in bounds]
    stated = listings.height - listings[instant].null_count()
    grouped = [count - before for before, count in zip([0, *after], [*after, stated], strict=True)]
    return AgeFigures(instant, (*grouped, listings.height - stated))
