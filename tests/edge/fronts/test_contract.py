"""The contract at each front_server: a server itself, and the fronts before it. `FRONTS` names them."""

import gzip
import json
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from outings.keys.key_text import split_key_text
from outings.keys.registry import change_registry, revoke_key
from outings.release.pointer import read_current
from tests.edge.fronts.conftest import FrontServer
from tests.edge.fronts.fronting import Answer, Readers, ask, compare_answers
from tests.edge.processes.serving import wait_until
from tests.edge.publishing import NOW, make_id, make_world, publish_worlds

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("fronts")]

LIST = "/v1/harbor/events?from=2026-08-10"
FILTERED = f"{LIST}&max_price=20"
DETAIL = f"/v1/events/{make_id('harbor-event-1')}"
CALENDAR = "/v1/harbor/events.ics?from=2026-08-10"
LINES = "/v1/harbor/export/events.jsonl"
PARQUET = "/v1/harbor/export/events.parquet"
BODIES = (LIST, FILTERED, DETAIL, CALENDAR, LINES, PARQUET, "/v1/metros", "/v1/changes", "/openapi.json")


def compare(front_server: FrontServer, target: str, *, method: str = "GET", **headers: str) -> Answer:
    sent = {"X_API_Key": front_server.deployment.keys["all"], **headers}
    return compare_answers(front_server.port, front_server.edge.port, target, method=method, **sent)


def get(front_server: FrontServer, target: str, *, kind: str = "all", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return ask(front_server.port, target, headers={"X-API-Key": front_server.deployment.keys[kind], **sent})


@pytest.mark.parametrize("target", BODIES)
def test_an_answer_is_the_servers_own_in_each_coding_the_first_time_and_again(
    front_server: FrontServer, target: str
) -> None:
    plain = compare(front_server, target)
    for _ in range(2):
        packed = compare(front_server, target, Accept_Encoding="gzip")
        if packed.find("content-encoding"):
            assert gzip.decompress(packed.body) == plain.body
        assert compare(front_server, target).body == plain.body
    [etag] = plain.find("etag")
    assert compare(front_server, target, If_None_Match=etag).status == 304
    assert compare(front_server, target, If_None_Match='W/"0"').status == 200
    assert compare(front_server, target, method="HEAD").body == b""
    for refused in ("If_Match", "If_Unmodified_Since"):
        assert compare(front_server, target, **{refused: "*"}).status == 200


@pytest.mark.parametrize(
    ("target", "method", "status"),
    [
        ("/v1/nowhere/events", "GET", 404), (f"{LIST}&limit=9999", "GET", 400), ("/v1//events", "GET", 404),
        (LIST, "POST", 405), (LIST, "OPTIONS", 204),
    ],
)  # fmt: skip
def test_an_error_is_the_servers_own(front_server: FrontServer, target: str, method: str, status: int) -> None:
    assert compare(front_server, target, method=method).status == status


def test_without_a_key_in_force_there_is_no_body_even_of_what_others_have_read(front_server: FrontServer) -> None:
    get(front_server, FILTERED)
    for key in ("", "wrong"):
        assert compare(front_server, FILTERED, X_API_Key=key).status == 401
    kind = f"ending_{front_server.name}"
    assert get(front_server, FILTERED, kind=kind).status == 200
    id_, _ = split_key_text(front_server.deployment.keys[kind])
    change_registry(front_server.deployment.store, lambda registry: revoke_key(registry, id_, now=datetime.now(UTC)))
    # Each server reads the keys by itself, and which one a front asks is chance.
    for edge in front_server.deployment.edges:
        wait_until(lambda edge=edge: get(replace(front_server, port=edge.port), FILTERED, kind=kind).status != 200)
    assert get(front_server, FILTERED, kind=kind).status == 401


def count_used(front_server: FrontServer) -> int:
    """Return how many requests of the month are counted, by a request that is not billed."""
    answer = get(front_server, "/v1/nowhere", kind="billed")
    return int(answer.find("x-quota-limit")[0]) - int(answer.find("x-quota-remaining")[0])


def test_each_answer_is_counted_once(front_server: FrontServer) -> None:
    before = count_used(front_server)
    for target in (LIST, FILTERED, DETAIL, CALENDAR, LINES, f"{FILTERED}&limit=3", f"{FILTERED}&limit=3"):
        answer = get(front_server, target, kind="billed")
        assert answer.status == 200
        before += 1
        assert int(answer.find("x-quota-limit")[0]) - int(answer.find("x-quota-remaining")[0]) == before
    assert count_used(front_server) == before


def test_the_limit_of_a_key_is_exact_at_once(front_server: FrontServer) -> None:
    answers: list[Answer] = []

    def take() -> None:
        answers.append(get(front_server, FILTERED, kind=f"limited_{front_server.name}"))

    uncounted, began = front_server.deployment.read_uncounted(), time.monotonic()
    threads = [threading.Thread(target=take) for _ in range(180)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    leaked = 1 + int((time.monotonic() - began) * 2)  # two of a minute come back each second
    uncounted = front_server.deployment.read_uncounted() - uncounted
    refused = [answer for answer in answers if answer.status != 200]
    assert 120 <= len(answers) - len(refused) <= 120 + leaked + uncounted
    for answer in refused:
        check_error(answer, status=429, code="rate_limited")


def check_error(answer: Answer, *, status: int, code: str) -> None:
    assert answer.status == status
    error = json.loads(answer.body)["error"]
    assert (error["code"], [error["request_id"]]) == (code, answer.find("x-request-id"))
    assert answer.find("cache-control") == ["no-store"]


def test_no_tag_has_two_bodies_and_no_request_fails_while_a_release_replaces_another(front_server: FrontServer) -> None:
    store = front_server.deployment.store
    targets = (LIST, FILTERED, DETAIL, CALENDAR, LINES)
    with Readers(front_server.port, front_server.deployment.keys["all"], targets) as readers:
        for _ in range(2):
            current = read_current(store)
            assert current is not None
            sequence = current.root.sequence
            world = make_world("harbor", timezone="America/New_York", events=5 + sequence % 3)
            stamp = NOW + timedelta(minutes=sequence)
            release = publish_worlds(store, [world], folder=front_server.edge.folder, stamp=stamp).id
            wait_until(lambda release=release: serve(front_server, release))  # type: ignore[misc]
            readers.wait(100)
    assert readers.faults == []
    assert set(readers.statuses) == {200}
    assert {place: len(bodies) for place, bodies in readers.bodies.items() if len(bodies) > 1} == {}
    assert len([etag for target, etag in readers.bodies if target == FILTERED]) >= 3


def serve(front_server: FrontServer, release: str) -> bool:
    headers = {"X-API-Key": front_server.deployment.keys["all"]}
    return all(ask(edge.port, FILTERED, headers=headers).find("x-release") == [release]
               for edge in front_server.deployment.edges)  # fmt: skip


def test_a_part_of_a_file_is_that_part_and_a_whole_is_always_right(front_server: FrontServer) -> None:
    whole = get(front_server, PARQUET)
    part = get(front_server, PARQUET, Range="bytes=100-199")
    assert (part.status, part.body) == (206, whole.body[100:200])
    assert part.find("content-range") == [f"bytes 100-199/{len(whole.body)}"]
    assert part.find("etag") == whole.find("etag")
    assert get(front_server, LIST, Range="bytes=0-9").body == get(front_server, LIST).body
