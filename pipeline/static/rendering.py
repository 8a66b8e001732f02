"""Renders the files of a static tree, by the code that answers requests, before anything of them is written."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from tempfile import TemporaryFile
from typing import IO, Self

import msgspec
from msgspec import Struct

from outings.answers.answer import answer
from outings.contract.entitlement import Entitlement
from outings.contract.errors import ApiError
from outings.contract.meta import ListMeta, PageMeta
from outings.contract.query import Query, parse_query
from outings.contract.route import Route
from outings.contract.route_matching import match_route
from outings.contract.static_files import name_file, spell_request
from outings.contract.vocabulary import Vocabulary
from outings.release.objects import hash_of
from outings.release.snapshot import Release
from pipeline.static.requests import KINDS, Kind, StaticMetro


class _Reference(Struct, frozen=True):
    id: str | None = None


class _Item(Struct, frozen=True):
    id: str = ""
    slug: str = ""
    place: _Reference | None = None
    organization: _Reference | None = None


class _Page(Struct, frozen=True):
    data: tuple[_Item, ...]
    meta: "_Meta"


class _Meta(Struct, frozen=True):
    has_more: bool
    count: int


_read_page = msgspec.json.Decoder(_Page).decode


class StaticFile(Struct, frozen=True, kw_only=True):
    """A file of the tree: what a host is to say of it, and where its bytes wait if they have to be written."""

    sha256: str
    max_age: int
    is_list: bool
    offset: int = -1
    size: int = 0


class StaticRequest(Struct, frozen=True):
    """A canonical request without its page, and the files of its pages in order."""

    request: str
    files: tuple[str, ...]


class RequestPages(Struct, frozen=True):
    """A request with all of its pages, rendered."""

    request: str
    files: Mapping[str, StaticFile]
    is_empty: bool = False


class MetroIndex(Struct, frozen=True):
    """What the tree has of a metro, and the local date that its lists are of."""

    date: str
    requests: tuple[StaticRequest, ...]


class Tree(Struct, frozen=True, kw_only=True):
    """All files by name, what the index says of them, and the kinds that `max_objects` left out."""

    files: Mapping[str, StaticFile]
    requests: tuple[StaticRequest, ...]
    metros: Mapping[str, MetroIndex]
    left_out: tuple[str, ...]


class Spool:
    """Bodies that have to be written, in a temporary file: a tree may be larger than memory."""

    def __init__(self) -> None:
        self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, body: bytes) -> int:
        """Return where it begins."""
        offset = self._file.seek(0, 2)
        self._file.write(body)
        return offset

    def read(self, file: StaticFile) -> bytes:
        self._file.seek(file.offset)
        return self._file.read(file.size)


class Renderer:
    """Renders what a key without add-ons may read. `known` has the hashes of the files that the tree has already: only
    others go to `spool`."""

    def __init__(
        self,
        release: Release,
        metros: Sequence[StaticMetro],
        *,
        dates: Mapping[str, date],
        vocabulary: Vocabulary,
        is_all: bool,
        known: Mapping[str, str],
        spool: Spool,
    ) -> None:
        self._release = release
        self._metros = metros
        self._dates = dates
        self._vocabulary = vocabulary
        self._entitlement = Entitlement(metros=None if is_all else frozenset(each.slug for each in metros))
        self._aliases = {a: slug for slug, each in release.metros.items() for a in each.metro.aliases}
        self._known = known
        self._spool = spool
        self.problems: list[str] = []

    def render_tree(self, requests: Sequence[str], *, max_objects: int) -> Tree:
        """Render all kinds of all metros; `requests` are those of no metro. A kind of a metro is in the tree as a whole
        or not at all. What is not answered goes to `problems`."""
        files: dict[str, StaticFile] = {}
        general = self._render_kind(requests, None, KINDS[0], files, most=max_objects) or []
        own: dict[str, list[StaticRequest]] = {metro.slug: [] for metro in self._metros}
        left_out = []
        for kind in KINDS:
            for metro in self._metros:
                listed = self._render_kind(kind.list_requests(metro), metro, kind, files, most=max_objects)
                if listed is None:
                    left_out.append(f"{metro.slug}: {kind.name}")
                else:
                    own[metro.slug] += listed
        metros = {metro.slug: MetroIndex(metro.today.isoformat(), tuple(own[metro.slug])) for metro in self._metros}
        return Tree(files=files, requests=tuple(general), metros=metros, left_out=tuple(left_out))

    def _render_kind(
        self,
        requests: Iterator[str] | Sequence[str],
        metro: StaticMetro | None,
        kind: Kind,
        files: dict[str, StaticFile],
        *,
        most: int,
    ) -> list[StaticRequest] | None:
        """None, and nothing added to `files`, where there would be more than `most`."""
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

    def _render_request(self, request: str, metro: StaticMetro | None) -> RequestPages:
        """All pages of a request. An organization with listings in several metros has to be named with the metro."""
        try:
            query, body = self._answer(request)
        except ApiError as error:
            if metro is None or "?" in request or error.details.get("reason") != "metro_required":
                raise
            return self._render_request(f"{request}?metro={metro.slug}", metro)
        route, spelt = query.match.route, spell_request(query)
        files = dict([self._keep(query, body)])
        if not _has_pages(route):
            return RequestPages(spelt, files)
        page = _read_page(body)
        is_empty, number = page.meta.count == 0, 1
        _collect(page, route, metro)
        while page.meta.has_more and query.values.get("limit") != 0:
            number += 1
            query, body = self._answer(f"{spelt}{'&' if '?' in spelt else '?'}page={number}")
            page = _read_page(body)
            _collect(page, route, metro)
            files |= [self._keep(query, body)]
        return RequestPages(spelt, files, is_empty)

    def _answer(self, request: str) -> tuple[Query, bytes]:
        path, _, query_string = request.partition("?")
        match = match_route(path)
        assert match is not None, request
        query = parse_query(match, query_string.encode(), vocabulary=self._vocabulary, aliases=self._aliases)
        made = answer(query, release=self._release, dates=self._dates, entitlement=self._entitlement)
        return query, b"".join(made.parts)

    def _keep(self, query: Query, body: bytes) -> tuple[str, StaticFile]:
        """The name of a body's file, and the file. The bytes of one that the tree has are not kept."""
        name, route, sha = name_file(spell_request(query)), query.match.route, hash_of(body)
        offset = -1 if self._known.get(name) == sha else self._spool.add(body)
        return name, StaticFile(
            sha256=sha, max_age=route.max_age or 0, is_list=not route.is_one, offset=offset, size=len(body)
        )


def _has_pages(route: Route) -> bool:
    return route.meta is not None and issubclass(route.meta, PageMeta)


def _collect(page: _Page, route: Route, metro: StaticMetro | None) -> None:
    """Remember what a list shows, for the requests that follow from it."""
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
