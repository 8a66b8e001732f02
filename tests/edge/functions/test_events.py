"""A function reads a request out of an event, and answers events that are none too."""

import base64
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from edge.serving.function import Function
from tests.contract.conformance import check_response
from tests.edge.asking import ask
from tests.edge.conftest import Service, make_service
from tests.edge.functions.runtime import Answer, make_event


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = make_service(tmp_path_factory.mktemp("events"))
    yield made
    made.close()


def call(service: Service, event: Any) -> Answer:
    with closing(Function(service.edge)) as function:
        answer = json.loads(json.dumps(function(event, None)))
    assert answer["isBase64Encoded"] is True
    return Answer(answer["statusCode"], answer["headers"], base64.b64decode(answer["body"]))


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/v1/harbor/events?free=true", 200), ("/v1/harbor%2Fevents", 404), ("/v1/harbor%2fevents?limit=1", 404),
        ("/v1/h%61rbor/events", 200), ("/v1/events/slug/caf\u00e9?metro=harbor", 404), ("/v1//events", 404),
        ("/v1/harbor/events?q=a%26b%3Dc+d", 200), ("/v1/harbor/events?limit=%31", 200),
        ("/v1/harbor/events?limit=a%2Cb", 400),
    ],
)  # fmt: skip
def test_a_target_means_what_it_means_to_a_server(service: Service, target: str, status: int) -> None:
    key = service.keys["all"]
    path, _, query = target.partition("?")
    answer = call(service, make_event(path, query, method="GET", headers={"X-API-Key": key}))
    served = ask(service.edge, target.replace("\u00e9", "%C3%A9"), key=key)
    assert answer.status == served.status == status
    if status == 200:
        assert (answer.body, answer.headers["etag"]) == (served.body, served.headers["etag"])


EVENT = make_event("/v1/metros", "", method="GET", headers={})
HTTP = EVENT["requestContext"]["http"]


@pytest.mark.parametrize(
    "event",
    [
        {}, None, [], "ping", 7, {"source": "aws.events", "detail-type": "Scheduled Event"},
        {"version": "1.0", "httpMethod": "GET", "path": "/v1/metros", "requestContext": {"stage": "x"}},
        {"Records": [{"eventSource": "aws:s3"}]}, {**EVENT, "requestContext": {}}, {**EVENT, "requestContext": None},
        {**EVENT, "rawPath": None}, {**EVENT, "headers": ["a"]}, {**EVENT, "headers": {"x-api-key": 7}},
        {**EVENT, "requestContext": {"http": {**HTTP, "method": None}}},
    ],
)  # fmt: skip
def test_an_event_that_is_no_request_is_answered_so(service: Service, event: Any) -> None:
    answer = call(service, event)
    assert answer.status == 400
    check_response("/v1/metros", status=400, headers=answer.headers, body=answer.body, method="GET")
    error = json.loads(answer.body)["error"]
    assert "payload 2.0" in error["message"]
    assert answer.headers["x-request-id"] == error["request_id"]


@pytest.mark.parametrize(
    ("event", "status"),
    [
        ({"rawPath": "/v1/metros", "requestContext": {"http": {"method": "GET"}}}, 401),
        ({**EVENT, "rawPath": ""}, 404),
        ({**EVENT, "rawPath": "/v1/\ud800/a/b/c"}, 404),
        ({**EVENT, "rawQueryString": "q=\ud800"}, 401),
        ({**EVENT, "headers": {"x-api-key": "\u00e9\u20ac\ud800"}}, 401),
        ({**EVENT, "requestContext": {"http": {**HTTP, "sourceIp": "nowhere"}}}, 401),
        ({**EVENT, "requestContext": {"http": {**HTTP, "method": "get"}}}, 405),
        ({**EVENT, "body": "a", "isBase64Encoded": True, "cookies": ["a=b"]}, 401),
    ],
)  # fmt: skip
def test_an_odd_request_is_answered_as_by_a_server(service: Service, event: Any, status: int) -> None:
    answer = call(service, event)
    assert (answer.status, json.loads(answer.body)["error"]["request_id"]) == (status, answer.headers["x-request-id"])
