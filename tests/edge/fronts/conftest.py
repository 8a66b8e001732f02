"""Two servers over one store and one Redis, and nginx before them, shared by tests that only ask."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from outings.release.folder import FolderStore
from tests.edge.fronts.fronting import EdgeProcess, Nginx, start_nginx
from tests.edge.limits.conftest import RedisServer, make_redis
from tests.edge.publishing import add_keys, make_worlds, publish_worlds

KINDS: Mapping[str, Mapping[str, object]] = {
    "all": {"per_minute": 10**6},
    "limited": {"plan": "standard", "per_minute": 120},
    "billed": {"plan": "standard", "per_minute": 10**6},
}


@dataclass
class Deployment:
    """What a reader reaches through `nginx.port`."""

    nginx: Nginx
    edges: tuple[EdgeProcess, ...]
    keys: dict[str, str]
    redis: RedisServer


def deploy(folder: Path, redis: RedisServer, *options: str) -> Deployment:
    store = FolderStore(folder / "store")
    publish_worlds(store, make_worlds(), folder=folder)
    keys = add_keys(store, KINDS)
    edges = tuple(EdgeProcess(folder / name, folder / "store", redis.name_url()) for name in ("one", "two"))
    for edge in edges:
        edge.start()
    named = [word for edge in edges for word in ("--edge", edge.address)]
    return Deployment(start_nginx(folder / "nginx", *named, *options), edges, keys, redis)


def withdraw(deployment: Deployment) -> None:
    deployment.nginx.stop()
    for edge in deployment.edges:
        edge.stop()


@pytest.fixture(scope="session")
def shared_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    made = make_redis(tmp_path_factory.mktemp("redis"))
    yield made
    made.kill()


@pytest.fixture(scope="session")
def deployment(tmp_path_factory: pytest.TempPathFactory, shared_redis: RedisServer) -> Iterator[Deployment]:
    made = deploy(tmp_path_factory.mktemp("deployment"), shared_redis)
    yield made
    withdraw(made)


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    made = make_redis(tmp_path)
    yield made
    made.kill()
