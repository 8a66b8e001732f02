"""`/healthz` and `/readyz`, for programs that start, watch and balance servers; and the router of all routes without a
key."""

from typing import Any

import msgspec
from starlette.routing import Route, Router
from starlette.types import Lifespan, Receive, Scope, Send

from edge.key_ring import KeyRing
from edge.public.metrics import MetricsEndpoint
from edge.public.openapi import OpenApiEndpoint
from edge.releases import Releases
from edge.replies.responses import send_status
from edge.usage.counts import Counts
from edge.usage.recorder import UsageRecorder
from outings.contract.errors import ApiError


class HealthEndpoint:
    """200: the process lives and its event loop runs."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 an ASGI application
        await send_status(send, scope["context"], body=b'{"status":"ok"}')


class ReadinessEndpoint:
    """200 as soon as there is a release to answer from and the keys were read once, 503 before.

    If the store is unreachable later, or what is in it is broken, the server answers from the release and the keys that
    it has. It is ready then, and the body names the problem.
    """

    def __init__(self, *, releases: Releases, ring: KeyRing) -> None:
        self._releases = releases
        self._ring = ring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 an ASGI application
        current = self._releases.current
        # Anyone may ask: what exactly is wrong, and where the store is, stands in the log.
        problems = {
            "store": "unreachable" if self._releases.failure else None,
            "release": "refused" if self._releases.refusal else None,
            "keys": "not read" if self._ring.failure else None,
        }
        status = {
            "release": None if current is None else current.release.id,
            "problems": {name: problem for name, problem in problems.items() if problem is not None},
        }
        if current is None or not self._ring.is_read:
            message = "There is no release yet." if current is None else "The keys were not read yet."
            raise ApiError("unavailable", message, details=status, headers={"Retry-After": "5"})
        await send_status(send, scope["context"], body=msgspec.json.encode({"status": "ready", **status}))


def make_public(
    *,
    releases: Releases,
    ring: KeyRing,
    contract: OpenApiEndpoint,
    counts: Counts,
    usage: UsageRecorder,
    lifespan: Lifespan[Any],
) -> Router:
    """The routes that need no key, and what runs as long as the server does."""
    routes = [
        Route("/healthz", HealthEndpoint()),
        Route("/readyz", ReadinessEndpoint(releases=releases, ring=ring)),
        Route("/metrics", MetricsEndpoint(counts, usage, releases)),
        Route("/openapi.json", contract),
    ]
    return Router(routes=routes, lifespan=lifespan)
