"""A function answers what a server answers, and sends readers to the store for what is too large for it."""

import gzip
import json
import subprocess
import sys
import urllib.request
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.error import HTTPError

import pytest

from edge.serving.function import FunctionError, open_function
from outings.keys.registry import change_registry, revoke_key
from tests.command.conftest import CONFIGURATION
from tests.contract.conformance import check_response
from tests.edge.functions.conftest import Deployment
from tests.edge.functions.runtime import MOST_BYTES, ROOT, Answer
from tests.edge.processes.serving import wait_until
from tests.edge.publishing import NOW, make_world, publish_worlds

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("s3")]

LIST = "/v1/harbor/events?from=2026-08-10"
EXPORT = "/v1/lakeside/export/events.jsonl"
WAYS = ["server", "function"]
CONNECTION = ("date", "server", "connection", "transfer-encoding")
# What differs between any two answers of the same.
MOVING = (*CONNECTION, "x-request-id", "x-trace-id", "x-ratelimit-remaining", "x-ratelimit-reset",
          "ratelimit-remaining", "ratelimit-reset", "ratelimit", "x-quota-remaining")  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_the_contract_holds_by_server_and_by_function(deployment: Deployment, way: str) -> None:
    key = deployment.keys["all"]
    whole = deployment.ask(way, LIST, X_API_Key=key)
    check_answer(LIST, whole)
    assert len(json.loads(whole.body)["data"]) == 5
    etag = whole.headers["etag"]
    same = deployment.ask(way, LIST, X_API_Key=key, If_None_Match=etag)
    assert (same.status, same.body) == (304, b"")
    head = deployment.ask(way, LIST, method="HEAD", X_API_Key=key)
    assert (head.status, head.body, head.headers["etag"]) == (200, b"", etag)
    packed = deployment.ask(way, LIST, X_API_Key=key, Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == whole.body
    assert deployment.ask(way, LIST, method="OPTIONS").status == 204
    assert deployment.ask(way, "/v1/harbor/export/events.jsonl", X_API_Key=key).body.count(b"\n") == 5
    for status, target, sent in [
        (401, LIST, {}), (401, LIST, {"X_API_Key": "wrong"}), (404, "/v1/nowhere/events", {"X_API_Key": key}),
        (400, f"{LIST}&limit=9999", {"X_API_Key": key}),
    ]:  # fmt: skip
        answer = deployment.ask(way, target, **sent)
        assert answer.status == status
        check_answer(target, answer)


def check_answer(target: str, answer: Answer) -> None:
    """Check that an answer is as the contract declares it, without the headers of a connection."""
    declared = {name: value for name, value in answer.headers.items() if name not in CONNECTION}
    check_response(target, status=answer.status, headers=declared, body=answer.body, method="GET")


@pytest.mark.parametrize("target", [LIST, "/v1/metros", "/openapi.json", "/v1/harbor/coverage"])
def test_a_function_answers_what_a_server_answers(deployment: Deployment, target: str) -> None:
    answers = [deployment.ask(way, target, X_API_Key=deployment.keys["all"]) for way in WAYS]
    assert [answer.status for answer in answers] == [200, 200]
    assert answers[0].body == answers[1].body
    assert select_still(answers[0]) == select_still(answers[1])


def select_still(answer: Answer) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in MOVING}


def test_a_limit_is_counted_with_that_of_servers(deployment: Deployment) -> None:
    key = deployment.keys["few"]
    statuses = [deployment.ask(WAYS[number % 2], LIST, X_API_Key=key).status for number in range(12)]
    # One comes back every 15 s.
    assert statuses[:4] == [200] * 4
    assert statuses.count(429) >= 6


def test_a_revoked_key_and_a_new_release_are_seen_as_requests_come(deployment: Deployment) -> None:
    key = deployment.keys["ended"]
    assert deployment.function.ask(LIST, headers={"X-API-Key": key}).status == 200
    change_registry(deployment.store, lambda registry: revoke_key(registry, registry.keys[-1].id, now=NOW))
    wait_until(lambda: deployment.function.ask(LIST, headers={"X-API-Key": key}).status == 401)
    world = make_world("harbor", timezone="America/New_York", events=7)
    publication = publish_worlds(deployment.store, [world], folder=deployment.folder, stamp=NOW + timedelta(hours=1))
    headers = {"X-API-Key": deployment.keys["all"]}
    wait_until(lambda: deployment.function.ask(LIST, headers=headers).headers["x-release"] == publication.id)
    assert len(json.loads(deployment.function.ask(LIST, headers=headers).body)["data"]) == 7


def test_a_reader_is_sent_to_the_store_for_what_is_too_large(deployment: Deployment) -> None:
    headers = {"X-API-Key": deployment.keys["all"], "Accept-Encoding": "gzip"}
    answer = deployment.function.ask(EXPORT, headers=headers)
    assert (answer.status, answer.body, answer.headers["cache-control"]) == (302, b"", "private, no-store")
    assert not {"etag", "content-encoding"} & answer.headers.keys()
    assert int(answer.headers["x-ratelimit-remaining"]) < 10**6
    address = answer.headers["location"]
    with urllib.request.urlopen(address, timeout=60) as stored:
        packed = stored.read()
        assert stored.headers["content-encoding"] == "gzip"
        assert stored.headers["content-type"] == "application/x-ndjson"
    whole = deployment.ask("server", EXPORT, X_API_Key=deployment.keys["all"])
    assert len(packed) > MOST_BYTES * 3 / 4
    assert gzip.decompress(packed) == whole.body
    # It is of this object alone, and for a minute.
    assert "X-Amz-Expires=60" in address
    with pytest.raises(HTTPError):
        urllib.request.urlopen(address.split("?")[0] + "x?" + address.split("?")[1], timeout=60)


@pytest.mark.parametrize("target", [EXPORT, "/v1/lakeside/events?from=2026-08-10"])
def test_what_is_too_large_and_not_stored_as_it_is_taken_is_refused(deployment: Deployment, target: str) -> None:
    answer = deployment.function.ask(target, headers={"X-API-Key": deployment.keys["all"]})
    assert answer.status == 400
    check_answer(target, answer)
    error = json.loads(answer.body)["error"]
    assert (error["code"], error["details"]["reason"]) == ("bad_request", "out_of_range")
    assert "Accept-Encoding: gzip" in error["message"]


def test_a_line_of_the_log_is_written_before_the_answer_is_given(deployment: Deployment) -> None:
    answer = deployment.function.ask("/v1/metros", headers={"X-API-Key": deployment.keys["all"]})
    lines = [json.loads(line) for line in deployment.function.log.read_text().splitlines() if line.startswith("{")]
    requests: list[dict[str, Any]] = [line for line in lines if line["event"] == "request"]
    assert requests[-1]["request_id"] == answer.headers["x-request-id"]
    assert requests[-1]["route"] == "/v1/metros"
    assert datetime.fromisoformat(requests[-1]["timestamp"]).tzinfo == UTC


def test_what_only_rare_requests_need_is_imported_when_needed() -> None:
    code = "import sys, edge.serving.worker; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    assert {"numpy", "starlette"} < {*loaded.split()}
    assert {"polars", "boto3", "duckdb", "httpx2", "jinja2", "redis", "uvicorn"} & {*loaded.split()} == set()


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("", r"rate_storage is .local."),
        ('[edge]\nrate_storage = "redis://127.0.0.1:1/0"\n', r"\[store\] url is .file:"),
    ],
)
def test_a_configuration_that_is_none_for_a_function_is_refused(tmp_path: Any, table: str, reason: str) -> None:
    config = tmp_path / "outings.toml"
    config.write_text(CONFIGURATION + table)
    with pytest.raises(FunctionError, match=reason):
        open_function(config, {})
