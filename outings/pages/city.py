"""The page of a metro: figures computed from its snapshot, and a map of where its listings are."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import accumulate
from math import cos, log1p, radians, sqrt
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.coverage import LISTINGS, Measures, list_counted, measure_coverage
from outings.answers.dates import find_start
from outings.answers.live_counts import select_default
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.snapshot.reader import open_snapshot
from outings.configuration.zones import read_zone
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.pages.assets import Page
from outings.pages.layout import gather_words, name_words, render_page
from outings.release.site import SiteSettings
from outings.release.snapshot import Snapshot
from outings.release.tables import PUBLISHED, read_columns

# Cells from west to east: the more listings, the finer. At 320 px the finest are 4 px wide, enough to be seen.
_FEWEST, _MOST = 16, 64
# From few to many, each a shade of the map.
LEVELS = 5
# Of the coordinates this share at each end is left out: one wrong address would make the map one dot.
_TAIL = 0.01
_SMALLEST = 0.01  # degrees
_MARGIN = 0.04


class Marker(Struct, frozen=True):
    """The number of a place on the map, in cells from the north-western corner. `is_east`: there is no room to the
    right of it."""

    number: int
    x: float
    y: float
    is_east: bool


class DensityMap(Struct, frozen=True, kw_only=True):
    """The map of listings. `paths`: for each level its cells as the outline of an SVG path, one unit a cell, north up;
    empty if there are none. `most` is the count of the fullest cell, `outside` how many listings are off the map."""

    columns: int
    rows: int
    paths: tuple[str, ...]
    most: int
    located: int
    outside: int
    markers: tuple[Marker, ...]


def draw_density(
    lats: NDArray[np.float64], lngs: NDArray[np.float64], *, places: Sequence[tuple[float, float] | None] = ()
) -> DensityMap | None:
    """Count listings in the cells of a map. Return None if none has coordinates. `places` get numbers from 1, in order,
    if they are on the map."""
    if not lats.size:
        return None
    south, north = _find_extent(lats)
    west, east = _find_extent(lngs)
    columns = min(max(round(sqrt(lats.size)), _FEWEST), _MOST)
    step = (east - west) / columns
    tall = step * cos(radians((south + north) / 2))
    rows = min(max(round((north - south) / tall), columns // 2), columns * 2)
    tall = (north - south) / rows
    across, down = np.floor((lngs - west) / step), np.floor((north - lats) / tall)
    inside = (across >= 0) & (across < columns) & (down >= 0) & (down < rows)
    cells, counts = np.unique((down[inside] * columns + across[inside]).astype(np.int64), return_counts=True)
    most = int(counts.max(initial=0))
    paths = [""] * LEVELS
    for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
        paths[_find_level(count, most)] += f"M{cell % columns} {cell // columns}h1v1h-1z"
    outside = lats.size - int(counts.sum())
    markers = (
        Marker(
            number,
            round((place[1] - west) / step, 1),
            round((north - place[0]) / tall, 1),
            is_east=place[1] > east - (east - west) / 12,
        )
        for number, place in enumerate(places, start=1)
        if place is not None and south < place[0] < north and west < place[1] < east
    )
    return DensityMap(
        columns=columns, rows=rows, paths=tuple(paths), most=most, located=lats.size, outside=outside,
        markers=tuple(markers),
    )  # fmt: skip


def _find_level(count: int, most: int) -> int:
    """Return the shade of a cell, on a logarithmic scale: each doubling of the count adds about the same."""
    return min(int(LEVELS * log1p(count) / log1p(most)), LEVELS - 1) if most else 0


def _find_extent(degrees: NDArray[np.float64]) -> tuple[float, float]:
    low, high = (float(bound) for bound in np.quantile(degrees, [_TAIL, 1 - _TAIL], method="nearest"))
    spare = max((high - low) * _MARGIN, (_SMALLEST - (high - low)) / 2, 1e-9)
    return low - spare, high + spare


# What a listing should have, in the order of the page; `list_counted` says when it has it.
MEMBERS = ("ages", "price", "coordinates", "image", "time")
WEEKS = 5
MOST_ORGANIZATIONS = 20
MOST_NEIGHBORHOODS = 10
# Ages of data in days, from the beginning of the local date: one group up to each, then older, then not stated.
AGES = (7, 30, 90, 365)
INSTANTS = ("verified_at", "crawled_at", "updated_at")
_DAY = 24 * 3600
_COLUMNS = sorted({*LISTINGS, "organization_id", "neighborhood", "updated_at"})


class TypeFigures(Struct, frozen=True, kw_only=True):
    """Figures of one type. `listed`: what its list has by default, as `/v1/metros` counts it. `having`: how many of the
    published listings have each of MEMBERS."""

    collection: str
    listed: int
    published: int
    dateless: int
    having: Mapping[str, int]


class DayFigure(Struct, frozen=True):
    """The events of a day, as the calendar of events counts them."""

    day: date
    count: int


class GapFigures(Struct, frozen=True, kw_only=True):
    """An organization's published listings, and how many lack each of MEMBERS. `id` and `name` are null of the listings
    that name no organization."""

    id: str | None
    name: str | None
    listings: int
    missing: Mapping[str, int]


class NeighborhoodFigure(Struct, frozen=True):
    """A neighborhood with its count. `middle`: the center of its listings that have coordinates."""

    slug: str
    name: str
    count: int
    middle: tuple[float, float] | None


class AgeFigures(Struct, frozen=True):
    """Published listings by the age of an instant, grouped as in AGES."""

    instant: str
    counts: tuple[int, ...]


class CityFigures(Struct, frozen=True, kw_only=True):
    """All figures of a metro's page. `others`: the sums of the organizations that `gaps` leaves out, and how many they
    are."""

    today: date
    measures: Measures
    types: tuple[TypeFigures, ...]
    days: tuple[DayFigure, ...]
    organizations: int
    gaps: tuple[GapFigures, ...]
    others: tuple[int, GapFigures] | None
    neighborhoods: tuple[NeighborhoodFigure, ...]
    ages: tuple[AgeFigures, ...]
    density: DensityMap | None

    @property
    def published(self) -> int:
        return sum(figure.published for figure in self.types)


def count_city(snapshot: Snapshot, *, today: date) -> CityFigures:
    """Compute the figures. Raises the errors of polars if a table is broken."""
    listings = read_columns(snapshot.tables["listings"], "listings", _COLUMNS).filter(pl.col("status") == PUBLISHED)
    listings = listings.with_columns(is_stated.alias(name) for name, is_stated in list_having().items())
    located = listings.select("lat", "lng").drop_nulls()
    measures = measure_coverage(snapshot, types=TYPES, today=today)
    gaps, neighborhoods = _count_gaps(listings, snapshot), _count_neighborhoods(listings)
    places = [neighborhood.middle for neighborhood in neighborhoods]
    return CityFigures(
        today=today,
        measures=measures,
        types=tuple(_count_type(name, listings, measures, snapshot=snapshot, today=today) for name in TYPES),
        days=_count_days(snapshot, today),
        organizations=sum(gap.name is not None for gap in gaps),
        gaps=tuple(gaps[:MOST_ORGANIZATIONS]),
        others=_add_gaps(gaps[MOST_ORGANIZATIONS:]),
        neighborhoods=neighborhoods,
        ages=tuple(
            _count_ages(listings, instant, start=find_start(today, snapshot.metro.timezone)) for instant in INSTANTS
        ),
        density=draw_density(located["lat"].to_numpy(), located["lng"].to_numpy(), places=places),
    )


def list_having() -> dict[str, pl.Expr]:
    """Return expressions that tell for a published listing whether it has each of MEMBERS."""
    counted = list_counted()
    return {name: counted[f"with_{name}"].fill_null(value=False) for name in MEMBERS}


def _count_type(
    listing_type: str, listings: pl.DataFrame, measures: Measures, *, snapshot: Snapshot, today: date
) -> TypeFigures:
    own = listings.filter(pl.col("type") == TYPES.index(listing_type))
    measure = measures.listings[COLLECTIONS[listing_type]]
    selection = select_default(listing_type, snapshot, today)
    return TypeFigures(
        collection=COLLECTIONS[listing_type],
        listed=open_evaluator(open_snapshot(snapshot)).count_rows(selection),
        published=measure.published,
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


def _count_gaps(listings: pl.DataFrame, snapshot: Snapshot) -> list[GapFigures]:
    """Count by organization which members listings lack. Those that lack most come first."""
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
    missing = {name: sum(gap.missing[name] for gap in gaps) for name in MEMBERS}
    return len(gaps), GapFigures(id=None, name=None, listings=sum(gap.listings for gap in gaps), missing=missing)


def _count_neighborhoods(listings: pl.DataFrame) -> tuple[NeighborhoodFigure, ...]:
    """Count listings by neighborhood, named as listings state it. The largest come first."""
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


# Shades of a cell, from few to many.
_SHADES = 4
# Of a stacked bar, in percent of its width: a group that is there can be seen.
_NARROWEST = 0.5


class DayCell(Struct, frozen=True, kw_only=True):
    """A day in the table of weeks. `count` is null for a day outside the table's range; `shade`: from 0, none."""

    day: date
    count: int | None
    shade: int
    has_month: bool


class BarPart(Struct, frozen=True):
    """A piece of a stacked bar, in percent of its width; `group` numbers the ages."""

    group: int
    start: float
    width: float


def render_city(snapshot: Snapshot, *, today: date, settings: SiteSettings) -> Page:
    """Render the page from the snapshot alone, for the metro's local date."""
    figures = count_city(snapshot, today=today)
    values: dict[str, Any] = {
        "metro": snapshot.metro,
        "weekends": [snapshot.metro] if settings.key else [],
        "home": name_words(settings, "home"),
        "script_words": gather_words(settings),
        "changed_on": snapshot.stamp.astimezone(read_zone(snapshot.metro.timezone)).date(),
        "figures": figures,
        "members": MEMBERS,
        "weeks": list(lay_out_days(figures.days)),
        "age_words": [*(f"age_{days}" for days in AGES), "age_older", "age_none"],
        "age_bars": [(age, _stack(age)) for age in figures.ages],
        "shade": find_shade,
        "map_levels": range(1, LEVELS + 1),
        "share": share,
        "statuses": {name: count for name, count in figures.measures.verification.items() if count},
    }
    path = f"cities/{snapshot.metro.slug}/"
    return render_page(path, "city.html", settings=settings, page_words="city", values=values)


def share(part: int, whole: int) -> int:
    """Return a share in whole percent: 0 or 100 only if it is exactly that."""
    if part in (0, whole):
        return 100 if whole and part else 0
    return min(max(round(100 * part / whole), 1), 99)


def lay_out_days(days: Sequence[DayFigure]) -> Iterator[list[DayCell]]:
    """Weeks from Monday to Sunday, with the days before the first and after the last left empty."""
    counts = {day.day: day.count for day in days}
    most = max(counts.values(), default=0)
    first = days[0].day - timedelta(days=days[0].day.weekday())
    monday = first
    while monday <= days[-1].day:
        week = [monday + timedelta(days=number) for number in range(7)]
        yield [
            DayCell(
                day=day,
                count=counts.get(day),
                shade=find_shade(counts.get(day) or 0, most),
                has_month=day == days[0].day or day.day == 1,
            )
            for day in week
        ]
        monday += timedelta(days=7)


def find_shade(count: int, most: int) -> int:
    """Return the shade for a count, from 0 for none to `_SHADES` for the most."""
    return -(-_SHADES * count // most) if most else 0


def _stack(figures: AgeFigures) -> list[BarPart]:
    total = sum(figures.counts)
    widths = [100 * count / total if total else 0.0 for count in figures.counts]
    starts = accumulate(widths, initial=0.0)
    return [
        BarPart(group, round(start, 2), round(max(width, _NARROWEST), 2))
        for group, (start, width) in enumerate(zip(starts, widths, strict=False))
        if width
    ]
