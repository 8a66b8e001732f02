"""Middleware: answers every error below it in the contract's format, a crash included."""

from traceback import StackSummary, walk_tb

import structlog
from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.replies.responses import send_error
from edge.request_context import RequestContext
from edge.usage.counts import Counter, Counts
from outings.contract.errors import ApiError, internal

log = structlog.get_logger()


class ErrorMiddleware(Struct, frozen=True):
    """Sends an `ApiError` as it is. Anything else is logged and answered with 500, which reveals nothing about it."""

    app: ASGIApp
    counts: Counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context: RequestContext = scope["context"]
        try:
            await self.app(scope, receive, send)
            return
        except ApiError as error:
            # Without where it came from, which keeps a release open for as long as a client reads.
            failure = error.with_traceback(None)
            self.counts.add(Counter.REFUSED if failure.status < 500 else Counter.FAILED)
        except Exception as error:  # noqa: BLE001 whatever it is, somebody waits for an answer
            log.error(
                "crash",
                request_id=context.request_id.decode(),
                route=None if context.match is None else context.match.route.path,
                raised=list_raised(error),
            )
            failure = internal()
            self.counts.add(Counter.FAILED)
        await send_error(send, context, failure)


def list_raised(error: BaseException) -> list[str]:
    """The error's type and its places, then the same of what it came from. What they say is left out: that may be what
    somebody sent, and no line of ours has where readers live."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    places = StackSummary.extract(walk_tb(error.__traceback__), lookup_lines=False)
    return [
        type(error).__name__,
        *(f"{place.filename}:{place.lineno} {place.name}" for place in places),
        *(list_raised(cause) if cause else []),
    ]
