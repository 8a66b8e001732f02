"""Two servers over one store and one Redis, and nginx before them, shared by tests that only ask."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from outings.release.folder import FolderStore
from tests.edge.fronts.fronting import EdgeProcess, Nginx, start_nginx
from tests.edge.fronts.workerd import Workerd, start_workerd
from tests.edge.limits.conftest import RedisServer, make_redis
from tests.edge.processes.serving import read_uncounted
from tests.edge.publishing import add_keys, make_worlds, publish_worlds

KINDS: dict[str, Mapping[str, object]] = {
    "all": {"per_minute": 10**6},
    "limited": {"plan": "standard", "per_minute": 120},
    "billed": {"plan": "standard", "per_minute": 10**6},
}
# What a reader may reach the API through; all keep one contract (`test_contract.py`).
FRONTS = ("edge", "nginx", "workerd")
for door_name in FRONTS:
    KINDS[f"limited_{door_name}"] = {"plan": "standard", "per_minute": 120}
    KINDS[f"ending_{door_name}"] = {}


@dataclass
class Deployment:
    """A deployment that readers reach through `nginx.port`."""

    store: FolderStore
    nginx: Nginx
    edges: tuple[EdgeProcess, ...]
    keys: dict[str, str]
    redis: RedisServer

    def read_uncounted(self) -> int:
        return sum(read_uncounted(edge.port) for edge in self.edges)


@dataclass
class FrontServer:
    """A front, one of `FRONTS`. Readers send requests to `port`."""

    name: str
    port: int
    deployment: Deployment

    @property
    def edge(self) -> EdgeProcess:
        """A server behind it, to compare with."""
        return self.deployment.edges[0]


def deploy(folder: Path, redis: RedisServer) -> Deployment:
    store = FolderStore(folder / "store")
    today = datetime.now(UTC).date()
    days = [today + timedelta(days=n) for n in (-1, 0, 1)]  # a day may end while servers run, and metros are behind UTC
    publish_worlds(store, make_worlds(), folder=folder, days=days)
    keys = add_keys(store, KINDS)
    edges = tuple(EdgeProcess(folder / name, folder / "store", redis.name_url()) for name in ("one", "two"))
    named = [word for edge in edges for word in ("--edge", edge.address)]
    nginx = start_nginx(folder / "nginx", *named)
    for edge in edges:
        edge.start()
    return Deployment(store, nginx, edges, keys, redis)


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


@pytest.fixture(scope="session")
def workerd(deployment: Deployment) -> Iterator[Workerd]:
    """Start a worker without files, before both servers."""
    made = start_workerd([edge.address for edge in deployment.edges])
    yield made
    made.stop()


@pytest.fixture(scope="session", params=FRONTS)
def front_server(request: pytest.FixtureRequest, deployment: Deployment) -> FrontServer:
    if request.param == "workerd":
        made: Workerd = request.getfixturevalue("workerd")
        return FrontServer("workerd", made.port, deployment)
    ports = {"edge": deployment.edges[0].port, "nginx": deployment.nginx.port}
    return FrontServer(request.param, ports[request.param], deployment)


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    made = make_redis(tmp_path)
    yield made
    made.kill()
