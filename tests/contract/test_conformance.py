"""The check that all tests' responses go through sees what is undeclared, absent, of another kind or out of words."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from outings.contract.envelope import encode_error
from outings.contract.errors import bad_request
from tests.answers.documents import make_event, make_organization
from tests.contract.conformance import check_response, check_success

ID = "3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f"
HEADERS = {
    "content-type": "application/json", "x-request-id": "1", "x-trace-id": "1", "vary": "X-API-Key",
    "cache-control": "private, max-age=300", "etag": 'W/"1"', "x-release": "1-0a1b2c3d", "content-length": "7",
}  # fmt: skip
META = {
    "limit": 50, "count": 1, "has_more": False, "next_cursor": None, "page": 1, "applied_filters": {"age": 4},
    "defaults_applied": ["from"], "min_confidence": 0.7,
    "window": {"from": "2026-08-10", "to": None, "timezone": "America/New_York"}, "metro": "harbor",
    "generated_at": "2026-08-10T12:00:00Z", "missing_ids": [],
}  # fmt: skip


def make_list(**meta: Any) -> Any:
    return {"data": [make_event(ID)], "meta": deepcopy({**META, **meta})}


def send(body: Any, target: str = "/v1/harbor/events", status: int = 200, **headers: str) -> None:
    check_response(target, status=status, headers={**HEADERS, **headers}, body=json.dumps(body).encode())


def test_a_response_as_it_should_be_passes() -> None:
    send(make_list())
    send({"data": make_event(ID)}, f"/v1/events/{ID}")
    send({"data": {"id": ID, "type": "event", "price": {"min": 3}}}, f"/v1/events/{ID}?fields=price.min")
    check_success("/v1/harbor/events", json.dumps(make_list()).encode())


WRONG: list[tuple[Callable[[Any], object], str]] = [
    (lambda body: body["data"][0].update(new=1), "new"),
    (lambda body: body["data"][0]["location"].update(new=1), "new"),
    (lambda body: body["data"][0].pop("teams"), "teams"),
    (lambda body: body["data"][0]["price"].pop("unit"), "unit"),
    (lambda body: body["data"][0].update(has_date="yes"), "boolean"),
    (lambda body: body["data"][0].update(name=None), "null"),
    (lambda body: body["data"][0].update(type="class"), "data/0/type"),
    (lambda body: body["data"][0].update(id="7"), "uuid"),
    (lambda body: body["data"][0].update(categories=["knitting"]), "knitting"),
    (lambda body: body["data"][0].update(starts_at="2026-08-10T12:00:00+02:00"), "2026-08-10T12"),
    (lambda body: body["data"][0].update(starts_local="2026-08-10T12:00:00Z"), "2026-08-10T12"),
    (lambda body: body["data"][0].update(start_time="9:00"), "9:00"),
    (lambda body: body["data"][0].update(status="draft"), "draft"),
    (lambda body: body["data"][0].update(occurrence={"next_starts_at": None}), "next_starts_local"),
    (lambda body: body["meta"].update(new=1), "new"),
    (lambda body: body["meta"].pop("window"), "window"),
    (lambda body: body.update(notices=[{"code": "parameter_ignored"}]), "message"),
    (lambda body: body.update(notices=[{"code": "sorry", "message": "…"}]), "sorry"),
    (lambda body: body.update(facets={"total": 1}), "is_complete"),
    (lambda body: body.update(new=1), "new"),
    (lambda body: body.pop("meta"), "meta"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_a_body_that_is_not_as_declared_fails(change: Callable[[Any], object], message: str) -> None:
    body = make_list()
    change(body)
    with pytest.raises(AssertionError, match=message):
        send(body)


def test_a_document_as_it_is_stored_is_not_yet_an_answer() -> None:
    with pytest.raises(AssertionError, match=r"counts|categories|metros"):
        send({"data": make_organization(ID)}, f"/v1/organizations/{ID}")


def test_fields_leave_nothing_undeclared_and_keep_the_identity() -> None:
    with pytest.raises(AssertionError, match="new"):
        send({"data": {"id": ID, "type": "event", "new": 1}}, f"/v1/events/{ID}?fields=name")
    with pytest.raises(AssertionError, match='"id"'):
        send({"data": {"type": "event"}}, f"/v1/events/{ID}?fields=name")
    with pytest.raises(AssertionError, match="required"):
        send({"data": {"id": ID, "type": "event"}}, f"/v1/events/{ID}")


def test_a_header_that_is_absent_or_undeclared_fails() -> None:
    with pytest.raises(AssertionError, match="x-new"):
        check_response("/v1/harbor/events", status=200, headers={**HEADERS, "x-new": "1"}, body=b"{}")
    for name in ("etag", "cache-control", "vary", "x-request-id", "x-trace-id"):
        headers = {key: value for key, value in HEADERS.items() if key != name}
        with pytest.raises(AssertionError, match=name):
            check_response("/v1/harbor/events", status=200, headers=headers, body=b"{}")


def test_a_status_that_is_not_declared_fails() -> None:
    with pytest.raises(AssertionError, match="418"):
        send({}, status=418)
    with pytest.raises(AssertionError, match="404 of /v1/metros"):
        send({}, "/v1/metros", status=404)


def test_a_failure_is_held_to_its_status_and_its_words() -> None:
    refused = {name: value for name, value in HEADERS.items() if name != "etag"}
    body = encode_error(bad_request(param="age", reason="invalid_value", message="…", allowed=["1"]), "1")

    def check(body: bytes) -> None:
        check_response("/v1/harbor/events", status=400, headers=refused, body=body)

    check(body)
    for old, new in ((b"bad_request", b"not_found"), (b"invalid_value", b"because"), (b'"allowed"', b'"permitted"'),
                     (b',"request_id":"1"', b"")):  # fmt: skip
        assert old in body
        with pytest.raises(AssertionError):
            check(body.replace(old, new))


def test_what_has_no_body_has_none() -> None:
    check_response("/v1/harbor/events", status=304, headers=HEADERS, body=b"")
    check_response("/v1/harbor/events", status=200, headers=HEADERS, body=b"", method="HEAD")
    for status, method in ((304, "GET"), (200, "HEAD")):
        with pytest.raises(AssertionError, match="has a body"):
            check_response("/v1/harbor/events", status=status, headers=HEADERS, body=b"{}", method=method)
