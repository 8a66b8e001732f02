"""The pages of a metro's lists on plain files, which work without script: each kind, organization and neighborhood."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import polars as pl
from msgspec import Struct

from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.pages.addresses import locate_city, locate_list, locate_listing
from outings.pages.assets import HTML
from outings.pages.facts import (
    Document,
    choose_offer,
    format_day,
    format_hours,
    format_span,
    is_full,
    list_lines,
    list_offers,
    list_times,
    tell_for_ages,
    tell_price,
    tell_spots,
)
from outings.pages.layout import name_words, render_page
from outings.pages.listed import GROUPS, Listed
from outings.release.site import SiteSettings

# Rows on a page: some 45 kB, compressed to 6.
PAGE_ROWS = 100
_EVENT, _PLACE = TYPES.index("event"), TYPES.index("place")
Rows = Sequence[Mapping[str, Any]]
# What listings name, each of which has a list.
GROUPED = ("organizations", "neighborhoods")


class Row(Struct, frozen=True, kw_only=True):
    """A listing as a list shows it. `when` has the date, `clock` the time of day alone. `ends`: when the date that is
    shown is over, by the metro's clock, if that is known. Other members are empty if they are not stated."""

    path: str
    name: str
    when: str
    clock: str
    ends: str
    price: str
    is_free: bool
    spots: str
    where: str
    ages: str
    by: str


class Block(Struct, frozen=True, kw_only=True):
    """Rows below a heading. `day`: the date of the heading, if it is one; `total`: how many rows there would be."""

    heading: str
    day: date | None
    rows: Sequence[Row]
    total: int = 0
    more: str = ""


class ListPage(Struct, frozen=True, kw_only=True):
    """A page or another file that is rendered if its inputs changed. `inputs`: all that `render` depends on, but the
    settings."""

    path: str
    media: str = HTML
    inputs: object
    render: Callable[[], bytes]


class Lists:
    """Makes the pages of a metro's lists."""

    def __init__(self, listed: Listed, settings: SiteSettings) -> None:
        self.listed, self.settings, self.metro = listed, settings, listed.snapshot.metro
        self.words = name_words(settings, "lists")
        words = name_words(settings, "listing", self.metro.timezone)
        self.facts_words = words.replace({"year": str(listed.today.year)})
        self.row_words = self.facts_words.replace(words.list_prefixed("short_"))

    def list_pages(self) -> Iterator[ListPage]:
        rows = self.listed.rows
        for number, collection in enumerate(COLLECTIONS.values()):
            title = self.words["title"].format(kind=self.words[collection], metro=self.metro.name)
            of_kind = rows.filter(pl.col("type") == number)
            yield from self._list_parts((collection,), title, of_kind)
        for name in GROUPED:
            named = sorted(self.count_groups(name), key=itemgetter(1, 0))
            own = f"{name[:-1]}_slug"
            parts = rows.drop_nulls(own).partition_by(own, maintain_order=True, as_dict=True)
            for slug, shown, _ in named:
                yield from self._list_parts((name, slug), shown, parts[slug,])
            entries = [(shown, locate_list(self.metro.slug, name, slug), count) for slug, shown, count in named]
            yield self._make_directory(name, entries)

    def count_groups(self, name: str) -> list[tuple[str, str, int]]:
        """Return the slug, name and number of listings of each organization or neighborhood, the largest first."""
        slug, shown = f"{name[:-1]}_slug", name[:-1]
        counted = self.listed.rows.drop_nulls(slug).group_by(slug).agg(pl.col(shown).drop_nulls().min(), pl.len())
        named = counted.select(slug, pl.col(shown).fill_null(pl.col(slug)), "len")
        return named.sort("len", slug, descending=[True, False]).rows()

    def _list_parts(self, names: tuple[str, ...], title: str, rows: pl.DataFrame) -> Iterator[ListPage]:
        """Yield the pages of a list. An empty list has one page."""
        pages = max(-(-rows.height // PAGE_ROWS), 1)
        for page in range(1, pages + 1):
            part = rows.slice((page - 1) * PAGE_ROWS, PAGE_ROWS)
            # A row of a place is the same each day.
            is_dated = (part["type"] != _PLACE).any()
            yield ListPage(
                path=locate_list(self.metro.slug, *names, page=page),
                inputs=(
                    self.metro.name, title, pages, self.listed.today if is_dated else None,
                    part.select("hash", "group", "starts_local", "organization_slug").rows(),
                ),
                render=partial(self._render_part, names, title, part, page=page, pages=pages, total=rows.height),
            )  # fmt: skip

    def _render_part(
        self, names: tuple[str, ...], title: str, rows: pl.DataFrame, *, page: int, pages: int, total: int
    ) -> bytes:
        is_kind = len(names) == 1
        is_of_events = names == ("events",)
        values = {
            "title": title,
            "metro": self.metro,
            "total": total,
            "blocks": [*self._make_blocks(rows.rows(named=True), is_kind=is_kind)],
            "has_dates": is_of_events,
            "page": page,
            "pages": [(number, locate_list(self.metro.slug, *names, page=number)) for number in range(1, pages + 1)],
            "up": None if is_kind else (self.words[names[0]], locate_list(self.metro.slug, names[0])),
            "feed": locate_list(self.metro.slug, *names) + "feed.xml" if is_kind else None,
            "calendar": f"v1/{self.metro.slug}/events.ics" if is_of_events and total else None,
            "explore": f"explore/?metro={self.metro.slug}" + (f"&type={names[0]}" if is_kind else ""),
        }
        path = locate_list(self.metro.slug, *names, page=page)
        return render_page(path, "list.html", settings=self.settings, page_words="lists", values=values).data

    def _make_blocks(self, rows: Rows, *, is_kind: bool) -> Iterator[Block]:
        """Yield the rows below headings: a kind's by date and by group, those of all kinds by kind and group."""

        def tell(row: Mapping[str, Any]) -> tuple[int, int, date | None]:
            has_day = is_kind and row["type"] == _EVENT and not row["group"]
            return row["type"], row["group"], row["day"] if has_day else None

        for (number, group, day), part in groupby(rows, key=tell):
            named = [] if is_kind else [self.words[[*COLLECTIONS.values()][number]]]
            named += [self.words[f"group_{GROUPS[group]}"]] if group else []
            heading = format_day(day, self.facts_words) if day else " · ".join(named)
            yield Block(heading=heading, day=day, rows=self.make_rows(list(part)))

    def _make_directory(self, name: str, entries: Sequence[tuple[str, str, int]]) -> ListPage:
        path = locate_list(self.metro.slug, name)
        title = self.words["title"].format(kind=self.words[name], metro=self.metro.name)
        values = {"title": title, "metro": self.metro, "entries": entries, "city": locate_city(self.metro.slug)}

        def render() -> bytes:
            return render_page(path, "directory.html", settings=self.settings, page_words="lists", values=values).data

        return ListPage(path=path, inputs=(title, self.metro.name, entries), render=render)

    def make_rows(self, rows: Rows) -> list[Row]:
        return [self._make_row(row, self.listed.read_document(row)) for row in rows]

    def _make_row(self, row: Mapping[str, Any], item: Document) -> Row:
        words, starts, ends = self.row_words, row["starts_local"], row["ends_local"]
        start, end = (moment and moment.isoformat() for moment in (starts, ends))
        has_time = bool(item.get("has_time"))
        price, registration = item.get("price") or {}, _read_registration(item)
        when, more = " · ".join(list_times(item, words)), ""
        told = tell_price(price, words, has_note=False), tell_for_ages(item["ages"], words)
        spots = tell_spots(registration, words)
        is_free = bool(price.get("is_free"))
        if start:
            when = format_span(start, end, words, has_time=has_time)
        elif offers := list_offers(item, words):
            offer = choose_offer(offers, self.listed.today)
            # A class may be said to be full though a section has places left.
            own = "" if is_full(registration) and not offer.is_full else spots
            told, spots, is_free = (offer.price, offer.ages), offer.spots or own, offer.is_free
            more = words["more_offers"].format(count=len(offers) - 1) if len(offers) > 1 else ""
            when = offer.when or when
        lines = [line for line in list_lines(item) if line != item["name"]]
        return Row(
            path=locate_listing(item, self.settings), name=item["name"], when=" · ".join(filter(None, (when, more))),
            clock=format_hours(start, end, words) if start and has_time else "",
            ends=_tell_end(starts, ends, has_time=has_time), where=", ".join(lines[:1] + lines[1:][-1:]),
            by=row["organization"] or "", price=told[0], is_free=is_free, ages=told[1], spots=spots,
        )  # fmt: skip


def _read_registration(item: Document) -> Document:
    return item.get("registration") or ({"status": "full"} if item.get("is_sold_out") else {})


def _tell_end(starts: datetime | None, ends: datetime | None, *, has_time: bool) -> str:
    """Return when a date is over as far as it is known, which a script compares with the clock."""
    if starts is None or not has_time:
        return "" if starts is None else f"{starts.date()}T23:59"
    return (ends if ends is not None and ends > starts else starts).isoformat(timespec="minutes")
