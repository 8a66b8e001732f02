"""Answers to requests without a key: probes, metrics, the OpenAPI document, and the site's pages."""

import asyncio
import re
from collections.abc import Mapping
from functools import lru_cache, partial

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from edge.authentication import KeyRing
from edge.bodies import CODINGS, IDENTITY, Bodies, choose_coding, cut_pieces, encode_body, render_body
from edge.metrics import Counts, Metrics
from edge.planner import RequestPlan
from edge.releases import Releases
from edge.request_headers import Header, Request
from edge.response_headers import (
    Body,
    Lines,
    Response,
    encode_lines,
    make_body,
    make_etag,
    make_head,
    make_not_modified,
    make_ranged,
    make_redirect,
    make_status,
    make_success,
    matches_etag,
)
from outings.answers.ical import render_event_file
from outings.answers.plan import AnswerContext
from outings.answers.routes import make_plan
from outings.contract.errors import ApiError, not_found, unavailable
from outings.contract.openapi.document import encode_document
from outings.contract.query import Entitlement, parse_query
from outings.contract.resources.sync import EXPORT_TYPES
from outings.contract.routes import CATALOG_TYPE, METRICS_TYPE, ROUTES, match_route
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from outings.pages.assets import HTML
from outings.pages.missing_page import CONTENT_SECURITY_POLICY, place_page
from outings.pages.missing_page import PATH as MISSING
from outings.release.site import ASSETS, BROTLI, GZIP, WEBP, SiteFile, StoredFile, locate_outlines

(MAX_AGE,) = (route.max_age for route in ROUTES if route.name == "openapi")


_CATALOG = msgspec.json.encode(
    {
        "linkset": [
            {
                "anchor": "/v1",
                "service-desc": [{"href": "/openapi.json", "type": "application/vnd.oai.openapi+json;version=3.1"}],
                "service-doc": [{"href": "/reference/", "type": "text/html"}],
                "service-meta": [{"href": "/v1/vocabulary", "type": "application/json"}],
            }
        ]
    }
)
_CATALOG_ETAG = make_etag(_CATALOG)


class EncodedDocument(Struct, frozen=True, kw_only=True):
    """The OpenAPI document in each content coding, with its ETag and headers."""

    etag: bytes
    head: Lines
    bodies: Mapping[bytes, Body]


@lru_cache(maxsize=2)
def prepare_document(vocabulary: Vocabulary, refused: tuple[str, ...]) -> EncodedDocument:
    """Encode the OpenAPI document of a vocabulary, without the `refused` parameters. Slow: call it outside the event
    loop, before the first request."""
    body = encode_document(vocabulary, refused=refused)
    etag = make_etag(body)
    return EncodedDocument(
        etag=etag,
        head=make_head(etag=etag, max_age=MAX_AGE, release=None),
        bodies={coding: make_body(encode_body(body, coding), coding) for coding in (IDENTITY, *CODINGS)},
    )


# The site's files are stored in both codings. Brotli is smaller.
_CODINGS = (BROTLI, GZIP)
_HEAD: tuple[Header, ...] = (
    (b"content-security-policy", f"{CONTENT_SECURITY_POLICY}; frame-ancestors 'none'".encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
_VARY: Header = (b"vary", b"Accept-Encoding")
_PAGE = encode_lines((*_HEAD, _VARY, (b"cache-control", b"no-cache")))
# A listing's picture may leave with the next release.
_PICTURE = encode_lines((*_HEAD, (b"cache-control", b"public, max-age=3600")))
# An asset never changes, because its name has a hash of its bytes.
_ASSET = encode_lines((*_HEAD, _VARY, (b"cache-control", b"public, max-age=31536000, immutable")))
_MISSING = encode_lines((*_HEAD, (b"vary", b"Accept"), (b"cache-control", b"no-store")))


# The path of a listing's page, or with `.ics` of its calendar.
_LISTING = re.compile(rf"(?:/([a-z]+))?/([^/]+)/({'|'.join(COLLECTIONS.values())})/([^/]+?)(\.ics)?")


class Pages(Struct, frozen=True):
    """The pages of the site. Sends the page at a path, redirects `/reference` to `/reference/`, and sends browsers a
    page in place of a 404."""

    releases: Releases
    bodies: Bodies
    counts: Counts

    def has_page(self, path: str) -> bool:
        """Return True if the site has a page or a folder at this percent-encoded path."""
        if path[:1] != "/" or path[1:] == MISSING:
            return False
        find = self.releases.find_file
        return find(path[1:]) is not None or find(f"{path[1:]}/") is not None

    def find_listing(self, request: Request) -> Request | None:
        """Return the API request, with the visitors' key, for the listing whose page is requested. Return None for
        other requests."""
        served, parts = self.releases.current, _LISTING.fullmatch(request.path)
        if parts is None or served is None or request.method not in ("GET", "HEAD"):
            return None
        settings, (language, metro, collection, slug, suffix) = served.release.site_settings, parts.groups()
        folder = f"{language}/" if language else ""
        is_shown = settings.shows_data and settings.key and metro in served.metros
        if not is_shown or all(own.folder != folder for own in settings.list_languages()):
            return None
        return replace(
            request,
            page="ics" if suffix else f"{folder}html",
            match=match_route(f"/v1/{collection}/slug/{slug}"),
            query_string=b"metro=" + metro.encode(),
            key_text=settings.key.encode(),
        )

    def answer_listing(self, request: Request, planned: RequestPlan) -> Response:
        """Render a listing's page or calendar file from the document that the API serves."""
        coding = choose_coding(request.accept_encoding, _CODINGS)
        served = planned.served
        name = (f"{request.page} {planned.query.text}", planned.etag + served.header, coding)
        body = self.bodies.recall(name)
        if body is None:
            body = _render_listing(request, planned, coding)
            self.bodies.put(name, body)
        etag = make_etag(b"%b%b" % (request.page.encode(), name[1]))
        head = b"%betag: %b\r\n" % (_PAGE, etag)
        shown = replace(request, limit=None)  # limits are those of the visitors' key
        if matches_etag(request.if_none_match, etag):
            return make_not_modified(shown, head)
        return make_success(shown, head, body)

    def explains(self, request: Request, failure: ApiError) -> bool:
        """Return True if a browser should get the site's "not found" page for this failure. Paths of the API, and typos
        of known paths, get the API's error."""
        is_near = "did_you_mean" in failure.details or request.path.lower().split("/")[1:2] == ["v1"]
        is_browser = request.wants_page and request.method in ("GET", "HEAD")
        return is_browser and not is_near and self.releases.find_file(MISSING) is not None

    async def answer(self, request: Request) -> Response:
        """Return the page at the request's path, or 404 with the site's "not found" page."""
        if not self.has_page(request.path):
            return self.explain_missing(request)
        file = self.releases.find_file(request.path[1:])
        if file is None:
            query = b"?" + request.query_string if request.query_string else b""
            # Relative, so that it is right behind a proxy that serves this below a folder.
            name = request.path.rpartition("/")[2].encode()
            return make_redirect(request, _PAGE, location=name + b"/" + query)
        # A file that is never compressed has the same bytes for everybody.
        etag = b'%b"%b"' % (b"" if isinstance(file, StoredFile) else b"W/", file.sha256[:32].encode())
        kind = _ASSET if request.path[1:].startswith(ASSETS) else _PICTURE if file.media == WEBP else _PAGE
        head = b"%betag: %b\r\n" % (kind, etag)
        if matches_etag(request.if_none_match, etag):
            return make_not_modified(request, head)
        if isinstance(file, StoredFile):
            cut = partial(cut_pieces, await self.bodies.open_file(file))
            return make_ranged(request, head, cut, etag=etag, size=file.size, media=file.media)
        return make_success(request, head, self._read_body(file, choose_coding(request.accept_encoding, _CODINGS)))

    def _read_body(self, file: SiteFile, coding: bytes) -> Body:
        """Return a file's body from the cache, so that a thousand slow clients share the same bytes."""
        name = (file.extents.sha256, b"", coding)
        body = self.bodies.recall(name)
        if body is None:
            body = make_body(file.read(coding), coding, media=file.extents.media)
            self.bodies.put(name, body)
        return body

    def explain_missing(self, request: Request) -> Response:
        """Return 404 with the site's "not found" page."""
        file = self.releases.find_file(MISSING)
        if file is None:  # the release was replaced meanwhile
            raise not_found("There is no such page.")
        self.counts.refused.inc()
        data = place_page(file.read(b""), depth=request.path.count("/") - 1)
        return make_success(request, _MISSING, make_body(data, b"", media=file.media), status=404)


def _render_listing(request: Request, planned: RequestPlan, coding: bytes) -> Body:
    """Render a listing as HTML or iCalendar. Raises 404 for adults' listings, and for a calendar without dates."""
    # Only here, because templates take memory, and some servers show no listings.
    from outings.pages.listing import render_calendar, render_listing

    release = planned.served.release
    item = msgspec.json.decode(b"".join(planned.plan.render()))["data"]
    if item["audience"] == "adults":
        raise not_found("There is no page of what is for adults alone.")
    if request.page == "ics":
        is_event = item["type"] == "event"
        metro = planned.served.metros[item["metro"]]
        calendar = render_event_file(item["id"], metro) if is_event else render_calendar(item)
        if calendar is None:
            raise not_found("This listing has no dates.")
        return make_body(encode_body(calendar, coding), coding, media=EXPORT_TYPES["ics"])

    def locate_asset(name: str) -> str:
        """Return the name of the asset in this release, where its hash may differ from this program's."""
        stem, _, suffix = name.rpartition(".")
        pattern = re.compile(rf"{ASSETS}{re.escape(stem)}\.[0-9a-f]+\.{suffix}")
        return next(filter(pattern.fullmatch, release.site), name)

    picture = release.pictures.get(item["id"])
    outlines = release.site.get(locate_outlines(item["metro"]))
    settings = next(own for own in release.site_settings.list_languages() if request.page == f"{own.folder}html")
    data = render_listing(
        item, settings=settings, locate_asset=locate_asset, picture=picture,
        outlines=None if outlines is None else outlines.read(IDENTITY),
        timezone=planned.served.metros[item["metro"]].metro.timezone,
    )  # fmt: skip
    return make_body(encode_body(data, coding), coding, media=HTML)


class PublicEndpoints(Struct, frozen=True, kw_only=True):
    """The probes, the metrics and the OpenAPI document."""

    releases: Releases
    ring: KeyRing
    metrics: Metrics

    async def answer(self, request: Request) -> Response:
        """Answer a request for a probe, the metrics or the OpenAPI document."""
        match request.path:
            case "/healthz":
                return make_status(request, b'{"status":"ok"}')  # the process lives and its event loop runs
            case "/readyz":
                return self.answer_readiness(request)
            case "/metrics":
                root = None if self.releases.current is None else self.releases.current.root
                text = await asyncio.to_thread(self.metrics.render, root)
                return make_status(request, text, media=METRICS_TYPE)
            case "/openapi.json":
                return self._answer_document(request)
            case "/.well-known/api-catalog":
                head = make_head(etag=_CATALOG_ETAG, max_age=MAX_AGE, release=None)
                if matches_etag(request.if_none_match, _CATALOG_ETAG):
                    return make_not_modified(request, head)
                return make_success(request, head, make_body(_CATALOG, IDENTITY, media=CATALOG_TYPE))
            case _:
                return self._answer_public(request)

    def _answer_document(self, request: Request) -> Response:
        if self.releases.current is None:
            raise unavailable()
        prepared = prepare_document(self.releases.current.vocabulary, self.releases.current.refused)
        if matches_etag(request.if_none_match, prepared.etag):
            return make_not_modified(request, prepared.head)
        return make_success(request, prepared.head, prepared.bodies[choose_coding(request.accept_encoding)])

    def _answer_public(self, request: Request) -> Response:
        """Answer from what everybody may know."""
        served = self.releases.current
        if served is None:
            raise unavailable()
        assert request.match is not None
        query = parse_query(request.match, request.query_string, vocabulary=served.vocabulary)
        context = AnswerContext(release=served.release, dates={}, entitlement=Entitlement(metros=frozenset()))
        plan = make_plan(query, context)
        head = make_head(etag=plan.etag.encode(), max_age=request.match.route.max_age, release=served.header)
        if matches_etag(request.if_none_match, plan.etag.encode()):
            return make_not_modified(request, head)
        body = render_body(plan, choose_coding(request.accept_encoding), query)
        return make_success(request, head, body)

    def answer_readiness(self, request: Request) -> Response:
        """Return 200 as soon as there is a release to answer from and the keys were read once. Raises 503 before.

        If the store fails or breaks later, the server goes on with the release and the keys that it has: it is
        ready, and the body names the problem.
        """
        current = self.releases.current
        # Anyone may read this, so the exact fault and the store's address are only in the log.
        problems = {
            "store": "unreachable" if self.releases.failure else None,
            "release": "refused" if self.releases.refusal else None,
            "keys": "not read" if self.ring.failure else None,
        }
        status = {
            "release": None if current is None else current.release.id,
            "problems": {name: problem for name, problem in problems.items() if problem is not None},
        }
        if current is None or not self.ring.is_read:
            message = "There is no release yet." if current is None else "The keys were not read yet."
            raise ApiError("unavailable", message, details=status, headers={"Retry-After": "5"})
        return make_status(request, msgspec.json.encode({"status": "ready", **status}))
