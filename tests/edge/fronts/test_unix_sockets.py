"""Workers on Unix sockets of their own: nginx asks the one that has the body."""

import json
from itertools import count
from pathlib import Path

import pytest

from outings.release.folder import FolderStore
from tests.edge.fronts.conftest import SECRET
from tests.edge.fronts.fronting import EdgeProcess, ask, start_nginx
from tests.edge.limits.conftest import RedisServer
from tests.edge.processes.serving import PATIENCE, wait_until
from tests.edge.publishing import add_keys, make_worlds, publish_worlds

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("fronts")]

LIST = "/v1/harbor/events?from=2026-08-10"


def test_a_body_is_asked_for_at_the_worker_that_gave_its_address(tmp_path: Path, own_redis: RedisServer) -> None:
    store = FolderStore(tmp_path / "store")
    publish_worlds(store, make_worlds(), folder=tmp_path)
    key = add_keys(store, {"all": {}})["all"]
    socket = tmp_path / "edge"
    edge = EdgeProcess(tmp_path / "one", tmp_path / "store", own_redis.name_url(), secret=SECRET, socket=socket)
    front = start_nginx(
        tmp_path / "nginx", "--edge", f"unix:{socket}.0", "--edge", f"unix:{socket}.1", "--from", "0", secret=SECRET
    )

    prices = count(1)  # each a body that nginx does not have

    def list_pairs() -> list[list[str]]:
        """Send a request, and return the pairs of workers that gave the address and the body so far. Requests at which
        a worker failed are left out."""
        ask(front.port, f"{LIST}&max_price={next(prices)}", headers={"X-API-Key": key})
        servers = [json.loads(line)["server"] for line in front.log.splitlines()]
        return [server.split(" : ") for server in servers if " : " in server and "," not in server]

    try:
        edge.start()
        wait_until(lambda: bool(list_pairs()), seconds=PATIENCE * 2)
        edge.kill()
        earlier = len(list_pairs())
        edge.start()  # it finds the files of the one that was killed
        both = {f"unix:{socket}.0", f"unix:{socket}.1"}
        wait_until(lambda: {first for first, _ in list_pairs()[earlier:]} == both, seconds=PATIENCE * 2)
        assert all(first == second for first, second in list_pairs())
        edge.stop()
        assert list(tmp_path.glob("edge.*")) == []
    finally:
        edge.stop()
        front.stop()
