"""The second answer is the first one's, from memory; and what changed in between is noticed before it is sent."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from edge.limits.limiter import FIELDS
from outings.keys.registry import change_registry, revoke_key
from tests.edge.asking import Response, ask
from tests.edge.conftest import Service, make_service
from tests.edge.publishing import NOW, make_id, make_world, publish_worlds
from tests.edge.routes import ANSWERED, READS

LIST = "/v1/harbor/events"
TARGETS = [READS[name][0] for name in sorted(ANSWERED)]
# Each response has its own.
OWN = {"x-request-id", "x-trace-id"} | {name.lower() for name in FIELDS}

MakeService = Callable[..., Service]


def list_kept(got: Response) -> dict[str, str]:
    return {name: value for name, value in got.headers.items() if name not in OWN}


@pytest.fixture
def warm(make_own: MakeService) -> Service:
    """Every target was asked for, so that every one is remembered, for the kinds of keys that are tried here."""
    service = make_own()
    for kind in ("all", "expiring", "harbor"):
        for target in TARGETS:
            service.get(target, kind=kind)
    return service


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Service]]:
    """Two servers, each of which is asked for a target by one test alone."""
    service = make_service(tmp_path_factory.mktemp("cold"))
    yield service, service.start_another()
    service.close()


@pytest.mark.xdist_group("cold")  # one worker starts the servers
@pytest.mark.parametrize("target", TARGETS)
def test_the_second_answer_is_the_first_one(cold: tuple[Service, Service], target: str) -> None:
    service, other = cold
    for headers in ({}, {"accept_encoding": "gzip"}, {"accept_encoding": "zstd", "x_trace_id": "a-trace"}):
        first, second = (service.get(target, **headers) for _ in range(2))
        assert (second.status, second.body, list_kept(second)) == (first.status, first.body, list_kept(first))
        assert second.headers["x-request-id"] != first.headers["x-request-id"]
        assert second.headers["x-trace-id"] == headers.get("x_trace_id", second.headers["x-request-id"])
    tag = first.headers["etag"]
    answers = [service.get(target, if_none_match=tag) for _ in range(2)]
    fresh = ask(other.edge, target, key=service.keys["all"], if_none_match=tag)
    for answer in answers:
        assert (answer.status, answer.body, list_kept(answer)) == (304, b"", list_kept(fresh))


@pytest.mark.parametrize("trace_id", ["", "with space", "x" * 129, "é"])
def test_a_trace_id_that_is_not_well_formed_is_not_taken_over(warm: Service, trace_id: str) -> None:
    got = warm.get(LIST, x_trace_id=trace_id)
    assert got.headers["x-trace-id"] == got.headers["x-request-id"]


def test_a_head_has_no_body_and_another_method_is_405(warm: Service) -> None:
    whole = warm.get(LIST)
    got = warm.get(LIST, method="HEAD")
    assert (got.status, got.body, list_kept(got)) == (200, b"", list_kept(whole))
    assert warm.get(LIST, method="POST").status == 405
    assert warm.get(LIST, method="OPTIONS").status == 204


def test_without_a_key_in_force_it_is_401(warm: Service) -> None:
    assert ask(warm.edge, LIST).status == 401
    for key in ("", "nonsense", warm.keys["all"][:-1], warm.keys["revoked"], warm.keys["expired"]):
        assert ask(warm.edge, LIST, key=key).status == 401
    assert ask(warm.edge, LIST, key=warm.keys["all"]).status == 200


def test_a_key_expires_to_the_second(warm: Service) -> None:
    assert warm.get(LIST, kind="expiring").status == 200
    warm.clock.now += timedelta(seconds=1)
    assert warm.get(LIST, kind="expiring").status == 401
    assert warm.get(LIST).status == 200


def test_a_revoked_key_stops_with_the_next_registry(warm: Service) -> None:
    change_registry(warm.store, lambda registry: revoke_key(registry, warm.keys["all"][4:12], now=NOW))
    warm.edge.poll()
    assert warm.get(LIST).status == 401
    assert warm.get(LIST, kind="expiring").status == 200


def test_what_one_key_may_read_is_not_sent_to_another(warm: Service) -> None:
    got = warm.get("/v1/lakeside/events", kind="harbor")
    assert (got.status, warm.get("/v1/lakeside/events").status) == (403, 200)
    metros = [warm.get("/v1/metros", kind=kind).read_json()["data"] for kind in ("all", "harbor")]
    assert [[metro["accessible"] for metro in value] for value in metros] == [[True, True], [True, False]]


def test_too_many_bytes_of_headers_are_400(warm: Service) -> None:
    got = warm.get(LIST, x_long="x" * 33_000)
    assert (got.status, got.error["details"]["reason"]) == (400, "out_of_range")


def test_a_new_release_and_a_new_day_are_answered_again(warm: Service) -> None:
    old = warm.get(LIST)
    world = make_world("harbor", timezone="America/New_York", events=2)
    publish_worlds(warm.store, [world], folder=warm.folder, stamp=NOW + timedelta(minutes=1))
    warm.edge.poll()
    new = warm.get(LIST)
    assert new.headers["x-release"] != old.headers["x-release"]
    assert [len(entry.read_json()["data"]) for entry in (old, new)] == [5, 2]
    assert warm.get(LIST, if_none_match=old.headers["etag"]).status == 200
    warm.clock.now += timedelta(days=1)
    assert warm.get(LIST, if_none_match=new.headers["etag"]).status == 200
    assert warm.get(LIST).read_json()["meta"]["window"]["from"] == "2026-08-11"


def test_a_document_that_did_not_change_keeps_its_tag_under_the_new_release(warm: Service) -> None:
    target = f"/v1/places/{make_id('lakeside-place')}"
    tag = warm.get(target).headers["etag"]
    world = make_world("harbor", timezone="America/New_York", events=2)
    published = publish_worlds(warm.store, [world], folder=warm.folder, stamp=NOW + timedelta(minutes=1))
    warm.edge.poll()
    for _ in range(2):
        got = warm.get(target, if_none_match=tag)
        assert (got.status, got.headers["x-release"]) == (304, published.id)


def test_a_request_that_failed_fails_again(warm: Service) -> None:
    for target, status in (("/v1/nowhere/events", 404), (f"{LIST}?limit=0", 400), (f"{LIST}?near_zip=98101", 501)):
        answers = [warm.get(target) for _ in range(2)]
        assert [answer.status for answer in answers] == [status, status]
        first, second = (json.loads(answer.body)["error"] for answer in answers)
        assert first.pop("request_id") != second.pop("request_id")
        assert first == second
