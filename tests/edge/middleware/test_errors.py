"""What a crash leaves in the log: enough to find it, and nothing of who asked."""

import json

from starlette.types import Receive, Scope, Send
from structlog.testing import capture_logs

from edge.middleware.errors import ErrorMiddleware
from edge.middleware.request_id import RequestIdMiddleware
from edge.usage.counts import Counts
from outings.contract.route_matching import match_route
from tests.edge.asking import ask

HOME = "/v1/seattle/around?address=1600+pennsylvania+avenue&radius_m=777"


def test_a_crash_is_logged_by_its_route_and_places_and_nothing_that_was_sent() -> None:
    async def crash(scope: Scope, receive: Receive, send: Send) -> None:
        scope["context"].match = match_route(scope["path"])
        try:
            int(scope["query_string"])
        except ValueError as error:
            raise KeyError(scope["path"]) from error

    with capture_logs() as logged:
        got = ask(RequestIdMiddleware(ErrorMiddleware(crash, counts=Counts())), HOME)
    [line] = logged
    assert got.status == 500
    assert (line["event"], line["route"], line["request_id"]) == (
        "crash", "/v1/{metro}/around", got.headers["x-request-id"],
    )  # fmt: skip
    raised = [each for each in line["raised"] if " " not in each]
    assert raised == ["KeyError", "ValueError"]
    assert sum(each.endswith(" crash") and "test_errors.py:" in each for each in line["raised"]) == 2
    for sent in ("seattle", "1600", "pennsylvania", "777"):
        assert sent not in json.dumps({**line, "request_id": None})  # which is drawn, and may have 777 in it


def test_a_crash_before_its_route_is_known_has_none() -> None:
    async def crash(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError(scope["path"])

    with capture_logs() as logged:
        ask(RequestIdMiddleware(ErrorMiddleware(crash, counts=Counts())), HOME)
    assert [(line["route"], line["raised"][0]) for line in logged] == [(None, "RuntimeError")]
