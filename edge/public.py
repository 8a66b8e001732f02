"""Answers that need no key: probes, metrics, the contract's document, and the site's pages."""

import asyncio
from collections.abc import Mapping
from functools import lru_cache

import msgspec
from msgspec import Struct

from edge.authentication import KeyRing
from edge.bodies import CODINGS, IDENTITY, Bodies, choose_coding, encode_body
from edge.metrics import Counts, Metrics
from edge.releases import Releases
from edge.request import Request
from edge.response import (
    Body,
    Header,
    Lines,
    Response,
    encode_lines,
    make_body,
    make_etag,
    make_head,
    make_not_modified,
    make_redirect,
    make_status,
    make_success,
    matches_etag,
)
from outings.contract.errors import ApiError, not_found, unavailable
from outings.contract.openapi.document import encode_document
from outings.contract.routes import METRICS_TYPE, ROUTES
from outings.contract.vocabulary import Vocabulary
from outings.pages.missing_page import CONTENT_SECURITY_POLICY, place_page
from outings.pages.missing_page import PATH as MISSING
from outings.release.site import ASSETS, BROTLI, GZIP, SiteFile

(MAX_AGE,) = (route.max_age for route in ROUTES if route.name == "openapi")


class EncodedDocument(Struct, frozen=True, kw_only=True):
    """The OpenAPI document in each content coding."""

    etag: bytes
    head: Lines
    bodies: Mapping[bytes, Body]


class OpenApi:
    """The OpenAPI document. `prepare` makes it outside the event loop, once for each vocabulary."""

    def __init__(self, releases: Releases) -> None:
        self._releases = releases
        self._prepared: EncodedDocument | None = None

    def prepare(self) -> None:
        """Make the document with the vocabulary of the current release."""
        served = self._releases.current
        if served is not None:
            self._prepared = prepare_document(served.vocabulary)

    def answer(self, request: Request) -> Response:
        prepared = self._prepared
        if prepared is None:
            raise unavailable()
        if matches_etag(request.if_none_match, prepared.etag):
            return make_not_modified(request, prepared.head)
        return make_success(request, prepared.head, prepared.bodies[choose_coding(request.accept_encoding)])


@lru_cache(maxsize=2)
def prepare_document(vocabulary: Vocabulary) -> EncodedDocument:
    body = encode_document(vocabulary)
    etag = make_etag(body)
    return EncodedDocument(
        etag=etag,
        head=make_head(etag=etag, max_age=MAX_AGE, release=None),
        bodies={coding: make_body(encode_body(body, coding), coding) for coding in (IDENTITY, *CODINGS)},
    )


# Both are stored; Brotli's bytes are fewer.
_CODINGS = (BROTLI, GZIP)
_HEAD: tuple[Header, ...] = (
    (b"content-security-policy", f"{CONTENT_SECURITY_POLICY}; frame-ancestors 'none'".encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
_VARY: Header = (b"vary", b"Accept-Encoding")
_PAGE = encode_lines((*_HEAD, _VARY, (b"cache-control", b"no-cache")))
# Its name is of its bytes.
_ASSET = encode_lines((*_HEAD, _VARY, (b"cache-control", b"public, max-age=31536000, immutable")))
_MISSING = encode_lines((*_HEAD, (b"vary", b"Accept"), (b"cache-control", b"no-store")))


class Pages(Struct, frozen=True):
    """The pages of the site. Answers each path, redirects `/reference` to `/reference/`, and shows a browser that there
    is no page."""

    releases: Releases
    bodies: Bodies
    counts: Counts

    def has_page(self, path: str) -> bool:
        """`path` is raw."""
        if path[:1] != "/" or path[1:] == MISSING:
            return False
        find = self.releases.find_file
        return find(path[1:]) is not None or find(f"{path[1:]}/") is not None

    def explains(self, request: Request, failure: ApiError) -> bool:
        """Return True if a page says that there is nothing here. For the API's paths, and what is nearly one, the API
        says so."""
        is_near = "did_you_mean" in failure.details or request.path.lower().split("/")[1:2] == ["v1"]
        is_browser = request.wants_page and request.method in ("GET", "HEAD")
        return is_browser and not is_near and self.releases.find_file(MISSING) is not None

    def answer(self, request: Request) -> Response:
        """Return the page, or 404 with a page that says so."""
        if not self.has_page(request.path):
            return self._explain_missing(request)
        file = self.releases.find_file(request.path[1:])
        if file is None:
            query = b"?" + request.query_string if request.query_string else b""
            # Relative, so that it is right behind a proxy that serves this below a folder.
            name = request.path.rpartition("/")[2].encode()
            return make_redirect(request, _PAGE, location=name + b"/" + query)
        head = _make_head(request.path, file)
        if matches_etag(request.if_none_match, _make_tag(file)):
            return make_not_modified(request, head)
        return make_success(request, head, self._read_body(file, choose_coding(request.accept_encoding, _CODINGS)))

    def _read_body(self, file: SiteFile, coding: bytes) -> Body:
        """Return the cached body: a thousand clients that take it slowly hold the same bytes."""
        name = (file.extents.sha256, b"", coding)
        body = self.bodies.recall(name)
        if body is None:
            body = make_body(file.read(coding), coding, media=file.extents.media)
            self.bodies.keep(name, body)
        return body

    def _explain_missing(self, request: Request) -> Response:
        file = self.releases.find_file(MISSING)
        if file is None:  # the release was replaced meanwhile
            raise not_found("There is no such page.")
        self.counts.refused.inc()
        data = place_page(file.read(b""), depth=request.path.count("/") - 1)
        return make_success(request, _MISSING, make_body(data, b"", media=file.extents.media), status=404)


def _make_tag(file: SiteFile) -> bytes:
    """Weak: one for all codings."""
    return b'W/"%b"' % file.extents.sha256[:32].encode()


def _make_head(path: str, file: SiteFile) -> Lines:
    is_asset = path[1:].startswith(ASSETS)
    return b"%betag: %b\r\n" % (_ASSET if is_asset else _PAGE, _make_tag(file))


class PublicEndpoints(Struct, frozen=True, kw_only=True):
    """The probes, the metrics and the OpenAPI document."""

    releases: Releases
    ring: KeyRing
    metrics: Metrics
    openapi: OpenApi

    async def answer(self, request: Request) -> Response:
        """Answer a route that needs no key."""
        match request.path:
            case "/healthz":
                return make_status(request, b'{"status":"ok"}')  # the process lives and its event loop runs
            case "/readyz":
                return self.answer_readiness(request)
            case "/metrics":
                root = None if self.releases.current is None else self.releases.current.root
                text = await asyncio.to_thread(self.metrics.render, root)
                return make_status(request, text, media=METRICS_TYPE)
            case _:
                return self.openapi.answer(request)

    def answer_readiness(self, request: Request) -> Response:
        """Return 200 as soon as there is a release to answer from and the keys were read once. Raises 503 before.

        If the store is unreachable later, or what is in it is broken, the server answers from the release and the keys
        that it has. It is ready then, and the body names the problem.
        """
        current = self.releases.current
        # Anyone may ask: what exactly is wrong, and where the store is, stands in the log.
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
