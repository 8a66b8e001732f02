"""The site's pages, styles and scripts, from the release that is served. They need no key."""

from starlette.types import Receive, Scope, Send

from edge.releases import Releases
from edge.replies.conditional_requests import matches
from edge.replies.content_coding import choose_coding
from edge.replies.responses import Body, Header, list_entity, send_not_modified, send_redirect, send_success
from edge.request_context import RequestContext
from outings.pages.layout import CONTENT_SECURITY_POLICY
from outings.release.site import ASSETS, BROTLI, GZIP, SiteFile

# Both are stored; Brotli's bytes are fewer.
_CODINGS = (BROTLI, GZIP)
_HEAD: tuple[Header, ...] = (
    (b"content-security-policy", f"{CONTENT_SECURITY_POLICY}; frame-ancestors 'none'".encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"vary", b"Accept-Encoding"),
    (b"x-content-type-options", b"nosniff"),
)
_PAGE: tuple[Header, ...] = (*_HEAD, (b"cache-control", b"no-cache"))
# Its name is of its bytes.
_ASSET: tuple[Header, ...] = (*_HEAD, (b"cache-control", b"public, max-age=31536000, immutable"))


class PagesEndpoint:
    """Answers `GET` and `HEAD` for each path of the site, and leads from `/reference` to `/reference/`."""

    def __init__(self, releases: Releases) -> None:
        self._releases = releases

    def has_page(self, path: str) -> bool:
        """`path` is raw."""
        if path[:1] != "/":
            return False
        find = self._releases.find_file
        return find(path[1:]) is not None or find(f"{path[1:]}/") is not None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 an ASGI application
        context: RequestContext = scope["context"]
        found = self._releases.find_file(context.path[1:])
        if found is None:
            query = b"?" + context.query_string if context.query_string else b""
            # Relative, so that it is right behind a proxy that serves this below a folder.
            name = context.path.rpartition("/")[2].encode()
            await send_redirect(send, context, head=_PAGE, location=name + b"/" + query)
            return
        head = _make_head(context.path, found)
        etag = _make_tag(found)
        if matches(context.if_none_match, etag):
            await send_not_modified(send, context, head=head)
            return
        coding = choose_coding(context.accept_encoding, _CODINGS)
        data = found.read(coding)
        body = Body(data=data, head=list_entity(len(data), coding, media=found.extents.media))
        await send_success(send, context, head=head, body=body)


def _make_tag(file: SiteFile) -> bytes:
    """Weak: one for all codings."""
    return b'W/"%b"' % file.extents.sha256[:32].encode()


def _make_head(path: str, file: SiteFile) -> tuple[Header, ...]:
    is_asset = path[1:].startswith(ASSETS)
    return (*(_ASSET if is_asset else _PAGE), (b"etag", _make_tag(file)))
