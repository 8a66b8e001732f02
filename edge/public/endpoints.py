"""Routes that need no key, by path."""

from msgspec import Struct

from edge.keys.key_ring import KeyRing
from edge.public.metrics import Metrics
from edge.public.openapi import OpenApi
from edge.public.probes import answer_health, answer_readiness
from edge.releases import Releases
from edge.request import Request
from edge.response import Response


class PublicEndpoints(Struct, frozen=True, kw_only=True):
    """The probes, the metrics and the contract's document."""

    releases: Releases
    ring: KeyRing
    metrics: Metrics
    openapi: OpenApi

    async def answer(self, request: Request) -> Response:
        """Answer a route that needs no key."""
        match request.path:
            case "/healthz":
                return answer_health(request)
            case "/readyz":
                return answer_readiness(request, releases=self.releases, ring=self.ring)
            case "/metrics":
                return await self.metrics.answer(request)
            case _:
                return self.openapi.answer(request)
