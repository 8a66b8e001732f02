"""Make the files that the web expects beside pages: feeds, sitemaps, robots.txt and the manifest of a web app."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from uuid import NAMESPACE_URL, uuid5

import polars as pl
from msgspec import Struct

from outings.contract.values import format_instant
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.pages.addresses import locate_city, locate_list, locate_listing, make_absolute
from outings.pages.assets import Page, find_asset
from outings.pages.layout import name_words, render_page
from outings.pages.listed import GROUPS
from outings.pages.lists import ListPage, Lists, Row
from outings.release.site import SiteSettings

XML = "application/xml"
ROBOTS, MANIFEST, SITEMAP = "robots.txt", "manifest.json", "sitemap.xml"
# The newest listings of a feed.
MOST_ENTRIES = 50
# The standard's own limit of a sitemap.
MOST_ADDRESSES = 50_000


class Entry(Struct, frozen=True, kw_only=True):
    """An entry of a feed. `published` is empty if nobody knows when the listing was first published."""

    id: str
    row: Row
    updated: str
    published: str


def make_robots(settings: SiteSettings) -> Page:
    """Let everybody read the site, and say where its sitemap is, which only a site of files has."""
    sitemap = make_absolute(SITEMAP, settings) if settings.is_static else None
    text = "User-agent: *\nAllow: /\n" + (f"Sitemap: {sitemap}\n" if sitemap else "")
    return Page(path=ROBOTS, media="text/plain; charset=utf-8", data=text.encode())


def make_manifest(settings: SiteSettings) -> Page:
    """Make the manifest by which a phone puts the site on its home screen. Its addresses are relative to itself."""
    frame = name_words(settings, "frame")
    name = settings.name or frame["brand"]
    root = "../" * settings.folder.count("/")
    icons = [
        {"src": root + asset.path, "sizes": sizes, "type": asset.media}
        for asset, sizes in ((find_asset("icon.svg"), "any"), (find_asset("icon.png"), "192x192"))
    ]
    manifest = {
        "name": name,
        "short_name": name,
        "description": name_words(settings, "home")["title"],
        "lang": frame["language"],
        "dir": frame["direction"],
        "id": "./",
        "start_url": "./",
        "scope": "./",
        "display": "minimal-ui",
        "background_color": "#fdfdfc",
        "theme_color": "#fdfdfc",
        "icons": icons,
    }
    data = json.dumps(manifest, ensure_ascii=False, indent=1)
    return Page(path=settings.folder + MANIFEST, media="application/manifest+json", data=data.encode())


def list_feeds(lists: Lists) -> Iterator[ListPage]:
    """Yield an Atom feed of the newest listings of a metro, and one of each kind."""
    metro = lists.metro.slug
    rows = lists.listed.rows.filter(pl.col("group") < GROUPS.index("over"))
    yield _make_feed(lists, locate_city(metro), lists.metro.name, rows)
    for number, collection in enumerate(COLLECTIONS.values()):
        title = lists.words["title"].format(kind=lists.words[collection], metro=lists.metro.name)
        yield _make_feed(lists, locate_list(metro, collection), title, rows.filter(pl.col("type") == number))


def _make_feed(lists: Lists, folder: str, title: str, rows: pl.DataFrame) -> ListPage:
    rows = rows.sort("created_at", "id", descending=[True, False], nulls_last=True).head(MOST_ENTRIES)
    is_dated = (rows["type"] != TYPES.index("place")).any()
    inputs = title, lists.listed.today if is_dated else None, rows.select("hash", "starts_local").rows()
    return ListPage(
        path=f"{folder}feed.xml", media=XML, inputs=inputs, render=partial(_render_feed, lists, folder, title, rows)
    )


def _render_feed(lists: Lists, folder: str, title: str, rows: pl.DataFrame) -> bytes:
    found = rows.rows(named=True)
    shown = lists.make_rows(found)
    entries = [
        Entry(
            id=row["id"], row=own, updated=_write_instant(row["updated_at"]),
            published=_write_instant(row["created_at"]) if row["created_at"] is not None else "",
        )
        for row, own in zip(found, shown, strict=True)
    ]  # fmt: skip
    depth = folder.count("/")
    values = {
        "id": f"urn:uuid:{uuid5(NAMESPACE_URL, f'{lists.settings.url}/{folder}')}",
        "title": title,
        "updated": max((entry.updated for entry in entries), default=_write_instant(None)),
        "alternate": folder,
        "entries": entries,
        # Without the site's address links are relative to the feed.
        "absolute": lambda path: make_absolute(path, lists.settings) or "../" * depth + path,
    }
    path = f"{folder}feed.xml"
    return render_page(path, "feed.xml", settings=lists.settings, page_words="lists", values=values).data


def _write_instant(seconds: int | None) -> str:
    return format_instant(datetime.fromtimestamp(seconds or 0, UTC))


def list_sitemaps(cities: Sequence[Lists], settings: SiteSettings) -> Iterator[ListPage]:
    """Yield the sitemaps of each metro, and the list of them; none if nobody said where the site is, since the
    addresses in a sitemap are whole."""
    if not settings.url:
        return
    maps: list[tuple[str, str]] = []
    for lists in cities:
        rows, metro = lists.listed.rows, lists.metro.slug
        kinds = [*COLLECTIONS]
        pages = [(locate_city(metro), "")]
        pages += [(page.path, "") for page in lists.list_pages()]
        for number, slug, seconds in rows.select("type", "slug", "updated_at").iter_rows():
            path = locate_listing({"metro": metro, "type": kinds[number], "slug": slug}, settings)
            pages.append((path, _write_instant(seconds) if seconds is not None else ""))
        pages = [(own.folder + path, changed) for own in settings.list_languages() for path, changed in pages]
        for start in range(0, len(pages), MOST_ADDRESSES):
            part, number = pages[start : start + MOST_ADDRESSES], start // MOST_ADDRESSES + 1
            path = f"sitemap-{metro}{f'-{number}' if number > 1 else ''}.xml"
            maps.append((path, max(changed for _, changed in part)))
            yield _make_sitemap(path, "sitemap.xml", part, settings)
    yield _make_sitemap(SITEMAP, "sitemap_index.xml", maps, settings)


def _make_sitemap(path: str, template: str, pages: Sequence[tuple[str, str]], settings: SiteSettings) -> ListPage:
    def render() -> bytes:
        addresses = [(f"{settings.url}/{page}", changed) for page, changed in pages]
        return render_page(path, template, settings=settings, page_words="lists", values={"addresses": addresses}).data

    return ListPage(path=path, media=XML, inputs=pages, render=render)
