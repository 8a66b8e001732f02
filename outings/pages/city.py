"""The page of a metro: figures computed from its snapshot, and a map of where its listings are."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import accumulate, pairwise
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
from outings.pages.addresses import locate_city
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


class DensityMap(Struct, frozen=True, kw_only=True):
    """The map of listings. `paths`: for each level its cells as the outline of an SVG path, one unit a cell, north up;
    empty if there are none. `most` is the count of the fullest cell, `outside` how many listings are off the map.
    `markers`: the number of each place, where it is in cells from the north-western corner, and whether there is no
    room to the right of it."""

    columns: int
    rows: int
    paths: tuple[str, ...]
    most: int
    located: int
    outside: int
    markers: tuple[tuple[int, float, float, bool], ...]


def draw_density(
    lats: NDArray[np.float64], lngs: NDArray[np.float64], *, places: Iterable[tuple[float | None, float | None]] = ()
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
        (number, round((lng - west) / step, 1), round((north - lat) / tall, 1), lng > east - (east - west) / 12)
        for number, (lat, lng) in enumerate(places, start=1)
        if lat is not None and lng is not None and south < lat < north and west < lng < east
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


class CityFigures(Struct, frozen=True, kw_only=True):
    """All figures of a metro's page.

    Attributes:
        days: how many events the calendar has on each date.
        gaps: organizations with the number of their published listings, and how many of these lack each of MEMBERS.
            `organization_id` and `name` are null of the listings that name no organization.
        others: the sums of the organizations that `gaps` leaves out, and as `left` how many these are.
        neighborhoods: the largest, with their number of listings, and the center of those that have coordinates.
        ages: for each of INSTANTS, how many published listings are in each group of AGES.
    """

    measures: Measures
    types: tuple[TypeFigures, ...]
    days: Mapping[date, int]
    organizations: int
    gaps: Sequence[Mapping[str, Any]]
    others: Mapping[str, int]
    neighborhoods: Sequence[Mapping[str, Any]]
    ages: Mapping[str, Sequence[int]]
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
    others = gaps.slice(MOST_ORGANIZATIONS).select(pl.len().alias("left"), pl.col("listings", *MEMBERS).sum())
    start = find_start(today, snapshot.metro.timezone)
    return CityFigures(
        measures=measures,
        types=tuple(_count_type(name, listings, measures, snapshot=snapshot, today=today) for name in TYPES),
        days=_count_days(snapshot, today),
        organizations=gaps["name"].count(),
        gaps=gaps.head(MOST_ORGANIZATIONS).to_dicts(),
        others=others.to_dicts()[0],
        neighborhoods=neighborhoods.to_dicts(),
        ages={instant: _count_ages(listings[instant], start=start) for instant in INSTANTS},
        density=draw_density(
            located["lat"].to_numpy(), located["lng"].to_numpy(), places=neighborhoods.select("lat", "lng").rows()
        ),
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


def _count_days(snapshot: Snapshot, today: date) -> dict[date, int]:
    days = [today + timedelta(days=number) for number in range(7 * WEEKS)]
    events = select_default("event", snapshot, today, **{"from": days[0], "to": days[-1]})
    counted = open_evaluator(open_snapshot(snapshot)).count_days(events, days=len(days))
    return dict(zip(days, counted.counts.tolist(), strict=True))


def _count_gaps(listings: pl.DataFrame, snapshot: Snapshot) -> pl.DataFrame:
    """Count by organization which members listings lack. Those that lack most come first."""
    names = read_columns(snapshot.tables["organizations"], "organizations", ["id", "name"]).unique("id")
    counted = listings.group_by("organization_id").agg(
        pl.len().alias("listings"), *((~pl.col(name)).sum().alias(name) for name in MEMBERS)
    )
    return (
        counted.join(names, left_on="organization_id", right_on="id", how="left")
        .with_columns(pl.col("name").fill_null(pl.col("organization_id")), lacking=pl.sum_horizontal(MEMBERS))
        .sort("lacking", "listings", "name", "organization_id", descending=[True, True, False, False])
    )


def _count_neighborhoods(listings: pl.DataFrame) -> pl.DataFrame:
    """Count listings by neighborhood, named as listings state it. The largest come first."""
    name = pl.col("neighborhood").fill_null(pl.col("neighborhood_slug")).min().alias("name")
    return (
        listings.drop_nulls("neighborhood_slug")
        .group_by(pl.col("neighborhood_slug").alias("slug"))
        .agg(pl.len().alias("count"), name, pl.col("lat", "lng").median())
        .sort("count", "name", descending=[True, False])
        .head(MOST_NEIGHBORHOODS)
    )


def _count_ages(instants: pl.Series, *, start: int) -> list[int]:
    """Count instants by their age in days before `start`, as grouped by AGES."""
    after = [0, *(int((instants >= start - days * _DAY).sum()) for days in AGES), instants.count()]
    return [*(count - before for before, count in pairwise(after)), instants.null_count()]


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
        "age_bars": [(instant, counts, _stack(counts)) for instant, counts in figures.ages.items()],
        "shade": find_shade,
        "map_levels": range(1, LEVELS + 1),
        "share": share,
        "statuses": {name: count for name, count in figures.measures.verification.items() if count},
    }
    # On plain files the page of a city says what is on, and its numbers have a page of their own.
    path = f"{locate_city(snapshot.metro.slug)}{'numbers/' if settings.is_static else ''}"
    return render_page(path, "city.html", settings=settings, page_words="city", values=values)


def share(part: int, whole: int) -> int:
    """Return a share in whole percent: 0 or 100 only if it is exactly that."""
    if part in (0, whole):
        return 100 if whole and part else 0
    return min(max(round(100 * part / whole), 1), 99)


def lay_out_days(counts: Mapping[date, int]) -> Iterator[list[DayCell]]:
    """Weeks from Monday to Sunday, with the days before the first and after the last left empty."""
    first, last, most = min(counts), max(counts), max(counts.values())
    monday = first - timedelta(days=first.weekday())
    while monday <= last:
        yield [
            DayCell(
                day=day,
                count=counts.get(day),
                shade=find_shade(counts.get(day, 0), most),
                has_month=day == first or day.day == 1,
            )
            for day in (monday + timedelta(days=number) for number in range(7))
        ]
        monday += timedelta(days=7)


def find_shade(count: int, most: int) -> int:
    """Return the shade for a count, from 0 for none to `_SHADES` for the most."""
    return -(-_SHADES * count // most) if most else 0


def _stack(counts: Sequence[int]) -> list[tuple[int, float, float]]:
    """Return the pieces of a stacked bar: the number of the group, and where it starts and how wide it is, in percent
    of the bar's width."""
    total = sum(counts)
    widths = [100 * count / total if total else 0.0 for count in counts]
    starts = accumulate(widths, initial=0.0)
    return [
        (group, round(start, 2), round(max(width, _NARROWEST), 2))
        for group, (start, width) in enumerate(zip(starts, widths, strict=False))
        if width
    ]
