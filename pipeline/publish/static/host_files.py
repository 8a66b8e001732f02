"""Files of a tree that answer no request: pages for people, and settings that hosts read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain

import msgspec
from msgspec.structs import replace

from outings.answers.ical import render_event_file
from outings.answers.live_counts import count_listings
from outings.contract.envelope import encode_error
from outings.contract.errors import not_found
from outings.contract.query import Entitlement
from outings.contract.resources.sync import EXPORT_TYPES
from outings.contract.routes import JSON, ROUTES
from outings.contract.vocabulary import COLLECTIONS
from outings.pages.assets import Page, explain_no_assets
from outings.pages.settings import ExplorerMetro
from outings.release.site import ASSETS, SiteFile, SiteSettings, StoredFile, locate_outlines, read_site
from outings.release.snapshot import Snapshot
from outings.release.store import Store
from pipeline.publish.objects.site import make_figures
from pipeline.publish.static.hosts import HostFile
from pipeline.publish.static.requests import list_published

_TEXT = "text/plain"
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


def render_pages(
    store: Store, site: str | None, metros: Mapping[str, Snapshot], *, dates: Mapping[str, date],
    read: Callable[[str], bytes], files: Mapping[str, SiteFile | StoredFile],
) -> Iterator[Page]:  # fmt: skip
    """Yield each page, and each file that pages load, with its path; nothing if the release has no pages. `read`
    returns the body of a request. `files`: the files of the release's site."""
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
    rendered = (_render_listings(own, read=read, settings=settings, files=files) for own in metros.values())
    for page in chain(pages, *rendered):
        is_folder = not page.path or page.path.endswith("/")
        yield replace(page, path=f"{page.path}index.html") if is_folder else page


def _render_listings(
    snapshot: Snapshot, *, read: Callable[[str], bytes], settings: SiteSettings,
    files: Mapping[str, SiteFile | StoredFile],
) -> Iterator[Page]:  # fmt: skip
    """Yield the page of each published listing, and its calendar file if it has dates."""
    from outings.pages.listing import locate_listing, render_calendar, render_listing

    outlines = files.get(locate_outlines(snapshot.metro.slug))
    areas = outlines.read(b"") if isinstance(outlines, SiteFile) else None
    for collection, ids in list_published(snapshot).items():
        for row_id in ids:
            item = msgspec.json.decode(read(f"/v1/{collection}/{row_id}"))["data"]
            path = locate_listing(item, settings)
            yield Page(path=path, data=render_listing(item, settings=settings, outlines=areas))
            is_event = item["type"] == "event"
            calendar = render_event_file(row_id, snapshot) if is_event else render_calendar(item)
            if calendar is not None:
                yield Page(path=f"{path}{item['slug']}.ics", media=EXPORT_TYPES["ics"], data=calendar)
