"""Keys that are revoked and rotated while they are in use: none is honoured after 10 s, and no valid one is refused."""

import asyncio
import contextlib
import http.client
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from edge.app import Edge
from outings.keys.key_text import make_key_text, split_key_text
from outings.keys.registry import change_registry, revoke_key, rotate_key
from outings.release.store import VersionedBytes
from tests.edge.asking import ask
from tests.edge.conftest import Clock, start
from tests.edge.processes.serving import Server, wait_until
from tests.edge.publishing import NOW, add_keys, make_worlds, publish_worlds
from tests.release.memory import MemoryStore

__all__ = ["start"]

# A key and a revocation take effect within so many seconds.
TAKEN_UP_SECONDS = 10.0
TARGETS = ("/v1/harbor/events", "/v1/harbor/events?limit=2", "/v1/metros", "/v1/harbor/places?limit=1")


@dataclass
class Traffic:
    """Clients that ask without a pause, each time with the next key: (when asked, status) of each key's text."""

    server: Server
    texts: list[str]
    answers: dict[str, list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))
    faults: list[Exception] = field(default_factory=list)

    def __enter__(self) -> "Traffic":
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(4)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, number: int) -> None:
        try:
            while not self._stopped.is_set():
                # A new connection now and then, so that each worker is asked.
                with contextlib.closing(self.server.connect()) as connection:
                    for turn, text in enumerate(list(self.texts)):
                        self._ask_once(connection, TARGETS[(turn + number) % len(TARGETS)], text)
        except Exception as fault:  # noqa: BLE001 the test asserts that there was none
            self.faults.append(fault)

    def _ask_once(self, connection: http.client.HTTPConnection, target: str, text: str) -> None:
        sent_at = time.monotonic()
        connection.request("GET", target, headers={"X-API-Key": text})
        response = connection.getresponse()
        response.read()
        self.answers[text].append((sent_at, response.status))


def revoke(server: Server, text: str) -> None:
    change_registry(
        server.store, lambda registry: revoke_key(registry, text[4:12], now=datetime.now(UTC).replace(microsecond=0))
    )


def rotate(server: Server, text: str, *, overlap: timedelta) -> str:
    successor, now = make_key_text(), datetime.now(UTC).replace(microsecond=0)
    change_registry(
        server.store,
        lambda registry: rotate_key(
            registry, text[4:12], successor=split_key_text(successor), now=now, until=now + overlap
        ),
    )
    return successor


@pytest.mark.long
def test_revocations_and_rotations_hold_in_time_under_load(start: Callable[..., Server], cases: int) -> None:
    server, number = start(workers=2), min(cases, 50)
    made = add_keys(server.store, {f"{what}-{n}": {} for n in range(number) for what in ("revoked", "moved", "kept")})
    texts = list(made.values())
    # Each worker reads the keys by itself.
    known = f'"keys":{len(server.keys) + len(texts)}'
    wait_until(lambda: (server.folder / "log").read_text().replace(" ", "").count(known) >= 2, seconds=60)
    assert all(is_honoured(server, text) for text in texts)
    ended: dict[str, float] = {}
    begun: dict[str, float] = {}
    with Traffic(server, texts) as traffic:
        for n in range(number):
            revoke(server, made[f"revoked-{n}"])
            ended[made[f"revoked-{n}"]] = time.monotonic()
            # Every other one overlaps: the old key goes on.
            overlap = timedelta(hours=n % 2)
            successor = rotate(server, made[f"moved-{n}"], overlap=overlap)
            if not overlap:
                ended[made[f"moved-{n}"]] = time.monotonic()
            begun[successor] = time.monotonic()
            texts.append(successor)
            time.sleep(0.02)
        time.sleep(TAKEN_UP_SECONDS + 1)
    assert traffic.faults == []
    for text, answers in traffic.answers.items():
        assert {status for _, status in answers} <= {200, 401}
        for began, status in answers:
            if text in ended:
                assert status == 401 or began <= ended[text] + TAKEN_UP_SECONDS
            elif text in begun:
                assert status == 200 or began <= begun[text] + TAKEN_UP_SECONDS
            else:
                assert status == 200
    last = {text: answers[-1][1] for text, answers in traffic.answers.items()}
    assert last == {text: 401 if text in ended else 200 for text in texts}


def is_honoured(server: Server, text: str) -> bool:
    with contextlib.closing(server.connect()) as connection:
        connection.request("GET", "/v1/metros", headers={"X-API-Key": text})
        response = connection.getresponse()
        response.read()
        return response.status == 200


class Slow(MemoryStore):
    """A store that makes its reader wait once it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.is_slow = False
        self.waiting, self.go_on = threading.Event(), threading.Event()

    def read_versioned(self, name: str) -> VersionedBytes | None:
        if self.is_slow and name == "current.json":
            self.waiting.set()
            assert self.go_on.wait(60)
        return super().read_versioned(name)


def test_a_revocation_does_not_wait_for_a_release_that_is_being_taken_up(tmp_path: Path) -> None:
    store = Slow()
    publish_worlds(store, make_worlds(), folder=tmp_path)
    key = add_keys(store, {"one": {}})["one"]
    edge = Edge(store, cache=tmp_path / "cache", clock=Clock(), poll_seconds=0.02)

    async def run() -> None:
        events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        sent: asyncio.Queue[Any] = asyncio.Queue()
        serving = asyncio.create_task(
            edge({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, events.get, sent.put)
        )
        await events.put({"type": "lifespan.startup"})
        assert (await sent.get())["type"] == "lifespan.startup.complete"
        store.is_slow = True
        try:
            assert await asyncio.to_thread(store.waiting.wait, 10)
            assert await asyncio.to_thread(lambda: ask(edge, "/v1/metros", key=key).status) == 200
            change_registry(store, lambda registry: revoke_key(registry, key[4:12], now=NOW))
            await asyncio.to_thread(
                wait_until, lambda: ask(edge, "/v1/metros", key=key).status == 401, seconds=TAKEN_UP_SECONDS
            )
        finally:
            store.go_on.set()
        await events.put({"type": "lifespan.shutdown"})
        await serving

    asyncio.run(run())
