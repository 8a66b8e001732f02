"""Usage of running servers: what their workers counted together, what they logged, and what a kill may lose of it."""

import contextlib
import http.client
import json
import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest

from edge.usage import Ledger
from tests.edge.conftest import start
from tests.edge.processes.serving import Server, list_workers, stop_server, wait_until

__all__ = ["start"]

TARGETS = ("/v1/harbor/events", "/v1/metros", "/v1/harbor/events?nope=1")


def count_rows(server: Server) -> dict[str, tuple[int, int]]:
    """Route → billed and refused, over keys and days."""
    totals = Ledger(server.folder / "var" / "state").read_totals()
    return {
        route: (
            sum(total.billed for total in totals if total.route == route),
            sum(total.refused for total in totals if total.route == route),
        )
        for route in {total.route for total in totals}
    }


def read_requests(server: Server) -> list[Any]:
    """Each line of the log is an object, those of all workers; but two are for people, between any of them."""
    texts = (server.folder / "log").read_text().splitlines()
    lines = [json.loads(text) for text in texts if not text.startswith(("Starting ", "Serving on "))]
    assert len(lines) >= len(texts) - 2
    return [line for line in lines if line["event"] == "request" and line["key"] is not None]


def test_what_several_workers_answered_is_counted_and_logged_once_each(start: Callable[..., Server]) -> None:
    server, rounds = start(workers=3), 40
    before = len(TARGETS) * rounds

    def ask() -> None:
        for _ in range(rounds):
            for target in TARGETS:
                server.get(target, kind="harbor")

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop_server(server)
    expected = {"events.list": (3 * rounds, 3 * rounds), "metros": (3 * rounds, 0)}
    assert count_rows(server) == expected
    lines = read_requests(server)
    assert len(lines) == 3 * before
    assert len({line["request_id"] for line in lines}) == 3 * before
    assert {line["key"] for line in lines} == {server.keys["harbor"][4:12]}
    assert {line["status"] for line in lines} == {200, 400}


@pytest.mark.long
def test_a_kill_loses_nothing_that_was_written_and_counts_nothing_twice(start: Callable[..., Server]) -> None:
    server, answered, is_over = start(workers=2), 0, threading.Event()

    def ask() -> None:
        nonlocal answered
        while not is_over.is_set():
            try:
                answered += server.get("/v1/metros").status == 200
            except (OSError, http.client.HTTPException):  # also an answer that the kill broke off
                continue

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        wait_until(lambda: answered >= 20)
        written = answered
        wait_until(lambda: count_rows(server).get("metros", (0, 0))[0] >= written)
        for process in [str(server.process.pid), *list_workers(server)]:
            os.kill(int(process), signal.SIGKILL)
        server.process.wait()
    finally:
        is_over.set()
        asking.join()
    billed, refused = count_rows(server)["metros"]
    # One more may have been answered and counted, and its answer lost.
    assert written <= billed <= answered + 1
    assert refused == 0


def test_counts_are_in_the_ledger_within_seconds_while_it_serves(start: Callable[..., Server]) -> None:
    server = start()
    for _ in range(5):
        server.get("/v1/metros")
    wait_until(lambda: count_rows(server) == {"metros": (5, 0)})


def read_text(server: Server, target: str) -> str:
    with contextlib.closing(server.connect()) as connection:
        connection.request("GET", target, headers={"X-API-Key": server.keys["all"]})
        return connection.getresponse().read().decode()


def read_json(server: Server, target: str) -> Any:
    return json.loads(read_text(server, target))


def test_a_deployments_plans_and_links_hold(start: Callable[..., Server]) -> None:
    plans = '[plans.free]\nper_minute = 61\n[plans.partner]\ngrants = ["related"]\n'
    kinds = {"all": {}, "free": {"plan": "free", "per_minute": None}}
    server = start(edge=f'upgrade_url = "https://up.example"\nusage_metrics = true\n{plans}', kinds=kinds)
    refused = read_json(server, "/v1/harbor/events?include=source")
    assert refused["error"]["details"] == {
        "param": "include", "include": "source", "plans": [], "grantable": ["standard", "partner"],
        "links": {"upgrade": "https://up.example"},
    }  # fmt: skip
    lenient = read_json(server, "/v1/harbor/events?include=source&include_mode=lenient")
    assert [notice["links"] for notice in lenient["notices"]] == [{"upgrade": "https://up.example"}]
    assert server.get("/v1/metros", kind="free").headers["X-RateLimit-Limit"] == "61"
    wait_until(lambda: f'key="{server.keys["free"][4:12]}"' in read_text(server, "/metrics"))
