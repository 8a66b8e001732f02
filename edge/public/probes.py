"""Answers to `/healthz` and `/readyz`, for programs that start, watch and balance servers."""

import msgspec

from edge.keys.key_ring import KeyRing
from edge.releases import Releases
from edge.request import Request
from edge.response import Response, make_status
from outings.contract.errors import ApiError


def answer_health(request: Request) -> Response:
    """Return 200: the process lives and its event loop runs."""
    return make_status(request, b'{"status":"ok"}')


def answer_readiness(request: Request, *, releases: Releases, ring: KeyRing) -> Response:
    """Return 200 as soon as there is a release to answer from and the keys were read once. Raises 503 before.

    If the store is unreachable later, or what is in it is broken, the server answers from the release and the keys that
    it has. It is ready then, and the body names the problem.
    """
    current = releases.current
    # Anyone may ask: what exactly is wrong, and where the store is, stands in the log.
    problems = {
        "store": "unreachable" if releases.failure else None,
        "release": "refused" if releases.refusal else None,
        "keys": "not read" if ring.failure else None,
    }
    status = {
        "release": None if current is None else current.release.id,
        "problems": {name: problem for name, problem in problems.items() if problem is not None},
    }
    if current is None or not ring.is_read:
        message = "There is no release yet." if current is None else "The keys were not read yet."
        raise ApiError("unavailable", message, details=status, headers={"Retry-After": "5"})
    return make_status(request, msgspec.json.encode({"status": "ready", **status}))
