"""Make the files of a tree that answer no request: pages for people, and settings that hosts read."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from outings.contract.envelope import encode_error
from outings.contract.errors import not_found
from outings.contract.query import Entitlement
from outings.contract.resources.sync import EXPORT_TYPES
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import COLLECTIONS
from outings.pages.assets import HTML, Page
from outings.release.site import ASSETS, SiteSettings, locate_outlines
from outings.release.store import hash_of
from pipeline.publish.objects.site import GEOJSON, NO_OUTLINES, make_figures
from pipeline.publish.static.hosts import DETAILS, LISTS, HostFile
from pipeline.publish.static.parts import Item, Part
from pipeline.publish.static.tree import PlannedRequest, StaticMetro, Tree

if TYPE_CHECKING:
    # A tree without pages needs no templates.
    from outings.pages.lists import ListPage

TEXT = "text/plain"
# The file that hosts answer a folder with.
INDEX = "index.html"
_MAX_AGE = {route.name: route.max_age for route in ROUTES}
_KEPT = "public, max-age=31536000, immutable"


def make_host_files(tree: Tree) -> Iterator[Item]:
    missing = not_found("There is no such file; /v1/index.json lists those that there are.")
    yield HostFile("404.json", encode_error(missing, "static"))
    yield HostFile("_headers", _encode_headers(tree.slugs), media=TEXT)
    yield HostFile(".nojekyll", b"", media=TEXT)


def _encode_headers(slugs: Sequence[str]) -> bytes:
    """Encode the file `_headers` of Netlify and Cloudflare Pages. No two rules set the same header of a file, since the
    hosts would join the values; Cloudflare allows 100 rules."""
    ages = {
        "/v1/index.json": 60,
        "/v1/vocabulary.json": _MAX_AGE["vocabulary"],
        "/v1/vocabulary/*": _MAX_AGE["vocabulary"],
        "/v1/metros.json": _MAX_AGE["metros"],
        "/v1/changes.json": _MAX_AGE["changes"],
        "/v1/changes/*": _MAX_AGE["changes"],
        "/openapi.json": _MAX_AGE["openapi"],
    }
    for collection in (*COLLECTIONS.values(), "organizations"):
        ages[f"/v1/{collection}/:id"] = _MAX_AGE[f"{collection}.detail"]
        # Lists of a place or organization. Details by slug have paths of equal depth.
        ages[f"/v1/{collection}/:id/*"] = _MAX_AGE["events.at_place"]
    ages |= {f"/v1/{slug}/*": _MAX_AGE["events.list"] for slug in slugs}
    rules = {"/*": "Access-Control-Allow-Origin: *"}
    rules |= {path: f"Cache-Control: {HostFile('', b'', age).cache_control}" for path, age in ages.items()}
    rules[f"/{ASSETS}*"] = f"Cache-Control: {_KEPT}"
    for collection in COLLECTIONS.values():
        for file_format in ("jsonl", "parquet"):
            path = f"/v1/:metro/export/{collection}.{file_format}"
            rules[path] = f"Content-Type: {EXPORT_TYPES[file_format]}"
    return "".join(f"{path}\n  {rule}\n" for path, rule in rules.items()).encode()


def _place(path: str, data: bytes, media: str) -> HostFile:
    path = f"{path}{INDEX}" if not path or path.endswith("/") else path
    return HostFile(path, data, media=media, step=LISTS if path.endswith((".html", ".xml")) else DETAILS)


def _place_pages(pages: Iterable[Page]) -> Iterator[HostFile]:
    return (_place(page.path, page.data, page.media) for page in pages)


def _make_parts(pages: Iterable["ListPage"], settings: SiteSettings) -> Iterator[Part]:
    """Yield a part for each page of a list, so that only those are rendered whose rows changed."""
    common = _hash_settings(settings)
    for page in pages:
        path = settings.folder + page.path
        yield Part(name=path, inputs=(page.inputs, common), make=partial(_make_list_page, path, page))


def _make_list_page(path: str, page: "ListPage") -> Iterator[Item]:
    yield _place(path, page.render(), page.media)


def _hash_settings(settings: SiteSettings) -> str:
    return hash_of(msgspec.json.encode(settings, order="sorted"))


def make_site_pages(tree: Tree) -> Iterator[Item]:
    """Yield the pages of no metro, with the styles and scripts of all."""
    if tree.settings is None:
        return
    # A tree without pages needs no templates, and an unchanged one no engines.
    from outings.answers.live_counts import count_listings
    from outings.pages.lists import Lists
    from outings.pages.site import render_static_site
    from outings.pages.web_files import list_sitemaps

    figures = []
    for metro in tree.metros:
        counts = count_listings(metro.snapshot, today=metro.today, entitlement=Entitlement())
        figures.append(make_figures(metro.snapshot.stamp, metro.snapshot.metro, counts))
    listed = [metro.listed for metro in tree.metros]
    yield from _place_pages(render_static_site(tree.settings, figures, listed))
    yield from _make_parts(list_sitemaps([Lists(city, tree.settings) for city in listed], tree.settings), tree.settings)


def make_metro_pages(tree: Tree, metro: StaticMetro) -> Iterator[Item]:
    """Yield the pages of a metro with its feeds, and the files that the explorer loads."""
    if tree.settings is None:
        return
    from outings.pages.explorer_index import make_index
    from outings.pages.lists import Lists
    from outings.pages.site import render_static_metro
    from outings.pages.web_files import list_feeds

    yield from _place_pages(render_static_metro(metro.listed, tree.settings))
    for settings in tree.settings.list_languages():
        lists = Lists(metro.listed, settings)
        yield from _make_parts(chain(lists.list_pages(), list_feeds(lists)), settings)
    for file in make_index(metro.snapshot, today=metro.today):
        yield HostFile(f"v1/{metro.slug}/explorer/{file.name}", file.data, step=DETAILS)
    # Without `[site]` a release draws none; the explorer's map then has names alone.
    data = metro.outlines.read(b"") if metro.outlines else NO_OUTLINES
    yield HostFile(locate_outlines(metro.slug), data, media=GEOJSON, step=DETAILS)


def make_listing_pages(tree: Tree, metro: StaticMetro) -> Iterator[Item]:
    """Yield a part for each published listing: its page, and its calendar file if it has dates."""
    if tree.settings is None:
        return
    from outings.answers.ical import find_dates

    areas = None if metro.outlines is None else metro.outlines.read(b"")
    common = _hash_settings(tree.settings), metro.snapshot.metro.name, hash_of(areas or b"")
    for collection, ids in metro.listings.items():
        for row_id in ids:
            planned = tree.plan(f"/v1/{collection}/{row_id}")
            dates = find_dates(row_id, metro.snapshot) if collection == "events" else None
            make = partial(_make_listing_page, planned, tree=tree, metro=metro, areas=areas)
            yield Part(name=row_id, inputs=(planned.plan.etag, dates, common), make=make)


def _make_listing_page(
    planned: PlannedRequest, *, tree: Tree, metro: StaticMetro, areas: bytes | None
) -> Iterator[Item]:
    from outings.answers.ical import render_event_file
    from outings.pages.addresses import locate_listing
    from outings.pages.listing import render_calendar, render_listing

    assert tree.settings is not None
    item = msgspec.json.decode(b"".join(planned.plan.render()))["data"]
    folder = locate_listing(item, tree.settings)
    city = metro.snapshot.metro
    for settings in tree.settings.list_languages():
        page = render_listing(item, settings=settings, outlines=areas, city=city.name, timezone=city.timezone)
        yield HostFile(f"{settings.folder}{folder}{INDEX}", page, media=HTML)
    is_event = item["type"] == "event"
    calendar = render_event_file(item["id"], metro.snapshot) if is_event else render_calendar(item)
    if calendar is not None:
        yield HostFile(f"{folder}{item['slug']}.ics", calendar, media=EXPORT_TYPES["ics"], step=DETAILS)
