"""The public part of a release, of which a static tree is made. It is opened only when a part of the tree is made."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path

import msgspec
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.live_counts import select_default
from outings.answers.plan import AnswerContext, AnswerPlan
from outings.answers.routes import make_plan
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import Span
from outings.answers.snapshot.reader import open_snapshot
from outings.configuration.tables import StaticTable
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement, Query
from outings.contract.resources.meta import ListMeta, PageMeta
from outings.contract.routes import match_route
from outings.contract.static_files import spell_request
from outings.contract.vocabulary import COLLECTIONS, TYPES, Vocabulary
from outings.pages.assets import explain_no_assets
from outings.release.log import name_log
from outings.release.site import SiteFile, locate_outlines
from outings.release.snapshot import Release, Snapshot
from outings.release.tables import PUBLISHED, read_columns
from pipeline.publish.objects.precomputed_pages import parse_target
from pipeline.publish.static.public_release import hide_adults


class Item(Struct, frozen=True):
    """An item of a list, as far as other files depend on it."""

    id: str = ""
    type: str = ""
    slug: str = ""
    organization: "Item | None" = None


class _Meta(Struct, frozen=True):
    has_more: bool = False
    count: int = 1
    next_cursor: str | int | None = None
    scope: str = ""


class _Page(Struct, frozen=True):
    data: msgspec.Raw
    meta: _Meta = _Meta()


_read_page = msgspec.json.Decoder(_Page).decode
_read_items = msgspec.json.Decoder(tuple[Item, ...]).decode


class PlannedRequest(Struct, frozen=True):
    """A request and the plan of its answer, or of one page of it."""

    query: Query
    plan: AnswerPlan

    @property
    def request(self) -> str:
        """The canonical request."""
        return spell_request(self.query)


class AnswerPage(Struct, frozen=True):
    """A page of an answer, or the whole if it has no pages. `content`: its data and what the reader may read."""

    request: str
    body: bytes
    has_more: bool
    is_empty: bool
    content: bytes


class Tree:
    """The public release from which a tree is made. Nothing of a metro is read before an answer is planned."""

    def __init__(self, release: Release, table: StaticTable, *, dates: Mapping[str, date], scratch: Path) -> None:
        self.release, self.table, self.dates = release, table, dates
        self.slugs = [slug for slug in sorted(release.metros) if not table.metros or slug in table.metros]
        self.vocabulary = next((snapshot.vocabulary for snapshot in release.metros.values()), Vocabulary())
        self.aliases = {alias: slug for slug, metro in release.metros.items() for alias in metro.metro.aliases}
        self._scratch = scratch
        self._entitlement = Entitlement(metros=frozenset(self.slugs) if table.metros else None)
        self.requests = self._sort_requests()
        has_pages = release.site and explain_no_assets() is None
        site = replace(release.site_settings, key="", shows_data=True, is_static=True)
        # The settings of its pages, which everybody may read; None if it has none.
        self.settings = site if has_pages else None
        self.metros = [StaticMetro(self, slug) for slug in self.slugs]
        metros = [(metro.hash, metro.exports, dates[slug]) for slug, metro in sorted(release.metros.items())]
        # All that the tree depends on, but the program and the release's id.
        common = (metros, name_log(release.history.log), self.requests)
        self.inputs: object = (common, [metro.inputs for metro in self.metros])

    @cached_property
    def public(self) -> Release:
        for slug in self.slugs:
            self.release.metros[slug].fetch()
        return hide_adults(self.release, self.slugs, self._scratch)

    def _sort_requests(self) -> dict[str, list[str]]:
        """Return the configured requests by metro; those of no metro have an empty name."""
        sorted_: dict[str, list[str]] = {}
        for request in self.table.requests:
            match = match_route(request.partition("?")[0])
            named = "" if match is None else match.values.get("metro", "")
            sorted_.setdefault(self.aliases.get(named, named), []).append(request)
        return sorted_

    def plan(self, request: str) -> PlannedRequest:
        """Plan the answer to a request for a key without add-ons. It is that of the public release, but for requests
        with an `audience`, and for what only these show. Raises ApiError."""
        query = parse_target(request, vocabulary=self.vocabulary, aliases=self.aliases)

        def plan_from(release: Release) -> PlannedRequest:
            context = AnswerContext(release=release, dates=self.dates, entitlement=self._entitlement)
            return PlannedRequest(query, make_plan(query, context))

        try:
            return plan_from(self.release if "audience" in query.values else self.public)
        except ApiError as error:
            if error.code != "not_found":
                raise
            return plan_from(self.release)

    def plan_in(self, request: str, metro: "StaticMetro | None") -> PlannedRequest:
        """Plan the answer, with `?metro=` added if the API answers that a metro is required."""
        try:
            return self.plan(request)
        except ApiError as error:
            if metro is None or "?" in request or error.details.get("reason") != "metro_required":
                raise
            return self.plan(f"{request}?metro={metro.slug}")

    def read_pages(self, planned: PlannedRequest) -> Iterator[AnswerPage]:
        """Yield the pages of an answer. Raises ApiError."""
        first, number = planned.request, 1
        route = planned.query.match.route
        is_log = route.name == "changes"
        if not is_log and (route.meta is None or not issubclass(route.meta, PageMeta)):
            body = b"".join(planned.plan.render())
            yield AnswerPage(first, body, has_more=False, is_empty=False, content=body)
            return
        while True:
            body = b"".join(planned.plan.render())
            page = _read_page(body)
            more = page.meta.has_more and planned.query.values.get("limit") != 0
            content = page.meta.scope.encode() + bytes(page.data)
            is_empty = page.meta.count == 0 and number == 1
            yield AnswerPage(planned.request, body, has_more=more, is_empty=is_empty, content=content)
            if not more:
                return
            number += 1
            following = f"cursor={page.meta.next_cursor}" if is_log else f"page={number}"
            planned = self.plan(f"{first}{'&' if '?' in first else '?'}{following}")

    def read_items(self, request: str) -> Iterator[Item]:
        """Yield the items of all pages of a list. Raises ApiError."""
        for page in self.read_pages(self.plan(request)):
            yield from _read_items(_read_page(page.body).data)


class StaticMetro:
    """A metro of a static tree."""

    def __init__(self, tree: Tree, slug: str) -> None:
        self._tree, self.slug, self.today = tree, slug, tree.dates[slug]
        self.days, self.requests = tree.table.days, tree.requests.get(slug, [])
        self.vocabulary = tree.vocabulary
        file, metro = tree.release.site.get(locate_outlines(slug)), tree.release.metros[slug]
        # The outlines of its neighborhoods.
        self.outlines = file if isinstance(file, SiteFile) else None
        outlines = self.outlines and self.outlines.sha256
        # All that the metro's part of the tree depends on by itself.
        chosen = (tree.table.metros, self.days, self.requests)
        self.inputs: object = (metro.hash, metro.exports, self.today, chosen, tree.settings, outlines)

    @property
    def snapshot(self) -> Snapshot:
        return self._tree.public.metros[self.slug]

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
    def shown(self) -> dict[str, pl.DataFrame]:
        """The `place_id` and `organization_id` of the listings of each collection's default list, in its order, of a
        program those of all its listings."""
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
        lists = []
        for request in self.requests:
            match = match_route(request.partition("?")[0])
            if match is not None and match.route.meta is ListMeta:
                lists.append(request)
        return [item for request in lists for item in self._tree.read_items(request) if item.id]

    def list_lists(self, query: str, values: Sequence[object] = ("",), *, of: Sequence[str]) -> list[str]:
        """Return `/v1/{metro}/{collection}{query}{value}` for each collection in `of` and each value."""
        return [f"/v1/{self.slug}/{collection}{query}{value}" for collection in of for value in values]

    def read_items(self, directory: str) -> Iterator[Item]:
        """Yield the entries of a directory, such as `neighborhoods`."""
        return self._tree.read_items(f"/v1/{self.slug}/{directory}")
