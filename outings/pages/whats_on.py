"""Render what is on in a city on the next days, for its page and the home page on plain files."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

import polars as pl

from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.pages.addresses import locate_city, locate_list
from outings.pages.assets import Page
from outings.pages.facts import format_day
from outings.pages.layout import render_page
from outings.pages.lists import GROUPED, Block, Lists
from outings.release.manifest import MetroSettings

_SATURDAY, _WEEK = 5, 7
# Rows of a day that one plans for first, of another day, and of what begins soon.
_MANY, _FEW, _BEGINNING = 12, 5, 5
# Of a day that is going on, rows of each of its parts, in seconds: whenever it is read, some are not over.
_EACH_PART, _PART = 4, 6 * 3600
# Rows of a city on the home page: a script leaves the first that are not over.
WEEKEND_ROWS = 5
MOST_GROUPS = 12


def render_whats_on(lists: Lists) -> Page:
    """Render the page of a city."""
    metro, words, settings = lists.metro, lists.words, lists.settings
    counts = dict(lists.listed.rows.group_by("type").len().rows())
    groups = {name: lists.count_groups(name) for name in reversed(GROUPED)}
    values = {
        "metro": metro,
        "kinds": [
            (words[name], locate_list(metro.slug, name), counts[number])
            for number, name in enumerate(COLLECTIONS.values())
            if number in counts
        ],
        "days": [*_list_days(lists)],
        "beginning": [*_list_beginning(lists)],
        "groups": [
            (
                words[name],
                locate_list(metro.slug, name),
                len(found),
                [(title, locate_list(metro.slug, name, slug), count) for slug, title, count in found[:MOST_GROUPS]],
            )
            for name, found in groups.items()
            if found
        ],
        "feed": f"{locate_city(metro.slug)}feed.xml",
        "calendar": f"v1/{metro.slug}/events.ics" if TYPES.index("event") in counts else None,
    }
    return render_page(locate_city(metro.slug), "whats_on.html", settings=settings, page_words="lists", values=values)


def make_weekend(lists: Lists) -> Block:
    """Return the first of what is on this weekend, on a Sunday that day."""
    today = lists.listed.today
    saturday = today + timedelta(days=max(_SATURDAY - today.weekday(), 0))
    last = saturday + timedelta(days=0 if today.weekday() > _SATURDAY else 1)
    return _make_block(lists, "", saturday, last)


def _list_days(lists: Lists) -> Iterator[Block]:
    """Yield a block for each of the next days that has events."""
    today = lists.listed.today
    for number in range(_WEEK):
        day = today + timedelta(days=number)
        is_weekend = day.weekday() >= _SATURDAY
        word = ["today", "tomorrow"][number] if number <= 1 else "weekend" if is_weekend else ""
        heading = format_day(day, lists.facts_words)
        heading = lists.words["day"].format(word=lists.words[word], day=heading) if word else heading
        block = _make_block(lists, heading, day, day, most=None if not number else _MANY if word else _FEW)
        if block.rows:
            yield block


def _make_block(lists: Lists, heading: str, first: date, last: date, *, most: int | None = None) -> Block:
    """Return the first events that are on from `first` to `last`, each once: dated ones before those that run. Without
    `most`: the first of each part of each day."""
    dates = lists.listed.dates.filter(pl.col("date").is_between(first, last))
    dates = dates.unique("row", keep="first", maintain_order=True)
    own = lists.listed.rows.filter((pl.col("type") == TYPES.index("event")) & (pl.col("group") == 0))
    found = (
        own.drop("day", "time", "starts_local", "ends_local")
        .join(dates.select("row", "time", "starts_local", "ends_local", day="date"), on="row")
        .sort("runs", "day", "time", "name_key", "id", nulls_last=True)
    )
    more = f"explore/?metro={lists.metro.slug}&type=events&from={first}&to={last}"
    is_early = pl.int_range(pl.len()).over("day", pl.col("time") // _PART) < _EACH_PART
    shown = found.filter(is_early) if most is None else found.head(most)
    rows = lists.make_rows(shown.rows(named=True))
    return Block(heading=heading, day=first if first == last else None, rows=rows, total=found.height, more=more)


def _list_beginning(lists: Lists) -> Iterator[Block]:
    """Yield the classes and the camps that begin next."""
    for listing_type in ("class", "camp"):
        of_type = (pl.col("type") == TYPES.index(listing_type)) & (pl.col("group") == 0)
        found = lists.listed.rows.filter(of_type & (pl.col("day") >= lists.listed.today))
        collection = COLLECTIONS[listing_type]
        if found.height:
            yield Block(
                heading=lists.words[f"beginning_{collection}"], day=None, total=found.height,
                rows=lists.make_rows(found.head(_BEGINNING).rows(named=True)),
                more=locate_list(lists.metro.slug, collection),
            )  # fmt: skip


def list_weekends(cities: Sequence[Lists]) -> list[tuple[MetroSettings, str, list[Block]]]:
    """Return each city, its page's path and its weekend, or what begins soon where there are no events."""
    shown = []
    for lists in cities:
        weekend = make_weekend(lists)
        blocks = [weekend] if weekend.rows else [*_list_beginning(lists)]
        shown.append((lists.metro, locate_city(lists.metro.slug), blocks))
    return shown
