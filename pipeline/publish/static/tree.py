"""The public part of a release, of which a static tree is made. It is opened only when a part of the tree is made."""

from collections.abc import Callable, Iterator
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.plan import AnswerContext, AnswerPlan
from outings.configuration.tables import StaticTable
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement, Query
from outings.contract.resources.meta import ListMeta, PageMeta
from outings.contract.routes import match_route
from outings.contract.static_files import name_file, name_media, spell_request
from outings.contract.vocabulary import COLLECTIONS, TYPES, Vocabulary
from outings.lazy_polars import pl
from outings.pages.assets import explain_no_assets
from outings.release.log import name_log
from outings.release.manifest import Manifest
from outings.release.root import ListedRelease
from outings.release.root import Part as RootPart
from outings.release.site import SiteFile, locate_outlines, read_site
from outings.release.snapshot import Release, Snapshot, open_release, read_manifests
from outings.release.store import Store
from outings.release.tables import PUBLISHED, read_columns
from pipeline.publish.objects.precomputed_pages import parse_target
from pipeline.publish.static.hosts import DETAILS, LISTS, HostFile

if TYPE_CHECKING:
    # A tree without pages needs no templates.
    from outings.pages.listed import Listed


class Item(Struct, frozen=True):
    """An item of a list, as far as other files depend on it."""

    id: str | None = None
    type: str = ""
    slug: str | None = None
    organization: "Item | None" = None


class _Meta(Struct, frozen=True):
    has_more: bool = False
    count: int = 1
    next_cursor: str | int | None = None
    scope: str = ""


class AnswerPage(Struct, frozen=True):
    """A page of an answer. An answer without pages has one, of which only `data` is known."""

    data: msgspec.Raw
    meta: _Meta = _Meta()


_read_page = msgspec.json.Decoder(AnswerPage).decode
_read_items = msgspec.json.Decoder(tuple[Item, ...]).decode


class PlannedRequest(Struct, frozen=True):
    """The canonical form of a request, its query, and the plan of its answer."""

    request: str
    query: Query
    plan: AnswerPlan


class Tree:
    """The release of which a tree is made. `tell_date` returns the local date in a time zone."""

    def __init__(
        self, store: Store, listed: ListedRelease, table: StaticTable, *, tell_date: Callable[[str], date], cache: Path,
        scratch: Path,
    ) -> None:  # fmt: skip
        self.id, self.table, self._open = listed.id, table, partial(open_release, store, listed, cache=cache)
        self._scratch, root, manifests = scratch, listed.root, read_manifests(store, listed.root)
        self.slugs = [slug for slug in sorted(manifests) if not table.metros or slug in table.metros]
        self.dates = {slug: tell_date(manifest.metro.timezone) for slug, manifest in manifests.items()}
        self.vocabulary = next((manifest.vocabulary for manifest in manifests.values()), Vocabulary())
        self.aliases = {alias: slug for slug, manifest in manifests.items() for alias in manifest.metro.aliases}
        self._entitlement = Entitlement(metros=frozenset(self.slugs) if table.metros else None)
        self.requests = self._sort_requests()
        site = None if root.site is None or explain_no_assets() is not None else read_site(store, root.site).settings
        # The settings of its pages, which everybody may read; None if it has none.
        self.settings = site and replace(site, key="", shows_data=True, is_static=True)
        self.metros = [StaticMetro(self, manifests[slug], root.parts[slug]) for slug in self.slugs]
        metros = [(root.parts[slug].snapshot, day) for slug, day in sorted(self.dates.items())]
        # All that the tree depends on, but the program and the release's id.
        self.inputs: object = (metros, name_log(root.log), self.requests, [metro.inputs for metro in self.metros])

    @cached_property
    def release(self) -> Release:
        return self._open()

    @cached_property
    def public(self) -> Release:
        from pipeline.publish.static.public_release import hide_adults  # engines, which an unchanged tree does not need

        return hide_adults(self.release, self.slugs, self._scratch)

    def _sort_requests(self) -> dict[str, list[str]]:
        """Return the configured requests by metro; those of no metro have an empty name."""
        sorted_: dict[str, list[str]] = {}
        for request in self.table.requests:
            match = match_route(request.partition("?")[0])
            named = "" if match is None else match.values.get("metro", "")
            sorted_.setdefault(self.aliases.get(named, named), []).append(request)
        return sorted_

    def plan(self, request: str, metro: "StaticMetro | None" = None) -> PlannedRequest:
        """Plan the answer to a request for a key without add-ons, with the metro if it must name one. It is that of the
        public release, but for requests with an `audience`, and for what only these show. Raises ApiError."""
        from outings.answers.routes import make_plan

        query = parse_target(request, vocabulary=self.vocabulary, aliases=self.aliases)

        def plan_from(release: Release) -> PlannedRequest:
            context = AnswerContext(release=release, dates=self.dates, entitlement=self._entitlement)
            return PlannedRequest(spell_request(query), query, make_plan(query, context))

        try:
            return plan_from(self.release if "audience" in query.values else self.public)
        except ApiError as error:
            if error.code == "not_found":
                return plan_from(self.release)
            if metro is None or "?" in request or error.details.get("reason") != "metro_required":
                raise
        return self.plan(f"{request}?metro={metro.slug}")

    def read_pages(self, planned: PlannedRequest) -> Iterator[tuple[HostFile, AnswerPage]]:
        """Yield the pages of an answer, each with its file. Raises ApiError, and ValueError for too long a name."""
        first, route, number = planned.request, planned.query.match.route, 1
        is_log = route.name == "changes"
        has_pages = is_log or (route.meta is not None and issubclass(route.meta, PageMeta))
        step = DETAILS if route.is_one or route.name == "export.file" else LISTS
        while True:
            body, name = b"".join(planned.plan.render()), name_file(planned.request)
            page = _read_page(body) if has_pages else AnswerPage(msgspec.Raw(body))
            yield HostFile(name, body, route.max_age, name_media(name), step), page
            if not page.meta.has_more or planned.query.values.get("limit") == 0:
                return
            number += 1
            following = f"cursor={page.meta.next_cursor}" if is_log else f"page={number}"
            planned = self.plan(f"{first}{'&' if '?' in first else '?'}{following}")

    def read_items(self, request: str) -> Iterator[Item]:
        """Yield the items of all pages of a list. Raises ApiError."""
        return (item for _, page in self.read_pages(self.plan(request)) for item in _read_items(page.data))


class StaticMetro:
    """A metro of a static tree."""

    def __init__(self, tree: Tree, manifest: Manifest, part: RootPart) -> None:
        self._tree, self.slug, self.vocabulary = tree, manifest.metro.slug, tree.vocabulary
        self.today, self.days, self.requests = tree.dates[self.slug], tree.table.days, tree.requests.get(self.slug, [])
        outlines = manifest.site and manifest.site.pages.files.get(locate_outlines(self.slug))
        chosen = (tree.table.metros, self.days, self.requests)
        # All that the metro's part of the tree depends on by itself.
        self.inputs: object = (part.snapshot, manifest.exports, self.today, chosen, tree.settings, outlines)

    @property
    def snapshot(self) -> Snapshot:
        return self._tree.public.metros[self.slug]

    @property
    def outlines(self) -> SiteFile | None:
        """The outlines of its neighborhoods."""
        file = self._tree.release.site.get(locate_outlines(self.slug))
        return file if isinstance(file, SiteFile) else None

    @cached_property
    def listed(self) -> "Listed":
        """Return the listings of the metro in the order of the lists on its pages."""
        from outings.pages.listed import Listed

        return Listed(self.snapshot, self.today)

    @cached_property
    def listings(self) -> dict[str, list[str]]:
        """The ids of all published listings, by collection."""
        rows = read_columns(self.snapshot.tables["listings"], "listings", ("type", "status", "id"))
        published = rows.filter(pl.col("status") == PUBLISHED)
        return {
            collection: published.filter(pl.col("type") == TYPES.index(listing_type))["id"].to_list()
            for listing_type, collection in COLLECTIONS.items()
        }

    @cached_property
    def shown(self) -> "dict[str, pl.DataFrame]":
        """The `place_id` and `organization_id` of the listings of each collection's default list, in its order, of a
        program those of all its listings."""
        from outings.answers.live_counts import select_default
        from outings.answers.rows.evaluator import open_evaluator
        from outings.answers.rows.filters import Span
        from outings.answers.snapshot.reader import open_snapshot

        columns = read_columns(self.snapshot.tables["listings"], "listings", ("place_id", "organization_id"))
        evaluator = open_evaluator(open_snapshot(self.snapshot))
        shown = {}
        for listing_type, collection in COLLECTIONS.items():
            selection = replace(select_default(listing_type, self.snapshot, self.today), folds_programs=False)
            shown[collection] = columns[evaluator.list_rows(selection, Span(limit=columns.height)).rows]
        return shown

    @cached_property
    def named(self) -> list[Item]:
        """The listings that configured requests show."""
        routes = ((request, match_route(request.partition("?")[0])) for request in self.requests)
        lists = [request for request, match in routes if match is not None and match.route.meta is ListMeta]
        return [item for request in lists for item in self._tree.read_items(request)]

    def read_items(self, directory: str) -> Iterator[Item]:
        """Yield the entries of a directory, such as `neighborhoods`."""
        return self._tree.read_items(f"/v1/{self.slug}/{directory}")
