"""The pages for people of a static tree: they need no server, and so no key."""

from collections.abc import Iterator, Mapping
from datetime import date

from msgspec.structs import replace

from outings.answers.counts import count_listings
from outings.configuration.zones import read_zone
from outings.contract.query import Entitlement
from outings.pages.assets import Page, explain_no_assets
from outings.pages.settings import MetroFigures
from outings.release.site import read_site
from outings.release.snapshot import Snapshot
from outings.release.store import Store


def render_pages(
    store: Store, site: str | None, metros: Mapping[str, Snapshot], *, dates: Mapping[str, date]
) -> Iterator[Page]:
    """Yield each page and what it loads, with the path of its file; none where the release has no pages."""
    if site is None or explain_no_assets() is not None:
        return
    from outings.pages.site import render_metro, render_static_site  # templates, which a tree without pages needs not

    # Everybody may read the whole tree.
    settings = replace(read_site(store, site).settings, key="", shows_data=True, is_static=True)
    figures = [_make_figures(snapshot, dates[slug]) for slug, snapshot in metros.items()]
    pages = [*render_static_site(settings, figures)]
    for slug, snapshot in metros.items():
        pages += render_metro(snapshot, today=dates[slug], settings=settings)
    for page in pages:
        is_folder = not page.path or page.path.endswith("/")
        yield replace(page, path=f"{page.path}index.html") if is_folder else page


def _make_figures(snapshot: Snapshot, today: date) -> MetroFigures:
    metro = snapshot.metro
    counts = count_listings(snapshot, today=today, entitlement=Entitlement())
    changed = snapshot.stamp.astimezone(read_zone(metro.timezone)).date()
    return MetroFigures(slug=metro.slug, name=metro.name, counts=counts, changed_on=changed)
