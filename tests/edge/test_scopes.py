"""Access by keys: every route × every kind of key, and the order of the checks."""

import re
from datetime import timedelta

import pytest

from edge.app import Edge
from edge.limits.limiter import FIELDS
from outings.contract.routes import ROUTES
from tests.edge.asking import ask
from tests.edge.conftest import Clock, Service
from tests.edge.publishing import NOW, make_id
from tests.edge.routes import ANSWERED, EVENT, READS

# Kind of key → what it may read, for the keys that `publishing` makes; None is everything.
SCOPES: dict[str, tuple[list[str] | None, list[str] | None]] = {
    "all": (None, None),
    "expiring": (None, None),
    "harbor": (["harbor"], None),
    "lakeside": (["lakeside"], None),
    "events": (None, ["events"]),
    "places": (None, ["places"]),
    "harbor_places": (["harbor"], ["places"]),
}

LIMITS = {name.lower() for name in FIELDS if "Quota" not in name}


def test_every_keyed_route_is_in_the_matrix() -> None:
    differing = READS.keys() ^ {route.name for route in ROUTES if route.needs_key}
    assert not differing, f"{sorted(differing)}: not both in the table of routes and in READS of tests/edge/routes.py"


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("kind", SCOPES)
def test_a_key_reads_what_is_in_its_scope(service: Service, name: str, kind: str) -> None:
    target, metro, resource = READS[name]
    metros, types = SCOPES[kind]
    is_outside = bool(metro and metros and metro not in metros)
    refused = is_outside or (resource and types and resource not in types)
    got = service.get(target, kind=kind)
    assert got.status == (403 if refused else 200 if name in ANSWERED else 501), got.body
    if refused:
        assert got.error["code"] == "forbidden"
        # Where its type is at fault, what it may read is told too.
        assert got.error["details"] == {
            "metros": metros or ["harbor", "lakeside"], **({} if is_outside else {"types": types}),
        }  # fmt: skip
        assert b"Story" not in got.body
    elif name not in ANSWERED:
        assert got.error["code"] == "not_implemented"


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("kind", ["none", "empty", "malformed", "unknown", "revoked", "expired", "two"])
def test_without_a_key_in_force_every_route_is_401(service: Service, name: str, kind: str) -> None:
    known = service.keys["all"]
    text = {
        "none": None,
        "empty": "",
        "malformed": known[:-1] + ("0" if known[-1] != "0" else "1"),
        "unknown": "a-legacy-key-that-nobody-has",
        "two": known,
    }.get(kind, service.keys.get(kind))
    extra = {"X_API_KEY": service.keys["other"]} if kind == "two" else {}
    got = ask(service.edge, READS[name][0], key=text, **{name.lower(): value for name, value in extra.items()})
    assert got.status == 401
    assert got.error["code"] == "unauthorized"
    assert set(got.error) == {"code", "message", "request_id"}
    assert "x-release" not in got.headers


def test_metros_are_all_listed_and_say_which_the_key_may_read(service: Service) -> None:
    listed = service.get("/v1/metros", kind="harbor").read_json()["data"]
    assert {item["slug"]: item["accessible"] for item in listed} == {"harbor": True, "lakeside": False}


def test_the_two_keys_that_may_read_the_same_get_the_same_answer_and_tag(service: Service) -> None:
    for target in (READS[name][0] for name in ANSWERED - {"events.ics.address"}):  # which is of one key
        first, second = service.get(target), service.get(target, kind="other")
        assert (first.body, first.headers["etag"]) == (second.body, second.headers["etag"])


# What is wrong with a request, in the order in which it is found: the first of them is the answer.
FAULTS = ("route", "method", "key", "metro", "scope", "parameter", "row")
STATUSES = {"route": 404, "method": 405, "key": 401, "metro": 404, "scope": 403, "parameter": 400, "row": 404}


def list_fault_sets() -> list[tuple[str, ...]]:
    return [
        (first, *later) for n, first in enumerate(FAULTS) for later in ((), *((fault,) for fault in FAULTS[n + 1 :]))
    ]


def make_target(faults: tuple[str, ...]) -> str:
    metro = "atlantis" if "metro" in faults else "lakeside"
    version = "/v2" if "route" in faults else "/v1"
    wrong = "bogus=1" if "parameter" in faults else ""
    if "row" in faults:
        return f"{version}/events/slug/nobody?metro={metro}&{wrong}"
    return f"{version}/{metro}/events?{wrong}"


@pytest.mark.parametrize("faults", list_fault_sets(), ids="+".join)
def test_the_first_fault_in_order_is_the_answer(service: Service, faults: tuple[str, ...]) -> None:
    key = None if "key" in faults else service.keys["places" if "scope" in faults else "events"]
    method = "DELETE" if "method" in faults else "GET"
    got = ask(service.edge, make_target(faults), key=key, method=method)
    assert got.status == STATUSES[faults[0]], got.body


@pytest.mark.parametrize("path", ["/v1/nowhere", "/v1/a/b/c/d", "/v1/", "/v1/events/no-uuid"])
def test_under_v1_a_method_is_refused_before_the_path_is_read(service: Service, path: str) -> None:
    for method in ("POST", "DELETE", "FOO"):
        got = ask(service.edge, path, method=method, key=service.keys["events"])
        assert (got.status, got.error["code"]) == (405, "method_not_allowed")
        assert set(got.headers) >= LIMITS
    assert service.get(path, kind="events").status == 404
    assert not LIMITS & set(ask(service.edge, path, method="POST").headers)


def test_an_unknown_metro_is_404_whoever_asks(service: Service) -> None:
    for kind in SCOPES:
        got = service.get("/v1/atlantis/events?limit=none", kind=kind)
        assert (got.status, got.error["code"]) == (404, "not_found")
        assert "atlantis" in got.error["message"]


def test_an_unknown_metro_as_a_parameter_is_404_and_another_keys_403(service: Service) -> None:
    assert service.get("/v1/events/slug/story-1?metro=atlantis").status == 404
    got = service.get("/v1/events/slug/story-1?metro=lakeside", kind="harbor")
    assert (got.status, got.error["details"]) == (403, {"metros": ["harbor"]})


def test_an_alias_answers_as_its_metro(service: Service) -> None:
    for path in ("/v1/{}/events", "/v1/{}/events?limit=2&page=2", "/v1/events/slug/story-1?metro={}"):
        whole, alias = (service.get(path.format(name)) for name in ("harbor", "harbor-city"))
        assert whole.status == alias.status == 200
        assert (whole.body, whole.headers["etag"]) == (alias.body, alias.headers["etag"])
    assert service.get("/v1/harbor-city/events", kind="lakeside").status == 403
    assert service.get("/v1/harbor-city/events", kind="harbor").status == 200


def test_a_slug_of_two_metros_is_the_one_that_the_key_may_read(service: Service) -> None:
    both = service.get("/v1/events/slug/story-1")
    assert (both.status, both.error["details"]["reason"]) == (400, "metro_required")
    one = service.get("/v1/events/slug/story-1", kind="harbor")
    assert one.read_json()["data"]["metro"] == "harbor"


def test_an_id_in_upper_case_is_the_same_row_and_no_id_is_404(service: Service) -> None:
    assert service.get(f"/v1/events/{EVENT.upper()}").body == service.get(f"/v1/events/{EVENT}").body
    for wrong in ("1", EVENT[:-1], EVENT.replace("-", ""), f"{{{EVENT}}}"):
        assert service.get(f"/v1/events/{wrong}").status == 404


def test_a_row_of_another_type_is_404_under_this_one(service: Service) -> None:
    assert service.get(f"/v1/classes/{EVENT}").status == 404


def test_an_archived_row_is_404_unless_asked_for(service: Service) -> None:
    archived = make_id("harbor-archived")
    assert service.get(f"/v1/events/{archived}").status == 404
    assert service.get(f"/v1/events/{archived}?include_archived=true").read_json()["data"]["status"] == "archived"


def test_a_key_expires_at_its_time(service: Service) -> None:
    clock = Clock()
    edge = Edge(service.store, cache=service.folder / "cache", clock=clock)
    edge.poll()
    assert ask(edge, "/v1/metros", key=service.keys["expiring"]).status == 200
    clock.now = NOW + timedelta(seconds=1)
    assert ask(edge, "/v1/metros", key=service.keys["expiring"]).status == 401
    edge.close()


def test_no_answer_tells_the_key(service: Service) -> None:
    key = service.keys["harbor"]
    for target in ("/v1/metros", "/v1/harbor/events", "/v1/lakeside/events", "/v1/nowhere"):
        got = service.get(target, kind="harbor")
        for shown in (got.read_body(), repr(got.headers).encode()):
            assert not re.search(re.escape(key[4:12]).encode(), shown)
