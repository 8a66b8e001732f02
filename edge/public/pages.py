"""The site's pages, styles and scripts, from the release that is served. They need no key."""

from msgspec import Struct

from edge.bodies.bodies import Bodies
from edge.bodies.content_coding import choose_coding
from edge.releases import Releases
from edge.request import Request
from edge.response import (
    Body,
    Header,
    Lines,
    Response,
    encode_lines,
    make_body,
    make_not_modified,
    make_redirect,
    make_success,
    matches_etag,
)
from edge.usage.counts import Counter, Counts
from outings.contract.errors import ApiError, not_found
from outings.pages.missing_page import PATH as MISSING
from outings.pages.missing_page import place_page
from outings.pages.security_policy import CONTENT_SECURITY_POLICY
from outings.release.site import ASSETS, BROTLI, GZIP, SiteFile

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
    """The pages of the site: answers each path, leads from `/reference` to `/reference/`, and says to a browser that
    there is no page."""

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
        self.counts.add(Counter.REFUSED)
        data = place_page(file.read(b""), depth=request.path.count("/") - 1)
        return make_success(request, _MISSING, make_body(data, b"", media=file.extents.media), status=404)


def _make_tag(file: SiteFile) -> bytes:
    """Weak: one for all codings."""
    return b'W/"%b"' % file.extents.sha256[:32].encode()


def _make_head(path: str, file: SiteFile) -> Lines:
    is_asset = path[1:].startswith(ASSETS)
    return b"%betag: %b\r\n" % (_ASSET if is_asset else _PAGE, _make_tag(file))
