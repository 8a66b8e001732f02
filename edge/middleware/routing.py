"""Middleware: checks route and method. Routes that need no key go to `public`, the site's pages to `pages`, all others
to `keyed`."""

from functools import lru_cache

from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.replies.pages import PagesEndpoint
from edge.replies.responses import send_preflight
from edge.request_context import MOST_HEADER_BYTES, RequestContext
from outings.contract.errors import METHODS, ApiError, bad_request, method_not_allowed, not_found
from outings.contract.route import Match
from outings.contract.route_matching import PATH_WORDS, match_route
from outings.contract.suggestions import find_nearest

# The longest path of the contract has a metro's or a listing's slug in it.
MOST_PATH_CHARACTERS = 2_048
_REMEMBERED = 8_192


class RoutingMiddleware(Struct, frozen=True, kw_only=True):
    """Answers 404, 405 (under `/v1` whatever the path), `OPTIONS`; then calls `public`, or `keyed` if the route needs
    a key, or `pages` if the path is one of the site's and no route's."""

    public: ASGIApp
    keyed: ASGIApp
    pages: PagesEndpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context: RequestContext = scope["context"]
        context.match = match = self._find_match(context)
        if context.method not in METHODS:
            raise method_not_allowed()
        if context.header_bytes > MOST_HEADER_BYTES:
            raise bad_request(
                reason="out_of_range",
                message=f"The headers have {context.header_bytes} bytes; at most {MOST_HEADER_BYTES}.",
                max=MOST_HEADER_BYTES,
            )
        if context.method == "OPTIONS":
            await send_preflight(send, context)
        elif match is None:
            await self.pages(scope, receive, send)
        elif match.route.needs_key:
            await self.keyed(scope, receive, send)
        else:
            await self.public(scope, receive, send)

    def _find_match(self, context: RequestContext) -> Match | None:
        """None for what is of the pages: that there is nothing, too, if a browser asks."""
        if self.pages.has_page(context.path):
            return None
        try:
            return find_match(context.path)
        except ApiError as failure:
            if self.pages.explains(context, failure):
                return None
            if context.method not in METHODS and context.path.split("/")[1:2] == ["v1"]:
                raise method_not_allowed() from None
            raise


@lru_cache(maxsize=_REMEMBERED)
def find_match(path: str) -> Match:
    """Of the routes, the one that this path is of; else 404, which is not remembered."""
    match = match_route(path) if len(path) <= MOST_PATH_CHARACTERS else None
    if match is None:
        raise not_found("There is no such route.", did_you_mean=suggest_path(path))
    return match


def suggest_path(path: str) -> str | None:
    """A route's path of which only the case or the slashes of this one differ, or that has `/v1` or a metro too,
    another last word (`event` for `events`), or a slug in place of an id."""
    if len(path) > MOST_PATH_CHARACTERS:
        return None
    plain = "/" + "/".join(filter(None, path.split("/")))
    lower = plain.lower()
    start, _, last = lower.removeprefix("/v1").rpartition("/")
    near = find_nearest(last, PATH_WORDS) or last
    ends = (f"{start}/{last}", f"{start}/{near}", f"{start or '/{metro}'}/{near}", f"{start}/slug/{last}")
    nearest = (plain, lower, *(f"/v1{end}" for end in ends))
    return next((each for each in nearest if match_route(each) is not None), None)
