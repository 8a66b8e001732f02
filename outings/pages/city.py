"""The page of a city: how much its data is, how fresh and how clean, for people who look rather than read."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import accumulate
from typing import Any

from msgspec import Struct

from outings.configuration.zones import read_zone
from outings.pages.city_figures import AGES, MEMBERS, AgeFigures, CityFigures, DayFigure, count_city
from outings.pages.density import LEVELS
from outings.pages.layout import render_page
from outings.pages.page import Page
from outings.release.site import SiteSettings
from outings.release.snapshot import Snapshot

# Shades of a cell, from few to many.
_SHADES = 4
# Of a stacked bar, in percent of its width: a group that is there can be seen.
_NARROWEST = 0.5


class DayCell(Struct, frozen=True, kw_only=True):
    """A day in the table of weeks. `count` is null of a day that the table does not tell of; `shade`: from 0, none."""

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
    """From the snapshot alone, on the metro's local date."""
    figures = count_city(snapshot, today=today)
    values: dict[str, Any] = {
        "metro": snapshot.metro,
        "changed_on": snapshot.stamp.astimezone(read_zone(snapshot.metro.timezone)).date(),
        "figures": figures,
        "members": MEMBERS,
        "weeks": list(lay_out_days(figures.days)),
        "age_words": [*(f"age_{days}" for days in AGES), "age_older", "age_none"],
        "age_bars": [(each, _stack(each)) for each in figures.ages],
        "shade": find_shade,
        "map_levels": range(1, LEVELS + 1),
        "share": share,
        "statuses": {name: count for name, count in figures.measures.verification.items() if count},
        "busiest_week": _find_busiest(figures),
    }
    path = f"cities/{snapshot.metro.slug}/"
    return render_page(path, "city.html", settings=settings, page_words="city", values=values)


def share(part: int, whole: int) -> int:
    """In whole percent; neither all nor nothing unless it is so."""
    if part in (0, whole):
        return 100 if whole and part else 0
    return min(max(round(100 * part / whole), 1), 99)


def lay_out_days(days: Sequence[DayFigure]) -> Iterator[list[DayCell]]:
    """Weeks from Monday to Sunday, with the days before the first and after the last left empty."""
    counts = {each.day: each.count for each in days}
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
    """From 0, where there is none."""
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


def _find_busiest(figures: CityFigures) -> int:
    return max((count for week in figures.weeks for count in week.counts.values()), default=0)
