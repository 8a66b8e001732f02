"""Third in the chain: what came of a request is recorded, whatever came."""

from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge.exchange import Exchange
from edge.usage.usage import Usage

# A client that left before its answer: nginx's word for it, never sent.
GONE = 499


class Record:
    """Tells `usage` who asked for which route, and the status and size of what was sent."""

    def __init__(self, app: ASGIApp, *, usage: Usage) -> None:
        self._app = app
        self._usage = usage

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        exchange: Exchange = scope["exchange"]
        status, size = GONE, 0

        async def watch(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            self._usage.record(
                started=started,
                holder=exchange.holder,
                route=None if exchange.match is None else exchange.match.route,
                method=exchange.method,
                status=status,
                size=size,
                request_id=exchange.request_id,
                release=exchange.release,
            )
