"""Files of a tree that answer no request: pages for people, and settings that hosts read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.ical import render_event_file
from outings.answers.live_counts import count_listings
from outings.contract.envelope import encode_error
from outings.contract.errors import not_found
from outings.contract.query import Entitlement
from outings.contract.resources.sync import EXPORT_TYPES
from outings.contract.routes import JSON, ROUTES
from outings.contract.vocabulary import COLLECTIONS
from outings.pages.assets import HTML, Page, explain_no_assets
from outings.pages.settings import ExplorerMetro
from outings.release.site import ASSETS, SiteFile, SiteSettings, StoredFile, locate_outlines, read_site
from outings.release.snapshot import Snapshot
from outings.release.store import Store, hash_of
from pipeline.publish.objects.site import hash_metro_site, make_figures
from pipeline.publish.static.hosts import HostFile
from pipeline.publish.static.requests import list_published

_TEXT = "text/plain"
# The file that hosts answer a folder with.
INDEX = "index.html"
_INPUT_DIGITS = 16
_MAX_AGE = {route.name: route.max_age for route in ROUTES}
_KEPT = "public, max-age=31536000, immutable"


def list_host_files(slugs: Sequence[str]) -> Iterator[HostFile]:
    missing = not_found("There is no such file; /v1/index.json lists those that there are.")
    yield HostFile("404.json", encode_error(missing, "static"), 60)
    yield HostFile("_headers", _encode_headers(slugs), 60, _TEXT)
    yield HostFile(".nojekyll", b"", 60, _TEXT)


def _encode_headers(slugs: Sequence[str]) -> bytes:
    """Encode the file `_headers` of Netlify and Cloudflare Pages. No two rules set the same header of a file, since the
    hosts would join the values; Cloudflare allows 100 rules."""
    ages = {
        "/v1/index.json": 60,
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


class RenderedPage(Struct, frozen=True, kw_only=True):
    """A page or a file that pages load. `inputs`: a hash of what a listing's page is made of; if the tree has the page
    of these inputs, `data` is empty."""

    path: str
    media: str
    data: bytes
    inputs: str = ""


def render_pages(
    store: Store, site: str | None, metros: Mapping[str, Snapshot], *, dates: Mapping[str, date],
    read: Callable[[str], bytes], is_there: Callable[[str, str], bool], files: Mapping[str, SiteFile | StoredFile],
) -> Iterator[RenderedPage]:  # fmt: skip
    """Yield each page, and each file that pages load; nothing if the release has no pages. `read` returns the body of a
    request. `is_there` returns True if the tree has the page at a path that was made of these inputs. `files`: the
    files of the release's site."""
    if site is None or explain_no_assets() is not None:
        return
    # A tree without pages needs no templates.
    from outings.pages.explorer_index import make_index
    from outings.pages.site import render_metro, render_static_site

    # Everybody may read the whole tree.
    settings = replace(read_site(store, site).settings, key="", shows_data=True, is_static=True)
    figures, explored = [], []
    for slug, snapshot in metros.items():
        counts, metro = count_listings(snapshot, today=dates[slug], entitlement=Entitlement()), snapshot.metro
        figures.append(make_figures(snapshot.stamp, metro, counts))
        explored.append(
            ExplorerMetro(slug=slug, name=metro.name, timezone=metro.timezone, bounds=metro.bounds, counts=counts)
        )
    pages = [*render_static_site(settings, figures, explored)]
    for slug, snapshot in metros.items():
        pages += render_metro(snapshot, today=dates[slug], settings=settings)
        index = make_index(snapshot, today=dates[slug])
        pages += (Page(path=f"v1/{slug}/explorer/{file.name}", media=JSON, data=file.data) for file in index)
        outlines = files.get(locate_outlines(slug))
        if isinstance(outlines, SiteFile):
            pages.append(Page(path=locate_outlines(slug), media=outlines.media, data=outlines.read(b"")))
    for page in pages:
        is_folder = not page.path or page.path.endswith("/")
        path = f"{page.path}{INDEX}" if is_folder else page.path
        yield RenderedPage(path=path, media=page.media, data=page.data)
    for snapshot in metros.values():
        yield from _render_listings(snapshot, read=read, is_there=is_there, settings=settings, files=files)


def _render_listings(
    snapshot: Snapshot, *, read: Callable[[str], bytes], is_there: Callable[[str, str], bool], settings: SiteSettings,
    files: Mapping[str, SiteFile | StoredFile],
) -> Iterator[RenderedPage]:  # fmt: skip
    """Yield the page of each published listing, and its calendar file if it has dates. A page takes ten times as
    long as the document of which it is made, so that a page that the tree has is not rendered again."""
    from outings.pages.listing import locate_listing, render_calendar, render_listing

    outlines = files.get(locate_outlines(snapshot.metro.slug))
    areas = outlines.read(b"") if isinstance(outlines, SiteFile) else None
    common = hash_of(hash_metro_site(settings).encode() + (areas or b"")).encode()
    for collection, ids in list_published(snapshot).items():
        for row_id in ids:
            body = read(f"/v1/{collection}/{row_id}")
            item, inputs = msgspec.json.decode(body)["data"], hash_of(common + body)[:_INPUT_DIGITS]
            folder = locate_listing(item, settings)
            is_made = is_there(f"{folder}{INDEX}", inputs)
            data = b"" if is_made else render_listing(item, settings=settings, outlines=areas)
            yield RenderedPage(path=f"{folder}{INDEX}", media=HTML, data=data, inputs=inputs)
            is_event = item["type"] == "event"
            calendar = render_event_file(row_id, snapshot) if is_event else render_calendar(item)
            if calendar is not None:
                path = f"{folder}{item['slug']}.ics"
                yield RenderedPage(path=path, media=EXPORT_TYPES["ics"], data=calendar)
