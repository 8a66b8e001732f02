"""`/healthz` and `/readyz`, for programs that start, watch and balance servers."""

import msgspec
from msgspec import Struct
from starlette.types import Receive, Scope, Send

from edge.key_ring import KeyRing
from edge.releases import Releases
from edge.replies.responses import send_status
from outings.contract.errors import ApiError


class HealthEndpoint:
    """200: the process lives and its event loop runs."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 an ASGI application
        await send_status(send, scope["context"], body=b'{"status":"ok"}')


class ReadinessEndpoint(Struct, frozen=True, kw_only=True):
    """200 as soon as there is a release to answer from and the keys were read once, 503 before.

    If the store is unreachable later, or what is in it is broken, the server answers from the release and the keys that
    it has. It is ready then, and the body names the problem.
    """

    releases: Releases
    ring: KeyRing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 an ASGI application
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
        await send_status(send, scope["context"], body=msgspec.json.encode({"status": "ready", **status}))
