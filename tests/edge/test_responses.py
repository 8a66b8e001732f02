"""The headers of every response, and the form of every failure."""

import json
import re

import pytest

from edge.limits.limiter import FIELDS
from tests.edge.asking import Response, ask
from tests.edge.conftest import Service
from tests.edge.publishing import make_id
from tests.edge.routes import ANSWERED, READS

EVENT = f"/v1/events/{make_id('harbor-event-1')}"
LIST = "/v1/harbor/events"
METHODS = "GET, HEAD, OPTIONS"


def check_common(got: Response) -> None:
    assert got.headers["access-control-allow-origin"] == "*"
    assert got.headers["vary"] == "X-API-Key, Authorization, Accept-Encoding"
    assert re.fullmatch("[0-9a-f]{32}", got.headers["x-request-id"])
    assert got.headers["x-trace-id"]
    exposed = {name.lower() for name in got.headers["access-control-expose-headers"].split(", ")}
    assert {"etag", "x-request-id", "x-trace-id", "x-release", "retry-after", "vary"} <= exposed
    assert "server" not in got.headers
    assert "set-cookie" not in got.headers


def check_error(got: Response, *, status: int, code: str) -> None:
    check_common(got)
    assert (got.status, got.headers["content-type"]) == (status, "application/json")
    assert got.headers["cache-control"] == "no-store"
    assert "etag" not in got.headers
    assert int(got.headers["content-length"]) == len(got.body)
    body = got.read_json()
    assert list(body) == ["error"]
    assert list(body["error"]) in (["code", "message", "request_id"], ["code", "message", "details", "request_id"])
    assert body["error"]["code"] == code
    assert body["error"]["message"]
    assert body["error"]["request_id"] == got.headers["x-request-id"]


@pytest.mark.parametrize("name", sorted(ANSWERED))
def test_a_success_carries_its_tag_age_and_release(service: Service, name: str) -> None:
    got = service.get(READS[name][0])
    check_common(got)
    assert got.status == 200
    media = {"events.ics": "text/calendar; charset=utf-8", "export.file": "application/x-ndjson"}
    assert got.headers["content-type"] == media.get(name, "application/json")
    age = 3600 if name == "metros" else 300 if name.endswith((".detail", ".slug")) else 60
    kept = "no-cache" if name in ("changes", "events.ics.address") else f"max-age={age}"
    assert got.headers["cache-control"] == f"private, {kept}"
    assert re.fullmatch(r'W/"[0-9a-f]+"', got.headers["etag"])
    assert re.fullmatch("1-[0-9a-f]{8}", got.headers["x-release"])
    assert int(got.headers["content-length"]) == len(got.body)
    if name in media:
        return
    assert set(got.read_json()) == ({"data"} if age == 300 or name == "events.ics.address" else {"data", "meta"})


@pytest.mark.parametrize("name", READS)
def test_every_route_fails_in_the_envelope(service: Service, name: str) -> None:
    target = READS[name][0]
    path, _, query = target.partition("?")
    check_error(ask(service.edge, target), status=401, code="unauthorized")
    check_error(ask(service.edge, path + "/more/and/more"), status=404, code="not_found")
    check_error(service.get(f"{path}?{query}&bogus=1"), status=400, code="bad_request")
    check_error(ask(service.edge, target, method="POST"), status=405, code="method_not_allowed")
    if name not in ANSWERED:
        check_error(service.get(target), status=501, code="not_implemented")


def test_a_key_is_also_taken_as_a_bearer_token(service: Service) -> None:
    key = service.keys["all"]
    assert ask(service.edge, LIST, authorization=f"Bearer {key}").status == 200
    assert ask(service.edge, LIST, authorization=f"bearer {key}").body == service.get(LIST).body
    for wrong in (f"Basic {key}", key, "Bearer", "Bearer ldk_unknown"):
        check_error(ask(service.edge, LIST, authorization=wrong), status=401, code="unauthorized")
    both = ask(service.edge, LIST, key="ldk_unknown", authorization=f"Bearer {key}")
    check_error(both, status=401, code="unauthorized")  # `X-API-Key` is the one that counts


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "get", "X" * 300])
def test_any_other_method_is_405_and_says_which_there_are(service: Service, method: str) -> None:
    got = ask(service.edge, LIST, method=method, key=service.keys["all"])
    check_error(got, status=405, code="method_not_allowed")
    assert got.headers["allow"] == METHODS
    assert got.error["details"] == {"allow": ["GET", "HEAD", "OPTIONS"]}


@pytest.mark.parametrize("target", [LIST, EVENT, "/v1/metros", "/v1/harbor/search", "/healthz", "/readyz"])
def test_options_is_204_without_a_key(service: Service, target: str) -> None:
    got = ask(
        service.edge, target, method="OPTIONS", origin="https://a.example", access_control_request_method="GET",
        access_control_request_headers="x-api-key",
    )  # fmt: skip
    check_common(got)
    assert (got.status, got.body) == (204, b"")
    assert got.headers["allow"] == got.headers["access-control-allow-methods"] == METHODS
    allowed = {name.lower() for name in got.headers["access-control-allow-headers"].split(", ")}
    assert {"x-api-key", "if-none-match", "x-trace-id"} <= allowed
    assert "content-type" not in got.headers
    assert "content-length" not in got.headers


def test_options_of_no_route_is_404(service: Service) -> None:
    check_error(ask(service.edge, "/v1/", method="OPTIONS"), status=404, code="not_found")


@pytest.mark.parametrize(
    "target", [LIST, EVENT, "/v1/metros", "/v1/nowhere", "/v1/harbor/events?limit=0", "/v1/harbor/search", "/healthz"]
)
@pytest.mark.parametrize("coding", ["", "gzip", "br"])
def test_head_is_get_without_its_body(service: Service, target: str, coding: str) -> None:
    own = {"x-request-id", "x-trace-id"} | {name.lower() for name in FIELDS}  # HEAD is counted too
    read, head = (service.get(target, method=method, accept_encoding=coding) for method in ("GET", "HEAD"))
    assert head.body == b""
    assert read.body
    assert head.status == read.status
    assert head.headers.keys() == read.headers.keys()
    fixed = [{name: value for name, value in entry.headers.items() if name not in own} for entry in (read, head)]
    if read.status < 400:
        assert fixed[0] == fixed[1]
    else:
        assert fixed[0].keys() == fixed[1].keys()


def test_a_head_without_a_key_is_401(service: Service) -> None:
    got = ask(service.edge, LIST, method="HEAD")
    assert (got.status, got.body) == (401, b"")


def test_every_request_has_an_id_of_its_own(service: Service) -> None:
    ids = [service.get("/v1/metros", x_request_id="mine").headers["x-request-id"] for _ in range(50)]
    assert len(set(ids)) == 50
    assert "mine" not in ids


@pytest.mark.parametrize("given", ["4bf92f3577b34da6a3ce929d0e0e4736", "job-7:step.2_a", "x" * 128])
def test_a_well_formed_trace_id_is_taken_over(service: Service, given: str) -> None:
    for target in (LIST, "/v1/nowhere", "/healthz"):
        assert service.get(target, x_trace_id=given).headers["x-trace-id"] == given


@pytest.mark.parametrize("given", ["", "x" * 129, "a b", "a\r\nset-cookie: x", "\xe9", '"', "<script>"])
def test_a_trace_id_of_another_form_is_replaced(service: Service, given: str) -> None:
    got = service.get(LIST, x_trace_id=given)
    assert got.status == 200
    assert got.headers["x-trace-id"] == got.headers["x-request-id"]


def test_a_401_says_how_to_authenticate(service: Service) -> None:
    got = ask(service.edge, LIST)
    check_error(got, status=401, code="unauthorized")
    assert "X-API-Key" in got.error["message"]


def test_the_body_of_a_get_is_ignored(service: Service) -> None:
    plain = service.get(LIST)
    sent = ask(service.edge, LIST, key=service.keys["all"], body=b'{"limit": 1}' * 10_000, content_length="120000")
    assert (sent.status, sent.body) == (200, plain.body)


def test_too_many_bytes_of_headers_are_400(service: Service) -> None:
    assert service.get(LIST, x_filler="x" * 30_000).status == 200
    got = service.get(LIST, x_filler="x" * 40_000)
    check_error(got, status=400, code="bad_request")
    assert got.error["details"] == {"reason": "out_of_range", "max": 32768}


def test_too_long_a_query_is_400(service: Service) -> None:
    got = service.get(f"{LIST}?category={'x' * 20_000}")
    check_error(got, status=400, code="bad_request")
    assert got.error["details"]["reason"] == "out_of_range"


def test_too_long_a_path_is_404(service: Service) -> None:
    check_error(service.get(f"/v1/events/slug/{'x' * 10_000}"), status=404, code="not_found")


def test_probes_need_no_key_and_are_kept_by_nobody(service: Service) -> None:
    for target in ("/healthz", "/readyz"):
        got = ask(service.edge, target)
        check_common(got)
        assert (got.status, got.headers["cache-control"]) == (200, "no-store")
    ready = ask(service.edge, "/readyz").read_json()
    assert ready == {"status": "ready", "release": service.get(LIST).headers["x-release"], "problems": {}}
    assert json.loads(ask(service.edge, "/healthz").body) == {"status": "ok"}


@pytest.mark.parametrize("path", ["/%68ealthz", "/read%79z", "/%6Detrics", "/openapi%2Ejson"])
def test_a_path_without_a_key_has_one_spelling_so_that_a_front_can_hide_it(service: Service, path: str) -> None:
    check_error(ask(service.edge, path), status=404, code="not_found")


@pytest.mark.parametrize("target", ["/v1/harbor/events?limit=1", "/v1/harbor/search?q=story&limit=1&match=auto"])
def test_a_link_leads_to_the_next_page_and_to_the_contract(service: Service, target: str) -> None:
    seen, pages = list[str](), 0
    while target:
        got = service.get(target)
        links = dict(reversed(link) for link in re.findall(r'<([^>]*)>; rel="([a-z-]+)"', got.headers["link"]))
        assert links["service-desc"] == "/openapi.json"
        seen += [item["id"] for item in got.read_json()["data"]]
        assert ("next" in links) == (got.read_json()["meta"]["next_cursor"] is not None)
        target, pages = links.get("next", ""), pages + 1
    assert pages == len(seen) == len(set(seen)) > 1


def test_a_link_to_the_next_page_is_there_for_a_numbered_one_and_a_head(service: Service) -> None:
    for method in ("GET", "HEAD"):
        link = service.get("/v1/harbor/events?limit=1&page=2", method=method).headers["link"]
        assert 'rel="next"' in link
        assert "page=" not in link
    assert "link" not in service.get("/v1/harbor/events", method="HEAD", if_none_match="*").headers


def test_an_error_is_a_problem_of_rfc_9457_where_the_client_reads_these(service: Service) -> None:
    usual = service.get("/v1/harbor/events?limit=999").error
    got = service.get("/v1/harbor/events?limit=999", accept="application/problem+json, application/json")
    assert (got.status, got.headers["content-type"]) == (400, "application/problem+json")
    assert got.read_json() == {
        "title": "bad_request", "status": 400, "detail": usual["message"], "code": "bad_request",
        "details": usual["details"], "request_id": got.headers["x-request-id"],
    }  # fmt: skip
