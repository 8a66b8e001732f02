"""Middleware: every request gets its ids and its `RequestContext`."""

from random import getrandbits

from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.front_protocol import Fronts
from edge.request_context import read_context


def make_request_id() -> bytes:
    return b"%032x" % getrandbits(128)  # it names a request and guards nothing


class RequestIdMiddleware(Struct, frozen=True):
    """Puts `context` into the scope. The request's id is always ours, the trace's id the caller's if it has one."""

    app: ASGIApp
    fronts: Fronts = Fronts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["context"] = read_context(scope, request_id=make_request_id(), fronts=self.fronts)
        await self.app(scope, receive, send)
