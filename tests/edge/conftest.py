"""The edge over a release in memory, at noon UTC of 10 August 2026; one a worker, read-only."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from msgspec.msgpack import decode, encode

from edge.app import Edge
from edge.serving.worker import set_up_logs
from tests.answers.worlds import World
from tests.built_once import build_once
from tests.edge.asking import Response, ask
from tests.edge.processes.serving import Server, start_server, stop_server
from tests.edge.publishing import KEY_KINDS, NOW, add_keys, make_worlds, publish_worlds
from tests.release.memory import MemoryStore

set_up_logs()

CALENDAR_SECRETS = ("a secret of at least thirty-two letters",)


@dataclass
class Clock:
    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Service:
    """A store, an edge over it, and keys by kind. `get` asks with a key that may read everything."""

    store: MemoryStore
    edge: Edge
    keys: dict[str, str]
    folder: Path
    clock: Clock
    others: list[Edge] = field(default_factory=list)

    def get(self, target: str, *, kind: str = "all", method: str = "GET", **headers: str) -> Response:
        return ask(self.edge, target, key=self.keys[kind], method=method, **headers)

    def start_another(self, *, cache: Path | None = None) -> "Service":
        """Another server over the same store, with a cache of its own."""
        folder = cache or self.folder / f"cache-{len(self.others)}"
        edge = Edge(self.store, cache=folder, clock=self.clock, calendar_secrets=CALENDAR_SECRETS)
        self.others.append(edge)
        edge.poll()
        return replace(self, edge=edge)

    def close(self) -> None:
        for edge in (self.edge, *self.others):
            edge.close()


@cache
def publish_once() -> list[tuple[str, bytes]]:
    """Return the content of a store after its first release. Publishing takes three quarters of the time that a service
    takes."""
    written = build_once("edge", lambda folder: (folder / "store").write_bytes(encode(list_published(make_worlds()))))
    return decode((written / "store").read_bytes(), type=list[tuple[str, bytes]])


def list_published(worlds: Sequence[World]) -> list[tuple[str, bytes]]:
    store = MemoryStore()
    with TemporaryDirectory() as folder:
        publish_worlds(store, worlds, folder=Path(folder))
    return [(entry.name, store.get(entry.name)) for entry in store.list("")]


def make_service(
    folder: Path,
    *,
    store: MemoryStore | None = None,
    published: bool = True,
    keyed: bool = True,
    **options: Any,
) -> Service:
    """`options` are those of `Edge`."""
    clock = Clock()
    if store is None:
        store = MemoryStore()
        store.put_many(publish_once() if published else [])
    elif published:
        publish_worlds(store, make_worlds(), folder=folder)
    keys = add_keys(store, KEY_KINDS) if keyed else {}
    edge = Edge(store, cache=folder / "cache", clock=clock, **{"calendar_secrets": CALENDAR_SECRETS, **options})
    edge.poll()
    return Service(store, edge, keys, folder, clock)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = make_service(tmp_path_factory.mktemp("edge"))
    yield made
    made.close()


@pytest.fixture
def make_own(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """A service of the test's own, which it may write to."""
    made: list[Service] = []

    def make(**options: Any) -> Service:
        made.append(make_service(tmp_path / str(len(made)), **options))
        return made[-1]

    yield make
    for entry in made:
        entry.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def begin(**options: Any) -> Server:
        started.append(start_server(tmp_path, **options))
        return started[-1]

    yield begin
    for server in started:
        stop_server(server)
