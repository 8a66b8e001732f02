"""The log of a crash: enough to find the cause, without any data of the client."""

import json

import pytest
from structlog.testing import capture_logs

from edge import planner
from tests.edge.conftest import Service

HOME = "/v1/harbor/around?lat=40.7&lng=-74.0&radius_m=777"


def crash(*_: object) -> None:
    try:
        int("radius_m=777")
    except ValueError as error:
        raise KeyError("/v1/harbor/around") from error


def test_a_crash_is_logged_by_its_route_and_places_and_nothing_that_was_sent(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner, "make_plan", crash)
    with capture_logs() as logged:
        got = service.get(HOME)
    [line] = logged
    assert got.status == 500
    assert (line["event"], line["route"], line["request_id"]) == (
        "crash", "/v1/{metro}/around", got.headers["x-request-id"],
    )  # fmt: skip
    raised = [value for value in line["raised"] if " " not in value]
    assert raised == ["KeyError", "ValueError"]
    assert sum(entry.endswith(" crash") and "test_crashes.py:" in entry for entry in line["raised"]) == 2
    for sent in ("harbor", "40.7", "777"):
        assert sent not in json.dumps({**line, "request_id": None})  # which is drawn, and may have 777 in it
