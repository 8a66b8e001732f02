"""Fourth in the chain: every failure below answers in the contract's envelope, a crash included."""

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.exchange import Exchange
from edge.replies.responses import send_error
from edge.usage.counts import Counter, Counts
from outings.contract.errors import ApiError, internal

log = structlog.get_logger()


class Explain:
    """An `ApiError` is sent as it is; anything else is logged and answers 500, which tells nothing of it."""

    def __init__(self, app: ASGIApp, *, counts: Counts) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange: Exchange = scope["exchange"]
        try:
            await self._app(scope, receive, send)
            return
        except ApiError as error:
            # Without where it came from, which keeps a release open for as long as a client reads.
            failure = error.with_traceback(None)
            self._counts.add(Counter.REFUSED if failure.status < 500 else Counter.FAILED)
        except Exception:
            log.exception("crash", request_id=exchange.request_id.decode(), path=exchange.path)
            failure = internal()
            self._counts.add(Counter.FAILED)
        await send_error(send, exchange, failure)
