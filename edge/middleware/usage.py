"""Middleware: every request is recorded, however it ends."""

from time import perf_counter

from msgspec import Struct
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge.request_context import RequestContext
from edge.usage.recorder import UsageRecorder

# A client that left before its answer: nginx's word for it, never sent.
GONE = 499


class UsageMiddleware(Struct, frozen=True):
    """Records the key, the route, and the status and size of the response. A front's fill is of a request that was
    recorded."""

    app: ASGIApp
    usage: UsageRecorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        context: RequestContext = scope["context"]
        status, size = GONE, 0

        async def watch(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, watch)
        finally:
            if context.fill is None:
                self.usage.record(
                    started=started,
                    principal=context.principal,
                    route=None if context.match is None else context.match.route,
                    method=context.method,
                    status=status,
                    size=size + context.pointed_bytes,
                    request_id=context.request_id,
                    release=context.release,
                )
