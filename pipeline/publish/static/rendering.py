"""Render the answers of a static tree by the code of the API, before any file is written."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial

import msgspec
from msgspec import Struct

from outings.answers.routes import answer
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement, Query
from outings.contract.resources.meta import ListMeta, PageMeta
from outings.contract.routes import Route
from outings.contract.static_files import name_file, name_media, spell_request
from outings.contract.vocabulary import Vocabulary
from outings.release.snapshot import Release
from outings.release.store import hash_of
from pipeline.publish.objects.precomputed_pages import parse_target
from pipeline.publish.static.hosts import DETAILS, LISTS, Spool, StaticFile
from pipeline.publish.static.requests import KINDS, NAMED, Kind, StaticMetro


class _Reference(Struct, frozen=True):
    id: str | None = None


class _Item(Struct, frozen=True):
    id: str = ""
    slug: str = ""
    place: _Reference | None = None
    organization: _Reference = _Reference()


class _Meta(Struct, frozen=True):
    has_more: bool
    count: int
    next_cursor: str | int | None
    scope: str = ""


class _Page(Struct, frozen=True):
    data: msgspec.Raw
    meta: _Meta


_read_page = msgspec.json.Decoder(_Page).decode
_read_items = msgspec.json.Decoder(tuple[_Item, ...]).decode


class StaticRequest(Struct, frozen=True):
    """A canonical request without its page, and the files of its pages in order."""

    request: str
    files: tuple[str, ...]


class MetroIndex(Struct, frozen=True):
    """A metro's part of the index: its requests, and the local date of its lists."""

    date: str
    requests: Sequence[StaticRequest]


class Renderer:
    """Renders the answers for a key without add-ons that may read the published metros. They are those of the `public`
    release, except for requests with an `audience`, and for what only these show.

    After `render_tree` it has all `files` by name, the kinds that `max_objects` left out, and the `problems` of
    requests that failed."""

    def __init__(
        self,
        release: Release,
        metros: Sequence[StaticMetro],
        *,
        public: Release,
        dates: Mapping[str, date],
        vocabulary: Vocabulary,
        is_all: bool,
        spool: Spool,
    ) -> None:
        self._public, self._whole = public, release
        self._metros = metros
        self._dates = dates
        self._vocabulary = vocabulary
        self._entitlement = Entitlement(metros=None if is_all else frozenset(metro.slug for metro in metros))
        self._aliases = {alias: slug for slug, snapshot in release.metros.items() for alias in snapshot.metro.aliases}
        self._spool = spool
        self.files: dict[str, StaticFile] = {}
        self.left_out: list[str] = []
        self.problems: list[str] = []

    def render_tree(self, requests: Sequence[str], *, max_objects: int) -> dict[str, list[StaticRequest]]:
        """Render all kinds of all metros, and return the requests by metro; "" has those of no metro, to which
        `requests` belong. A metro has all files of a kind or none of them."""
        listed: dict[str, list[StaticRequest]] = {"": [], **{metro.slug: [] for metro in self._metros}}
        for kind in KINDS:
            for metro in (None, *self._metros):
                slug = "" if metro is None else metro.slug
                common = requests if kind.name == NAMED else kind.of_no_metro
                wanted = common if metro is None else kind.list_requests(metro)
                added = self._render_kind(wanted, metro, kind, most=max_objects)
                listed[slug] += added or ()
                self.left_out += [f"{slug}: {kind.name}" if slug else kind.name] if added is None else []
        return listed

    def _render_kind(
        self, requests: Iterable[str], metro: StaticMetro | None, kind: Kind, *, most: int
    ) -> list[StaticRequest] | None:
        """Render requests, and add their files. If that makes more than `most` files, add none and return None."""
        added: dict[str, StaticFile] = {}
        listed = []
        for request in requests:
            try:
                spelt, pages, is_empty = self._render_request(request, metro)
            except (ApiError, ValueError) as error:
                self.problems.append(f"{request}: {error}")
                continue
            if is_empty and not kind.keeps_empty:
                continue
            added |= pages
            listed.append(StaticRequest(spelt, tuple(pages)))
            if len(self.files) + len(added) > most and len(self.files.keys() | added.keys()) > most:
                return None
        self.files |= added
        return listed

    def _render_request(self, request: str, metro: StaticMetro | None) -> tuple[str, dict[str, StaticFile], bool]:
        """Render all pages of a request, with `?metro=` added if the API answers that a metro is required. Return the
        canonical request, the files by name, and True if nothing matches the request.

        A full page of changes is written again only if its content without `meta` changes."""
        try:
            query, body = self._answer(request)
        except ApiError as error:
            if metro is None or "?" in request or error.details.get("reason") != "metro_required":
                raise
            return self._render_request(f"{request}?metro={metro.slug}", metro)
        route, spelt = query.match.route, spell_request(query)
        is_log = route.name == "changes"
        if not is_log and (route.meta is None or not issubclass(route.meta, PageMeta)):
            return spelt, dict([self._keep(query, body)]), False
        files: dict[str, StaticFile] = {}
        while True:
            page = _read_page(body)
            more = page.meta.has_more and query.values.get("limit") != 0
            closed = hash_of(page.meta.scope.encode() + bytes(page.data)) if is_log and more else ""
            files |= [self._keep(query, body, closed=closed)]
            _collect(page, route, metro)
            if not more:
                return spelt, files, page.meta.count == 0 and len(files) == 1
            following = f"cursor={page.meta.next_cursor}" if is_log else f"page={len(files) + 1}"
            query, body = self._answer(f"{spelt}{'&' if '?' in spelt else '?'}{following}")

    def read_answer(self, request: str) -> bytes:
        """Return the body of a request."""
        return self._answer(request)[1]

    def _answer(self, request: str) -> tuple[Query, bytes]:
        query = parse_target(request, vocabulary=self._vocabulary, aliases=self._aliases)
        answer_from = partial(answer, query, dates=self._dates, entitlement=self._entitlement)
        try:
            made = answer_from(release=self._whole if "audience" in query.values else self._public)
        except ApiError as error:
            if error.code != "not_found":
                raise
            made = answer_from(release=self._whole)
        return query, b"".join(made.parts)

    def _keep(self, query: Query, body: bytes, *, closed: str = "") -> tuple[str, StaticFile]:
        name, route = name_file(spell_request(query)), query.match.route
        step = DETAILS if route.is_one or route.name == "export.file" else LISTS
        media = name_media(name)
        return name, self._spool.add(name, body, step=step, max_age=route.max_age, media=media, closed=closed)


def _collect(page: _Page, route: Route, metro: StaticMetro | None) -> None:
    """Add what a list shows to what its metro shows. Later requests are made from these."""
    if metro is None:
        return
    if route.name == "neighborhoods":
        metro.neighborhoods.update(dict.fromkeys(item.slug for item in _read_items(page.data)))
    if route.name == "organizations.list":
        metro.directory.update(dict.fromkeys(item.id for item in _read_items(page.data)))
    if route.meta is not ListMeta or route.type is None:
        return
    collection = route.collection
    for item in _read_items(page.data):
        if item.place is not None and item.place.id is not None:
            metro.places[collection][item.place.id] = None
        if item.organization.id is not None:
            metro.organizations[collection][item.organization.id] = None
