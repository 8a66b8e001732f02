"""The site's pages, styles and scripts, from the release that is served. They need no key."""

from msgspec import Struct
from starlette.types import Receive, Scope, Send

from edge.releases import Releases
from edge.replies.bodies import Bodies
from edge.replies.content_coding import choose_coding
from edge.replies.responses import (
    Body,
    Header,
    Lines,
    encode_lines,
    list_content_headers,
    list_headers,
    make_body,
    matches_etag,
    send_not_modified,
    send_redirect,
    send_success,
    send_whole,
    split_lines,
)
from edge.request_context import RequestContext
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


class PagesEndpoint(Struct, frozen=True):
    """Answers `GET` and `HEAD` for each path of the site, leads from `/reference` to `/reference/`, and says to a
    browser that there is no page."""

    releases: Releases
    bodies: Bodies
    counts: Counts

    def has_page(self, path: str) -> bool:
        """`path` is raw."""
        if path[:1] != "/" or path[1:] == MISSING:
            return False
        find = self.releases.find_file
        return find(path[1:]) is not None or find(f"{path[1:]}/") is not None

    def explains(self, context: RequestContext, failure: ApiError) -> bool:
        """Whether a page says that there is nothing here. Of the API's paths, and of what is nearly one, the API says
        so."""
        is_near = "did_you_mean" in failure.details or context.path.lower().split("/")[1:2] == ["v1"]
        is_browser = context.wants_page and context.method in ("GET", "HEAD")
        return is_browser and not is_near and self.releases.find_file(MISSING) is not None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 an ASGI application
        context: RequestContext = scope["context"]
        if not self.has_page(context.path):
            await self._send_missing(send, context)
            return
        file = self.releases.find_file(context.path[1:])
        if file is None:
            query = b"?" + context.query_string if context.query_string else b""
            # Relative, so that it is right behind a proxy that serves this below a folder.
            name = context.path.rpartition("/")[2].encode()
            await send_redirect(send, context, head=_PAGE, location=name + b"/" + query)
            return
        head = _make_head(context.path, file)
        etag = _make_tag(file)
        if matches_etag(context.if_none_match, etag):
            await send_not_modified(send, context, head=head)
            return
        coding = choose_coding(context.accept_encoding, _CODINGS)
        await send_success(send, context, head=head, body=self._read_body(file, coding))

    def _read_body(self, file: SiteFile, coding: bytes) -> Body:
        """Return the cached body: a thousand clients that take it slowly hold the same bytes."""
        name = (file.extents.sha256, b"", coding)
        body = self.bodies.recall_body(name)
        if body is None:
            body = make_body(file.read(coding), coding, media=file.extents.media)
            self.bodies.keep_body(name, body)
        return body

    async def _send_missing(self, send: Send, context: RequestContext) -> None:
        file = self.releases.find_file(MISSING)
        if file is None:  # the release was replaced meanwhile
            raise not_found("There is no such page.")
        self.counts.add(Counter.REFUSED)
        data = place_page(file.read(b""), depth=context.path.count("/") - 1)
        body = Body(data=data, head=list_content_headers(len(data), b"", media=file.extents.media))
        lines = list_headers(
            head=_MISSING, body=body, limits=b"", request_id=context.request_id, trace_id=context.trace_id
        )
        await send_whole(send, status=404, headers=split_lines(lines), body=b"" if context.is_head else data)


def _make_tag(file: SiteFile) -> bytes:
    """Weak: one for all codings."""
    return b'W/"%b"' % file.extents.sha256[:32].encode()


def _make_head(path: str, file: SiteFile) -> Lines:
    is_asset = path[1:].startswith(ASSETS)
    return b"%betag: %b\r\n" % (_ASSET if is_asset else _PAGE, _make_tag(file))
