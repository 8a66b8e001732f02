"""A calendar that is subscribed to at a server of two workers: until its key ends, and in no log."""

import contextlib
import http.client
from collections.abc import Callable
from datetime import UTC, datetime
from json import loads
from pathlib import Path

import pytest

from outings.keys.registry import change_registry, revoke_key
from tests.edge.conftest import CALENDAR_SECRETS
from tests.edge.processes.serving import PATIENCE, Server, wait_until

TAKEN_UP_SECONDS = 10.0


@pytest.fixture
def server(start: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("OUTINGS_EDGE_CALENDAR_SECRETS", CALENDAR_SECRETS[0].replace(" ", "-"))
    return start(workers=2)


def ask(server: Server, target: str, *, key: str | None = None) -> tuple[int, bytes]:
    """Send a request over a connection of its own, so that any worker may answer."""
    headers = {} if key is None else {"X-API-Key": key}
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)) as connection:
        connection.request("GET", target, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()


def test_every_worker_takes_an_address_until_its_key_ends_and_none_logs_it(server: Server) -> None:
    _, signed = ask(server, "/v1/harbor/events.ics/address?from=2026-08-10", key=server.keys["all"])
    url = loads(signed)["data"]["url"]
    signature = url.rpartition("=")[2]
    answers = [ask(server, url) for _ in range(20)]
    assert {status for status, _ in answers} == {200}
    assert len({body for _, body in answers}) == 1
    assert b"\r\nBEGIN:VEVENT\r\n" in answers[0][1]
    wrong = [ask(server, target) for target in (f"{url}0", f"{url}&x=1", url.replace("events.ics", "events"))]
    assert [status for status, _ in wrong] == [401, 401, 401]
    change_registry(server.store, lambda known: revoke_key(known, server.keys["all"][4:12], now=datetime.now(UTC)))
    # One worker may know before the other.
    wait_until(lambda: {ask(server, url)[0] for _ in range(20)} == {401}, seconds=TAKEN_UP_SECONDS)
    _, metrics = ask(server, "/metrics")
    server.process.terminate()
    server.process.wait(PATIENCE * 2)
    outputs = [metrics, *(body for _, body in wrong), *map(Path.read_bytes, list_files(server.folder))]
    assert any(b"/v1/{metro}/events.ics" in output for output in outputs)
    assert [output for output in outputs if signature.encode() in output] == []


def list_files(folder: Path) -> list[Path]:
    """The log, the state and the cache."""
    return [path for path in folder.rglob("*") if path.is_file() and "store" not in path.parts]
