"""Render the answers of a static tree by the code of the API, before any file is written."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

import msgspec
from msgspec import Struct

from outings.answers.routes import answer
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement, Query, parse_query
from outings.contract.resources.meta import ListMeta, PageMeta
from outings.contract.routes import Route, match_route
from outings.contract.static_files import name_file, name_media, spell_request
from outings.contract.vocabulary import Vocabulary
from outings.release.snapshot import Release
from outings.release.store import hash_of
from pipeline.publish.static.hosts import DETAILS, LISTS, Spool, StaticFile
from pipeline.publish.static.requests import KINDS, NAMED, Kind, StaticMetro


class _Reference(Struct, frozen=True):
    id: str | None = None


class _Item(Struct, frozen=True):
    id: str = ""
    slug: str = ""
    place: _Reference | None = None
    organization: _Reference | None = None


class _Meta(Struct, frozen=True):
    has_more: bool
    count: int


class _Page(Struct, frozen=True):
    data: tuple[_Item, ...]
    meta: _Meta


class _ChangesMeta(Struct, frozen=True):
    has_more: bool
    next_cursor: int
    scope: str


class _Changes(Struct, frozen=True):
    data: msgspec.Raw
    meta: _ChangesMeta


_read_page = msgspec.json.Decoder(_Page).decode
_read_changes = msgspec.json.Decoder(_Changes).decode


class StaticRequest(Struct, frozen=True):
    """A canonical request without its page, and the files of its pages in order."""

    request: str
    files: tuple[str, ...]


class MetroIndex(Struct, frozen=True):
    """A metro's part of the index: its requests, and the local date of its lists."""

    date: str
    requests: tuple[StaticRequest, ...]


class Tree(Struct, frozen=True, kw_only=True):
    """All files by name, the requests and metros of the index, and the kinds that `max_objects` left out."""

    files: Mapping[str, StaticFile]
    requests: tuple[StaticRequest, ...]
    metros: Mapping[str, MetroIndex]
    left_out: tuple[str, ...]


class _Pages(Struct, frozen=True):
    """The rendered pages of a canonical request by file name. `is_empty`: the request matches nothing."""

    request: str
    files: Mapping[str, StaticFile]
    is_empty: bool = False


class Renderer:
    """Renders the answers for a key without add-ons that may read the published metros."""

    def __init__(
        self,
        release: Release,
        metros: Sequence[StaticMetro],
        *,
        dates: Mapping[str, date],
        vocabulary: Vocabulary,
        is_all: bool,
        spool: Spool,
    ) -> None:
        self._release = release
        self._metros = metros
        self._dates = dates
        self._vocabulary = vocabulary
        self._entitlement = Entitlement(metros=None if is_all else frozenset(metro.slug for metro in metros))
        self._aliases = {alias: slug for slug, snapshot in release.metros.items() for alias in snapshot.metro.aliases}
        self._spool = spool
        self.problems: list[str] = []

    def render_tree(self, requests: Sequence[str], *, max_objects: int) -> Tree:
        """Render all kinds of all metros; `requests` are those of no metro. A metro has all files of a kind or none of
        them. Requests that fail are added to `problems`."""
        files: dict[str, StaticFile] = {}
        listed: dict[str, list[StaticRequest]] = {"": [], **{metro.slug: [] for metro in self._metros}}
        left_out = []
        for kind in KINDS:
            for metro in (None, *self._metros):
                slug = "" if metro is None else metro.slug
                common = requests if kind.name == NAMED else kind.of_no_metro
                wanted = common if metro is None else kind.list_requests(metro)
                added = self._render_kind(wanted, metro, kind, files, most=max_objects)
                listed[slug] += added or ()
                left_out += [f"{slug}: {kind.name}" if slug else kind.name] if added is None else []
        metros = {metro.slug: MetroIndex(metro.today.isoformat(), tuple(listed[metro.slug])) for metro in self._metros}
        return Tree(files=files, requests=tuple(listed[""]), metros=metros, left_out=tuple(left_out))

    def _render_kind(
        self, requests: Iterable[str], metro: StaticMetro | None, kind: Kind, files: dict[str, StaticFile], *, most: int
    ) -> list[StaticRequest] | None:
        """Render requests into `files`. If that makes more than `most` files, add none and return None."""
        added: dict[str, StaticFile] = {}
        listed = []
        for request in requests:
            try:
                pages = self._render_request(request, metro)
            except (ApiError, ValueError) as error:
                self.problems.append(f"{request}: {error}")
                continue
            if pages.is_empty and not kind.keeps_empty:
                continue
            added |= pages.files
            listed.append(StaticRequest(pages.request, tuple(pages.files)))
            if len(files) + len(added) > most and len(files.keys() | added.keys()) > most:
                return None
        files |= added
        return listed

    def _render_request(self, request: str, metro: StaticMetro | None) -> _Pages:
        """Render all pages of a request, with `?metro=` added if the API answers that a metro is required."""
        try:
            query, body = self._answer(request)
        except ApiError as error:
            if metro is None or "?" in request or error.details.get("reason") != "metro_required":
                raise
            return self._render_request(f"{request}?metro={metro.slug}", metro)
        route, spelt = query.match.route, spell_request(query)
        if route.name == "changes":
            return _Pages(spelt, self._render_changes(query, body))
        files = dict([self._keep(query, body)])
        if route.meta is None or not issubclass(route.meta, PageMeta):
            return _Pages(spelt, files)
        page = _read_page(body)
        is_empty, number = page.meta.count == 0, 1
        _collect(page, route, metro)
        while page.meta.has_more and query.values.get("limit") != 0:
            number += 1
            query, body = self._answer(_add(spelt, f"page={number}"))
            page = _read_page(body)
            _collect(page, route, metro)
            files |= [self._keep(query, body)]
        return _Pages(spelt, files, is_empty)

    def _render_changes(self, query: Query, body: bytes) -> dict[str, StaticFile]:
        """Render a file for each cursor. A full page is written again only if its content without `meta` changes."""
        files: dict[str, StaticFile] = {}
        spelt = spell_request(query)
        while True:
            page = _read_changes(body)
            closed = hash_of(page.meta.scope.encode() + bytes(page.data)) if page.meta.has_more else ""
            files |= [self._keep(query, body, closed=closed)]
            if not page.meta.has_more:
                return files
            query, body = self._answer(_add(spelt, f"cursor={page.meta.next_cursor}"))

    def _answer(self, request: str) -> tuple[Query, bytes]:
        path, _, query_string = request.partition("?")
        match = match_route(path)
        assert match is not None, request
        query = parse_query(match, query_string.encode(), vocabulary=self._vocabulary, aliases=self._aliases)
        made = answer(query, release=self._release, dates=self._dates, entitlement=self._entitlement)
        return query, b"".join(made.parts)

    def _keep(self, query: Query, body: bytes, *, closed: str = "") -> tuple[str, StaticFile]:
        name, route = name_file(spell_request(query)), query.match.route
        step = DETAILS if route.is_one or route.name == "export.file" else LISTS
        media = name_media(name)
        return name, self._spool.add(name, body, step=step, max_age=route.max_age, media=media, closed=closed)


def _add(request: str, parameter: str) -> str:
    return f"{request}{'&' if '?' in request else '?'}{parameter}"


def _collect(page: _Page, route: Route, metro: StaticMetro | None) -> None:
    """Add the ids and slugs in a list to those that its metro shows. Later requests are made from these."""
    if metro is None:
        return
    if route.name == "neighborhoods":
        metro.shown.neighborhoods.update(dict.fromkeys(item.slug for item in page.data))
    if route.name == "organizations.list":
        metro.shown.directory.update(dict.fromkeys(item.id for item in page.data if item.id))
    if route.meta is not ListMeta or route.type is None:
        return
    collection, shown = route.collection, metro.shown
    for item in page.data:
        if item.id and item.slug:
            shown.slugs[collection].setdefault(item.id, item.slug)
        if item.place is not None and item.place.id is not None:
            shown.places[collection][item.place.id] = None
        if item.organization is not None and item.organization.id is not None:
            shown.organizations[collection][item.organization.id] = None
